"""Changes of significant differences between shallow and full pools and evaluation depths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import Floats, check_level, score_matrix, system_pairs
from metameter.stats.resampling.replicates import map_blocks
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities
from metameter.stats.significance.anova import TopicSums

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


@dataclass(frozen=True, eq=False)
class ChangedVerdicts:
    """How the verdicts of each cell of a grid compare with the final ones; arrays have the shape (..., pools, depths).

    Attributes
    ----------
    discriminated : ndarray of int
        Pairs of systems that differ significantly in the cell.
    lost : ndarray of int
        Those of them that are not significant in the final cell.
    reversed : ndarray of int
        Those of them that are significant in the opposite direction in the final cell.
    kept : ndarray
        The share of the final cell's significant pairs that are significant in the same direction in the cell; NaN
        where the final cell has none.
    """

    discriminated: NDArray[np.int64]
    lost: NDArray[np.int64]
    reversed: NDArray[np.int64]
    kept: Floats


class Cell(NamedTuple):
    """A cell of the grid: the indices of its pool depth and of its evaluation depth."""

    pool: int
    depth: int


def verdict_signs(difference: ArrayLike, significant: ArrayLike) -> NDArray[np.int8]:
    """Return verdicts: 1 where the first system of a pair is significantly better, -1 where the second is, else 0.

    Examples
    --------
    >>> verdict_signs([0.3, -0.2, 0.1], [True, True, False])
    array([ 1, -1,  0], dtype=int8)
    """
    return np.asarray(np.sign(difference) * np.asarray(significant, dtype=np.bool_), dtype=np.int8)


def changed_verdicts(verdicts: NDArray[np.int8], final: NDArray[np.int8]) -> ChangedVerdicts:
    """Return how many verdicts of every cell the final cell lacks or reverses, and the share of final ones kept.

    Parameters
    ----------
    verdicts : ndarray of int, (..., pairs)
        Of each cell, from `verdict_signs`; the order of the pairs is the same for all cells.
    final : ndarray of int, (..., pairs)
        Of the final cell, the deepest pool and depth; its leading axes are the first axes of ``verdicts``.

    Examples
    --------
    >>> cells = np.array([[1, -1, 1, 0], [1, 1, 0, 1]], dtype=np.int8)  # two cells, four pairs of systems
    >>> result = changed_verdicts(cells, np.array([1, 1, 0, 1], dtype=np.int8))
    >>> result.discriminated, result.lost, result.reversed, result.kept.round(2)
    (array([3, 3]), array([1, 0]), array([1, 0]), array([0.33, 1.  ]))
    """
    rows, pairs = final.shape[:-1], final.shape[-1]
    if verdicts.shape[: len(rows)] != rows or verdicts.shape[-1] != pairs:
        shapes = (verdicts.shape, final.shape)
        fix = "Give a final cell for every row of the grid, with the same pairs."
        raise MetameterError("the final cells do not fit the grid", given=shapes, fix=fix)
    last = final.reshape(*rows, *(1,) * (verdicts.ndim - final.ndim), pairs)
    discriminated, agreed, opposed = (
        np.count_nonzero(which, axis=-1) for which in (verdicts, (verdicts == last) & (last != 0), verdicts * last < 0)
    )
    of = np.broadcast_to(np.count_nonzero(last, axis=-1), agreed.shape)
    kept = np.divide(agreed, of, out=np.full(agreed.shape, np.nan), where=of > 0)
    return ChangedVerdicts(discriminated, discriminated - agreed - opposed, opposed, kept)


def shallowest_cell(kept: Floats, reverses: NDArray[np.int64], at_least: float = 0.95) -> Cell | None:
    """Return the shallowest pool, and for it the shallowest depth, that keeps enough final verdicts and reverses none.

    Parameters
    ----------
    kept, reverses : ndarray, (pools, depths)
        Of one row, for increasing pools and depths; the last cell is the final one.
    at_least : float
        The share of the final verdicts to keep.

    Returns
    -------
    Cell or None
        None if no cell but the final one qualifies.

    Examples
    --------
    >>> kept = np.array([[0.4, 0.8, 0.9], [0.5, 0.96, 0.97], [0.5, 0.97, 1.0]])  # three pools, three depths
    >>> shallowest_cell(kept, np.zeros((3, 3), dtype=int))
    Cell(pool=1, depth=1)
    """
    qualifies = keeps_verdicts(kept, reverses, at_least)
    qualifies[-1, -1] = False
    cells = np.argwhere(qualifies)  # ordered by pool, then by depth
    return Cell(*map(int, cells[0])) if len(cells) else None


def keeps_verdicts(kept: Floats, reverses: NDArray[np.int64], at_least: float = 0.95) -> NDArray[np.bool_]:
    """Return which cells keep at least this share of the final verdicts and reverse none.

    Examples
    --------
    >>> keeps_verdicts(np.array([0.96, 0.96, 0.5]), np.array([0, 1, 0]))
    array([ True, False, False])
    """
    if at_least != 1.0:  # 1 is allowed here
        check_level(at_least, "at_least")
    return np.asarray((kept >= at_least) & (reverses == 0))


def stable_share(
    chosen: ArrayLike,
    final: ArrayLike,
    *,
    at_least: float = 0.95,
    alpha: float = 0.05,
    resamples: int = 200,
    seed: int = 0,
    jobs: int | Workers | None = 1,
) -> Floats:
    """Return the share of resampled topic sets on which a chosen cell keeps enough final verdicts and reverses none.

    The cell was chosen because it does so on the observed topics; the share tells how much of that is chance. Two
    systems differ on a resample if their means are further apart than the randomised test requires, by its normal
    approximation (`TwoWay.required_when_shuffled`).

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
        Resamples without final verdicts are left out; NaN if none remain.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> final = rng.normal(0, 0.1, (1, 40, 5)) + [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> stable_share(final / 2, final)  # half the scores: the same verdicts
    array([1.])
    >>> stable_share(1 - final, final)  # all reversed
    array([0.])
    """
    cells, ends = score_matrix(chosen), score_matrix(final)
    if cells.ndim != 3 or cells.shape != ends.shape:
        fix = "Give scores (cells, topics, systems) of both, for the same rows."
        raise MetameterError("the chosen cells do not fit the final ones", given=(cells.shape, ends.shape), fix=fix)
    replicates = bootstrap_indices(cells.shape[1], resamples, seed)
    sums = TopicSums.of(np.concatenate([cells, ends]))
    topics, level = cells.shape[1], check_level(alpha)
    blocks = map_blocks(_block, replicates, jobs, sums=sums, topics=topics, alpha=level, at_least=at_least)
    qualifies = np.concatenate(list(blocks))
    count = (~np.isnan(qualifies)).sum(axis=0)
    share = np.full(len(cells), np.nan)
    return np.asarray(np.divide(np.nansum(qualifies, axis=0), count, out=share, where=count > 0))


def _block(
    number: int, *, replicates: Replicates, sums: TopicSums, topics: int, alpha: float, at_least: float
) -> Floats:
    """Whether each cell qualifies, (resamples, cells); NaN where there is no final verdict."""
    analysis = sums.analysis(multiplicities(replicates.block(number), topics))
    required = np.maximum(analysis.required_when_shuffled(alpha), sums.zero)
    cells = sums.metrics // 2
    qualifies = []
    for cell in range(cells):  # one at a time bounds the memory: resamples x pairs of systems
        here, end = (_verdicts(analysis.system_effects[:, i], required[:, i]) for i in (cell, cells + cell))
        changed = changed_verdicts(here, end)
        qualifies.append(
            np.where(np.isnan(changed.kept), np.nan, keeps_verdicts(changed.kept, changed.reversed, at_least))
        )
    return np.stack(qualifies, axis=1)


def _verdicts(means: Floats, required: Floats) -> NDArray[np.int8]:
    first, second = system_pairs(means.shape[-1])
    difference = means[:, first] - means[:, second]
    limit = required[:, None]
    # Equal to `verdict_signs`, without floats: there are millions of verdicts.
    return np.asarray((difference > limit).view(np.int8) - (difference < -limit).view(np.int8))
