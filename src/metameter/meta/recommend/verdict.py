"""The verdict on a metric held against its reference; and whether another seed might have changed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metameter.meta.framework.verdicts import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    SAME,
    WORSE,
)

__all__ = [
    "BETTER_DIFFERENT",
    "BETTER_SIMILAR",
    "IDENTICAL",
    "MIXED",
    "NO_EVIDENCE",
    "ROUNDING",
    "SAME",
    "VERDICTS",
    "WORSE",
    "Case",
    "Difference",
    "Tau",
]

ROUNDING = 1e-12

#: The best news first.
VERDICTS = (BETTER_SIMILAR, BETTER_DIFFERENT, IDENTICAL, SAME, MIXED, NO_EVIDENCE, WORSE)


@dataclass(frozen=True)
class Tau:
    """How alike two metrics rank the systems, with its interval.

    Attributes
    ----------
    value : float, optional
        None where a metric gives all systems the same mean.
    low, high : float, optional
        For other systems, each pair alone; None for fewer than five systems.
    low_together : float, optional
        A lower bound for other topics and for other systems that holds for all pairs at once.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    low_together: float | None = None

    def alike(self, similar: float) -> bool | None:
        """Whether the interval lies above ``similar`` (True), below it (False), or neither (None, as without one).

        Examples
        --------
        >>> Tau(0.95, 0.92, 0.97).alike(0.9), Tau(0.92, 0.88, 0.95).alike(0.9), Tau(0.7, 0.6, 0.8).alike(0.9)
        (True, None, False)
        """
        if self.value is None:
            return False
        if self.low is None or self.high is None:
            return None
        if self.low >= similar - ROUNDING:
            return True
        return False if self.high < similar - ROUNDING else None


@dataclass(frozen=True)
class Case:
    """All that a verdict is made from.

    Attributes
    ----------
    tau : Tau
    consistency, power : Difference
    identical : bool
        Whether the scores of the metric are a multiple of those of the reference.
    similar : float
        A metric ranks like the reference if the interval of tau lies above this.
    margin : float
        Differences within plus or minus this are negligible.
    """

    tau: Tau
    consistency: Difference
    power: Difference
    identical: bool = False
    similar: float = 0.9
    margin: float = 0.01

    def verdict(self) -> str:
        """What the intervals say of the metric, compared with its reference.

        Examples
        --------
        >>> gain, loss = Difference(0.1, 0.05, 0.15), Difference(-0.1, -0.15, -0.05)
        >>> unclear = Difference(0.1, -0.1, 0.3)
        >>> Case(Tau(0.95, 0.92, 0.97), unclear, gain).verdict(), Case(Tau(0.8, 0.7, 0.9), unclear, gain).verdict()
        ('better-and-similar', 'better-but-different')
        >>> Case(Tau(0.95), gain, loss).verdict(), Case(Tau(0.95), loss, unclear).verdict()
        ('mixed', 'worse')
        """
        return self._verdict(self.consistency, self.power)

    def close_call(self) -> bool:
        """Whether bounds two Monte-Carlo errors off, of either difference, would give another verdict.

        Examples
        --------
        >>> sure = Difference(0.0, -0.1, 0.1)
        >>> [Case(Tau(0.95), sure, Difference(0.1, 0.001, 0.2, error)).close_call() for error in (0.0004, 0.0006)]
        [False, True]
        """
        nearby = ((one, other) for one in self.consistency.nearby() for other in self.power.nearby())
        return any(self._verdict(*pair) != self.verdict() for pair in nearby)

    def _verdict(self, consistency: Difference, power: Difference) -> str:
        if self.identical:
            return IDENTICAL
        if consistency.within(self.margin) and power.within(self.margin):
            return SAME
        up, down = consistency.up or power.up, consistency.down or power.down
        if up and down:
            return MIXED
        if up:
            return BETTER_SIMILAR if self.tau.alike(self.similar) else BETTER_DIFFERENT
        return WORSE if down else NO_EVIDENCE


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
