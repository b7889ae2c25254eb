"""Browsing models fitted to the ranks that users viewed last: their likeliest parameters, with intervals."""

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
from metameter.stats.labels.likelihood import fall_at_bound, fall_inside, likelihood_interval, not_less_likely

if TYPE_CHECKING:
    from metameter.stats.labels.counts import LabelCounts


#: Slopes of the likelihood are central differences with steps of this share of the estimate.
_NEAR = 1e-3
#: Without a slope, the first step of the search is this share of the distance to the bound.
_FIRST = 1 / 64

#: The most ranks of a data-driven model; all further ones are pooled.
MOST_RANKS = 100
_DIGITS = 4

#: The models that are fitted, and the parameter of each that is estimated; of DCG and Prec, the depth.
_MODELS = (
    *(("RBP", "p"), ("INSQ", "T"), ("INST", "T"), ("DCG", "k"), ("Prec", "k")),
    *(("ERR", ""), ("RRbin", ""), ("AP1", ""), ("AP2", "")),
)
#: The number of free parameters that sets the spacing of the grid. A coarse grid suffices: the likelihood is smooth,
#: and a bounded search refines its best point.
_COARSE = 2
#: The cost of a parameter in log-likelihood, by Akaike's criterion: lapses that gain less are left out.
_COST = 1.0
#: The most depths that are tried.
_MOST_DEPTHS = 32


@dataclass(frozen=True)
class Fitted:
    """A model with its likeliest parameter and its likeliest lapse rate.

    Attributes
    ----------
    model : Browsing
        Its parameter is estimated without lapses, because the model is used without them. A whole-number parameter (a
        depth) is estimated with lapses, because it makes deeper ranks impossible.
    lapse : float
        The lapse rate with which models are compared; 0 if lapses gain less than a parameter costs.
    parameters : float
        The number of estimated parameters.
    needed : float
        The lapse rate of a model under which some observed ranks are impossible without lapses; 0 for others.
    """

    model: Browsing
    lapse: float
    parameters: float
    needed: float = 0.0


@dataclass(frozen=True)
class Candidate:
    """A model to fit: its kind of user, and the function that fits it to ranks with these weights."""

    name: str
    kind: str
    fit: Callable[[LastRanks, NDArray[np.int64]], Fitted]

    @property
    def parameter(self) -> OneParameter | None:
        """Its single free parameter; None for models with none or several."""
        return self.fit if isinstance(self.fit, OneParameter) and self.fit.free else None


def candidates(smoothing: float | None = None) -> list[Candidate]:
    """The data-driven model, then the others."""
    own = Candidate("Empirical", "data-driven", _Empirical(smoothing))
    return [own, *(Candidate(name, get("browse", name).user, OneParameter(name, free)) for name, free in _MODELS)]


@dataclass(frozen=True)
class _Empirical:
    smoothing: float | None

    def __call__(self, ranks: LastRanks, weights: NDArray[np.int64]) -> Fitted:
        fitted = data_driven(ranks, weights, self.smoothing)
        return _with_lapse(ranks, fitted.model, weights, fitted.parameters)


@dataclass(frozen=True)
class OneParameter:
    """A registered model with one free parameter, or none."""

    name: str
    free: str

    def __call__(self, ranks: LastRanks, weights: NDArray[np.int64]) -> Fitted:
        """The model with the likeliest value for ranks with these weights."""
        if not self.free:
            return _with_lapse(ranks, get("browse", self.name)(), weights, 0)
        axis = self.axis(ranks)
        if axis.whole:
            return max(self.every(ranks, weights), key=lambda each: _height(ranks, each, weights))
        best = _bounded(lambda value: ranks.log_likelihood(self.model(value), 0.0, weights), axis)
        return _with_lapse(ranks, self.model(best), weights, 1)

    def model(self, value: float) -> Browsing:
        """The model with this value."""
        model: Browsing = get("browse", self.name)(**{self.free: value})
        return model

    def value(self, model: Browsing) -> float:
        """The value of the parameter in a model."""
        return float(getattr(model, self.free))

    def axis(self, ranks: LastRanks) -> Axis:
        """The range of the search."""
        return axis_of(get("browse", self.name).bounds()[self.free], ranks.longest, _COARSE)

    def every(self, ranks: LastRanks, weights: NDArray[np.int64]) -> list[Fitted]:
        """The models with all values that are tried of a whole number."""
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
    """All depths or, of many, some at growing distances.

    Examples
    --------
    >>> _spread(np.arange(1.0, 1001))[[0, 1, -2, -1]].tolist(), len(_spread(np.arange(1.0, 11)))
    ([1.0, 2.0, 800.0, 1000.0], 10)
    """
    if len(depths) <= _MOST_DEPTHS:
        return depths
    positions = np.unique(np.geomspace(1, len(depths), _MOST_DEPTHS).round().astype(np.int64)) - 1
    return np.asarray(depths[positions])


def _bounded(height: Callable[[float], float], axis: Axis) -> float:
    """The highest point of a smooth function: the best of a grid, then a bounded search around it."""
    from scipy.optimize import minimize_scalar

    values = axis.values()
    heights = [height(float(value)) for value in values]
    best = int(np.argmax(heights))
    low, high = float(values[max(best - 1, 0)]), float(values[min(best + 1, len(values) - 1)])
    optimum = minimize_scalar(
        lambda value: -height(float(value)), bounds=(low, high), method="bounded", options={"xatol": 1e-5}
    )
    top = float(optimum.x) if -optimum.fun >= heights[best] else float(values[best])
    return float(f"{top:.4g}")


class DataDriven(NamedTuple):
    """The model, the number of viewers that smoothing adds at each rank, and the effective number of parameters."""

    model: Empirical
    weight: float
    parameters: float

    @property
    def one_rate(self) -> RBP | None:
        """The same users as an RBP model, if all ranks have one rate."""
        return RBP(p=self.model.observed[0]) if np.isinf(self.weight) else None


def data_driven(ranks: LastRanks, weights: NDArray[np.int64], smoothing: float | None = None) -> DataDriven:
    """The model whose continuation is the smoothed share that goes on from each rank, rounded as it is printed.

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
    seen = seen.merge_from(MOST_RANKS) if deep else seen
    rates, weight, parameters = smoothed_continuation(seen, smoothing)
    written = np.round(rates[: seen.reached], _DIGITS).tolist() or [0.0]
    if np.isinf(weight):
        return DataDriven(_repeating(written[:1]), weight, parameters)
    # Smoothing assumes that ranks are similar, so it gives a rate to ranks that nobody reached, too.
    unreached = weight > 0 and len(written) < len(rates) and seen.reached > 0
    model = _repeating(written) if deep or unreached else Empirical(continuation=written)
    return DataDriven(model, weight, parameters)


def _repeating(rates: list[float]) -> Empirical:
    end = min(rates[-1], 1 - 10.0**-_DIGITS)
    return Empirical(continuation=[*rates[:-1], end], tail="repeat")


class ParameterEstimate(NamedTuple):
    """The columns of an estimate: value, 95% interval, the bound that it reaches, and the range of the search."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    at_bound: str | None = None
    searched: tuple[float | None, float | None] = (None, None)


def parameter_estimate(each: Candidate, fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> ParameterEstimate:
    """The estimate of the one parameter of a model, with its interval for other users (or pages); else empty.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.meta.fit.browsing import candidates
    >>> from metameter.meta.label_agreement.question import counts_of_labels
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 100, "last": [1] * 30 + [2] * 70}))
    >>> ranks, [rbp] = LastRanks.of(views, 1), [each for each in candidates() if each.name == "RBP"]
    >>> parameter_estimate(rbp, rbp.fit(ranks, ranks.count), ranks, counts_of_labels(views))[:3]  # 70 of 100 went on
    (0.7, 0.6042, 0.7853)
    """
    parameter = each.parameter
    if parameter is None:
        return ParameterEstimate()
    axis, best = parameter.axis(ranks), parameter.value(fitted.model)
    bound = "low" if best <= axis.low else "high" if best >= axis.high else None
    if counts.units < FEWEST_UNITS:
        return ParameterEstimate(best, None, None, bound, (axis.low, axis.high))
    low, high = (_whole_interval if axis.whole else _smooth_interval)(parameter, fitted, ranks, counts)
    return ParameterEstimate(best, _rounded(low), _rounded(high), bound, (axis.low, axis.high))


def _whole_interval(
    parameter: OneParameter, fitted: Fitted, ranks: LastRanks, counts: LabelCounts
) -> tuple[float, float]:
    """The lowest and the highest value that is not significantly less likely than the best."""
    every = parameter.every(ranks, ranks.count)
    values = [parameter.value(each.model) for each in every]
    own = _logarithms(ranks, fitted)
    likely = [n for n, each in enumerate(every) if not_less_likely(counts, own, _logarithms(ranks, each))]
    first, last = likely[0], likely[-1]
    # Values that were skipped may be as good as the better of their neighbours.
    low = values[first - 1] + 1 if first else values[0]
    high = values[last + 1] - 1 if last + 1 < len(values) else values[-1]
    return low, high


def _logarithms(ranks: LastRanks, fitted: Fitted) -> Floats:
    return ranks.log_probabilities(ranks.probabilities(fitted.model), fitted.lapse)


def slope_step(parameter: OneParameter, fitted: Fitted, ranks: LastRanks) -> float:
    """The step of the central difference at the estimate; 0 at a bound."""
    axis, best = parameter.axis(ranks), parameter.value(fitted.model)
    return max(min(_NEAR * best, (best - axis.low) / 2, (axis.high - best) / 2), 0.0)


def _smooth_interval(
    parameter: OneParameter, fitted: Fitted, ranks: LastRanks, counts: LabelCounts
) -> tuple[float, float]:
    """The values on both sides of the best at which the likelihood has fallen far enough."""
    axis, best = parameter.axis(ranks), parameter.value(fitted.model)
    bounds = (axis.low, axis.high)

    def logarithms(value: float) -> Floats:
        return ranks.log_probabilities(ranks.probabilities(parameter.model(value), cache=False), fitted.needed)

    def height(value: float) -> float:
        return float(counts.by_cell @ logarithms(value))

    near = slope_step(parameter, fitted, ranks)
    if near > 0:
        below, here, above = (logarithms(best + step) for step in (-near, 0.0, near))
        curvature = float(counts.by_cell @ (2 * here - below - above)) / near**2
        if curvature > 0:
            fall = fall_inside(counts, (above - below) / (2 * near), curvature)
            return likelihood_interval(height, best, bounds, fall, 1.1 * float(np.sqrt(2 * fall / curvature)))
    step = _FIRST * max(best - axis.low, axis.high - best)
    return likelihood_interval(height, best, bounds, fall_at_bound(counts), step)


def lapse_interval(fitted: Fitted, ranks: LastRanks, counts: LabelCounts) -> tuple[float | None, float | None]:
    """The interval of the lapse rate, given the model; empty for a model without lapses."""
    if not fitted.lapse or counts.units < FEWEST_UNITS:
        return None, None
    own, even = ranks.probabilities(fitted.model), 1.0 / ranks.entry_length
    slopes = (even - own) / ((1.0 - fitted.lapse) * own + fitted.lapse * even)
    curvature = float(counts.by_cell @ slopes**2)
    inside = fitted.lapse < 1.0 - _NEAR
    fall = fall_inside(counts, slopes, curvature) if inside else fall_at_bound(counts)
    ends = likelihood_interval(
        lambda lapse: float(counts.by_cell @ ranks.log_probabilities(own, lapse)),
        *(fitted.lapse, (0.0, 1.0), fall, float(np.sqrt(2 * fall / curvature))),
    )
    return _rounded(ends[0]), _rounded(ends[1])


def _rounded(value: float) -> float:
    """With the digits of an estimate."""
    return float(f"{value:.4g}")
