"""Would a shallow cell do on other topics too? Its verdicts beside the final ones, on resampled topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.changed_verdicts import changed_verdicts, enough
from metameter.stats.checks import check_level, score_matrix, system_pairs
from metameter.stats.replicates import map_blocks
from metameter.stats.resampling import bootstrap_indices, multiplicities
from metameter.stats.two_way import TopicSums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["holds"]


def holds(
    chosen: ArrayLike,
    final: ArrayLike,
    *,
    at_least: float = 0.95,
    alpha: float = 0.05,
    resamples: int = 200,
    seed: int = 0,
    jobs: int | Workers | None = 1,
) -> Floats:
    """In what share of resampled topic sets a chosen cell keeps enough of the final verdicts and reverses none.

    The cell was chosen because it does on these topics; the share says how much of that is luck. Two systems differ in
    a resample if their means are further apart than the randomised test requires, by its normal approximation
    (`TwoWay.required_when_shuffled`).

    Parameters
    ----------
    chosen : array-like, (cells, topics, systems)
        The scores of the chosen cell of each row.
    final : array-like, (cells, topics, systems)
        The scores of the final cell of the same rows.
    at_least : float
        The share of the final verdicts to be kept.
    alpha : float
        Of the test behind the verdicts.
    resamples, seed : int
        The same seed gives the same topics, whatever the cells and the number of jobs.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Returns
    -------
    ndarray, (cells,)
        Resamples without any final verdict are left out; NaN if none is left.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> final = rng.normal(0, 0.1, (1, 40, 5)) + [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> holds(final / 2, final)  # half the scores: the same verdicts
    array([1.])
    >>> holds(1 - final, final)  # all reversed
    array([0.])
    """
    cells, ends = score_matrix(chosen), score_matrix(final)
    if cells.ndim != 3 or cells.shape != ends.shape:
        fix = "Give scores (cells, topics, systems) of both, for the same rows."
        raise MetameterError("the chosen cells do not fit the final ones", given=(cells.shape, ends.shape), fix=fix)
    replicates = bootstrap_indices(cells.shape[1], resamples, seed)
    sums = TopicSums.of(np.concatenate([cells, ends]))
    shared = {"sums": sums, "topics": cells.shape[1], "alpha": check_level(alpha), "at_least": at_least}
    done = np.concatenate(list(map_blocks(_block, replicates, jobs, **shared)))
    told = ~np.isnan(done)
    count = told.sum(axis=0)
    share = np.full(len(cells), np.nan)
    return np.asarray(np.divide(np.nansum(done, axis=0), count, out=share, where=count > 0))


def _block(
    number: int, *, replicates: Replicates, sums: TopicSums, topics: int, alpha: float, at_least: float
) -> Floats:
    """Whether each cell does, (resamples, cells); NaN where there is no final verdict."""
    analysis = sums.analysis(multiplicities(replicates.block(number), topics))
    required = np.maximum(analysis.required_when_shuffled(alpha), sums.zero)
    cells = sums.metrics // 2
    does = []
    for cell in range(cells):  # one at a time: all pairs of systems, of all resamples, are many
        here, end = (_verdicts(analysis.system_effects[:, i], required[:, i]) for i in (cell, cells + cell))
        found = changed_verdicts(here, end)
        does.append(np.where(np.isnan(found.kept), np.nan, enough(found.kept, found.reversed, at_least)))
    return np.stack(does, axis=1)


def _verdicts(means: Floats, required: Floats) -> NDArray[np.int8]:
    first, second = system_pairs(means.shape[-1])
    difference = means[:, first] - means[:, second]
    limit = required[:, None]
    # As `signs` gives them, without its floats: there are millions of these.
    return np.asarray((difference > limit).view(np.int8) - (difference < -limit).view(np.int8))
