"""Exact expectations of metrics that depend on which documents stand above a rank, not on their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.base import Summed, divide
from metameter.metric.product import Product
from metameter.scoring.tie_expectation.groups import Group, arranged, group_mean, log_choose

_MOST_CELLS = 40_000_000
_BLOCK_CELLS = 1_000_000


def is_feasible(groups: list[Group]) -> bool:
    """Whether the number of lists that must be scored is within the limit."""
    return sum(_lists(group) * (group.start + group.size) for group in groups) <= _MOST_CELLS


def _lists(group: Group) -> int:
    return sum(prod(count + 1 for count in _without(group.counts, kind)) for kind in range(len(group.counts)))


def expected_above(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """The score of a topic, expected over random orders within each group.

    What a rank adds depends on its document and on how many documents of each kind stand above it. So it is enough to
    score, for each kind, lists in which its documents follow every combination of the others, and to weigh what they
    add by the (hypergeometric) probability of that combination. The order within the groups above makes no difference.
    """
    order = np.arange(listed.depth)[None]
    added = contributions(measure, arranged(listed, topic, order))[0]
    fixed = np.ones(added.size, dtype=np.bool_)
    total = 0.0
    for group in groups:
        fixed[group.start : group.start + group.size] = False
        for kind in range(len(group.counts)):
            for before in _blocks(group, kind):
                total += _expected_of(measure, listed, topic, group, kind, before)
    return float(added[fixed].sum() + total)


def _blocks(group: Group, kind: int) -> Iterator[NDArray[np.int64]]:
    """How many of each other kind may stand above the first of this kind: all combinations, in blocks."""
    others = [range(1) if each == kind else range(count + 1) for each, count in enumerate(group.counts)]
    combinations = product(*others)
    most = max(_BLOCK_CELLS // (group.start + group.size), 1)
    while block := list(islice(combinations, most)):
        before = np.array(block, dtype=np.int64)
        yield before[before.sum(axis=1) < group.reached]


def _expected_of(
    measure: Measure, listed: Ranked, topic: int, group: Group, kind: int, before: NDArray[np.int64]
) -> float:
    """What the documents of one kind add, summed over the lists in which these others stand above the first of them."""
    counts = np.array(group.counts)
    these = np.where(np.arange(counts.size) == kind, counts, 0)
    # Those before, all of the kind, the rest: each row fills the ranks of the group.
    parts = np.concatenate([before, np.broadcast_to(these, before.shape), counts - these - before], axis=1)
    inside = np.repeat(np.tile(group.examples, 3 * len(before)), parts.reshape(-1)).reshape(len(before), group.size)
    above = np.broadcast_to(np.arange(group.start), (len(before), group.start))
    # Nothing below the group changes what its ranks add.
    added = contributions(measure, arranged(listed, topic, np.concatenate([above, inside], axis=1)))
    place = before.sum(axis=1)[:, None] + np.arange(counts[kind])
    reached = place < min(group.size, added.shape[1] - group.start)
    taken = np.take_along_axis(added, np.where(reached, group.start + place, 0), axis=1)
    return float((taken * _probability(counts, before, kind) * reached).sum())


def _probability(counts: NDArray[np.int64], before: NDArray[np.int64], kind: int) -> NDArray[np.float64]:
    """That after ``before`` and j of the kind, and nothing else, one more of the kind comes; for all j."""
    size, j = int(counts.sum()), np.arange(counts[kind])
    drawn = before.sum(axis=1)[:, None] + j
    others = log_choose(counts, before).sum(axis=1)[:, None]
    likely = np.exp(others + log_choose(counts[kind], j) - log_choose(size, drawn))
    return np.asarray(likely * (counts[kind] - j) / (size - drawn), dtype=np.float64)


def _without(counts: tuple[int, ...], kind: int) -> tuple[int, ...]:
    return counts[:kind] + counts[kind + 1 :]


def contributions(measure: Measure, listed: Ranked) -> NDArray[np.float64]:
    """Return what each rank adds to the score, topics x ranks."""
    if isinstance(measure, Product):
        page, state = measure.page(listed), measure.browsing_state(listed)
        return np.asarray(state.last * measure.aggregation.aggregate(page))
    if not isinstance(measure, Summed):
        raise TypeError(f"{measure} is no sum over ranks")
    gain, discount = measure.parts(listed.cut(measure.k))
    divisor = np.broadcast_to(measure.divisor(listed), len(listed.length))
    return divide(gain * discount, divisor[:, None])


def expected_alone(measure: Summed, listed: Ranked) -> NDArray[np.float64]:
    """The sum over kinds of documents: how likely each stands at a rank, times what it adds there.

    Examples
    --------
    >>> from metameter.metric.classic.precision_recall import P
    >>> expected_alone(P(k=1), replace(Ranked.of_gains([1, 0, 0]), tied=np.array([[0, 0, 0]]))).round(4)
    array([0.3333])
    """
    total = np.zeros(len(listed.length))
    tied = np.asarray(listed.tied)
    for grade, status in np.unique(np.stack([listed.grade, listed.status]).reshape(2, -1), axis=1).T:
        likely = group_mean(((listed.grade == grade) & (listed.status == status)).astype(np.float64), tied)
        everywhere = replace(
            listed,
            grade=np.full(listed.grade.shape, grade),
            status=np.full(listed.status.shape, status, dtype=np.int8),
        )
        added = contributions(measure, everywhere)
        total += (likely[:, : added.shape[1]] * added).sum(axis=1)
    return total
