"""Which values of a parameter are tried: round numbers within its bounds, ever closer together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from metameter.parameters import Bounds


#: A range up to this many times as long as a unit is searched in equal steps; a longer one in equal ratios.
_LONG = 20.0
#: Where a parameter may be as small, or as large, as one likes.
_SMALLEST, _PER_RANK = 0.01, 100.0
#: How much finer the next steps are.
FINER = 5
#: The first step, as a share of the range, by how many parameters are free.
_FIRST = {1: 0.01, 2: 0.05, 3: 0.1}
_PER_DECADE = {1: 20, 2: 10, 3: 5}


@dataclass(frozen=True)
class Axis:
    """The values of one parameter, as whole numbers of steps from 0 (or, in ratios, as powers of a step).

    Attributes
    ----------
    low, high : float
        What is searched; both are values that the parameter may have.
    step : float
        Of values, or with ``ratios`` of their decimal logarithms; 1 for whole numbers, and then never finer.
    ratios, whole : bool
    more : pair of bool
        Whether the parameter may have values below the lowest, and above the highest, that change anything.
    """

    low: float
    high: float
    step: float
    ratios: bool = False
    whole: bool = False
    more: tuple[bool, bool] = (False, False)

    def values(self, first: float | None = None, last: float | None = None) -> NDArray[np.float64]:
        """The values from one to another, both of which belong to them where they are ends of the range.

        Examples
        --------
        >>> Axis(0, 0.99, 0.25).values()
        array([0.  , 0.25, 0.5 , 0.75, 0.99])
        >>> Axis(0.5, 5, 0.5, ratios=True).values()
        array([0.5 , 1.  , 3.16, 5.  ])
        """
        start, stop = self.low if first is None else first, self.high if last is None else last
        steps = np.arange(math.floor(self._at(start)), math.ceil(self._at(stop)) + 1)
        inner = [self._value(int(each)) for each in steps]
        kept = [each for each in inner if self.low < each < self.high]
        ends = [end for end, at in ((self.low, start), (self.high, stop)) if at == end]
        return np.unique(np.array([*kept, *ends]))

    def _at(self, value: float) -> float:
        # Rounded, so that a value of the axis is found at its own step.
        return round((math.log10(value) if self.ratios else value) / self.step, 6)

    def _value(self, step: int) -> float:
        if not self.ratios:
            return float(round(step * self.step, 12))
        digits = max(2, math.ceil(-math.log10(self.step)) + 2)
        return float(f"{10 ** (step * self.step):.{digits - 1}e}")

    def around(self, low: float, high: float) -> NDArray[np.float64]:
        """The values from a step of this axis below one to a step above the other."""
        every = self.values()
        first = max(0, int(np.searchsorted(every, low)) - 1)
        last = min(len(every) - 1, int(np.searchsorted(every, high, side="right")))
        return every[first : last + 1]

    def finer(self) -> Axis:
        """The same range in finer steps."""
        step = self.step if self.whole else float(f"{self.step / FINER:.6g}")
        return replace(self, step=step)


def axis_of(bounds: Bounds, longest: int, free: int) -> Axis:
    """Where to look for a parameter.

    Parameters
    ----------
    bounds : Bounds
    longest : int
        How many results the longest page has: users who go deeper are alike.
    free : int
        How many parameters are free: the more, the coarser the first grid.

    Examples
    --------
    >>> from metameter.parameters import Bounds
    >>> axis_of(Bounds(0, 1, high_open=True), 10, 1)
    Axis(low=0.0, high=0.999, step=0.01, ratios=False, whole=False, more=(False, True))
    >>> axis_of(Bounds(1, 1_000_000, integer=True), 10, 1).values().tolist()[-1], axis_of(Bounds(0.5, 1e9), 10, 1).high
    (10.0, 1000.0)
    """
    if bounds.integer:
        low = max(1.0, bounds.low)
        return Axis(low, max(low, min(bounds.high, float(longest))), 1.0, whole=True)
    if bounds.high - bounds.low <= _LONG:
        span = bounds.high - bounds.low
        inside = span / 1000
        low = bounds.low + inside * bounds.low_open
        high = bounds.high - inside * bounds.high_open
        step = float(f"{span * _FIRST[free]:.1g}")
        return Axis(float(low), float(high), step, more=(bool(bounds.low_open), bool(bounds.high_open)))
    low = bounds.low if bounds.low > 0 else _SMALLEST
    high = min(bounds.high, max(_PER_RANK * longest, 10 * low))
    more = (low > bounds.low or bool(bounds.low_open), high < bounds.high or bool(bounds.high_open))
    return Axis(float(low), float(high), 1.0 / _PER_DECADE[free], ratios=True, more=more)
