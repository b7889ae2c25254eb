"""Browsing models held against the ranks that users viewed last: their likeliest parameters, and how well they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.empirical import Empirical
from metameter.meta.fit.axis import Axis, axis_of
from metameter.meta.fit.last_ranks import LastRanks, likeliest
from metameter.registry import get
from metameter.stats.last_viewed import smoothed_continuation, viewers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Candidate", "Fitted", "OneNumber", "candidates", "empirical_of"]

#: Models that are tried, and the number of theirs that is found; DCG and Prec by how deep their users go.
_TRIED = (
    *(("RBP", "p"), ("INSQ", "T"), ("INST", "T"), ("DCG", "k"), ("Prec", "k")),
    *(("ERR", ""), ("RRbin", ""), ("AP1", ""), ("AP2", "")),
)
#: Ranks of a data-driven model; from then on users go on at one rate.
MOST_RANKS = 100
_DIGITS = 4
#: The first grid is as coarse as those of so many parameters: a likelihood is smooth, and searched further.
_COARSE = 2
#: Of deeper pages not every last rank is tried.
_MOST_DEPTHS = 32


@dataclass(frozen=True)
class Fitted:
    """A model with the parameters that make the ranks likeliest, and the share of lapses it takes."""

    model: Browsing
    lapse: float
    parameters: int


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
        model = empirical_of(ranks, weights, self.smoothing)
        return Fitted(model, likeliest(ranks, model, weights), len(model.observed))


def empirical_of(ranks: LastRanks, weights: NDArray[np.int64], smoothing: float | None = None) -> Empirical:
    """The data-driven model: the smoothed share that goes on from each rank, in as many digits as are printed.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0, 0]] * 10, "last": [1] * 5 + [2] * 3 + [3] * 2}))
    >>> ranks = LastRanks.of(views, 1)
    >>> empirical_of(ranks, ranks.count, smoothing=0)
    Empirical(continuation=[0.5,0.4])
    """
    seen = viewers_of(ranks.last, ranks.length[ranks.item], weights)
    rates, worth = smoothed_continuation(seen, smoothing)
    written = np.round(rates[: seen.reached], _DIGITS).tolist()
    if len(written) > MOST_RANKS:
        deep = slice(MOST_RANKS - 1, None)
        beyond = 1.0 - float(seen.left[deep].sum()) / float(seen.viewers[deep].sum())
        return _for_ever([*written[: MOST_RANKS - 1], beyond])
    # Smoothing takes ranks for alike: it has something to say of those that nobody reached, too.
    return _for_ever(written) if worth and 0 < len(written) < len(rates) else Empirical(continuation=written or [0.0])


def _for_ever(rates: list[float]) -> Empirical:
    end = min(round(rates[-1], _DIGITS), 1 - 10.0**-_DIGITS)
    return Empirical(continuation=[*rates[:-1], end], tail="repeat")


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
        best = _bounded(lambda value: _height(ranks, Fitted(self.model(value), 0.0, 1), weights), axis)
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


def _with_lapse(ranks: LastRanks, model: Browsing, weights: NDArray[np.int64], parameters: int) -> Fitted:
    lapse = likeliest(ranks, model, weights)
    return Fitted(model, lapse, parameters + (lapse > 0))


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
