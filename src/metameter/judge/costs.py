"""The costs of documents, looked up for all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.judge.lookup import Lookup
from metameter.types.byte_strings import Names
from metameter.types.document_tables import EVERYWHERE

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Costs:
    """Looks up the cost of a document, which is 1 where none is given.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "cost": [3.0, 5.0]})
    >>> costs = Costs.of(table, ("1", "2"))
    >>> costs.find(np.array([1, 0, 0]), Names.of(pl.Series(["a", "a", "b"])))
    array([5., 3., 1.])
    """

    table: pl.DataFrame
    lookup: Lookup
    cost: NDArray[np.float64]
    by_topic: bool

    @classmethod
    def of(cls, table: pl.DataFrame, topics: tuple[str, ...]) -> Costs:
        """Build the lookup from a table of topic, doc, cost."""
        by_topic = bool((table["topic"] != EVERYWHERE).any())
        number = {topic: row for row, topic in enumerate(topics)} if by_topic else {EVERYWHERE: 0}
        rows = np.array([number.get(topic, -1) for topic in table["topic"]], dtype=np.int64)
        known = np.flatnonzero(rows >= 0)
        docs = Names.of(table["doc"]).take(known)
        lookup = Lookup.of(tuple(number), rows[known], docs)
        return cls(table, lookup, table["cost"].to_numpy()[known], by_topic)

    def find(self, topic: NDArray[np.int64], doc: Names) -> NDArray[np.float64]:
        """Return the cost of each document of a topic."""
        keys = self.lookup.keys_of(topic if self.by_topic else np.zeros_like(topic), doc)
        rows, at = self.lookup.find(keys, doc)
        costs = np.ones(len(doc))
        costs[rows] = self.cost[at]
        return costs
