"""Passages: the parts of documents about a subtopic, by document of the truth or by rank of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Derivable

if TYPE_CHECKING:
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


#: How ratings count: ``raw`` unchanged; ``official`` 0 as 1, as in the scorer of TREC Dynamic Domain; ``positive`` all
#: ratings up to 0 as 1.
Rule: TypeAlias = Literal["raw", "official", "positive"]


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows of a table by group: one row per group, with its members in their order.

    Attributes
    ----------
    key : ndarray, groups
        The key of each group.
    member : ndarray, groups x most members
        The row of each member in the table; -1 beyond the last.

    Examples
    --------
    >>> group_rows(np.array([7, 3, 7])).member
    array([[ 1, -1],
           [ 0,  2]])
    """

    key: Ints
    member: Ints

    def spread(self, values: Floats) -> Floats:
        """Return the values of the members, groups x most members; 0 beyond the last."""
        if not values.size:
            return np.zeros(self.member.shape)
        return np.where(self.member >= 0, values[self.member], 0.0)

    def to_rows(self, spread: Floats, rows: int) -> Floats:
        """Return values of the members, groups x most members, as values of the rows of the table."""
        there = self.member >= 0
        values = np.zeros(rows)
        values[self.member[there]] = spread[there]
        return values


def group_rows(key: Ints) -> Groups:
    """Group the rows of a table by a key; members keep their order."""
    order = np.argsort(key, kind="stable")
    keys, start, count = np.unique(key[order], return_index=True, return_counts=True)
    member = np.full((keys.size, int(count.max(initial=0))), -1, dtype=np.int64)
    row = np.repeat(np.arange(keys.size), count)
    member[row, np.arange(order.size) - np.repeat(start, count)] = order
    return Groups(keys, member)


@dataclass(frozen=True, eq=False)
class Passages(Derivable):
    """Relevant passages, in the order of reading: by topic, then by document, then as in the truth.

    Attributes
    ----------
    topic, position : ndarray
        The topic's number, and the row of the document in the judgments, or its rank in a run, from 0.
    subtopic, nugget : ndarray
        Numbers within the topic.
    rating : ndarray
        As in the truth.

    Examples
    --------
    Two passages of a document on one subtopic, one on another.

    >>> ratings = np.array([3.0, 0.0, 2.0])
    >>> one, zero = np.ones(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    >>> passages = Passages(zero, zero, np.array([0, 0, 1]), np.arange(3), ratings)
    >>> passages.covers("raw").rating, passages.covers("official").rating
    (array([3., 2.]), array([4., 2.]))
    """

    topic: Ints
    position: Ints
    subtopic: Ints
    nugget: Ints
    rating: Floats

    def where(self, mask: NDArray[np.bool_]) -> Passages:
        """Return some of the passages."""
        numbers = (self.topic[mask], self.position[mask], self.subtopic[mask], self.nugget[mask])
        return Passages(*numbers, self.rating[mask])

    def ratings(self, rule: Rule) -> Floats:
        """Return the ratings as this rule counts them."""
        low = {"raw": np.zeros(self.rating.shape, np.bool_), "official": self.rating == 0, "positive": self.rating <= 0}
        return np.where(low[rule], 1.0, self.rating)

    def covers(self, rule: Rule = "official", *, falling: bool = False) -> Covers:
        """Return how well each document covers each of its subtopics, in the order of reading.

        Parameters
        ----------
        rule : {"official", "positive", "raw"}
        falling : bool
            The i-th best passage of a document has weight 1 / log2(i + 1), as in the scorer of 2016; by default all
            passages have weight 1.
        """
        return self.once(("covers", rule, falling), lambda: self._covers(self.ratings(rule), falling))

    def _covers(self, rating: Floats, falling: bool) -> Covers:
        subtopics = int(self.subtopic.max(initial=0)) + 1
        documents = int(self.position.max(initial=0)) + 1
        groups = group_rows((self.topic * documents + self.position) * subtopics + self.subtopic)
        spread = groups.spread(rating)
        if falling:
            best_first = -np.sort(-np.where(groups.member >= 0, spread, -np.inf), axis=1)
            discount = np.log2(np.arange(spread.shape[1]) + 2.0)
            spread = np.where(groups.member >= 0, best_first, 0.0) / discount
        first = groups.member[:, 0] if groups.key.size else np.zeros(0, np.int64)
        sums = np.cumsum(spread, axis=1)[:, -1] if groups.key.size else np.zeros(0)
        return Covers(self.topic[first], self.position[first], self.subtopic[first], sums)


@dataclass(frozen=True, eq=False)
class Covers:
    """Which document covers which subtopic, and how well, in the order of reading.

    Attributes
    ----------
    topic, position, subtopic : ndarray
    rating : ndarray
        The ratings of the document's passages on the subtopic, added up.
    """

    topic: Ints
    position: Ints
    subtopic: Ints
    rating: Floats

    @property
    def size(self) -> int:
        """The number of pairs of a document and a subtopic."""
        return int(self.topic.size)

    def by_subtopic(self) -> Groups:
        """Return the documents about each subtopic, in the order of reading."""
        return group_rows(self.topic * (int(self.subtopic.max(initial=0)) + 1) + self.subtopic)

    def above(self) -> Ints:
        """Return the number of earlier documents that cover the same subtopic, for each pair."""
        groups = self.by_subtopic()
        count = np.broadcast_to(np.arange(groups.member.shape[1], dtype=np.float64), groups.member.shape)
        return groups.to_rows(count, self.size).astype(np.int64)

    def sum_by_document(self, values: Floats, topics: int, depth: int) -> Floats:
        """Return the sum of the values of each document: topics x depth."""
        cells = np.bincount(self.topic * depth + self.position, weights=values, minlength=topics * depth)
        return np.asarray(cells.reshape(topics, depth))
