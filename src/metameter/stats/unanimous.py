"""How often does a metric find better what all simple metrics find better? Counts, and their mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from metameter.parallel import Workers
from metameter.stats.dimensions import Dimensions, all_tied, none_contradicts
from metameter.stats.preferences import Codes, complete_systems, preference_codes, rows_at_a_time

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
        members = [simple[np.ix_(dimensions.sets[number], mask)] for number in sets]
        found[:, sets] = _counts(codes[:, mask], members, form)
    return found


def _counts(codes: Codes, simple: list[Codes], form: Form) -> Floats:
    there = np.asarray(~np.isnan(codes), dtype=np.float32)
    scored = there.sum(axis=1)
    cases = np.asarray(scored * (scored - 1), dtype=np.float64)  # ordered: either of two systems may come first
    better = np.zeros(len(codes))
    denied, jointly = (np.zeros((len(simple), len(codes))) for _ in range(2))
    for rows in rows_at_a_time(*codes.shape):
        first, second = codes[:, rows, None], codes[:, None, :]
        prefers, level = (first > second).reshape(len(codes), -1), (first == second).reshape(len(codes), -1)
        better += prefers.sum(axis=1)
        weakly = np.asarray(prefers | level, dtype=np.float32)
        for number, each in enumerate(simple):
            improved = none_contradicts(each, rows).astype(np.float32)
            tied = all_tied(each, rows).astype(np.float32) if form == "literal" else np.zeros_like(improved)
            # Of two systems that are all tied, both orders are improvements, but they are one pair.
            half = improved - tied / 2
            denied[number] += ((there[:, rows] @ half) * there).sum(axis=1)
            jointly[number] += weakly @ improved.reshape(-1) - level.astype(np.float32) @ tied.reshape(-1) / 2
    if form == "code":
        return np.stack([np.broadcast_to(each, denied.shape) for each in (cases / 2, denied, jointly, cases)])
    seen = better + (cases / 2 - better) / 2
    return np.stack([np.broadcast_to(each, denied.shape) for each in (seen, denied, jointly, cases / 2)])


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
