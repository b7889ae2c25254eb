"""Counts of the improvements that a metric and all simple metrics see together, and their mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.dimensions.preferences import (
    Codes,
    Preferences,
    Word64s,
    bit_product,
    iterate_preferences,
    preference_codes,
    systems_of_sets,
)
from metameter.stats.dimensions.simple_metrics import Dimensions, all_tied, none_contradicts

#: Counts over ordered pairs, as in the authors' programs, or as in their pseudocode.
Form: TypeAlias = Literal["code", "literal"]

_TOPICS = 8  # topics in one task of a worker


@dataclass(frozen=True, eq=False)
class Improvements:
    """Counts of improvements from one system to another, all (iterations, topics, sets, metrics).

    Attributes
    ----------
    metric, simple, joint : ndarray
        Improvements that the metric sees (a tie is half of one), that no simple metric contradicts, and that meet both.
    cases : ndarray
        The denominator: in the form ``code`` all ordered pairs of systems, scored or not; in the form ``literal`` the
        unordered pairs scored by the metric and the simple metrics.
    """

    metric: Floats
    simple: Floats
    joint: Floats
    cases: Floats


def improvements(
    values: Floats, simple: Floats, dimensions: Dimensions, *, form: Form = "code", jobs: int | Workers | None = 1
) -> Improvements:
    """Count improvements for all metrics and all sets of simple metrics, topic by topic.

    Parameters
    ----------
    values : ndarray, (iterations, topics, metrics, systems)
        NaN where a score is missing: a case needs all metrics involved, for both systems.
    simple : ndarray, (iterations, topics, simple metrics, systems)
    dimensions : Dimensions
    form : {"code", "literal"}
        ``code`` counts ordered pairs of systems whose second does not exceed the first; ``literal`` counts unordered
        pairs in which either order is an improvement.
    jobs : int or Workers, optional

    Examples
    --------
    >>> values = np.array([[[[1.0, 0.5, 0.2]]]])  # one topic, one metric, three systems
    >>> simple = np.array([[[[0.8, 0.3, 0.4], [1.0, 0.2, 0.5]]]])
    >>> improved = improvements(values, simple, Dimensions(((0, 1),)))
    >>> improved.metric.item(), improved.simple.item(), improved.joint.item(), improved.cases.item()
    (3.0, 3.0, 2.0, 6.0)
    """
    iterations, topics, metrics = values.shape[:3]
    counts = np.zeros((4, iterations, topics, len(dimensions.sets), metrics))
    pieces = [(i, t) for i in range(iterations) for t in range(0, topics, _TOPICS)]
    workers = Workers.of(jobs)
    tasks = workers.map(_piece, pieces, values=values, simple=simple, dimensions=dimensions, form=form)
    for (iteration, start), of_piece in zip(pieces, tasks, strict=True):
        counts[:, iteration, start : start + _TOPICS] = of_piece
    if form == "code":
        counts[3] = values.shape[-1] * (values.shape[-1] - 1)
    return Improvements(*counts)


def _piece(at: tuple[int, int], *, values: Floats, simple: Floats, dimensions: Dimensions, form: Form) -> Floats:
    iteration, start = at
    some = slice(start, start + _TOPICS)
    codes = preference_codes(values[iteration, some]), preference_codes(simple[iteration, some])
    return np.stack([_topic_counts(*each, dimensions, form) for each in zip(*codes, strict=True)], axis=1)


def _topic_counts(codes: Codes, simple: Codes, dimensions: Dimensions, form: Form) -> Floats:
    """Metric, simple, joint, cases on one topic, (4, sets, metrics)."""
    counts = np.zeros((4, len(dimensions.sets), len(codes)))
    for sets, systems in systems_of_sets(simple, dimensions.sets):
        both = np.concatenate([codes, simple]).compress(systems, axis=1)
        members = [[len(codes) + member for member in dimensions.sets[number]] for number in sets]
        counts[:, sets] = sum(_counts(pairs, len(codes), members, form) for pairs in iterate_preferences(both))
    return counts


def _counts(pairs: Preferences, metrics: int, members: list[list[int]], form: Form) -> Floats:
    """Metric, simple, joint, cases, (4, sets, metrics)."""
    first, second, level = pairs.of(slice(metrics))
    there = first | second | level
    cases, seen = _ones(there), _ones(first | second) + _ones(level) / 2.0
    one_way, other_way = map(np.stack, zip(*(none_contradicts(pairs.of(each)) for each in members), strict=True))
    undenied = bit_product(one_way, there) + bit_product(other_way, there)
    jointly = bit_product(one_way, first | level) + bit_product(other_way, second | level)
    if form == "code":
        # Every pair in both orders: one order of a difference is an improvement, each order of a tie is half of one.
        cases, seen = 2 * cases, cases
    else:
        # If all simple metrics are tied, both orders are improvements, but they are one pair.
        tied = np.stack([all_tied(pairs.of(each)) for each in members])
        undenied, jointly = undenied - bit_product(tied, there), jointly - bit_product(tied, level)
    return np.stack([np.broadcast_to(each, jointly.shape) for each in (seen, undenied, jointly, cases)])


def _ones(word64s: Word64s) -> Floats:
    return np.asarray(np.bitwise_count(word64s).sum(axis=-1, dtype=np.int64), dtype=np.float64)


def mutual_information(metric: Floats, simple: Floats, joint: Floats, cases: Floats | float) -> Floats:
    """How much more often than by chance improvements coincide: log2 of joint * cases / (metric * simple).

    Minus infinity where they never do; NaN where no simple metric, or no metric, sees an improvement.

    Examples
    --------
    >>> mutual_information(np.array([3.0, 3.0, 3.0]), np.array([3.0, 3.0, 0.0]), np.array([2.0, 0.0, 0.0]), 6.0)
    array([0.4150375,      -inf,       nan])
    """
    total = np.where(np.asarray(cases) > 0, cases, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log2((joint / total) / ((metric / total) * (simple / total))))
