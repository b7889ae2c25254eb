"""The swap method: how large a difference must be before other topics confirm its sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import Floats, check_level, score_matrix, system_pairs, tolerance
from metameter.stats.consistency.split_half import half_means
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import bootstrap_pairs, disjoint_subsets

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


class Sensitivity(NamedTuple):
    """The smallest difference that is reliable, and the share of differences that reach it."""

    difference: float
    fraction: float


@dataclass(frozen=True, eq=False)
class SwapRates:
    """Swaps by the size of the difference on the first set of topics.

    Attributes
    ----------
    lower : ndarray, (bins,)
        Lower bounds of the bins.
    pairs, swaps : ndarray of int, (..., bins)
        System pairs, over all trials, whose difference fell into the bin; how many changed sign.
    """

    lower: Floats
    pairs: NDArray[np.int64]
    swaps: NDArray[np.int64]

    @property
    def rate(self) -> Floats:
        """Swaps / pairs; NaN for an empty bin."""
        empty = np.full(self.pairs.shape, np.nan)
        return np.asarray(np.divide(self.swaps, self.pairs, out=empty, where=self.pairs > 0))

    def sensitivity(self, threshold: float = 0.05) -> Any:
        """Find the difference from which the swap rate stays at or below the threshold, and how many pairs reach it.

        Returns
        -------
        Sensitivity, or a list of one per metric
            NaN and 0 if no difference is large enough.
        """
        check_level(threshold, "threshold")
        if self.pairs.ndim > 1:
            return [
                SwapRates(self.lower, *one).sensitivity(threshold) for one in zip(self.pairs, self.swaps, strict=True)
            ]
        rate = self.rate
        unreliable = np.nonzero(rate > threshold)[0]
        reliable = np.nonzero(~np.isnan(rate) & (np.arange(len(rate)) > max(unreliable, default=-1)))[0]
        if not len(reliable):
            return Sensitivity(np.nan, 0.0)
        return Sensitivity(float(self.lower[reliable[0]]), float(self.pairs[reliable[0] :].sum() / self.pairs.sum()))


def swap_rates(
    scores: ArrayLike,
    *,
    trials: int = 1000,
    seed: int = 0,
    subsets: Replicates | ArrayLike | None = None,
    bootstrap: bool = False,
    width: float = 0.01,
    jobs: int | Workers | None = 1,
) -> SwapRates:
    """Count how often two sets of topics disagree about which of two systems is better.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
    trials, seed : int
        Number of pairs of topic sets; their seed.
    subsets : Replicates or array of int, (trials, 2, topics), optional
        How often each topic is in either set. By default disjoint halves.
    bootstrap : bool
        Sakai's variant: both sets are bootstrap samples of all topics.
    width : float
        Of the bins of absolute differences.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    References
    ----------
    voorhees2002, sakai2006

    Examples
    --------
    >>> rates = swap_rates([[0.50, 0.48], [0.40, 0.45]], subsets=[[[1, 0], [0, 1]]])
    >>> rates.lower[:3], rates.swaps[:3]  # .02 better on one topic, .05 worse on the other
    (array([0.  , 0.01, 0.02]), array([0, 0, 1]))
    """
    if not width > 0:
        raise MetameterError("the width of a bin is not positive", given=width, fix="Give a width above 0.")
    matrix = score_matrix(scores, topics=1 if bootstrap else 2)
    topics, systems = matrix.shape[-2:]
    default = (bootstrap_pairs if bootstrap else disjoint_subsets)(topics, trials, seed=seed)
    replicates = replicates_or_default(subsets, default, (2, topics), "subsets")
    flat = matrix.reshape(-1, topics, systems)
    bins = int(np.ptp(flat, axis=(1, 2)).max() / width + _EDGE) + 2
    counts = map_blocks(_count_block, replicates, jobs, matrices=flat, width=width, bins=bins)
    total = sum(counts, np.zeros((len(flat), 2, bins), dtype=np.int64))
    pairs, swaps = (total[:, part].reshape(*matrix.shape[:-2], bins) for part in (0, 1))
    return SwapRates(np.asarray(np.arange(bins) * width, dtype=np.float64), pairs, swaps)


_EDGE = 1e-9  # of a bin: 0.29 / 0.01 is 28.999999999999996


def _count_block(
    number: int, *, replicates: Replicates, matrices: Floats, width: float, bins: int
) -> NDArray[np.int64]:
    block = replicates.block(number)
    return np.stack([_count(one, block, width, bins) for one in matrices])


def _count(matrix: Floats, weights: NDArray[Any], width: float, bins: int) -> NDArray[np.int64]:
    first, second = system_pairs(matrix.shape[1])
    means = half_means(matrix, weights)
    d1, d2 = means[..., first] - means[..., second]
    zero = tolerance(matrix, axes=2)[0, 0]
    swapped = (d1 * d2 < 0) & (np.minimum(np.abs(d1), np.abs(d2)) > zero)
    place = (np.abs(d1) / width + _EDGE).astype(np.int64)
    return np.stack([np.bincount(places.ravel(), minlength=bins) for places in (place, place[swapped])])
