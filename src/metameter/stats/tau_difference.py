"""Paired bootstrap of tau_b: whether one metric agrees better with the labels than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import RELATIVE_TOLERANCE, Floats, Interval, as_finite
from metameter.stats.intervals.rows import percentile_interval
from metameter.stats.rank_correlation.kendall import tau_b, tau_b_of_codes, tau_b_of_table
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


_TABLE = 16  # a table of up to this many cells per row is faster than sorting the rows


@dataclass(frozen=True, eq=False)
class TauDifference:
    """Differences in tau_b with the labels, alternatives minus reference.

    Attributes
    ----------
    statistic, pvalue : float or ndarray, (alternatives,)
    confidence_interval : Interval
    trials : int
    """

    statistic: Any
    pvalue: Any
    confidence_interval: Interval
    trials: int


def bootstrap_tau_difference(
    labels: ArrayLike,
    scores: ArrayLike,
    reference: ArrayLike,
    *,
    trials: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
) -> TauDifference:
    """Ask whether a metric follows the labels better than the reference metric does; rows (pages) are resampled.

    Two-sided p = 2 (min(#{d <= 0}, #{d >= 0}) + 1) / (trials + 1), at most 1. A resample whose tau is undefined counts
    as d = 0.

    Parameters
    ----------
    labels : array-like, (rows,)
    scores : array-like, (rows,) or (alternatives, rows)
    reference : array-like, (rows,)
    trials, level, seed
        Number of resamples, confidence, seed of the resamples.
    indices : Replicates or array of int, (trials, rows), optional
        Explicit resamples.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Examples
    --------
    >>> labels = [1, 2, 3, 4, 5] * 6
    >>> result = bootstrap_tau_difference(labels, labels, [2, 1, 3, 5, 4] * 6, trials=200)
    >>> round(result.statistic, 3), round(result.pvalue, 3)
    (0.4, 0.01)
    """
    alternatives = as_finite(scores)
    both = np.concatenate([np.atleast_2d(alternatives), as_finite(reference, "reference")[None]])
    taus = bootstrap_tau(labels, both, trials=trials, seed=seed, indices=indices, jobs=jobs)
    observed = tau_b(both, labels)
    difference = np.nan_to_num(taus[:, :-1] - taus[:, -1:])
    below, above = ((sign * difference <= RELATIVE_TOLERANCE).sum(axis=0) for sign in (1, -1))
    pvalue = np.minimum(2.0 * (np.minimum(below, above) + 1) / (len(taus) + 1), 1.0)
    low, high = percentile_interval(difference, level)
    parts = (observed[:-1] - observed[-1], pvalue, low, high)
    shown = [float(part[0]) for part in parts] if alternatives.ndim == 1 else list(parts)
    return TauDifference(shown[0], shown[1], Interval(*shown[2:]), len(taus))


def bootstrap_tau(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    trials: int = 1000,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
) -> Floats:
    """Return tau_b between labels (rows,) and each of ``scores`` (metrics, rows) in every resample of the rows.

    Returns
    -------
    ndarray, (trials, metrics)

    Examples
    --------
    >>> bootstrap_tau([1, 2, 3], [[1, 2, 3], [3, 2, 1]], indices=[[0, 1, 1]])
    array([[ 1., -1.]])
    """
    label_codes, metrics = tied_codes(labels), tied_codes(scores)
    if metrics.ndim != 2 or metrics.shape[1:] != label_codes.shape:
        raise MetameterError(
            "labels and scores differ in length",
            given=(label_codes.shape, metrics.shape),
            fix="Give one label for each column of the scores.",
        )
    rows = len(label_codes)
    replicates = replicates_or_default(indices, bootstrap_indices(rows, trials, seed), (rows,), "indices")
    return np.concatenate(list(map_blocks(_taus, replicates, jobs, metrics=metrics, labels=label_codes)))


def _taus(
    number: int, *, replicates: Replicates, metrics: NDArray[np.int64], labels: NDArray[np.int64]
) -> NDArray[np.float64]:
    block = replicates.block(number)
    return np.stack([[_resampled(codes, labels, drawn) for codes in metrics] for drawn in block])


def _resampled(codes: NDArray[np.int64], labels: NDArray[np.int64], drawn: NDArray[Any]) -> float:
    shape = int(codes.max()) + 1, int(labels.max()) + 1
    if shape[0] * shape[1] > _TABLE * len(codes):
        # Resampled codes have gaps; count_pairs needs dense ones.
        return float(tau_b_of_codes(tied_codes(codes[drawn])[None], tied_codes(labels[drawn])[None])[0])
    cells = (codes * shape[1] + labels)[drawn]
    return tau_b_of_table(np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape))
