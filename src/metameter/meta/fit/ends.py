"""Intervals of what makes the ranks viewed last likeliest: the number of a browsing model, and its share of lapses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metameter.meta.fit.browsing import Candidate, Fitted, OneNumber
from metameter.meta.fit.last_ranks import LastRanks
from metameter.stats.likelihood_intervals import fall_at_bound, fall_inside, likelihood_ends, not_less_likely
from metameter.stats.row_intervals import FEWEST_UNITS

if TYPE_CHECKING:
    from metameter.stats.checks import Floats
    from metameter.stats.label_counts import LabelCounts

__all__ = ["Ends", "lapse_ends", "near_by", "number_ends"]

#: The slope of a likelihood is taken over this part of the estimate, to both sides.
_NEAR = 1e-3
#: Where there is no slope, the first step of the search is this part of the way to the bound.
_FIRST = 1 / 64


class Ends(NamedTuple):
    """What was estimated, its 95% interval, and at which end of what was searched it is, as tables have it."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    at_bound: str | None = None
    searched: tuple[float | None, float | None] = (None, None)


def number_ends(each: Candidate, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> Ends:
    """The interval of the one number of a model, for other users (or pages); nothing for a model without one.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.meta.fit.browsing import candidates
    >>> from metameter.meta.label_question import counts_of_labels
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 100, "last": [1] * 30 + [2] * 70}))
    >>> ranks, [rbp] = LastRanks.of(views, 1), [each for each in candidates() if each.name == "RBP"]
    >>> number_ends(rbp, rbp.fit(ranks, ranks.count), ranks, counts_of_labels(views))[:3]  # 70 of 100 went on
    (0.7, 0.6042, 0.7853)
    """
    if each.number is None:
        return Ends()
    axis = each.number.axis(ranks)
    best = float(getattr(fitted.model, each.number.free))
    bound = "low" if best <= axis.low else "high" if best >= axis.high else None
    if counts.units < FEWEST_UNITS:
        return Ends(best, None, None, bound, (axis.low, axis.high))
    low, high = (_whole_ends if axis.whole else _smooth_ends)(each.number, fitted, ranks, counts)
    return Ends(best, _short(low), _short(high), bound, (axis.low, axis.high))


def _whole_ends(number: OneNumber, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float, float]:
    """The least and the greatest value that is not shown to be less likely than the best."""
    every = number.every(ranks, ranks.count)
    values = [int(getattr(each.model, number.free)) for each in every]
    own = _logarithms(ranks, fitted)
    left = [n for n, each in enumerate(every) if not_less_likely(counts, own, _logarithms(ranks, each))]
    # Values between two that were tried may be as good as the better one.
    low = values[left[0] - 1] + 1 if left[0] else values[0]
    high = values[left[-1] + 1] - 1 if left[-1] + 1 < len(values) else values[-1]
    return float(low), float(high)


def _logarithms(ranks: LastRanks, fitted: Fitted) -> Floats:
    return ranks.logarithms(ranks.own(fitted.model), fitted.lapse)


def near_by(number: OneNumber, fitted: Fitted, ranks: LastRanks) -> float:
    """How far to both sides of the number slopes are taken; 0 at a bound."""
    axis, best = number.axis(ranks), float(getattr(fitted.model, number.free))
    return max(min(_NEAR * best, (best - axis.low) / 2, (axis.high - best) / 2), 0.0)


def _smooth_ends(number: OneNumber, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float, float]:
    """Where the likelihood has fallen far enough beside the best value."""
    axis, best = number.axis(ranks), float(getattr(fitted.model, number.free))
    bounds = (axis.low, axis.high)

    def logarithms(value: float) -> Floats:
        return ranks.logarithms(ranks.asked_once(number.model(value)), fitted.needed)

    def height(value: float) -> float:
        return float(counts.by_cell @ logarithms(value))

    near = near_by(number, fitted, ranks)
    if near > 0:
        below, here, above = (logarithms(best + step) for step in (-near, 0.0, near))
        curvature = float(counts.by_cell @ (2 * here - below - above)) / near**2
        if curvature > 0:
            fall = fall_inside(counts, (above - below) / (2 * near), curvature)
            return likelihood_ends(height, best, bounds, fall, 1.1 * float(np.sqrt(2 * fall / curvature)))
    step = _FIRST * max(best - axis.low, axis.high - best)
    return likelihood_ends(height, best, bounds, fall_at_bound(counts), step)


def lapse_ends(fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float | None, float | None]:
    """The interval of the share of lapses, its model being as it is; nothing where the model has none."""
    if not fitted.lapse or counts.units < FEWEST_UNITS:
        return None, None
    own, even = ranks.own(fitted.model), 1.0 / ranks.length[ranks.item]
    slopes = (even - own) / ((1.0 - fitted.lapse) * own + fitted.lapse * even)
    curvature = float(counts.by_cell @ slopes**2)
    inside = fitted.lapse < 1.0 - _NEAR
    fall = fall_inside(counts, slopes, curvature) if inside else fall_at_bound(counts)
    found = likelihood_ends(
        lambda lapse: float(counts.by_cell @ ranks.logarithms(own, lapse)),
        *(fitted.lapse, (0.0, 1.0), fall, float(np.sqrt(2 * fall / curvature))),
    )
    return _short(found[0]), _short(found[1])


def _short(value: float) -> float:
    """In as many digits as estimates have."""
    return float(f"{value:.4g}")
