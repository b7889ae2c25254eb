"""How far an alternative is from its canonical metric, and when that is evidence of a difference."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROUNDING", "Difference", "indistinguishable"]

ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """Metric minus canonical metric, with its interval for other topics.

    Attributes
    ----------
    value : float
        The difference observed.
    low, high : float, optional
        The ends of its interval, if it has one.
    closed : float, optional
        The difference in closed form, where the interval comes from the closed form. For power: the observed value
        comes from a randomised test, while each resample is tested in closed form, which is faster.
    """

    value: float
    low: float | None = None
    high: float | None = None
    closed: float | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval, all of it on one side of zero."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    @property
    def confirmed(self) -> bool:
        """Whether the closed form agrees with the value: it has the same sign and lies in the interval."""
        if self.closed is None or self.low is None or self.high is None:
            return True
        return self.closed * self.value > 0 and self.low <= self.closed <= self.high

    @property
    def up(self) -> bool:
        """Whether the whole interval is above zero, and confirmed by the closed form."""
        return self.low is not None and self.low > 0 and self.confirmed

    @property
    def down(self) -> bool:
        """Whether the whole interval is below zero, and confirmed by the closed form."""
        return self.high is not None and self.high < 0 and self.confirmed

    @property
    def is_zero(self) -> bool:
        """Whether there is no difference, neither on these topics nor on any resample of them."""
        return self.value == 0 and self.low == 0 and self.high == 0 and not self.closed


def indistinguishable(tau: float | None, consistency: Difference, power: Difference) -> bool:
    """Whether nothing tells the two metrics apart: neither the ranking of the systems nor any resample."""
    return tau is not None and tau >= 1 - ROUNDING and consistency.is_zero and power.is_zero
