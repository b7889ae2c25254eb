"""Whether the verdicts on one half of the topics are confirmed by the other half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metameter.parallel import Workers
from metameter.stats.half_verdicts import pair_verdicts, tukey_verdicts
from metameter.stats.pairs import FAMILYWISE, TUKEY
from metameter.stats.resampling import topic_splits
from metameter.stats.two_way import TopicSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Agreement", "agreement", "splits_for"]

# For the Tukey tests, which need only sums, and for tests that look at every pair anew.
_SPLITS, _FEWER = 50, 20
_FEWEST_TOPICS = 4  # two in each half


class Agreement(NamedTuple):
    """Shares of verdicts, and their Monte-Carlo errors over the splits.

    Attributes
    ----------
    shares, errors : ndarray, (4, metrics)
        Rows ``significant``, ``agreement``, ``opposite``, ``reversed``. NaN where a half has fewer than two topics,
        or nothing is ever significant.
    added, added_errors : ndarray, (6, comparisons)
        Of comparisons of a metric A with B: the share of all pairs that A tells apart on a half and B does not; of
        these, the share that A tells apart likewise on the other half, and the share that B tells apart there. The
        same three of the pairs that both tell apart likewise.
    """

    shares: Floats
    errors: Floats
    added: Floats
    added_errors: Floats


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
    against: Sequence[tuple[int, int]] = (),
) -> Agreement:
    """Shares of verdicts, and their Monte-Carlo errors, over random splits of the topics into halves.

    Each half is judged by the other. Of the pairs that are significant on one half: ``agreement``, the share that is
    significant in the same direction on the other; ``opposite``, the share whose difference has the other sign there;
    ``reversed``, the share that is significant the other way round. ``significant`` is the share of all pairs that is
    significant on a half.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
        The randomised Tukey HSD by its normal approximation, the bootstrap by the paired t test, max-t by the paired
        t test with Holm's correction: drawing at random within every half of every split would cost a hundred times
        the test itself.
    alpha : float
    correction : str
        For the tests of each pair alone.
    seed : int
    jobs : int or Workers, optional
    against : sequence of (int, int)
        Positions of metrics A and B: what A adds to the verdicts of B.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(1, 20, 3)) + np.array([0.0, 0.1, 9.0])
    >>> result = agreement(x, "tukey", alpha=0.05)
    >>> result.shares.round(2).ravel().tolist()  # the two lower systems do not differ, and the third always does
    [0.67, 1.0, 0.0, 0.0]
    """
    topics, systems = matrix.shape[1:]
    if topics < _FEWEST_TOPICS:
        own, added = np.full((4, len(matrix)), np.nan), np.full((6, len(against)), np.nan)
        return Agreement(own, own, added, added)
    splits = np.concatenate(list(topic_splits(topics, splits_for(test), seed)))
    first, second = np.array(against, dtype=np.intp).reshape(-1, 2).T
    options: dict[str, Any] = {"test": test, "alpha": alpha, "against": (first, second)}
    workers = Workers.of(jobs)
    if test in TUKEY:
        counts = workers.map(tukey_verdicts, splits, sums=TopicSums.of(matrix), **options)
    else:
        stands_in = "holm" if test in FAMILYWISE else correction
        counts = workers.map(pair_verdicts, splits, matrix=matrix, correction=stands_in, **options)
    own, added = (np.stack(each) for each in zip(*counts, strict=True))
    pairs = systems * (systems - 1) // 2
    parts = [_shares(added[:, rows], pairs) for rows in (slice(0, 3), slice(3, 6))]
    return Agreement(*_shares(own, pairs), *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _shares(counts: NDArray[Any], pairs: int) -> tuple[Floats, Floats]:
    """Counts (splits, rows, columns) of verdicts on both halves, to shares and their standard errors over the splits.

    The first row counts verdicts: its share is one of all pairs. The other rows count what holds of these verdicts.
    """
    splits = len(counts)
    verdicts = counts[:, 0].astype(np.float64)
    weights = np.stack([np.full_like(verdicts, 2.0 * pairs), *[verdicts] * (counts.shape[1] - 1)], axis=1)
    whole = weights.mean(axis=0)
    share = np.divide(counts.mean(axis=0), whole, out=np.full_like(whole, np.nan), where=whole > 0)
    rest = np.sqrt(((counts - share * weights) ** 2).sum(axis=0) / (splits * (splits - 1)))
    return share, np.divide(rest, whole, out=np.full_like(whole, np.nan), where=whole > 0)
