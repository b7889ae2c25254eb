"""How fast users stop reading: continuation rates by rank, smoothed, and a test of counts by rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats

#: The bounds of the smoothing weight (viewers added at each rank) in its search.
_LEAST, _MOST = 1e-2, 1e6
#: From this smoothing weight on, all ranks are given one rate.
_ALIKE = 1e5

#: A rank with a lower expected count is merged with those below it before the test.
_FEWEST = 5.0
#: Directions with a lower relative variance after the fit are left out of the test: they are far from normal.
_LEAST_VARIANCE = 0.01


class Viewers(NamedTuple):
    """For each rank but the last: the number of users who viewed it, and of those who stopped there."""

    viewers: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def reached(self) -> int:
        """The number of ranks with viewers; a viewer of a rank has viewed all ranks above it."""
        return int(np.count_nonzero(self.viewers))

    def merge_from(self, rank: int) -> Viewers:
        """Merge all ranks from this one on: the number of views of any of them, and of users who stopped at one.

        Examples
        --------
        >>> Viewers(np.array([10, 5, 3, 1]), np.array([5, 2, 2, 1])).merge_from(3)
        Viewers(viewers=array([10,  5,  4]), left=array([5, 2, 3]))
        """
        viewers, left = (np.append(each[: rank - 1], each[rank - 1 :].sum()) for each in self)
        return Viewers(viewers, left) if len(self.viewers) > rank else self


def viewers_of(last: NDArray[np.int64], length: NDArray[np.int64], count: NDArray[np.int64]) -> Viewers:
    """Count viewers from the last ranks viewed; the last rank of a page is left out, since no user continues past it.

    Parameters
    ----------
    last, length, count : ndarray of int, (entries,)
        The last rank viewed, the number of results of the page, and how often this occurred.

    Examples
    --------
    >>> viewers_of(np.array([1, 2, 3]), np.array([3, 3, 3]), np.array([5, 3, 2]))
    Viewers(viewers=array([10,  5]), left=array([5, 3]))
    """
    deepest = max(int(length.max(initial=1)), 1)
    viewers, left = np.zeros((2, deepest - 1), dtype=np.int64)
    for rank in range(1, deepest):  # one rank at a time: there may be millions of entries
        continuing = length > rank
        viewers[rank - 1] = count[continuing & (last >= rank)].sum()
        left[rank - 1] = count[continuing & (last == rank)].sum()
    return Viewers(viewers, left)


class Smoothed(NamedTuple):
    """Continuation rates by rank, the weight of the smoothing in viewers per rank, and the number of free parameters.

    Without smoothing every rate with viewers is a free parameter; with one rate for all ranks ``weight`` is infinite
    and there is one free parameter.
    """

    rates: Floats
    weight: float
    parameters: float


def smoothed_continuation(observed: Viewers, smoothing: float | None = None) -> Smoothed:
    """Continuation rates by rank, smoothed towards the rate of all ranks together.

    The rate of a rank is computed as if ``smoothing`` more viewers had been observed there, who stopped at the rate of
    all ranks: ranks with few viewers are smoothed strongly, others hardly at all. By default the number is estimated
    (empirical Bayes): the rates are taken as draws from one beta distribution, whose concentration maximises the
    likelihood. If rates differ no more than by chance, all ranks have one rate: that of RBP. Without smoothing, ranks
    without viewers have NaN.

    The effective number of parameters is the sum of the derivatives of the rates by their own observed shares.

    Examples
    --------
    >>> smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])), smoothing=0)
    Smoothed(rates=array([0.5, 0.4]), weight=0.0, parameters=2.0)
    >>> rates, weight, parameters = smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])))
    >>> rates.round(3), weight, parameters  # no more different than chance makes them
    (array([0.467, 0.467]), inf, 1.0)
    """
    viewers, left = observed
    total = max(float(viewers.sum()), 1.0)
    overall = float(left.sum()) / total
    weight = _concentration(viewers, left, overall) if smoothing is None else float(smoothing)
    if np.isinf(weight):
        return Smoothed(np.full(len(viewers), 1.0 - overall), weight, 1.0)
    seen = viewers + weight
    leaving = np.divide(left + weight * overall, seen, out=np.full(len(seen), np.nan), where=seen > 0)
    own = np.divide(viewers + weight * viewers / total, seen, out=np.zeros(len(seen)), where=seen > 0)
    return Smoothed(np.asarray(1.0 - leaving), weight, float(own.sum()))


def _concentration(viewers: NDArray[np.int64], left: NDArray[np.int64], overall: float) -> float:
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    if not 0 < overall < 1 or np.count_nonzero(viewers) < 2:
        return 0.0  # all stop, or none, or there is one rank: nothing to smooth

    def negative_log_likelihood(logarithm: float) -> float:
        a, b = np.exp(logarithm) * overall, np.exp(logarithm) * (1 - overall)
        return float(-(betaln(left + a, viewers - left + b) - betaln(a, b)).sum())

    bounds = (np.log(_LEAST), np.log(_MOST))
    optimum = minimize_scalar(negative_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    # If the likelihood still rises at the upper bound, its maximum is at infinity.
    return float(
        "inf" if optimum.x > np.log(_ALIKE) or negative_log_likelihood(bounds[1]) <= optimum.fun else np.exp(optimum.x)
    )


class RankFit(NamedTuple):
    """The chi-square statistic, its degrees of freedom and p; NaN where no direction is left to test."""

    statistic: float
    df: int
    pvalue: float


class PageChances(NamedTuple):
    """Some distinct pages: the probability of each rank to be the last one viewed, and how often each page occurs.

    Attributes
    ----------
    chances : ndarray, (pages, ranks)
    occurs : ndarray, (pages,)
    slopes : sequence of ndarray, (pages, ranks)
        The derivatives of the chances by each parameter that was fitted.
    """

    chances: Floats
    occurs: Floats
    slopes: Sequence[Floats] = ()


def rank_fit(observed: Floats, pages: Iterable[PageChances]) -> RankFit:
    """Test how often each rank was the last one viewed against the expectation of a model.

    Pearson's statistic assumes that counts are draws from one multinomial distribution. Sums over pages on which the
    model expects different ranks vary less; so their covariance is summed page by page, and the part that fitting the
    model removes is subtracted. For identical pages and no fitted parameters the statistic is Pearson's.

    Parameters
    ----------
    observed : ndarray, (ranks,)
    pages : iterable of PageChances
        All distinct pages, in blocks: there may be millions.

    References
    ----------
    chernoff1954

    Examples
    --------
    >>> even = PageChances(np.full((1, 3), 1 / 3), np.array([60.0]))
    >>> test = rank_fit(np.array([10.0, 20.0, 30.0]), [even])
    >>> round(test.statistic, 3), test.df, round(test.pvalue, 4)  # (10 ** 2 + 10 ** 2) / 20
    (10.0, 2, 0.0067)
    >>> apart = PageChances(np.array([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]]), np.array([30.0, 30.0]))
    >>> rank_fit(np.array([30.0, 10.0, 20.0]), [apart]).pvalue < 1e-4  # 27, 6, 27
    True
    """
    from scipy.special import chdtrc

    ranks = len(observed)
    expected, within = np.zeros(ranks), np.zeros((ranks, ranks))
    moved: Any = 0.0  # without slopes
    information: Any = 0.0
    for chances, occurs, slopes in pages:
        expected += occurs @ chances
        within += (chances * occurs[:, None]).T @ chances
        if slopes:
            moved += np.stack([occurs @ slope for slope in slopes], axis=1)
            information += _information(chances, occurs, slopes)
    first = np.flatnonzero(np.diff(_groups(expected), prepend=-1))
    apart, added = (np.add.reduceat(each, first) for each in (observed - expected, expected))
    covariance = np.diag(added) - np.add.reduceat(np.add.reduceat(within, first), first, axis=1)
    if np.ndim(moved):
        by_group = np.add.reduceat(moved, first)
        covariance -= by_group @ np.linalg.pinv(information, hermitian=True) @ by_group.T
    scale = np.sqrt(np.maximum(added, 1e-300))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    testable = values > _LEAST_VARIANCE
    if not testable.any():
        return RankFit(float("nan"), 0, float("nan"))
    statistic = float((((vectors[:, testable].T @ (apart / scale)) ** 2) / values[testable]).sum())
    df = int(testable.sum())
    return RankFit(statistic, df, float(chdtrc(df, statistic)))


def _information(chances: Floats, occurs: Floats, slopes: Sequence[Floats]) -> Floats:
    """The Fisher information of all observations of these pages, (parameters, parameters)."""
    every = np.stack(slopes)
    inverse = np.divide(occurs[:, None], chances, out=np.zeros_like(chances), where=chances > 0)
    return np.asarray(np.einsum("aik,bik,ik->ab", every, every, inverse, optimize=True))


def _groups(expected: Floats) -> NDArray[np.int64]:
    """The group of each rank: adjacent ranks are merged until enough is expected; a remainder joins the last group.

    Examples
    --------
    >>> _groups(np.array([8.0, 3.0, 2.0, 1.0]))
    array([0, 1, 1, 1])
    >>> _groups(np.array([8.0, 3.0, 2.0, 9.0, 1.0]))
    array([0, 1, 1, 2, 2])
    """
    group, sums = np.zeros(len(expected), dtype=np.int64), 0.0
    for rank in range(1, len(expected)):
        sums += float(expected[rank - 1])
        full = sums >= _FEWEST
        group[rank] = group[rank - 1] + full
        sums = 0.0 if full else sums
    last = group == group[-1]
    return np.asarray(np.where(last & (expected[last].sum() < _FEWEST), np.maximum(group - 1, 0), group))
