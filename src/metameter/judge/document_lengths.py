"""The lengths of documents, looked up for all runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DocumentLengths:
    """Looks up the number of words of a document, NaN where it is unknown.

    Examples
    --------
    >>> lengths = DocumentLengths(pl.DataFrame({"doc": ["a", "b"], "length": [30.0, 10.0]}))
    >>> lengths.find(pl.Series(["b", "c"])), lengths.rising
    (array([10., nan]), array([10., 30.]))
    """

    table: pl.DataFrame

    @cached_property
    def rising(self) -> NDArray[np.float64]:
        """All lengths, the shortest first."""
        return np.sort(self.table["length"].cast(pl.Float64).to_numpy())

    def find(self, doc: pl.Series) -> NDArray[np.float64]:
        """Return the length of each document."""
        documents = pl.DataFrame({"doc": doc.cast(pl.String)})
        length = documents.join(self.table, on="doc", how="left", maintain_order="left")["length"]
        return length.cast(pl.Float64).fill_null(float("nan")).to_numpy()
