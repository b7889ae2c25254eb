"""Agreement of significance verdicts between random halves of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Workers
from metameter.stats.checks import Floats, tolerance
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.significance import pairwise
from metameter.stats.significance.anova import TopicSums
from metameter.stats.significance.pairs import FAMILYWISE, TUKEY, corrected_pvalues

if TYPE_CHECKING:
    Verdicts: TypeAlias = NDArray[np.bool_]
    Both: TypeAlias = tuple[Verdicts, Verdicts]
    Against: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

    Tallies: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


# Splits for the Tukey tests, which take only sums, and for tests of every pair.
_SPLITS, _FEWER = 50, 20
_FEWEST_TOPICS = 4  # two in each half


class ConfirmedVerdicts(NamedTuple):
    """Shares of significant verdicts, and their Monte-Carlo errors over the splits.

    Attributes
    ----------
    shares, errors : ndarray, (4, metrics)
        Rows ``significant``, ``agreement``, ``opposite``, ``reversed``. NaN where a half has fewer than two topics,
        or nothing is significant.
    added, added_errors : ndarray, (6, comparisons)
        For comparisons of a metric A with B: the share of all pairs significant by A on a half and not by B; of these,
        the share significant in the same direction on the other half by A, and by B. The same three shares for the
        pairs significant in the same direction by both.
    """

    shares: Floats
    errors: Floats
    added: Floats
    added_errors: Floats


def split_count(test: str) -> int:
    """Return the number of random splits used for a test.

    Examples
    --------
    >>> split_count("tukey"), split_count("t")
    (50, 20)
    """
    return _SPLITS if test in TUKEY else _FEWER


def confirmed_verdicts(
    matrix: Floats,
    test: str,
    *,
    alpha: float,
    correction: str = "none",
    seed: int = 0,
    jobs: int | Workers | None = None,
    against: Sequence[tuple[int, int]] = (),
) -> ConfirmedVerdicts:
    """Return shares of verdicts, and their Monte-Carlo errors, over random splits of the topics into halves.

    Each half is checked against the other. Of the pairs significant on one half, ``agreement`` is the share significant
    in the same direction on the other half, ``opposite`` the share whose difference has the other sign there, and
    ``reversed`` the share significant in the opposite direction. ``significant`` is the share of all pairs that is
    significant on a half.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
        The randomised Tukey HSD is replaced by its normal approximation, the bootstrap by the paired t test, max-t by
        the paired t test with Holm's correction: Monte-Carlo tests on every half of every split would cost a hundred
        times the test itself.
    alpha : float
    correction : str
        For the tests of each pair alone.
    seed : int
    jobs : int or Workers, optional
    against : sequence of (int, int)
        Indices of metrics A and B, for what A adds to the verdicts of B.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(1, 20, 3)) + np.array([0.0, 0.1, 9.0])
    >>> result = confirmed_verdicts(x, "tukey", alpha=0.05)
    >>> result.shares.round(2).ravel().tolist()  # the two lower systems do not differ, and the third always does
    [0.67, 1.0, 0.0, 0.0]
    """
    topics, systems = matrix.shape[1:]
    if topics < _FEWEST_TOPICS:
        own, added = np.full((4, len(matrix)), np.nan), np.full((6, len(against)), np.nan)
        return ConfirmedVerdicts(own, own, added, added)
    splits = np.concatenate(list(topic_splits(topics, split_count(test), seed)))
    first, second = np.array(against, dtype=np.intp).reshape(-1, 2).T
    positions = (first, second)
    workers = Workers.of(jobs)
    if test in TUKEY:
        counts = workers.map(
            tukey_verdicts, splits, sums=TopicSums.of(matrix), test=test, alpha=alpha, against=positions
        )
    else:
        substitute = "holm" if test in FAMILYWISE else correction
        counts = workers.map(
            pair_verdicts, splits, matrix=matrix, correction=substitute, test=test, alpha=alpha, against=positions
        )
    own, added = (np.stack(each) for each in zip(*counts, strict=True))
    pairs = systems * (systems - 1) // 2
    parts = [_shares(added[:, rows], pairs) for rows in (slice(0, 3), slice(3, 6))]
    return ConfirmedVerdicts(*_shares(own, pairs), *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _shares(counts: NDArray[Any], pairs: int) -> tuple[Floats, Floats]:
    """Shares and their standard errors over the splits, from counts (splits, rows, columns) of verdicts on halves.

    The first row counts verdicts and is divided by all pairs. The other rows count some of these verdicts.
    """
    splits = len(counts)
    verdicts = counts[:, 0].astype(np.float64)
    weights = np.stack([np.full_like(verdicts, 2.0 * pairs), *[verdicts] * (counts.shape[1] - 1)], axis=1)
    whole = weights.mean(axis=0)
    share = np.divide(counts.mean(axis=0), whole, out=np.full_like(whole, np.nan), where=whole > 0)
    rest = np.sqrt(((counts - share * weights) ** 2).sum(axis=0) / (splits * (splits - 1)))
    return share, np.divide(rest, whole, out=np.full_like(whole, np.nan), where=whole > 0)


def tukey_verdicts(first: Verdicts, *, sums: TopicSums, test: str, alpha: float, against: Against) -> Tallies:
    """Count the verdicts of a Tukey test on both halves; the randomised test is approximated.

    Parameters
    ----------
    first : ndarray of bool, (topics,)
        The topics of the first half.
    sums : TopicSums
    test : {"tukey", "tukey-randomised"}
    alpha : float
    against : pair of ndarray of int, (comparisons,)
        Indices of metrics whose verdicts are compared, see `added_tally`.

    Returns
    -------
    own : ndarray of int, (4, metrics)
        The numbers of verdicts, and of those that agree, have the opposite sign, are reversed.
    added : ndarray of int, (6, comparisons)

    Examples
    --------
    >>> sums = TopicSums.of(np.array([[[0.0, 0.1, 9.0], [0.1, 0.0, 9.0], [0.0, 0.1, 9.0], [0.1, 0.0, 9.0]]]))
    >>> half, options = np.array([True, True, False, False]), {"test": "tukey", "alpha": 0.05, "against": ([], [])}
    >>> tukey_verdicts(half, sums=sums, **options)[0].ravel().tolist()
    [4, 4, 0, 0]
    """
    # Ordered pairs: every verdict counts once, for the better system.
    (means1, needed1), (means2, needed2) = (_tukey_on_half(sums, half, test, alpha) for half in (first, ~first))
    zero = sums.zero[:, None]
    won1, won2 = _compared(means1, means1 + needed1), _compared(means2, means2 + needed2)
    lost2 = _compared(means2 + needed2, means2, by=np.less)
    below1, below2 = (_compared(means, means - zero, by=np.less) for means in (means1, means2))
    own = _tally((won1, won2), won1 & won2, (won1 & below2, won2 & below1), won1 & lost2)
    different = won1 | won1.swapaxes(1, 2), won2 | won2.swapaxes(1, 2)
    return own, added_tally((won1, won2), different, against)


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
    """Count the verdicts of a test of each pair alone on both halves; p-values are corrected within each half.

    Parameters
    ----------
    first : ndarray of bool, (topics,)
        The topics of the first half.
    matrix : ndarray, (metrics, topics, systems)
    test : {"t", "bootstrap", "max-t", "wilcoxon", "sign"}
        The t test replaces the bootstrap test and max-t.
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
    different = _ordered(significant1, significant1), _ordered(significant2, significant2)
    return own, added_tally(won, different, against)


def _ordered(straight: Verdicts, turned: Verdicts) -> Verdicts:
    """Values per ordered pair of systems: of the pairs, then of the pairs in reverse order."""
    return np.concatenate([straight, turned], axis=-1)


def _pairs_on_half(
    matrix: Floats, zero: Floats, test: str, alpha: float, correction: str
) -> tuple[NDArray[Any], Verdicts]:
    """The sign of the difference of each pair, and whether it is significant."""
    if test == "wilcoxon":
        result = pairwise.wilcoxon(matrix, tolerant=True)
    else:
        result = pairwise.sign(matrix) if test == "sign" else pairwise.paired_t(matrix)
    sign = np.sign(np.where(np.abs(result.mean_difference) <= zero, 0.0, result.mean_difference))
    # Hommel's correction takes quadratic time in the pairs; Holm's is almost equal.
    return sign, corrected_pvalues(result.pvalue, "holm" if correction == "hommel" else correction) < alpha


def _tally(
    significant: tuple[Verdicts, Verdicts], agreed: Verdicts, opposed: tuple[Verdicts, Verdicts], reversed_: Verdicts
) -> NDArray[np.int64]:
    """Counts (4, metrics) over both halves: what holds on both halves counts twice."""
    return np.stack(
        [sum(map(_count, significant)), 2 * _count(agreed), sum(map(_count, opposed)), 2 * _count(reversed_)]
    )


def _count(verdicts: Verdicts) -> NDArray[np.int64]:
    # Metric by metric: counting along an axis is many times slower.
    return np.array([np.count_nonzero(each) for each in verdicts])


def added_tally(won: Both, different: Both, against: Against) -> NDArray[np.int64]:
    """Count the verdicts of metric A on each half that B lacks, and those that B shares.

    Parameters
    ----------
    won : pair of ndarray of bool, (metrics, ...)
        For each half and ordered pair of systems: whether the first is significantly better.
    different : pair of ndarray of bool, (metrics, ...)
        Whether they differ significantly in either direction.
    against : pair of ndarray of int, (comparisons,)
        The indices of A and of B.

    Returns
    -------
    ndarray of int, (6, comparisons)
        The number of pairs significant by A and not by B; how many of them are significant in the same direction on the
        other half by A, and by B. The same three for the pairs significant in the same direction by both.

    Examples
    --------
    >>> a, b = [True, False, True, False], [False, False, True, False]  # four ordered pairs of systems
    >>> won = np.array([a, b]), np.array([a, a])
    >>> added_tally(won, won, (np.array([0]), np.array([1]))).ravel().tolist()  # B follows on the second half
    [1, 1, 1, 3, 3, 2]
    """
    counts = np.zeros((6, len(against[0])), dtype=np.int64)
    for here, there, differs in ((won[0], won[1], different[0]), (won[1], won[0], different[1])):
        silent = ~differs
        for column, (a, b) in enumerate(zip(*against, strict=True)):
            for row, verdicts in ((0, here[a] & silent[b]), (3, here[a] & here[b])):
                counts[row, column] += np.count_nonzero(verdicts)
                counts[row + 1, column] += np.count_nonzero(verdicts & there[a])
                counts[row + 2, column] += np.count_nonzero(verdicts & there[b])
    return counts
