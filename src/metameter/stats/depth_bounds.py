"""Where the agreement of the orders along depth may be over all topics: intervals from resampled topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Progress, Workers, reported
from metameter.stats.broken_ties import most_tau, most_tau_ap
from metameter.stats.checks import Interval, check_level, score_matrix
from metameter.stats.correlation_bounds import LEAST_TOPICS
from metameter.stats.correlation_resamples import at_two_noises, long_bootstrap_indices
from metameter.stats.extrapolation import extrapolated_interval
from metameter.stats.orderings import tau_ap_to_last, tau_to_last, tau_to_previous
from metameter.stats.replicates import map_blocks
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["DepthBounds", "DrawnTaus", "depth_bounds"]

_KINDS = 3  # of taus


@dataclass(frozen=True, eq=False)
class DrawnTaus:
    """One kind of tau at every depth: on these topics and on resampled ones.

    Attributes
    ----------
    estimate : ndarray, (rows, depths)
        On the topics themselves; NaN where it is undefined.
    long, short : ndarray, (resamples, rows, depths)
        At two levels of noise, see `at_two_noises`; the same resamples for all rows and depths.
    most : ndarray, (rows, depths)
        The estimate if systems tied on these topics were in the order that makes it largest.
    topics : int
    """

    estimate: Floats
    long: Floats
    short: Floats
    most: Floats
    topics: int

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of every tau, each for itself; NaN where the estimate is, and of fewer than five topics.

        Means over few topics are noisy, so two orders seem to agree less, or more if the noise is shared, than they do
        over all topics. The taus are extrapolated to means without noise (`extrapolated_interval`). Systems that are
        tied on these topics, as many are at depth 1, seldom are over all topics: the upper end is raised by what their
        ties may have taken away. (With the 50 topics of TREC-8 as all topics, it was below the true tau of ERR@1 in 17
        of 50 samples of 25 topics, and raised so in 2.)
        """
        if self.topics < LEAST_TOPICS:
            none = np.full_like(self.estimate, np.nan)
            return Interval(none, none)
        low, high = extrapolated_interval(self.long, self.short, self.estimate, self.topics, level=check_level(level))
        return Interval(low, np.minimum(high + (self.most - self.estimate), 1.0))


@dataclass(frozen=True, eq=False)
class DepthBounds:
    """Taus along depth with their resamples; the names are those of `Orderings`."""

    tau_to_final: DrawnTaus
    tau_to_previous: DrawnTaus
    tau_ap_to_final: DrawnTaus


def depth_bounds(
    scores: ArrayLike,
    final: ArrayLike | None = None,
    *,
    resamples: int = 200,
    seed: int = 0,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> DepthBounds:
    """Resample the topics, and compare the order of the systems at every depth with the final and the previous one.

    Parameters
    ----------
    scores : array-like, (rows, depths, topics, systems)
        At rising depths; a row is a metric, plain or condensed.
    final : array-like, (rows, topics, systems), optional
        The final scores; by default those at the last depth.
    resamples, seed : int
        The same seed gives the same topics, whatever the rows, the depths and the number of jobs.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Told how many of how many blocks of resamples are done.

    Examples
    --------
    >>> best_last, best_first = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]  # on each of ten topics
    >>> scores = np.repeat([[best_last, best_first, best_first]], 10, axis=1).reshape(1, 3, 10, 3)
    >>> bounds = depth_bounds(scores, resamples=100)
    >>> bounds.tau_to_final.interval()  # no topic differs: there is nothing to be uncertain about
    Interval(low=array([[-1.,  1.,  1.]]), high=array([[-1.,  1.,  1.]]))
    """
    matrix = score_matrix(scores)
    rows, topics = matrix.shape[0], matrix.shape[-2]
    last = matrix[:, -1] if final is None else score_matrix(final)
    codes = tied_codes(np.concatenate([matrix.mean(axis=-2), last.mean(axis=-2)[:, None]], axis=1))
    estimates, most = _taus_of_codes(codes), _most(codes)
    if topics < LEAST_TOPICS:
        drawn = np.empty((0, rows, 2, *estimates.shape[1:]))
    else:
        replicates = long_bootstrap_indices(topics, resamples, seed)
        blocks = map_blocks(_block, replicates, jobs, matrix=matrix, last=last)
        drawn = np.concatenate(list(reported(blocks, len(replicates), "resampling", progress)))
    return DepthBounds(
        *(
            DrawnTaus(estimates[:, kind], drawn[:, :, 0, kind], drawn[:, :, 1, kind], most[:, kind], topics)
            for kind in range(_KINDS)
        )
    )


def _taus(means: Floats) -> Floats:
    """The taus of means (..., depths, systems), of which the last are the final ones: (..., kinds, depths)."""
    return _taus_of_codes(tied_codes(means))


def _taus_of_codes(codes: NDArray[np.int64]) -> Floats:
    here, last = codes[..., :-1, :], codes[..., -1, :]
    return np.stack([tau_to_last(here, last), tau_to_previous(here), tau_ap_to_last(here, last)], axis=-2)


def _most(codes: NDArray[np.int64]) -> Floats:
    """What the taus would be at most, if ties were broken."""
    here = codes[..., :-1, :]
    last = np.broadcast_to(codes[..., -1:, :], here.shape)
    before = np.concatenate([here[..., :1, :], here[..., :-1, :]], axis=-2)
    return np.stack([most_tau(here, last), most_tau(here, before), most_tau_ap(last, here)], axis=-2)


def _block(number: int, *, replicates: Replicates, matrix: Floats, last: Floats) -> Floats:
    # One row at a time: all its depths fit in the cache.
    one: Any = partial(at_two_noises, number, replicates=replicates, statistic=_taus)
    return np.stack(
        [one(matrix=np.concatenate([row, end[None]])) for row, end in zip(matrix, last, strict=True)], axis=1
    )
