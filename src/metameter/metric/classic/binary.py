"""Binary relevance: a document counts from a given grade on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places, where_not_zero
from metameter.metric.classic.base import Classic, above

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Binary", "first"]


def first(hits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep the first of the hits in each row.

    Examples
    --------
    >>> first(np.array([[0.0, 1, 1]]))
    array([[0., 1., 0.]])
    """
    return np.asarray(hits * (np.cumsum(hits, axis=1) == 1))


@dataclass(frozen=True, repr=False)
class Binary(Classic):
    """A metric that only asks whether a document is relevant.

    Parameters
    ----------
    rel : number above 0
        The lowest grade that counts as relevant.
    """

    # Unjudged documents are kept as grade 0, so nothing may be relevant from 0 on.
    rel: float = above(0, default=1)

    def hits(self, ranked: Ranked) -> NDArray[np.float64]:
        """1 where a relevant document is, else 0."""
        return ranked.once(("hits", self.rel), lambda: ranked.relevant(self.rel).astype(np.float64))

    def retrieved(self, ranked: Ranked) -> NDArray[np.float64]:
        """How many relevant documents there are down to each rank."""
        return ranked.once(("retrieved", self.rel), lambda: np.cumsum(self.hits(ranked), axis=1))

    def where_relevant(self, ranked: Ranked) -> Places:
        """The ranks of the relevant documents."""
        return ranked.once(("where relevant", self.rel), lambda: where_not_zero(ranked.relevant(self.rel)))

    def total(self, ranked: Ranked) -> NDArray[np.float64]:
        """R: how many relevant documents the qrels hold for each topic."""
        return ranked.judgments.relevant(self.rel).astype(np.float64)

    def relevant_ideal(self, ranked: Ranked) -> NDArray[np.bool_]:
        """Which documents of the ideal list are relevant: the first R of them."""
        return np.asarray(np.arange(ranked.judgments.ideal.shape[1]) < self.total(ranked)[:, None])
