"""How far a metric is from its reference, and what its interval says."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["ROUNDING", "Difference"]

ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """Metric minus reference, with its interval for other topics.

    Attributes
    ----------
    value : float
        The difference observed.
    low, high : float, optional
        The ends of the interval that decides, if there is one.
    error : float
        Monte-Carlo error of either end.
    """

    value: float
    low: float | None = None
    high: float | None = None
    error: float = 0.0

    @property
    def up(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.low is not None and self.low > ROUNDING

    @property
    def down(self) -> bool:
        """Whether the whole interval is below zero."""
        return self.high is not None and self.high < -ROUNDING

    def within(self, margin: float) -> bool:
        """Whether the whole interval lies inside plus or minus the margin.

        Examples
        --------
        >>> Difference(0.0, -0.008, 0.009).within(0.01), Difference(0.0).within(0.01)
        (True, False)
        """
        return self.low is not None and self.high is not None and -margin <= self.low <= self.high <= margin

    def nearby(self) -> list[Difference]:
        """The same with its ends two Monte-Carlo errors off: what another seed might have drawn.

        Examples
        --------
        >>> [(round(each.low, 2), round(each.high, 2)) for each in Difference(0.2, 0.1, 0.3, 0.01).nearby()]
        [(0.08, 0.28), (0.08, 0.32), (0.12, 0.28), (0.12, 0.32)]
        """
        if self.low is None or self.high is None:
            return [self]
        off = (-2.0 * self.error, 2.0 * self.error)
        return [replace(self, low=self.low + low, high=self.high + high) for low in off for high in off]
