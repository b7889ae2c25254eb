"""The error side of power: whether the verdicts of one half of the topics are confirmed by the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Workers
from metameter.stats.half_verdicts import by_pairs, by_tukey
from metameter.stats.pairs import TUKEY

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["STAND_INS", "agreement", "agreement_table", "splits_for"]

# Of the Tukey tests, which need only sums, and of tests that look at every pair anew.
_SPLITS, _FEWER = 50, 20
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
    matrix: Floats,
    test: str,
    *,
    alpha: float,
    correction: str = "none",
    seed: int = 0,
    jobs: int | Workers | None = None,
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
    judge = by_tukey(matrix, test, alpha) if test in TUKEY else by_pairs(matrix, test, alpha, correction)
    counts = np.stack(list(Workers.of(jobs).map(judge, splits)))
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


def agreement_table(metrics: tuple[str, ...], test: str, shares: Floats, errors: Floats) -> pl.DataFrame:
    """The shares and their errors, labelled."""
    import polars as pl

    columns: dict[str, Any] = {"metric": pl.Series(metrics, dtype=pl.String)}
    columns["splits"] = np.full(len(metrics), splits_for(test))
    for name, share, error in zip(COLUMNS, shares, errors, strict=True):
        columns[name], columns[f"{name}_error"] = share, error
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
