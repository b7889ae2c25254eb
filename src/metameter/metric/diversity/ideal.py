"""Which documents cover which subtopics; and the best list for novelty, which takes at each rank what is newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import Covers

if TYPE_CHECKING:
    from metameter.judge.facets import Facets
    from metameter.judge.passages import Passages


def covered(passages: Passages, rel: float) -> Covers:
    """Which documents cover which subtopics, with at least this rating; 1 is any."""
    covers = passages.covers("official")
    if rel == 1:
        return covers
    kept = covers.rating >= rel
    return Covers(covers.topic[kept], covers.place[kept], covers.subtopic[kept], covers.rating[kept])


def ideal_gains(facets: Facets, alpha: float, rel: float, depth: int | None) -> NDArray[np.float64]:
    """How much that is new each rank of the best list has, at least to a depth or to its end: topics x ranks."""
    longest = facets.once(("most documents", rel), lambda: _most_documents(covered(facets.passages, rel)))
    wanted = longest if depth is None else min(depth, longest)
    key = ("ideal", alpha, rel)
    known: NDArray[np.float64] | None = facets.memo.get(key)
    if known is None or known.shape[1] < wanted:
        covers = covered(facets.passages, rel)
        known = np.zeros((len(facets.listed), wanted))
        for topic in range(len(known)):
            gains = ideal_list(covers, topic, int(facets.listed[topic]), wanted, alpha)[1]
            known[topic, : gains.size] = gains
        facets.memo[key] = known
    return known


def _most_documents(covers: Covers) -> int:
    """How many documents the topic with the most relevant ones has."""
    documents = np.unique(np.stack([covers.topic, covers.place]), axis=1)[0]
    return int(np.bincount(documents).max(initial=0))


def ideal_list(
    covers: Covers, topic: int, subtopics: int, depth: int, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The documents of a topic, each time one that has most that is new, of equals the first; and how much that is.

    Examples
    --------
    The document on both subtopics comes first; the others have half of one each.

    >>> from metameter.judge.passages import Covers
    >>> zero = np.zeros(4, dtype=np.int64)
    >>> covers = Covers(zero, np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1]), np.ones(4))
    >>> ideal_list(covers, 0, 2, 9, 0.5)
    (array([1, 0, 2]), array([2. , 0.5, 0.5]))
    """
    mine = np.flatnonzero(covers.topic == topic)
    documents, row = np.unique(covers.place[mine], return_inverse=True)
    has = np.zeros((max(subtopics, 1), documents.size))
    has[covers.subtopic[mine], row] = 1.0
    worth, left = np.ones(len(has)), np.ones(documents.size, np.bool_)
    chosen, gains = [], []
    for _ in range(min(depth, documents.size)):
        new = np.zeros(documents.size)
        # Subtopic by subtopic, as ndeval adds: sums that should be equal are, and ties are ties.
        for each, value in zip(has, worth, strict=True):
            new += each * value
        best = int(np.argmax(np.where(left, new, -1.0)))
        chosen.append(int(documents[best]))
        gains.append(float(new[best]))
        worth[has[:, best] > 0] *= 1.0 - alpha
        left[best] = False
    return np.array(chosen, dtype=np.int64), np.array(gains)
