"""The verdict on a metric compared with its reference, and whether it is a close call."""

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

ROUNDING = 1e-12
#: What metrics are compared in.
STATISTICS = ("consistency", "power")

#: The verdicts, from the best for the metric to the worst.
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
        """Whether the interval lies above ``similar`` (True), below it (False), or neither (None).

        Without an interval the answer is None.

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
class Criteria:
    """The options that decide between verdicts.

    Attributes
    ----------
    similar : float
        A metric ranks the systems like its reference if the interval of tau lies above this.
    margin : float
        Differences within plus or minus this are negligible.
    by_row : bool
        Whether the intervals of each row alone decide, not those that hold for all rows at once.
    """

    similar: float = 0.9
    margin: float = 0.01
    by_row: bool = False


@dataclass(frozen=True)
class Assessment:
    """What is known of a metric compared with its reference; the verdict follows from it.

    Attributes
    ----------
    tau : Tau
    consistency, power : Difference
    identical : bool
        Whether the scores of the metric are a multiple of those of the reference.
    similar, margin : float
        As in `Criteria`.
    """

    tau: Tau
    consistency: Difference
    power: Difference
    identical: bool = False
    similar: float = 0.9
    margin: float = 0.01

    def verdict(self) -> str:
        """Return the verdict that the intervals support.

        Examples
        --------
        >>> gain, loss = Difference(0.1, 0.05, 0.15), Difference(-0.1, -0.15, -0.05)
        >>> unclear = Difference(0.1, -0.1, 0.3)
        >>> [Assessment(tau, unclear, gain).verdict() for tau in (Tau(0.95, 0.92, 0.97), Tau(0.8, 0.7, 0.9))]
        ['better-and-similar', 'better-but-different']
        >>> Assessment(Tau(0.95), gain, loss).verdict(), Assessment(Tau(0.95), loss, unclear).verdict()
        ('mixed', 'worse')
        """
        return self._verdict(self.consistency, self.power)

    def close_call(self) -> bool:
        """Whether bounds shifted by two Monte-Carlo errors, of either difference, would give another verdict.

        Examples
        --------
        >>> sure = Difference(0.0, -0.1, 0.1)
        >>> [Assessment(Tau(0.95), sure, Difference(0.1, 0.001, 0.2, error)).close_call() for error in (0.0004, 0.0006)]
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
        The ends of the deciding interval, if there is one.
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
        """The difference with the ends of its interval shifted by two Monte-Carlo errors: what other seeds might give.

        Examples
        --------
        >>> [(round(each.low, 2), round(each.high, 2)) for each in Difference(0.2, 0.1, 0.3, 0.01).nearby()]
        [(0.08, 0.28), (0.08, 0.32), (0.12, 0.28), (0.12, 0.32)]
        """
        if self.low is None or self.high is None:
            return [self]
        off = (-2.0 * self.error, 2.0 * self.error)
        return [replace(self, low=self.low + low, high=self.high + high) for low in off for high in off]
