"""Does one metric agree with labels better than another? Tests of two correlations that share their labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from metameter.stats.checks import Floats, Interval
from metameter.stats.rank_correlation.dependent_correlations import fisher_independent, steiger, williams, zou_interval

#: The tests by formula, beside the bootstrap.
FORMULAS = ("steiger", "williams", "zou", "fisher")
_BISECTIONS = 60  # bisection steps


class TauTriple(NamedTuple):
    """tau_b of two metrics with the labels, and of the two with each other."""

    one: float
    other: float
    between: float


def bootstrap_pvalues(differences: Floats) -> Floats:
    r"""Two-sided p of no difference from differences in resamples, (resamples, comparisons): never 0.

    .. math:: p = 2 (min(#\{d \le 0\}, #\{d \ge 0\}) + 1) / (B + 1)

    Examples
    --------
    >>> bootstrap_pvalues(np.array([[0.1, -1.0], [0.2, 1.0], [0.1, 1.0], [0.3, 1.0]]))
    array([0.4, 0.8])
    """
    tolerance = 1e-12
    least = np.minimum((differences <= tolerance).sum(axis=0), (differences >= -tolerance).sum(axis=0))
    return np.asarray(np.minimum(2.0 * (least + 1) / (len(differences) + 1), 1.0))


def formula_pvalue(test: str, taus: TauTriple, n: int) -> float:
    """Two-sided p of no difference by one of `FORMULAS`, over n pages or pairs.

    All were derived for Pearson's r and are given tau itself, which is an approximation. On real pages with four grades
    and five labels their intervals were 1.1 to 3 times as wide as those of the bootstrap; with few levels they can be
    far too narrow (with binary grades and one label in twenty different, 19 to 46% of pairs of equal metrics were
    marked at .05). After the conversion r = sin(pi tau / 2), which holds for normal variables without ties, they were
    half as wide as they should be.

    Examples
    --------
    >>> round(formula_pvalue("fisher", TauTriple(0.362, 0.334, 0.9), 7500), 4)
    0.0511
    >>> [formula_pvalue(test, TauTriple(0.3, 0.3, 1.0), 100) for test in FORMULAS]
    [1.0, 1.0, 1.0, 1.0]
    """
    if abs(taus.one - taus.other) < 1e-12:
        return 1.0
    if test == "fisher":
        return fisher_independent(taus.one, taus.other, n).pvalue
    if test == "zou":
        return _level_at_zero(partial(zou_interval, *taus, n))
    return (steiger if test == "steiger" else williams)(*taus, n).pvalue


def _level_at_zero(interval: Callable[[float], Interval]) -> float:
    """The p-value that corresponds to an interval: 1 less the level at which one of its bounds is zero."""
    inside, outside = 0.0, 1.0  # levels whose interval excludes zero, and includes it
    for _ in range(_BISECTIONS):
        level = (inside + outside) / 2.0
        low, high = interval(level)
        if low <= 0.0 <= high:
            outside = level
        else:
            inside = level
    return 1.0 - outside
