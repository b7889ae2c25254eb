"""Verdicts that change with more evidence: significant differences of shallow pools and depths beside final ones."""

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
    """What becomes of the verdicts of each cell of a grid; all arrays have the grid's shape, such as (pools, depths).

    Attributes
    ----------
    discriminated : ndarray of int
        Pairs of systems that differ significantly in the cell.
    lost : ndarray of int
        Of them, those that do not in the final cell.
    reversed : ndarray of int
        Of them, those that differ significantly the other way in the final cell.
    kept : ndarray
        The share of the final cell's significant pairs that are significant in the same direction in the cell; NaN if
        the final cell has none.
    """

    discriminated: NDArray[np.int64]
    lost: NDArray[np.int64]
    reversed: NDArray[np.int64]
    kept: Floats


class Cell(NamedTuple):
    """A cell of the grid: positions among the pool depths and among the evaluation depths."""

    pool: int
    depth: int


def verdict_signs(difference: ArrayLike, significant: ArrayLike) -> NDArray[np.int8]:
    """Verdicts as small integers: 1 where the first system of a pair is significantly better, -1 the second, or 0.

    Examples
    --------
    >>> verdict_signs([0.3, -0.2, 0.1], [True, True, False])
    array([ 1, -1,  0], dtype=int8)
    """
    return np.asarray(np.sign(difference) * np.asarray(significant, dtype=np.bool_), dtype=np.int8)


def changed_verdicts(verdicts: NDArray[np.int8], final: NDArray[np.int8]) -> ChangedVerdicts:
    """Count the verdicts of every cell, and how many of them the final cell does not give, or gives the other way.

    Parameters
    ----------
    verdicts : ndarray of int, (..., pairs)
        Of each cell, as from `verdict_signs`; pairs in any order that is the same for all.
    final : ndarray of int, (..., pairs)
        Of the final cell, the deepest pool and depth; its leading axes are the first ones of the verdicts.

    Examples
    --------
    >>> cells = np.array([[1, -1, 1, 0], [1, 1, 0, 1]], dtype=np.int8)  # two cells, four pairs of systems
    >>> found = changed_verdicts(cells, np.array([1, 1, 0, 1], dtype=np.int8))
    >>> found.discriminated, found.lost, found.reversed, found.kept.round(2)
    (array([3, 3]), array([1, 0]), array([1, 0]), array([0.33, 1.  ]))
    """
    rows, pairs = final.shape[:-1], final.shape[-1]
    if verdicts.shape[: len(rows)] != rows or verdicts.shape[-1] != pairs:
        given = (verdicts.shape, final.shape)
        fix = "Give a final cell for every row of the grid, with the same pairs."
        raise MetameterError("the final cells do not fit the grid", given=given, fix=fix)
    last = final.reshape(*rows, *(1,) * (verdicts.ndim - final.ndim), pairs)
    discriminated, agreed, opposed = (
        np.count_nonzero(which, axis=-1) for which in (verdicts, (verdicts == last) & (last != 0), verdicts * last < 0)
    )
    of = np.broadcast_to(np.count_nonzero(last, axis=-1), agreed.shape)
    kept = np.divide(agreed, of, out=np.full(agreed.shape, np.nan), where=of > 0)
    return ChangedVerdicts(discriminated, discriminated - agreed - opposed, opposed, kept)


def shallowest_cell(kept: Floats, reverses: NDArray[np.int64], at_least: float = 0.95) -> Cell | None:
    """Find the shallowest pool, and with it the shallowest depth, that keeps so many final verdicts and reverses none.

    Parameters
    ----------
    kept, reverses : ndarray, (pools, depths)
        Of one row, pools and depths rising; the last cell is the final one.
    at_least : float
        The share of the final verdicts to be kept.

    Returns
    -------
    Cell or None
        None if only the final cell does, or not even that, for want of verdicts.

    Examples
    --------
    >>> kept = np.array([[0.4, 0.8, 0.9], [0.5, 0.96, 0.97], [0.5, 0.97, 1.0]])  # three pools, three depths
    >>> shallowest_cell(kept, np.zeros((3, 3), dtype=int))
    Cell(pool=1, depth=1)
    """
    does = keeps_verdicts(kept, reverses, at_least)
    does[-1, -1] = False
    found = np.argwhere(does)  # in order of the pools, then of the depths
    return Cell(*map(int, found[0])) if len(found) else None


def keeps_verdicts(kept: Floats, reverses: NDArray[np.int64], at_least: float = 0.95) -> NDArray[np.bool_]:
    """Which cells keep so many of the final verdicts and reverse none: what `shallowest_cell` looks for.

    Examples
    --------
    >>> keeps_verdicts(np.array([0.96, 0.96, 0.5]), np.array([0, 1, 0]))
    array([ True, False, False])
    """
    if at_least != 1.0:  # all of them may be asked for
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
        does.append(np.where(np.isnan(found.kept), np.nan, keeps_verdicts(found.kept, found.reversed, at_least)))
    return np.stack(does, axis=1)


def _verdicts(means: Floats, required: Floats) -> NDArray[np.int8]:
    first, second = system_pairs(means.shape[-1])
    difference = means[:, first] - means[:, second]
    limit = required[:, None]
    # As `verdict_signs` gives them, without its floats: there are millions of these.
    return np.asarray((difference > limit).view(np.int8) - (difference < -limit).view(np.int8))
