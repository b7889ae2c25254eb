"""The error side of power: whether the verdicts of one half of the topics are confirmed by the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta._pairs import TUKEY, corrected
from metameter.scoring.executor import workers

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["STAND_INS", "agreement", "agreement_table", "splits_for"]

# Of the Tukey tests, which need only sums, and of tests that look at every pair anew.
_SPLITS, _FEWER = 50, 20
_MANY = 1e6  # degrees of freedom, as good as infinite
# Drawing at random within every half of every split would cost a hundred times the test itself.
STAND_INS = {"tukey-randomised": "by the test's normal approximation", "bootstrap": "by the paired t test"}
COLUMNS = ("significant", "agreement", "opposite", "reversed")


def splits_for(test: str) -> int:
    """How many random splits a test is tried on.

    Examples
    --------
    >>> splits_for("tukey"), splits_for("t")
    (50, 20)
    """
    return _SPLITS if test in TUKEY else _FEWER


def agreement(
    matrix: Floats, test: str, *, alpha: float, correction: str = "none", seed: int = 0, jobs: int | None = None
) -> tuple[Floats, Floats]:
    """Shares of verdicts, and their Monte-Carlo errors, over random splits of the topics into halves.

    Each half is judged by the other. Of the pairs that are significant on one half: ``agreement``, the share that is
    significant in the same direction on the other; ``opposite``, the share whose difference has the other sign there;
    ``reversed``, the share that is significant the other way round. ``significant`` is the share of all pairs that is
    significant on a half.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)

    Returns
    -------
    ndarray, (4, metrics) each
        NaN where a half has fewer than two topics, or nothing is ever significant.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(1, 20, 3)) + np.array([0.0, 0.1, 9.0])
    >>> shares, errors = agreement(x, "tukey", alpha=0.05)
    >>> shares.round(2).ravel().tolist()  # the two lower systems do not differ, and the third always does
    [0.67, 1.0, 0.0, 0.0]
    """
    from metameter.stats.resampling import topic_splits

    topics, systems = matrix.shape[1:]
    if topics < 4:
        return np.full((4, len(matrix)), np.nan), np.full((4, len(matrix)), np.nan)
    splits = np.concatenate(list(topic_splits(topics, splits_for(test), seed)))
    judge = _by_tukey(matrix, test, alpha) if test in TUKEY else _by_pairs(matrix, test, alpha, correction)
    from metameter.stats.sums import in_order

    counts = np.stack(list(in_order(judge, splits, workers(jobs))))
    return _ratios(counts, systems * (systems - 1) // 2)


def _ratios(counts: NDArray[Any], pairs: int) -> tuple[Floats, Floats]:
    """Counts (splits, 4, metrics) of verdicts on both halves, to shares and their standard errors over the splits."""
    splits = len(counts)
    verdicts = counts[:, 0].astype(np.float64)
    weights = np.stack([np.full_like(verdicts, 2.0 * pairs), verdicts, verdicts, verdicts], axis=1)
    whole = weights.mean(axis=0)
    share = np.divide(counts.mean(axis=0), whole, out=np.full_like(whole, np.nan), where=whole > 0)
    rest = np.sqrt(((counts - share * weights) ** 2).sum(axis=0) / (splits * (splits - 1)))
    return share, np.divide(rest, whole, out=np.full_like(whole, np.nan), where=whole > 0)


@lru_cache(maxsize=64)
def _critical(alpha: float, systems: int, freedom: float) -> float:
    from metameter.stats.studentized_range import studentized_range_quantile

    return studentized_range_quantile(alpha, systems, freedom)


def _by_tukey(matrix: Floats, test: str, alpha: float) -> Callable[[NDArray[np.bool_]], NDArray[Any]]:
    """Judge by the range of means: studentised, or, where scores are shuffled within topics, nearly normal.

    Shuffling knows no systems: all that is left in a topic once its mean is gone counts as noise. For many topics the
    range of the shuffled means is that of normal variates with this variance; on TREC matrices of 25 topics the
    difference required came within 2% of that of 2,000 trials for most metrics, and 6.5% for coarse ones; with few
    topics it comes out too large, which errs on the safe side.
    """
    from metameter.stats.checks import tolerance

    systems = matrix.shape[2]
    zero = tolerance(matrix, axes=2)[:, 0, 0]
    # Without the topic means, the two-way analysis of any half needs only sums.
    centred = matrix - matrix.mean(axis=-1, keepdims=True)
    squares = (centred**2).sum(axis=-1)

    def half(chosen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        size = int(chosen.sum())
        means = centred[:, chosen].sum(axis=1) / size
        noise, freedom, critical = (
            squares[:, chosen].sum(axis=1),
            (systems - 1) * size,
            _critical(alpha, systems, _MANY),
        )
        if test == "tukey":
            noise, freedom = noise - size * (means**2).sum(axis=-1), (systems - 1) * (size - 1)
            critical = _critical(alpha, systems, freedom)
        needed = np.maximum(critical * np.sqrt(np.maximum(noise, 0.0) / freedom / size), zero)
        return means, needed[:, None]

    def judge(first: NDArray[np.bool_]) -> NDArray[Any]:
        # Ordered pairs: every significant verdict stands once, for the system that won.
        (means1, needed1), (means2, needed2) = half(first), half(~first)
        won1, won2 = _above(means1, means1 + needed1), _above(means2, means2 + needed2)
        lost2 = _above(means2 + needed2, means2, by=np.less)
        below1, below2 = (_above(means, means - zero[:, None], by=np.less) for means in (means1, means2))
        found = (
            _count(won1) + _count(won2),
            2 * _count(won1 & won2),
            _count(won1 & below2) + _count(won2 & below1),
            2 * _count(won1 & lost2),
        )
        return np.stack(found)

    return judge


def _above(rows: Floats, columns: Floats, by: Any = np.greater) -> NDArray[np.bool_]:
    return np.asarray(by(rows[:, :, None], columns[:, None, :]))


def _count(verdicts: NDArray[np.bool_]) -> NDArray[np.int64]:
    # One metric after the other: counting along an axis is many times slower.
    return np.array([np.count_nonzero(each) for each in verdicts])


def _by_pairs(matrix: Floats, test: str, alpha: float, correction: str) -> Callable[[NDArray[np.bool_]], NDArray[Any]]:
    from metameter.stats import pairwise
    from metameter.stats.checks import tolerance

    run = {"wilcoxon": pairwise.wilcoxon, "sign": pairwise.sign}.get(test, pairwise.paired_t)
    zero = tolerance(matrix, axes=2)[:, 0]
    # Hommel's correction takes time that grows with the square of the pairs; Holm's is almost the same.
    cheap = "holm" if correction == "hommel" else correction

    def half(chosen: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        result = run(matrix[:, chosen])
        sign = np.sign(np.where(np.abs(result.mean_difference) <= zero, 0.0, result.mean_difference))
        return sign, corrected(result.pvalue, cheap) < alpha

    def judge(first: NDArray[np.bool_]) -> NDArray[Any]:
        (sign1, said1), (sign2, said2) = half(first), half(~first)
        same, opposite = sign1 * sign2 > 0, sign1 * sign2 < 0
        both = said1 & said2
        found = (
            _count(said1) + _count(said2),
            2 * _count(both & same),
            _count(said1 & opposite) + _count(said2 & opposite),
            2 * _count(both & opposite),
        )
        return np.stack(found)

    return judge


def agreement_table(metrics: tuple[str, ...], test: str, shares: Floats, errors: Floats) -> pl.DataFrame:
    """The shares and their errors, labelled."""
    import polars as pl

    columns: dict[str, Any] = {"metric": pl.Series(metrics, dtype=pl.String)}
    columns["splits"] = np.full(len(metrics), splits_for(test))
    for name, share, error in zip(COLUMNS, shares, errors, strict=True):
        columns[name], columns[f"{name}_error"] = share, error
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
