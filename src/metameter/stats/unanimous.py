"""How often does a metric find better what all simple metrics find better? Counts, and their mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from metameter.parallel import Workers
from metameter.stats.bit_products import bit_product, packed
from metameter.stats.dimensions import Dimensions, all_tied, none_contradicts, others
from metameter.stats.preferences import Codes, complete_systems, ordered_pairs, preference_codes, rows_at_a_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Form", "Improvements", "improvements", "mutual_information"]

#: Counted over ordered pairs, as the authors' programs do, or as their pseudocode reads.
Form: TypeAlias = Literal["code", "literal"]

_TOPICS = 8  # a piece of work: enough to be worth handing out


@dataclass(frozen=True, eq=False)
class Improvements:
    """Counts of improvements from one system to another, all (iterations, topics, sets, metrics).

    Attributes
    ----------
    metric, simple, joint : ndarray
        Improvements that the metric sees (a tie is half of one), that no simple metric denies, and that neither denies.
    cases : ndarray
        What these are shares of: in the form of the code all ordered pairs of systems, scored or not; in the literal
        form the unordered pairs scored by the metric and the simple metrics.
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
        Over ordered pairs of systems: the second does not exceed the first. Or over unordered ones: whether any of
        the two ways is an improvement.
    jobs : int or Workers, optional

    Examples
    --------
    >>> values = np.array([[[[1.0, 0.5, 0.2]]]])  # one topic, one metric, three systems
    >>> simple = np.array([[[[0.8, 0.3, 0.4], [1.0, 0.2, 0.5]]]])
    >>> found = improvements(values, simple, Dimensions(((0, 1),)))
    >>> found.metric.item(), found.simple.item(), found.joint.item(), found.cases.item()
    (3.0, 3.0, 2.0, 6.0)
    """
    iterations, topics, metrics = values.shape[:3]
    counts = np.zeros((4, iterations, topics, len(dimensions.sets), metrics))
    pieces = [(i, t) for i in range(iterations) for t in range(0, topics, _TOPICS)]
    shared: dict[str, Any] = {"values": values, "simple": simple, "dimensions": dimensions, "form": form}
    counted = Workers.of(jobs).map(_piece, pieces, **shared)
    for (iteration, start), found in zip(pieces, counted, strict=True):
        counts[:, iteration, start : start + _TOPICS] = found
    if form == "code":
        counts[3] = values.shape[-1] * (values.shape[-1] - 1)
    return Improvements(*counts)


def _piece(at: tuple[int, int], *, values: Floats, simple: Floats, dimensions: Dimensions, form: Form) -> Floats:
    iteration, start = at
    some = slice(start, start + _TOPICS)
    codes = preference_codes(values[iteration, some]), preference_codes(simple[iteration, some])
    return np.stack([_topic(*each, dimensions, form) for each in zip(*codes, strict=True)], axis=1)


def _topic(codes: Codes, simple: Codes, dimensions: Dimensions, form: Form) -> Floats:
    """Metric, simple, joint, cases on one topic, (4, sets, metrics)."""
    masks = [complete_systems(simple[list(members)]) for members in dimensions.sets]
    found = np.zeros((4, len(masks), len(codes)))
    for mask in {each.tobytes(): each for each in masks}.values():
        sets = [number for number, each in enumerate(masks) if (each == mask).all()]
        members = [simple[list(dimensions.sets[number])].compress(mask, axis=1) for number in sets]
        found[:, sets] = _counts(codes.compress(mask, axis=1), members, form)
    return found


def _counts(codes: Codes, simple: list[Codes], form: Form) -> Floats:
    """Metric, simple, joint, cases, (4, sets, metrics): first over ordered pairs of systems, as the code counts."""
    better = np.zeros(len(codes), dtype=np.int64)
    cases, undenied, jointly, tied, tied_jointly = np.zeros((5, len(simple), len(codes)))
    for rows in rows_at_a_time(len(codes), codes.shape[1]):
        there, weakly, level = (ordered_pairs(codes, rows, how) for how in (_both_there, np.greater_equal, np.equal))
        better += np.bitwise_count(ordered_pairs(codes, rows)).sum(axis=-1, dtype=np.int64)
        improved = np.stack([packed(none_contradicts(each, rows).reshape(-1)) for each in simple])
        everyone = np.stack([packed(others(each, rows).reshape(-1)) for each in simple])
        cases += bit_product(everyone, there)
        undenied += bit_product(improved, there)
        jointly += bit_product(improved, weakly)
        if form == "literal":
            same = np.stack([packed(all_tied(each, rows).reshape(-1)) for each in simple])
            tied += bit_product(same, there)
            tied_jointly += bit_product(same, level)
    if form == "code":
        return np.stack([cases / 2, undenied, jointly, cases])
    # Of two systems that are all tied both orders are improvements, but they are one pair.
    return np.stack([better + (cases / 2 - better) / 2, undenied - tied / 2, jointly - tied_jointly / 2, cases / 2])


def _both_there(first: Codes, second: Codes) -> NDArray[np.bool_]:
    return np.asarray(first + second == first + second)  # NaN is not equal to itself


def mutual_information(metric: Floats, simple: Floats, joint: Floats, cases: Floats | float) -> Floats:
    """How much more often than by chance improvements go together: log2 of joint * cases / (metric * simple).

    Minus infinity where they never do; NaN where no simple metric, or no metric, sees an improvement.

    Examples
    --------
    >>> mutual_information(np.array([3.0, 3.0, 3.0]), np.array([3.0, 3.0, 0.0]), np.array([2.0, 0.0, 0.0]), 6.0)
    array([0.4150375,      -inf,       nan])
    """
    total = np.where(np.asarray(cases) > 0, cases, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log2((joint / total) / ((metric / total) * (simple / total))))
