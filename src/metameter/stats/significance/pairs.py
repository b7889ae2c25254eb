"""Pairs of systems: the tests and corrections, the result of a test, and which pairs are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.stats.checks import Floats, as_finite, check_choice, system_pairs


def adjust_pvalues(pvalues: ArrayLike, method: str = "holm") -> Floats:
    """Return p-values adjusted for their number, in the given order; at most 1.

    Parameters
    ----------
    pvalues : array-like, (n,)
    method : {"bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        The first four control the familywise error rate (Sidak for independent tests, Hommel for positively dependent
        ones), the ``fdr`` ones the false discovery rate.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm")  # 3 * .01, then 2 * .03, then 1 * .04 raised to .06
    array([0.03, 0.06, 0.06])
    """
    if method not in ADJUSTMENTS:
        raise MetameterError("unknown adjustment", given=method, fix=did_you_mean(method, list(ADJUSTMENTS)))
    p = as_finite(pvalues, "p-values")
    if p.ndim != 1 or (p.size and not 0.0 <= p.min() <= p.max() <= 1.0):
        raise MetameterError(
            "these are not p-values", allowed="numbers from 0 to 1", fix="Give one flat list of p-values."
        )
    if not p.size:
        return p.copy()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ADJUSTMENTS[method](p[order]), 1.0)
    return adjusted


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _holm(p: Floats) -> Floats:
    return np.asarray(np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def _sidak(p: Floats) -> Floats:
    # -expm1(n log1p(-p)) is 1 - (1-p)**n without losing small p.
    capped = np.minimum(p, np.nextafter(1.0, 0.0))
    return np.where(p == 1.0, 1.0, -np.expm1(len(p) * np.log1p(-capped)))


def _hommel(p: Floats) -> Floats:
    adjusted = p.copy()
    for m in range(len(p), 1, -1):
        least = np.min(m * p[-m:] / np.arange(1, m + 1))
        adjusted[-m:] = np.maximum(adjusted[-m:], least)
        adjusted[:-m] = np.maximum(adjusted[:-m], np.minimum(m * p[:-m], least))
    return adjusted


def _fdr_bh(p: Floats) -> Floats:
    raised = p * len(p) / np.arange(1, len(p) + 1)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1])


def _fdr_by(p: Floats) -> Floats:
    return _fdr_bh(p) * float((1.0 / np.arange(1, len(p) + 1)).sum())


ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "sidak": _sidak,
    "hommel": _hommel,
    "fdr_bh": _fdr_bh,
    "fdr_by": _fdr_by,
}
_PAIRS = 1024  # at a time: differences on 50 topics stay in the cache, and memory is bounded
Test: TypeAlias = Literal["max-t", "tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"]
Correction: TypeAlias = Literal["none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"]
TESTS: tuple[Test, ...] = get_args(Test)
TUKEY = ("tukey-randomised", "tukey")
FAMILYWISE = (*TUKEY, "max-t")  # one error rate for all pairs
MONTE_CARLO = ("tukey-randomised", "max-t", "bootstrap")


@dataclass(frozen=True, eq=False)
class PairTests:
    """Results of a test of pairs of systems; arrays (metrics, pairs), in the order (0,1), (0,2), ..., (1,2), ...

    Or results of comparisons with baselines only, in the order of `compared_pairs`.

    Attributes
    ----------
    difference : ndarray
        Mean of the first system less mean of the second; exactly 0 if they are tied.
    effect : ndarray
        The difference in standard deviations: residual ones (Sakai's HSD effect size) for the Tukey tests, those of
        the differences over topics (Cohen's d_z) for the others.
    pvalue : ndarray
        Uncorrected p-values: for each pair alone, or for all pairs by a test with one familywise error rate.
        Monte-Carlo p-values are (b + 1) / (trials + 1), never 0.
    required, required_error : ndarray, (metrics,)
        The difference that the test requires, the largest over pairs, and its Monte-Carlo error; NaN if undefined.
    trials : int or None
        None if the test is not a Monte-Carlo test.
    ranges : ndarray, (metrics, trials), optional
        The reference distribution of the randomised Tukey HSD and of max-t, for differences divided by their scale.
    zero : ndarray, (metrics, 1)
        The tolerance within which a difference counts as zero.
    scale : ndarray or float
        The difference required of a pair, relative to ``required``; 1 unless differences are studentised.
    """

    difference: Floats
    effect: Floats
    pvalue: Floats
    required: Floats
    required_error: Floats
    trials: int | None = None
    ranges: Floats | None = None
    zero: Floats | float = 0.0
    scale: Floats | float = 1.0

    @property
    def statistic(self) -> Floats:
        """The absolute differences divided by their scale, which are compared with ``ranges``."""
        size, scale = np.abs(self.difference), np.broadcast_to(self.scale, self.difference.shape)
        return np.asarray(np.divide(size, scale, out=np.where(size == 0.0, 0.0, np.inf), where=scale > 0.0))

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each uncorrected p-value; NaN if the test is not a Monte-Carlo test."""
        if self.trials is None:
            return np.full_like(self.pvalue, np.nan)
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)


def check_test(test: str, correction: str) -> None:
    """Refuse an unknown test or correction, and a correction of a test that has one error rate for all pairs.

    Examples
    --------
    >>> check_test("tukey", "holm")
    Traceback (most recent call last):
    metameter.errors.MetameterError: tukey controls the family-wise error already (given 'holm', allowed: none). \
Leave correction out, or choose another test.
    """
    for what, given, known in (("test", test, TESTS), ("correction", correction, ("none", *ADJUSTMENTS))):
        check_choice(given, what, known)
    if test in FAMILYWISE and correction != "none":
        raise MetameterError(
            f"{test} controls the family-wise error already",
            given=correction,
            allowed="none",
            fix="Leave correction out, or choose another test.",
        )


def corrected_pvalues(pvalue: Floats, correction: str) -> Floats:
    """Return the p-values of each metric, corrected for the number of pairs.

    Examples
    --------
    >>> corrected_pvalues(np.array([[0.01, 0.5]]), "bonferroni")
    array([[0.02, 1.  ]])
    """
    return pvalue if correction == "none" else np.stack([adjust_pvalues(row, correction) for row in pvalue])


def compared_pairs(systems: int, baselines: Sequence[int] = ()) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return first and second members of the pairs compared; the second is the baseline, if there are baselines.

    Examples
    --------
    >>> [side.tolist() for side in compared_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    >>> [side.tolist() for side in compared_pairs(3, [1, 0])]  # each pair once, also that of two baselines
    [[0, 2, 2], [1, 1, 0]]
    """
    if not len(baselines):
        return system_pairs(systems)
    for baseline in baselines:
        if not 0 <= baseline < systems:
            allowed, fix = f"0 to {systems - 1}", "Give the indices of systems."
            raise MetameterError("no system has this index", given=baseline, allowed=allowed, fix=fix)
    distinct = list(dict.fromkeys(int(baseline) for baseline in baselines))
    pairs = [(a, b) for n, b in enumerate(distinct) for a in range(systems) if a not in distinct[: n + 1]]
    first, second = np.array(pairs, dtype=np.intp).T
    return first, second


def pair_chunks(pairs: int) -> Iterator[slice]:
    """Return slices of at most 1,024 pairs, in order.

    Examples
    --------
    >>> [(some.start, some.stop) for some in pair_chunks(1500)]
    [(0, 1024), (1024, 2048)]
    """
    return (slice(start, start + _PAIRS) for start in range(0, pairs, _PAIRS))
