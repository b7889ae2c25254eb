"""Tables of documents: their lengths, and the costs of reading them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metameter.types.provenance import Fingerprint, counted

if TYPE_CHECKING:
    import polars as pl


#: The topic of costs that hold for all topics.
EVERYWHERE = ""


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of documents, with columns ``topic``, ``doc`` and ``cost``, and the file that they were read from."""

    table: pl.DataFrame
    fingerprint: Fingerprint


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Lengths of documents in words, where known, and the file that they were read from.

    The table has columns ``doc`` (String, unique) and ``length`` (Float64, at least 0).
    """

    table: pl.DataFrame
    fingerprint: Fingerprint

    def __repr__(self) -> str:
        return f"<Lengths of {counted(self.table.height, 'document')}>"
