"""What is shown of scores that are written to a file: the means of the first systems, and how much there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Summary", "summary_of"]

MOST_SYSTEMS = 20


@dataclass(frozen=True)
class Summary:
    """The means for the eye, one row per system, and what is said of the whole."""

    table: pl.DataFrame
    words: str

    def __str__(self) -> str:
        return self.words


def summary_of(scores: Scores) -> Summary:
    """A short answer, however many rows there are.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.75], [0.25, 0.25]]]))
    >>> summary_of(scores).table.rows()
    [('a', 0.625), ('b', 0.25)]
    >>> print(summary_of(scores))
    , 1 metric x 2 systems x 2 topics. Shown: means over topics; --format csv prints the rows.
    """
    counts = {"metric": scores.metrics, "system": scores.systems, "topic": scores.topics}
    sizes = " x ".join(f"{len(labels):,} {name}{'s' * (len(labels) != 1)}" for name, labels in counts.items())
    left_out = len(scores.systems) - MOST_SYSTEMS
    which = f" of the first {MOST_SYSTEMS} systems" if left_out > 0 else ""
    words = f", {sizes}. Shown: means over topics{which}; --format csv prints the rows."
    return Summary(scores.means.head(MOST_SYSTEMS), words)
