"""StRecall: subtopic recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import Ranked
from metameter.metric.diversity.base import Diversity
from metameter.registry import register

if TYPE_CHECKING:
    pass


@register("metric")
@dataclass(frozen=True, repr=False)
class StRecall(Diversity):
    r"""A user wants something on every subtopic: the share of subtopics that the list covers.

    .. math:: StRecall@k = \frac{|\bigcup_{i \le k} \{ s : s \in d_i \}|}{M}

    where M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    zhai2003

    Examples
    --------
    A list without subtopics has one.

    >>> StRecall(k=2)([0, 1, 1]), StRecall(k=1)([0, 1, 1])
    (1.0, 0.0)
    """

    reference = "zhai2003"
    aliases = {"strec@{k}": "StRecall@{k}"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """How many subtopics each document is the first to cover."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        first = (covers.above() == 0).astype(np.float64)
        return covers.added(first, len(faceted.length), faceted.depth), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """All subtopics that can be covered."""
        return self.subtopics(ranked)
