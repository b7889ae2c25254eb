"""How far an alternative is from its canonical metric, and whether that is evidence."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROUNDING", "Difference", "same"]

ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """Metric minus canonical, and how far that could move with other topics; no ends where there is no interval.

    Attributes
    ----------
    value : float
    low, high : float, optional
    closed : float, optional
        The difference as those found it whose moves the interval is made of, where that is not the value itself.
    """

    value: float
    low: float | None = None
    high: float | None = None
    closed: float | None = None

    @property
    def solid(self) -> bool:
        """Whether the interval, moved from the closed-form difference to the value, could have stayed where it was."""
        if self.closed is None or self.low is None or self.high is None:
            return True
        return self.closed * self.value > 0 and self.low <= self.closed <= self.high

    @property
    def up(self) -> bool:
        """Whether the whole interval is above zero, and solid."""
        return self.low is not None and self.low > 0 and self.solid

    @property
    def down(self) -> bool:
        """Whether the whole interval is below zero, and solid."""
        return self.high is not None and self.high < 0 and self.solid

    @property
    def none(self) -> bool:
        """Whether there is no difference, on these topics and on any resample of them."""
        return self.value == 0 and self.low == 0 and self.high == 0 and not self.closed


def same(tau: float | None, consistency: Difference, power: Difference) -> bool:
    """Whether nothing tells the two apart: not the ranking, not one resample."""
    return tau is not None and tau >= 1 - ROUNDING and consistency.none and power.none
