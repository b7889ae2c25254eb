"""`Faceted`: what a metric sees of a run with judgments by subtopic."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked

if TYPE_CHECKING:
    from metameter.judge.facets import Facets
    from metameter.judge.passages import Passages


@dataclass(frozen=True, eq=False)
class Faceted(Ranked):
    """One run against judgments by subtopic.

    Attributes
    ----------
    facets : Facets
        The judgments by subtopic; shared by all runs.
    seen : Passages
        The relevant passages in the run; positions are ranks, from 0.

    Examples
    --------
    A list without subtopics counts as one with a single subtopic.

    >>> faceted = Faceted.of(Ranked.of_gains([1, 0, 0.5]))
    >>> faceted.seen.position, faceted.seen.rating, faceted.facets.listed
    (array([0, 2]), array([1. , 0.5]), array([1]))
    """

    facets: Facets = field(kw_only=True)
    seen: Passages = field(kw_only=True)

    @classmethod
    def of(cls, ranked: Ranked) -> Faceted:
        """Return the run with subtopics: itself, or, if they are not known, with one per topic."""
        if isinstance(ranked, Faceted):
            return ranked
        from metameter.judge.facets import Facets

        return ranked.once("faceted", lambda: Faceted.on(ranked, Facets.of_list(ranked), _only(ranked)))

    @classmethod
    def on(cls, ranked: Ranked, facets: Facets, seen: Passages | None = None) -> Faceted:
        """Return an aligned run with the judgments by subtopic."""
        if seen is None:
            cells, rows = ranked.known_documents()
            seen = facets.seen(cells // ranked.depth, cells % ranked.depth, rows)
        return cls(**ranked.fields_of(Ranked), facets=facets, seen=seen)

    def with_ranks(self, to: NDArray[np.int64]) -> Passages:
        """Return the passages seen, with ranks replaced by ``to`` (topics x ranks); negative ranks are left out."""
        ranks = to[self.seen.topic, self.seen.position]
        return replace(self.seen, position=ranks).where(ranks >= 0)

    def _cut(self, k: int) -> Faceted:
        return replace(cast("Faceted", super()._cut(k)), seen=self.seen.where(self.seen.position < k))


def _only(ranked: Ranked) -> Passages:
    """Return the relevant documents of lists without subtopics, each a passage about the only subtopic."""
    from metameter.judge.passages import Passages

    topic, rank = np.nonzero(ranked.relevant(np.nextafter(0, 1)))
    none = np.zeros(topic.size, dtype=np.int64)
    return Passages(topic, rank, none, rank, ranked.grade[topic, rank])
