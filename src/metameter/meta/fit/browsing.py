"""Browsing models held against the ranks that users viewed last: their likeliest parameters, and how well they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.browse.base import Browsing
from metameter.meta.fit.axis import Axis, axis_of
from metameter.meta.fit.data_driven import data_driven
from metameter.meta.fit.last_ranks import LastRanks, likeliest
from metameter.registry import get

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Candidate", "Fitted", "OneNumber", "candidates"]

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
    lapse = likeliest(ranks, model, weights)
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
