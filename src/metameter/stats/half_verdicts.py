"""The verdicts of a test on two halves of the topics, counted: how many there are, agree, oppose, are reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metameter.stats import pairwise
from metameter.stats.added_verdicts import added_tally
from metameter.stats.checks import tolerance
from metameter.stats.pairs import corrected
from metameter.stats.two_way import TopicSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.added_verdicts import Against
    from metameter.stats.checks import Floats

    Verdicts: TypeAlias = NDArray[np.bool_]
    Tallies: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

__all__ = ["pair_verdicts", "tukey_verdicts"]


def tukey_verdicts(first: Verdicts, *, sums: TopicSums, test: str, alpha: float, against: Against) -> Tallies:
    """Count the verdicts of a Tukey test on both halves; the randomised test is approximated.

    Parameters
    ----------
    first : ndarray of bool, (topics,)
        Which topics are in the first half.
    sums : TopicSums
    test : {"tukey", "tukey-randomised"}
    alpha : float
    against : pair of ndarray of int, (comparisons,)
        Positions of metrics whose verdicts are compared, see `added_tally`.

    Returns
    -------
    own : ndarray of int, (4, metrics)
        How many verdicts there are, agree, oppose, are reversed.
    added : ndarray of int, (6, comparisons)

    Examples
    --------
    >>> sums = TopicSums.of(np.array([[[0.0, 0.1, 9.0], [0.1, 0.0, 9.0], [0.0, 0.1, 9.0], [0.1, 0.0, 9.0]]]))
    >>> half, options = np.array([True, True, False, False]), {"test": "tukey", "alpha": 0.05, "against": ([], [])}
    >>> tukey_verdicts(half, sums=sums, **options)[0].ravel().tolist()
    [4, 4, 0, 0]
    """
    # Ordered pairs: every significant verdict stands once, for the system that won.
    (means1, needed1), (means2, needed2) = (_tukey_on_half(sums, half, test, alpha) for half in (first, ~first))
    zero = sums.zero[:, None]
    won1, won2 = _compared(means1, means1 + needed1), _compared(means2, means2 + needed2)
    lost2 = _compared(means2 + needed2, means2, by=np.less)
    below1, below2 = (_compared(means, means - zero, by=np.less) for means in (means1, means2))
    own = _tally((won1, won2), won1 & won2, (won1 & below2, won2 & below1), won1 & lost2)
    told = won1 | won1.swapaxes(1, 2), won2 | won2.swapaxes(1, 2)
    return own, added_tally((won1, won2), told, against)


def _tukey_on_half(sums: TopicSums, half: Verdicts, test: str, alpha: float) -> tuple[Floats, Floats]:
    """The means (metrics, systems) on a half of the topics, and the difference required (metrics, 1)."""
    analysis = sums.analysis(half[None])
    required = analysis.required_difference(alpha) if test == "tukey" else analysis.required_when_shuffled(alpha)
    return analysis.system_effects[0], np.maximum(required[0], sums.zero)[:, None]


def _compared(rows: Floats, columns: Floats, by: Any = np.greater) -> Verdicts:
    return np.asarray(by(rows[:, :, None], columns[:, None, :]))


def pair_verdicts(
    first: Verdicts, *, matrix: Floats, test: str, alpha: float, correction: str, against: Against
) -> Tallies:
    """Test every two systems on both halves, each pair alone; correct the p-values of each half; count verdicts.

    Parameters
    ----------
    first : ndarray of bool, (topics,)
        Which topics are in the first half.
    matrix : ndarray, (metrics, topics, systems)
    test : {"t", "bootstrap", "max-t", "wilcoxon", "sign"}
        The bootstrap test and max-t by the t test, which stands in for them.
    alpha : float
    correction : str
    against : pair of ndarray of int, (comparisons,)

    Returns
    -------
    own, added : ndarray of int
        As for `tukey_verdicts`.

    Examples
    --------
    >>> matrix = np.array([[[0.0, 8.1], [0.1, 8.0], [0.0, 8.1], [0.1, 8.0]]])
    >>> half, options = np.array([True, True, False, False]), {"test": "t", "alpha": 0.05, "correction": "none"}
    >>> pair_verdicts(half, matrix=matrix, **options, against=([], []))[0].ravel().tolist()
    [2, 2, 0, 0]
    """
    zero = tolerance(matrix, axes=2)[:, 0]
    (sign1, significant1), (sign2, significant2) = (
        _pairs_on_half(matrix[:, half], zero, test, alpha, correction) for half in (first, ~first)
    )
    same, opposite = sign1 * sign2 > 0, sign1 * sign2 < 0
    both = significant1 & significant2
    own = _tally(
        (significant1, significant2), both & same, (significant1 & opposite, significant2 & opposite), both & opposite
    )
    better1, better2 = significant1 & (sign1 > 0), significant2 & (sign2 > 0)
    won = _ordered(better1, significant1 & (sign1 < 0)), _ordered(better2, significant2 & (sign2 < 0))
    told = _ordered(significant1, significant1), _ordered(significant2, significant2)
    return own, added_tally(won, told, against)


def _ordered(straight: Verdicts, turned: Verdicts) -> Verdicts:
    """Per ordered pair of systems: what holds of the pairs as they stand, then of the pairs turned round."""
    return np.concatenate([straight, turned], axis=-1)


def _pairs_on_half(
    matrix: Floats, zero: Floats, test: str, alpha: float, correction: str
) -> tuple[NDArray[Any], Verdicts]:
    """Per pair: the sign of the difference, and whether it is significant."""
    if test == "wilcoxon":
        result = pairwise.wilcoxon(matrix, tolerant=True)
    else:
        result = pairwise.sign(matrix) if test == "sign" else pairwise.paired_t(matrix)
    sign = np.sign(np.where(np.abs(result.mean_difference) <= zero, 0.0, result.mean_difference))
    # Hommel's correction takes time that grows with the square of the pairs; Holm's is almost the same.
    return sign, corrected(result.pvalue, "holm" if correction == "hommel" else correction) < alpha


def _tally(
    significant: tuple[Verdicts, Verdicts], agreed: Verdicts, opposed: tuple[Verdicts, Verdicts], reversed_: Verdicts
) -> NDArray[np.int64]:
    """Counts (4, metrics), each half judged by the other: what holds of both halves alike counts twice."""
    return np.stack(
        [sum(map(_count, significant)), 2 * _count(agreed), sum(map(_count, opposed)), 2 * _count(reversed_)]
    )


def _count(verdicts: Verdicts) -> NDArray[np.int64]:
    # One metric after the other: counting along an axis is many times slower.
    return np.array([np.count_nonzero(each) for each in verdicts])
