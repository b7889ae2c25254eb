"""What is known of single documents: how long they are, and what it costs a user to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metameter.types.provenance import Fingerprint, counted

if TYPE_CHECKING:
    import polars as pl


#: The topic of a cost that holds for all topics.
EVERYWHERE = ""


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of documents: columns ``topic``, ``doc`` and ``cost``, and what they were read from."""

    table: pl.DataFrame
    fingerprint: Fingerprint


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Lengths of documents in words, as far as they are known, and what they were read from.

    The table has the columns ``doc`` (String) and ``length`` (Float64, at least 0), and every document once.
    """

    table: pl.DataFrame
    fingerprint: Fingerprint

    def __repr__(self) -> str:
        return f"<Lengths of {counted(self.table.height, 'document')}>"
