"""Browsing models held against the ranks that users viewed last: their likeliest parameters, and how well they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.empirical import Empirical
from metameter.browse.rbp import RBP
from metameter.meta.fit.free_parameters import Axis, axis_of
from metameter.meta.fit.last_ranks import LastRanks, likeliest_lapse
from metameter.registry import get
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.labels.last_viewed import smoothed_continuation, viewers_of
from metameter.stats.labels.likelihood import fall_at_bound, fall_inside, likelihood_ends, not_less_likely

if TYPE_CHECKING:
    from metameter.meta.fit.last_ranks import LastRanks
    from metameter.stats.labels.counts import LabelCounts


#: The slope of a likelihood is taken over this part of the estimate, to both sides.
_NEAR = 1e-3
#: Where there is no slope, the first step of the search is this part of the way to the bound.
_FIRST = 1 / 64

#: Ranks of a data-driven model; all further ones are taken together.
MOST_RANKS = 100
_DIGITS = 4

#: Models that are tried, and the number of theirs that is found; DCG and Prec by how deep their users go.
_TRIED = (
    *(("RBP", "p"), ("INSQ", "T"), ("INST", "T"), ("DCG", "k"), ("Prec", "k")),
    *(("ERR", ""), ("RRbin", ""), ("AP1", ""), ("AP2", "")),
)
#: The first grid is as coarse as those of so many parameters: a likelihood is smooth, and searched further.
_COARSE = 2
#: What a parameter costs in log-likelihood, by Akaike's criterion: lapses that gain less are none.
_COST = 1.0
#: Of deeper pages not every last rank is tried.
_MOST_DEPTHS = 32


@dataclass(frozen=True)
class Fitted:
    """A model with the number that makes the ranks likeliest, and with the lapses that make them likelier still.

    Attributes
    ----------
    model : Browsing
        Its number is found without lapses, as it is used without: but for whole numbers, which say never of some ranks.
    lapse : float
        The share of lapses with which models are compared; 0 where they gain less than a parameter costs.
    parameters : float
        How many were found.
    needed : float
        The lapse of a model that says never of what was observed, and cannot do without; 0 for others.
    """

    model: Browsing
    lapse: float
    parameters: float
    needed: float = 0.0


@dataclass(frozen=True)
class Candidate:
    """A model that is tried: what fits it to ranks with these weights, and what kind of user it has."""

    name: str
    kind: str
    fit: Callable[[LastRanks, NDArray[np.int64]], Fitted]

    @property
    def number(self) -> OneNumber | None:
        """What finds its one number; None of models that have none, or several."""
        return self.fit if isinstance(self.fit, OneNumber) and self.fit.free else None


def candidates(smoothing: float | None = None) -> list[Candidate]:
    """The data-driven model, then the others."""
    own = Candidate("Empirical", "data-driven", _Empirical(smoothing))
    return [own, *(Candidate(name, get("browse", name).user, OneNumber(name, free)) for name, free in _TRIED)]


@dataclass(frozen=True)
class _Empirical:
    smoothing: float | None

    def __call__(self, ranks: LastRanks, weights: NDArray[np.int64]) -> Fitted:
        found = data_driven(ranks, weights, self.smoothing)
        return _with_lapse(ranks, found.model, weights, found.parameters)


@dataclass(frozen=True)
class OneNumber:
    """A registered model one number of which is found, or none."""

    name: str
    free: str

    def __call__(self, ranks: LastRanks, weights: NDArray[np.int64]) -> Fitted:
        """The model with the number that makes ranks with these weights likeliest."""
        if not self.free:
            return _with_lapse(ranks, get("browse", self.name)(), weights, 0)
        axis = self.axis(ranks)
        if axis.whole:
            return max(self.every(ranks, weights), key=lambda each: _height(ranks, each, weights))
        best = _bounded(lambda value: ranks.log_likelihood(self.model(value), 0.0, weights), axis)
        return _with_lapse(ranks, self.model(best), weights, 1)

    def model(self, value: float) -> Browsing:
        """The model with this value."""
        made: Browsing = get("browse", self.name)(**{self.free: value})
        return made

    def axis(self, ranks: LastRanks) -> Axis:
        """Where the number is looked for."""
        return axis_of(get("browse", self.name).bounds()[self.free], ranks.longest, _COARSE)

    def every(self, ranks: LastRanks, weights: NDArray[np.int64]) -> list[Fitted]:
        """Of a whole number, the models with all values that are tried."""
        return [_with_lapse(ranks, self.model(int(each)), weights, 1) for each in _spread(self.axis(ranks).values())]


def _with_lapse(ranks: LastRanks, model: Browsing, weights: NDArray[np.int64], parameters: float) -> Fitted:
    lapse = likeliest_lapse(ranks, model, weights)
    gain = ranks.log_likelihood(model, lapse, weights) - ranks.log_likelihood(model, 0.0, weights)
    if gain <= _COST:
        return Fitted(model, 0.0, parameters)
    return Fitted(model, lapse, parameters + 1, lapse if np.isinf(gain) else 0.0)


def _height(ranks: LastRanks, fitted: Fitted, weights: NDArray[np.int64]) -> float:
    return ranks.log_likelihood(fitted.model, fitted.lapse, weights)


def _spread(depths: Floats) -> Floats:
    """All depths, or of many some that are ever further apart.

    Examples
    --------
    >>> _spread(np.arange(1.0, 1001))[[0, 1, -2, -1]].tolist(), len(_spread(np.arange(1.0, 11)))
    ([1.0, 2.0, 800.0, 1000.0], 10)
    """
    if len(depths) <= _MOST_DEPTHS:
        return depths
    places = np.unique(np.geomspace(1, len(depths), _MOST_DEPTHS).round().astype(np.int64)) - 1
    return np.asarray(depths[places])


def _bounded(height: Callable[[float], float], axis: Axis) -> float:
    """The highest point of a smooth function: the best of a grid, then a bounded search around it."""
    from scipy.optimize import minimize_scalar

    values = axis.values()
    heights = [height(float(value)) for value in values]
    best = int(np.argmax(heights))
    low, high = float(values[max(best - 1, 0)]), float(values[min(best + 1, len(values) - 1)])
    found = minimize_scalar(
        lambda value: -height(float(value)), bounds=(low, high), method="bounded", options={"xatol": 1e-5}
    )
    top = float(found.x) if -found.fun >= heights[best] else float(values[best])
    return float(f"{top:.4g}")


class DataDriven(NamedTuple):
    """The model, how many viewers at each rank smoothing is worth, and how many parameters its rates amount to."""

    model: Empirical
    worth: float
    parameters: float

    @property
    def one_rate(self) -> RBP | None:
        """The model by its better known name, where all ranks have one rate: its users are those of RBP."""
        return RBP(p=self.model.observed[0]) if np.isinf(self.worth) else None


def data_driven(ranks: LastRanks, weights: NDArray[np.int64], smoothing: float | None = None) -> DataDriven:
    """The smoothed share that goes on from each rank, in as many digits as are printed.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.meta.fit.last_ranks import LastRanks
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0, 0]] * 10, "last": [1] * 5 + [2] * 3 + [3] * 2}))
    >>> ranks = LastRanks.of(views, 1)
    >>> data_driven(ranks, ranks.count, smoothing=0).model
    Empirical(continuation=[0.5,0.4])
    >>> alike = data_driven(ranks, ranks.count)  # five of ten and two of five: no more different than by chance
    >>> alike.model, alike.one_rate
    (Empirical(continuation=[0.4667],tail=repeat), RBP(p=0.4667))
    """
    seen = viewers_of(ranks.last, ranks.entry_length, weights)
    deep = seen.reached > MOST_RANKS
    seen = seen.together_from(MOST_RANKS) if deep else seen
    rates, worth, parameters = smoothed_continuation(seen, smoothing)
    written = np.round(rates[: seen.reached], _DIGITS).tolist() or [0.0]
    if np.isinf(worth):
        return DataDriven(_for_ever(written[:1]), worth, parameters)
    # Smoothing takes ranks for alike: it has something to say of those that nobody reached, too.
    unreached = worth > 0 and len(written) < len(rates) and seen.reached > 0
    model = _for_ever(written) if deep or unreached else Empirical(continuation=written)
    return DataDriven(model, worth, parameters)


def _for_ever(rates: list[float]) -> Empirical:
    end = min(rates[-1], 1 - 10.0**-_DIGITS)
    return Empirical(continuation=[*rates[:-1], end], tail="repeat")


class NumberEstimate(NamedTuple):
    """What was estimated, its 95% interval, and at which end of what was searched it is, as tables have it."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    at_bound: str | None = None
    searched: tuple[float | None, float | None] = (None, None)


def number_estimate(each: Candidate, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> NumberEstimate:
    """The interval of the one number of a model, for other users (or pages); nothing for a model without one.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.meta.fit.browsing import candidates
    >>> from metameter.meta.label_agreement.question import counts_of_labels
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 100, "last": [1] * 30 + [2] * 70}))
    >>> ranks, [rbp] = LastRanks.of(views, 1), [each for each in candidates() if each.name == "RBP"]
    >>> number_estimate(rbp, rbp.fit(ranks, ranks.count), ranks, counts_of_labels(views))[:3]  # 70 of 100 went on
    (0.7, 0.6042, 0.7853)
    """
    if each.number is None:
        return NumberEstimate()
    axis = each.number.axis(ranks)
    best = float(getattr(fitted.model, each.number.free))
    bound = "low" if best <= axis.low else "high" if best >= axis.high else None
    if counts.units < FEWEST_UNITS:
        return NumberEstimate(best, None, None, bound, (axis.low, axis.high))
    low, high = (_whole_interval if axis.whole else _smooth_interval)(each.number, fitted, ranks, counts)
    return NumberEstimate(best, _short(low), _short(high), bound, (axis.low, axis.high))


def _whole_interval(number: OneNumber, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float, float]:
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
    return ranks.log_probabilities(ranks.probabilities(fitted.model), fitted.lapse)


def slope_step(number: OneNumber, fitted: Fitted, ranks: LastRanks) -> float:
    """How far to both sides of the number slopes are taken; 0 at a bound."""
    axis, best = number.axis(ranks), float(getattr(fitted.model, number.free))
    return max(min(_NEAR * best, (best - axis.low) / 2, (axis.high - best) / 2), 0.0)


def _smooth_interval(number: OneNumber, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float, float]:
    """Where the likelihood has fallen far enough beside the best value."""
    axis, best = number.axis(ranks), float(getattr(fitted.model, number.free))
    bounds = (axis.low, axis.high)

    def logarithms(value: float) -> Floats:
        return ranks.log_probabilities(ranks.probabilities(number.model(value), cache=False), fitted.needed)

    def height(value: float) -> float:
        return float(counts.by_cell @ logarithms(value))

    near = slope_step(number, fitted, ranks)
    if near > 0:
        below, here, above = (logarithms(best + step) for step in (-near, 0.0, near))
        curvature = float(counts.by_cell @ (2 * here - below - above)) / near**2
        if curvature > 0:
            fall = fall_inside(counts, (above - below) / (2 * near), curvature)
            return likelihood_ends(height, best, bounds, fall, 1.1 * float(np.sqrt(2 * fall / curvature)))
    step = _FIRST * max(best - axis.low, axis.high - best)
    return likelihood_ends(height, best, bounds, fall_at_bound(counts), step)


def lapse_interval(fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float | None, float | None]:
    """The interval of the share of lapses, its model being as it is; nothing where the model has none."""
    if not fitted.lapse or counts.units < FEWEST_UNITS:
        return None, None
    own, even = ranks.probabilities(fitted.model), 1.0 / ranks.entry_length
    slopes = (even - own) / ((1.0 - fitted.lapse) * own + fitted.lapse * even)
    curvature = float(counts.by_cell @ slopes**2)
    inside = fitted.lapse < 1.0 - _NEAR
    fall = fall_inside(counts, slopes, curvature) if inside else fall_at_bound(counts)
    found = likelihood_ends(
        lambda lapse: float(counts.by_cell @ ranks.log_probabilities(own, lapse)),
        *(fitted.lapse, (0.0, 1.0), fall, float(np.sqrt(2 * fall / curvature))),
    )
    return _short(found[0]), _short(found[1])


def _short(value: float) -> float:
    """In as many digits as estimates have."""
    return float(f"{value:.4g}")
