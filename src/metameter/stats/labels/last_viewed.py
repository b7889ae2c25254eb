"""How fast users stop reading: continuation rates by rank, smoothed, and a test of counts by rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats

#: Between these is searched how many viewers at each rank smoothing is worth.
_LEAST, _MOST = 1e-2, 1e6
#: From so many on ranks are as good as alike.
_ALIKE = 1e5

#: A rank of which fewer are expected is tested together with those below it.
_FEWEST = 5.0
#: Directions in which counts can hardly vary, given what was fitted, are left out: chance there is far from normal.
_LEAST_VARIANCE = 0.01


class Viewers(NamedTuple):
    """Per rank that another one follows: how many viewed it, and how many of them left there."""

    viewers: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def reached(self) -> int:
        """How many ranks anybody viewed: whoever viewed one has viewed those above it."""
        return int(np.count_nonzero(self.viewers))

    def together_from(self, rank: int) -> Viewers:
        """The same with all ranks from this one on as one: how often anybody viewed one of them, and left there.

        Examples
        --------
        >>> Viewers(np.array([10, 5, 3, 1]), np.array([5, 2, 2, 1])).together_from(3)
        Viewers(viewers=array([10,  5,  4]), left=array([5, 2, 3]))
        """
        viewers, left = (np.append(each[: rank - 1], each[rank - 1 :].sum()) for each in self)
        return Viewers(viewers, left) if len(self.viewers) > rank else self


def viewers_of(last: NDArray[np.int64], length: NDArray[np.int64], count: NDArray[np.int64]) -> Viewers:
    """Count viewers from the ranks viewed last; at the end of a page nobody can go on, so nothing is learned there.

    Parameters
    ----------
    last, length, count : ndarray of int, (entries,)
        The rank viewed last, how many results the page has, how often that occurred.

    Examples
    --------
    >>> viewers_of(np.array([1, 2, 3]), np.array([3, 3, 3]), np.array([5, 3, 2]))
    Viewers(viewers=array([10,  5]), left=array([5, 3]))
    """
    deepest = max(int(length.max(initial=1)), 1)
    viewers, left = np.zeros((2, deepest - 1), dtype=np.int64)
    for rank in range(1, deepest):  # one rank at a time: there may be millions of entries
        further = length > rank
        viewers[rank - 1] = count[further & (last >= rank)].sum()
        left[rank - 1] = count[further & (last == rank)].sum()
    return Viewers(viewers, left)


class Smoothed(NamedTuple):
    """The share that goes on from each rank, how many viewers at each smoothing is worth, and what is left free.

    Without smoothing all rates are ``parameters``; where all ranks have one rate, ``worth`` is infinite, and one is.
    """

    rates: Floats
    worth: float
    parameters: float


def smoothed_continuation(observed: Viewers, smoothing: float | None = None) -> Smoothed:
    """The share that goes on from each rank, drawn towards that of all ranks together; and how strongly.

    Leaving at a rank is as likely as if ``smoothing`` more viewers had been seen there, who left at the rate of all
    ranks: ranks that few have reached are drawn strongly, others hardly at all. By default that number is found from
    the ranks themselves: the rates are taken for draws from one beta distribution, whose concentration is the one that
    makes them likeliest. Where ranks do not differ more than by chance, all have one rate: that of RBP. Without
    smoothing nothing is known of ranks that nobody viewed: NaN.

    How many parameters the rates amount to is the sum of how much each would move with its own observed share.

    Examples
    --------
    >>> smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])), smoothing=0)
    Smoothed(rates=array([0.5, 0.4]), worth=0.0, parameters=2.0)
    >>> rates, worth, parameters = smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])))
    >>> rates.round(3), worth, parameters  # no more different than chance makes them
    (array([0.467, 0.467]), inf, 1.0)
    """
    viewers, left = observed
    total = max(float(viewers.sum()), 1.0)
    overall = float(left.sum()) / total
    worth = _concentration(viewers, left, overall) if smoothing is None else float(smoothing)
    if np.isinf(worth):
        return Smoothed(np.full(len(viewers), 1.0 - overall), worth, 1.0)
    seen = viewers + worth
    leaving = np.divide(left + worth * overall, seen, out=np.full(len(seen), np.nan), where=seen > 0)
    own = np.divide(viewers + worth * viewers / total, seen, out=np.zeros(len(seen)), where=seen > 0)
    return Smoothed(np.asarray(1.0 - leaving), worth, float(own.sum()))


def _concentration(viewers: NDArray[np.int64], left: NDArray[np.int64], overall: float) -> float:
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    if not 0 < overall < 1 or np.count_nonzero(viewers) < 2:
        return 0.0  # all leave, or none, or there is one rank: there is nothing to be drawn towards

    def unlikely(logarithm: float) -> float:
        a, b = np.exp(logarithm) * overall, np.exp(logarithm) * (1 - overall)
        return float(-(betaln(left + a, viewers - left + b) - betaln(a, b)).sum())

    ends = (np.log(_LEAST), np.log(_MOST))
    found = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-6})
    # Where the likelihood rises as far as it can be computed, it rises for ever.
    return float("inf" if found.x > np.log(_ALIKE) or unlikely(ends[1]) <= found.fun else np.exp(found.x))


class RankFit(NamedTuple):
    """The chi-square statistic, its degrees of freedom and p; NaN where no direction is left to test."""

    statistic: float
    df: int
    pvalue: float


class PageChances(NamedTuple):
    """Some distinct pages: how likely each rank is to be the last one, and how often each page occurs.

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
    """Test how often each rank was the last one against what a model expects.

    Pearson's statistic takes counts for draws from one multinomial distribution. Sums over pages on which the model
    expects different ranks vary less; so their covariance is added up page by page, and what is explained by fitting
    the model is taken from it. Where all pages are alike and nothing was fitted, it is Pearson's.

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
    kept = values > _LEAST_VARIANCE
    if not kept.any():
        return RankFit(float("nan"), 0, float("nan"))
    statistic = float((((vectors[:, kept].T @ (apart / scale)) ** 2) / values[kept]).sum())
    df = int(kept.sum())
    return RankFit(statistic, df, float(chdtrc(df, statistic)))


def _information(chances: Floats, occurs: Floats, slopes: Sequence[Floats]) -> Floats:
    """The Fisher information of all observations of these pages, (parameters, parameters)."""
    every = np.stack(slopes)
    inverse = np.divide(occurs[:, None], chances, out=np.zeros_like(chances), where=chances > 0)
    return np.asarray(np.einsum("aik,bik,ik->ab", every, every, inverse, optimize=True))


def _groups(expected: Floats) -> NDArray[np.int64]:
    """The group of each rank: neighbours together until enough are expected; what is left over joins the last.

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
