"""The order of the systems along evaluation depth: agreement with the final order, crossings, and resampled taus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import Floats, Interval, as_finite, check_level, score_matrix, tolerance
from metameter.stats.deterministic_sums import weighted_sums
from metameter.stats.rank_correlation.concordance import count_pairs
from metameter.stats.rank_correlation.correlation_intervals import LEAST_TOPICS
from metameter.stats.rank_correlation.kendall import tau_b_of_codes
from metameter.stats.rank_correlation.tau_ap import tau_ap_of_codes
from metameter.stats.resampling.replicates import map_blocks
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    Codes = NDArray[np.int64]
    from metameter.stats.resampling.replicates import Replicates


@dataclass(frozen=True, eq=False)
class Orderings:
    """The order of the systems at every depth; all arrays (..., depths).

    If all systems are tied at a depth, the taus that involve it are NaN.

    Attributes
    ----------
    tau_to_final, tau_ap_to_final : ndarray
        tau_b, and tau_AP with the final order as the truth, between the order at a depth and the final order. Systems
        tied at a depth lower tau_AP even if they are tied in the final order too.
    tau_to_previous : ndarray
        tau_b between the order at a depth and at the one before; NaN at the first.
    crossings : ndarray of int
        Pairs of systems in opposite strict orders at a depth and at the one before; 0 at the first.
    falls : ndarray of int
        Systems whose mean is lower than at the depth before; 0 at the first.
    range : ndarray
        The highest mean less the lowest.
    """

    tau_to_final: Floats
    tau_ap_to_final: Floats
    tau_to_previous: Floats
    crossings: NDArray[np.int64]
    falls: NDArray[np.int64]
    range: Floats


def orderings(means: ArrayLike, final: ArrayLike | None = None) -> Orderings:
    """Compare the order of the systems at every depth with the final order and with the order at the depth before.

    Means that differ by at most 1e-12 of the largest are tied, see `tied_codes`.

    Parameters
    ----------
    means : array-like, (..., depths, systems)
        At increasing depths.
    final : array-like, (..., systems), optional
        The final means; by default those at the last depth.

    Examples
    --------
    >>> result = orderings([[0.5, 0.4, 0.1], [0.5, 0.6, 0.2], [0.7, 0.6, 0.3]])  # three depths, three systems
    >>> result.tau_to_final.round(2), result.crossings, result.falls
    (array([1.  , 0.33, 1.  ]), array([0, 1, 1]), array([0, 0, 0]))
    """
    values = as_finite(means, "means", ndim=2)
    codes = tied_codes(values)
    last = codes[..., -1, :] if final is None else tied_codes(_fitting(final, values))
    falls = np.zeros(codes.shape[:-1], dtype=np.int64)
    crossings = np.zeros_like(falls)
    before, after = _neighbours(codes)
    crossings[..., 1:] = count_pairs(before, after).discordant.reshape(crossings[..., 1:].shape)
    zero = tolerance(values)
    fallen = values[..., :-1, :] - values[..., 1:, :] > np.maximum(zero[..., :-1, :], zero[..., 1:, :])
    falls[..., 1:] = fallen.sum(axis=-1)
    return Orderings(
        tau_to_last(codes, last),
        tau_ap_to_last(codes, last),
        tau_to_previous(codes),
        crossings,
        falls,
        values.max(axis=-1) - values.min(axis=-1),
    )


def tau_to_last(codes: Codes, last: Codes) -> Floats:
    """Return tau_b between codes (..., depths, systems) and the codes of the final means (..., systems).

    Examples
    --------
    >>> tau_to_last(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 2]]), np.array([0, 1, 2]))
    array([nan, -1.,  1.])
    """
    return tau_b_of_codes(*_against(codes, last)).reshape(codes.shape[:-1])


def tau_ap_to_last(codes: Codes, last: Codes) -> Floats:
    """Return tau_AP of codes (..., depths, systems) with the codes of the final means (..., systems) as the truth.

    Examples
    --------
    >>> tau_ap_to_last(np.array([[0, 0, 0], [2, 1, 0], [0, 2, 1]]), np.array([0, 1, 2]))
    array([nan, -1.,  0.])
    """
    here, truth = _against(codes, last)
    ordered = (here.max(axis=-1) > 0) & (truth.max(axis=-1) > 0)
    return np.where(ordered, tau_ap_of_codes(truth, here), np.nan).reshape(codes.shape[:-1])


def tau_to_previous(codes: Codes) -> Floats:
    """Return tau_b between the codes at each depth (..., depths, systems) and at the depth before; NaN at the first.

    Examples
    --------
    >>> tau_to_previous(np.array([[0, 1, 2], [0, 1, 2], [2, 1, 0]]))
    array([nan,  1., -1.])
    """
    taus = np.full(codes.shape[:-1], np.nan)
    taus[..., 1:] = tau_b_of_codes(*_neighbours(codes)).reshape(taus[..., 1:].shape)
    return taus


def _neighbours(codes: Codes) -> tuple[Codes, Codes]:
    systems = codes.shape[-1]
    return codes[..., :-1, :].reshape(-1, systems), codes[..., 1:, :].reshape(-1, systems)


def _against(codes: Codes, last: Codes) -> tuple[Codes, Codes]:
    systems = codes.shape[-1]
    return codes.reshape(-1, systems), np.broadcast_to(last[..., None, :], codes.shape).reshape(-1, systems)


def _fitting(final: ArrayLike, means: Floats) -> Floats:
    given = as_finite(final, "final means")
    allowed = (*means.shape[:-2], means.shape[-1])
    if given.shape != allowed:
        fix = "Give one final mean for each system, and row if there are any."
        raise MetameterError("final means do not fit the means", given=given.shape, allowed=str(allowed), fix=fix)
    return given


@dataclass(frozen=True, eq=False)
class DepthTaus:
    """A rank correlation at every depth, on the observed and on resampled topics.

    Attributes
    ----------
    estimate : ndarray, (rows, depths)
        On the observed topics; NaN where undefined.
    drawn : ndarray, (resamples, rows, depths)
        On resampled topics, shared by all rows and depths; empty for fewer than five topics.
    topics : int
    """

    estimate: Floats
    resampled: Floats
    topics: int

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval of every tau, each on its own; NaN where the estimate is NaN, or without resamples.

        It estimates the expected tau on as many topics of this kind, not the tau between the orders over all topics,
        which noise hides. Resampled means carry that noise twice, which lowers their taus. Therefore the interval is
        centred on the observed tau and takes only its width from the resamples.
        """
        from scipy.special import stdtrit

        if not len(self.resampled):
            none = np.full_like(self.estimate, np.nan)
            return Interval(none, none)
        half = stdtrit(self.topics - 1, (1.0 + check_level(level)) / 2.0) * _spread(self.resampled)
        return Interval(*(np.clip(self.estimate + side * half, -1.0, 1.0) for side in (-1.0, 1.0)))


def _spread(values: Floats) -> Floats:
    """The standard deviation over the resamples where a value is defined; 0 for fewer than two."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
    return np.asarray(np.sqrt(squares / np.maximum(count - 1, 1)))


@dataclass(frozen=True, eq=False)
class DepthBounds:
    """Rank correlations along depth with their resamples, named as in `Orderings`; None if not computed."""

    tau_to_final: DepthTaus
    tau_to_previous: DepthTaus | None = None
    tau_ap_to_final: DepthTaus | None = None


def depth_bounds(
    scores: ArrayLike,
    final: ArrayLike | None = None,
    *,
    only_final: bool = False,
    resamples: int = 200,
    seed: int = 0,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> DepthBounds:
    """Resample the topics and compare the order of the systems at every depth with the final and the previous order.

    Parameters
    ----------
    scores : array-like, (rows, depths, topics, systems)
        At increasing depths; a row is a metric, with or without condensed lists.
    final : array-like, (rows, topics, systems), optional
        The final scores; by default those at the last depth.
    only_final : bool
        Compute only tau_b with the final order: a third of the work.
    resamples, seed : int
        The same seed gives the same topics, whatever the rows, the depths and the number of jobs.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of blocks of resamples done and their total.

    Examples
    --------
    >>> best_last, best_first = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]  # on each of ten topics
    >>> scores = np.repeat([[best_last, best_first, best_first]], 10, axis=1).reshape(1, 3, 10, 3)
    >>> bounds = depth_bounds(scores, resamples=100)
    >>> bounds.tau_to_final.interval()  # all topics are equal, so the resamples do not vary
    Interval(low=array([[-1.,  1.,  1.]]), high=array([[-1.,  1.,  1.]]))
    """
    matrix = score_matrix(scores)
    topics = matrix.shape[-2]
    last = matrix[:, -1:] if final is None else score_matrix(final)[:, None]
    whole = np.concatenate([matrix, last], axis=1)
    estimates = _taus(whole.mean(axis=-2), only_final)
    resampled = np.empty((0, *estimates.shape))
    if topics >= LEAST_TOPICS:
        replicates = bootstrap_indices(topics, resamples, seed)
        blocks = map_blocks(_block, replicates, jobs, matrix=whole, only_final=only_final)
        resampled = np.concatenate(list(reported(blocks, len(replicates), "resampling", progress)))
    kinds = range(estimates.shape[1])
    return DepthBounds(*(DepthTaus(estimates[:, kind], resampled[:, :, kind], topics) for kind in kinds))


def _taus(means: Floats, only_final: bool) -> Floats:
    """The taus of means (..., depths, systems), the last depth being the final one: (..., kinds, depths)."""
    codes = tied_codes(means)
    here, last = codes[..., :-1, :], codes[..., -1, :]
    taus = [tau_to_last(here, last)]
    if not only_final:
        taus += [tau_to_previous(here), tau_ap_to_last(here, last)]
    return np.stack(taus, axis=-2)


def _block(number: int, *, replicates: Replicates, matrix: Floats, only_final: bool) -> Floats:
    """The taus of a block of resamples, (resamples, rows, kinds, depths)."""
    depths, topics, systems = matrix.shape[1:]
    weights = multiplicities(replicates.block(number), topics)
    taus = []
    for row in matrix:  # one at a time, so that all its depths fit in the cache
        sums = weighted_sums(weights, np.moveaxis(row, 1, 0).reshape(topics, -1))
        taus.append(_taus(sums.reshape(-1, depths, systems) / topics, only_final))
    return np.stack(taus, axis=1)
