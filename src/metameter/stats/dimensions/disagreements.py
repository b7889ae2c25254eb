"""Where two metrics prefer different systems, which of them do simple metrics support? Exact counts of all pairs.

For every topic, a metric's preferences over all pairs of systems are rows of zeros and ones, and all counts for all
pairs of metrics are products of two such matrices: no loop over pairs of systems or of metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Workers
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.dimensions.preferences import (
    Codes,
    Preferences,
    Word64s,
    bit_product,
    iterate_preferences,
    pack_bits,
    preference_codes,
    systems_of_sets,
)
from metameter.stats.dimensions.simple_metrics import (
    Dimensions,
    Sides,
    Ties,
    all_prefer,
    all_tied,
    none_contradicts,
    vote,
)

if TYPE_CHECKING:
    Counts = NDArray[np.int64]


_TOPICS = 8  # topics in one task of a worker
# The kinds of counts; with weights, the counts of cases that each simple metric alone supports follow from _FURTHER on.
_CASES, _OPPOSED, _CORRECT, _TIED, _VOTES, _FURTHER = range(6)


@dataclass(frozen=True, eq=False)
class Disagreements:
    """Counts for every pair of metrics, in the order (0,1), (0,2), ..., (1,2), ...

    Attributes
    ----------
    cases, disagreements : ndarray of int, (iterations, sets, pairs)
        Pairs of systems on a topic that all metrics involved score; those in which the two metrics disagree.
    correct : ndarray of int, (iterations, topics, sets, pairs, 2)
        Disagreements in which the simple metrics side with the first only, and with the second only.
    tied : ndarray of int, (iterations, sets, pairs)
        With ``ties="agree"``, disagreements in which all simple metrics are tied and so support both; otherwise 0.
    votes : ndarray of int, (iterations, sets, pairs, 2)
        With weights, disagreements in which the weighted vote sides with each; otherwise 0.
    supported : ndarray, (iterations, sets, pairs, 2)
        With weights, the sum over disagreements of the share of the weights that side with each; otherwise 0.
    """

    cases: Counts
    disagreements: Counts
    correct: NDArray[np.int32]
    tied: Counts
    votes: Counts
    supported: Floats


def disagreements(
    values: Floats, simple: Floats, dimensions: Dimensions, *, ties: Ties = "strict", jobs: int | Workers | None = 1
) -> Disagreements:
    """Count, for all pairs of metrics and sets of simple metrics, the disagreements, and those that support each.

    Parameters
    ----------
    values : ndarray, (iterations, topics, metrics, systems)
        NaN where a score is missing: a case needs all metrics involved, for both systems.
    simple : ndarray, (iterations, topics, simple metrics, systems)
    dimensions : Dimensions
        The sets of simple metrics, and their weights.
    ties : {"strict", "agree"}
        Whether a simple metric with tied scores supports neither metric or both.
    jobs : int or Workers, optional

    Examples
    --------
    >>> values = np.array([[[[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]]])  # one topic, two metrics, three systems
    >>> simple = np.array([[[[3.0, 2.0, 2.0]]]])
    >>> counts = disagreements(values, simple, Dimensions(((0,),)))
    >>> counts.disagreements.item(), counts.correct[0, 0, 0, 0]  # three pairs; the simple metric knows two of them
    (3, array([2, 0], dtype=int32))
    """
    iterations, topics, metrics = values.shape[:3]
    pairs, sets = metrics * (metrics - 1) // 2, len(dimensions.sets)
    correct = np.zeros((iterations, topics, sets, pairs, 2), dtype=np.int32)
    totals = np.zeros((iterations, sets, dimensions.widest + _FURTHER, pairs, 2), dtype=np.int64)
    pieces = [(i, t) for i in range(iterations) for t in range(0, topics, _TOPICS)]
    workers = Workers.of(jobs)
    tasks = workers.map(_piece, pieces, values=values, simple=simple, dimensions=dimensions, ties=ties)
    for (iteration, start), (by_topic, total) in zip(pieces, tasks, strict=True):
        correct[iteration, start : start + _TOPICS] = by_topic
        totals[iteration] += total
    cases, opposed, tied = (totals[:, :, kind, :, 0] for kind in (_CASES, _OPPOSED, _TIED))
    supported = np.einsum("sm,ismpw->ispw", dimensions.shares, totals[:, :, _FURTHER:])
    return Disagreements(cases, opposed, correct, tied, totals[:, :, _VOTES], supported)


def _piece(
    at: tuple[int, int], *, values: Floats, simple: Floats, dimensions: Dimensions, ties: Ties
) -> tuple[NDArray[np.int32], Counts]:
    """For a few topics: the supported cases by topic, (topics, sets, pairs, 2), and the sums of all counts."""
    iteration, start = at
    some = slice(start, start + _TOPICS)
    codes = preference_codes(values[iteration, some]), preference_codes(simple[iteration, some])
    counts = np.stack([_topic_counts(*each, dimensions, ties) for each in zip(*codes, strict=True)])
    first, second = system_pairs(counts.shape[-1])
    paired = np.stack([counts[..., first, second], counts[..., second, first]], axis=-1)
    return paired[:, :, _CORRECT].astype(np.int32), paired.sum(axis=0)


def _topic_counts(codes: Codes, simple: Codes, dimensions: Dimensions, ties: Ties) -> Counts:
    """Return all counts on one topic, (sets, counts, metrics, metrics)."""
    counts = np.zeros((len(dimensions.sets), dimensions.widest + _FURTHER, len(codes), len(codes)), dtype=np.int64)
    for sets, systems in systems_of_sets(simple, dimensions.sets):
        some = codes.compress(systems, axis=1)
        there = pack_bits(~np.isnan(some))
        both = bit_product(there, there)
        counts[sets, _CASES] = both * (both - 1) // 2
        for pairs in iterate_preferences(
            np.concatenate([some, simple.compress(systems, axis=1)]), ties=ties == "agree"
        ):
            metrics, judges = pairs.of(slice(len(codes))), pairs.of(slice(len(codes), None))
            counts[sets, _OPPOSED] += _opposition_counts(metrics.first, metrics.second)
            for number in sets:
                _count(counts[number], metrics, judges.of(list(dimensions.sets[number])), number, dimensions, ties)
    return counts


def _count(
    counts: Counts, metrics: Preferences, simple: Preferences, number: int, dimensions: Dimensions, ties: Ties
) -> None:
    """Add the counts of one set."""
    for kind, sides in _support_by_kind(simple, number, dimensions, ties):
        counts[kind] += _support_counts(metrics, *sides)
    for kind, tied in _ties_by_kind(simple, dimensions) if ties == "agree" else ():
        counts[kind] += _opposition_counts(metrics.first & tied, metrics.second & tied)


def _opposition_counts(first: Word64s, second: Word64s) -> Counts:
    """Return in how many pairs of systems two metrics prefer different ones, (metrics, metrics)."""
    one_way = bit_product(first, second)
    return one_way + one_way.T


def _support_counts(metrics: Preferences, to_first: Word64s, to_second: Word64s) -> Counts:
    """Return in how many pairs the simple metrics support the metric of the row against that of the column."""
    with_them = (metrics.first & to_first) | (metrics.second & to_second)
    against_them = (metrics.second & to_first) | (metrics.first & to_second)
    return bit_product(with_them, against_them)


def _support_by_kind(
    simple: Preferences, number: int, dimensions: Dimensions, ties: Ties
) -> Iterator[tuple[int, Sides]]:
    """Yield kinds of support, each with the pairs of systems in which the simple metrics support a system."""
    if ties == "strict":
        yield _CORRECT, all_prefer(simple)
    else:
        untied = ~all_tied(simple)
        first, second = none_contradicts(simple)
        yield _CORRECT, (first & untied, second & untied)
    if dimensions.weights is not None:
        yield _VOTES, vote(simple, dimensions.shares[number, : len(simple.first)])
        for metric in range(len(simple.first)):
            yield _FURTHER + metric, all_prefer(simple.of([metric]))


def _ties_by_kind(simple: Preferences, dimensions: Dimensions) -> Iterator[tuple[int, Word64s]]:
    """Yield kinds of support, each with the tied pairs: there simple metrics support both systems."""
    yield _TIED, all_tied(simple)
    if dimensions.weights is not None:
        for metric in range(len(simple.first)):
            yield _FURTHER + metric, all_tied(simple.of([metric]))
