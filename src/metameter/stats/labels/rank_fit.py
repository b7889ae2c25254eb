"""Whether counts by rank are as a model expects of these very pages, which need not be alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats

#: A rank of which fewer are expected is tested together with those below it.
_FEWEST = 5.0
#: Directions in which counts can hardly vary, given what was fitted, are left out: chance there is far from normal.
_LEAST = 0.01
#: Pages whose information is computed at a time: a few arrays of all pages would take many times the memory.
_BLOCK = 1 << 12


class RankFit(NamedTuple):
    """The chi-square statistic, its degrees of freedom and p; NaN where no direction is left to test."""

    statistic: float
    df: int
    pvalue: float


def rank_fit(observed: Floats, chances: Floats, occurs: Floats, slopes: Sequence[Floats] = ()) -> RankFit:
    """Test how often each rank was the last one against what a model expects.

    Pearson's statistic takes counts for draws from one multinomial distribution. Sums over pages on which the model
    expects different ranks vary less; so their covariance is added up page by page, and what is explained by fitting
    the model is taken from it. Where all pages are alike and nothing was fitted, it is Pearson's.

    Parameters
    ----------
    observed : ndarray, (ranks,)
    chances : ndarray, (pages, ranks)
        How likely each rank is to be the last one on each distinct page.
    occurs : ndarray, (pages,)
        How often each of them occurs.
    slopes : sequence of ndarray, (pages, ranks)
        The derivatives of the chances by each parameter that was fitted.

    References
    ----------
    chernoff1954

    Examples
    --------
    >>> even = np.full((1, 3), 1 / 3)
    >>> test = rank_fit(np.array([10.0, 20.0, 30.0]), even, np.array([60.0]))
    >>> round(test.statistic, 3), test.df, round(test.pvalue, 4)  # (10 ** 2 + 10 ** 2) / 20
    (10.0, 2, 0.0067)
    >>> apart = np.array([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]])
    >>> rank_fit(np.array([30.0, 10.0, 20.0]), apart, np.array([30.0, 30.0])).pvalue < 1e-4  # 27, 6, 27
    True
    """
    from scipy.special import chdtrc

    groups = _groups(occurs @ chances)
    own = _added(chances, groups)
    apart = _added(observed[None], groups)[0] - occurs @ own
    covariance = np.diag(occurs @ own) - (own * occurs[:, None]).T @ own
    covariance -= _explained(chances, occurs, slopes, groups)
    scale = np.sqrt(np.maximum(occurs @ own, 1e-300))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = values > _LEAST
    if not kept.any():
        return RankFit(float("nan"), 0, float("nan"))
    statistic = float((((vectors[:, kept].T @ (apart / scale)) ** 2) / values[kept]).sum())
    df = int(kept.sum())
    return RankFit(statistic, df, float(chdtrc(df, statistic)))


def _explained(chances: Floats, occurs: Floats, slopes: Sequence[Floats], groups: NDArray[np.int64]) -> Floats:
    """How much less counts vary about what is expected because the model was fitted to the same pages."""
    size = int(groups.max()) + 1
    if not slopes:
        return np.zeros((size, size))
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(chances), _BLOCK)]
    by_page = np.concatenate(
        [_information(chances[each], [slope[each] for slope in slopes]) for each in blocks], axis=2
    )
    information = np.einsum("i,abi->ab", occurs, by_page, optimize=True)
    moved = np.stack([occurs @ _added(each, groups) for each in slopes], axis=1)
    return np.asarray(moved @ np.linalg.pinv(information, hermitian=True) @ moved.T)


def _information(chances: Floats, slopes: Sequence[Floats]) -> Floats:
    """The Fisher information of one observation of each page, (parameters, parameters, pages)."""
    every = np.stack(slopes)
    inverse = np.divide(1.0, chances, out=np.zeros_like(chances), where=chances > 0)
    return np.asarray(np.einsum("aik,bik,ik->abi", every, every, inverse, optimize=True))


def _added(values: Floats, groups: NDArray[np.int64]) -> Floats:
    """Columns of one group added up."""
    if groups[-1] + 1 == len(groups):
        return values  # a column a group: no copy of what may be millions of pages
    return np.add.reduceat(values, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)


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
