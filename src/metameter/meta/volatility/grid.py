"""The grid of pool and evaluation depths: significant differences in each cell, and the shallow cells that suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.meta.volatility.families import frame_of_rows
from metameter.stats.checks import Floats
from metameter.stats.depth.changed_verdicts import (
    Cell,
    ChangedVerdicts,
    changed_verdicts,
    keeps_verdicts,
    shallowest_cell,
    stable_share,
    verdict_signs,
)
from metameter.stats.significance.tukey import randomised_tukey

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import Pool
    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.options import VolatilityOptions


#: The default cells, as far as the pools and the lists are that deep.
GRID_POOLS = (5, 10, 20, 50, 100)
GRID_DEPTHS = (5, 10, 20, 50, 100, 200, 1000)
#: The share of the final verdicts that a plan must keep; and of the resampled topic sets for which a sure plan does.
KEPT = SURE = 0.95
_WHOLE = ("pool_depth", "depth", "judgments", "verdicts", "reversed")


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells, with the verdicts on every pair of systems.

    Attributes
    ----------
    pools : tuple of int or None
        Pool depths, ascending; the last is that of the judgments themselves, None if it is unknown.
    depths : tuple of int
        Evaluation depths, ascending; the last is the final one.
    scores : ndarray, (families, pools, depths, topics, systems)
    residual : ndarray, (families, shallower pools, depths)
    verdicts : ndarray of int8, (families, pools, depths, pairs)
    changed : ChangedVerdicts
        Arrays (families, pools, depths).
    """

    pools: tuple[int | None, ...]
    depths: tuple[int, ...]
    scores: Floats
    residual: Floats
    verdicts: np.ndarray
    changed: ChangedVerdicts

    def means(self, pool: int, families: tuple[Family, ...]) -> Floats:
        """The summary of each metric over topics, (families, depths, systems)."""
        by_topic = np.swapaxes(self.scores[:, pool], -1, -2)
        return np.stack([each.measure.summarise(scores) for each, scores in zip(families, by_topic, strict=True)])

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return int(self.verdicts.shape[-1])

    def columns(self, pool: int) -> dict[str, Any]:
        """The columns of the summary for the cells of one pool, (families, depths) each."""
        counted = {name: getattr(self.changed, name)[:, pool] for name in ("discriminated", "lost", "reversed", "kept")}
        shape = counted["discriminated"].shape
        power = counted["discriminated"] / max(self.pairs, 1)
        return {
            **{name: np.asarray(value, dtype=np.float64) for name, value in counted.items()},
            "pairs": np.full(shape, float(self.pairs)),
            "power": power,
        }


def grid_of(
    pools: tuple[int | None, ...], depths: tuple[int, ...], scores: Floats, residual: Floats, options: VolatilityOptions
) -> Grid:
    """Test every pair of systems in every cell with the randomised Tukey HSD, the same shuffles for all cells."""
    tested = randomised_tukey(
        scores, trials=options.trials, seed=options.seed, jobs=options.jobs, progress=options.progress
    )
    verdicts = verdict_signs(tested.statistic, tested.pvalue < options.alpha)
    return Grid(pools, depths, scores, residual, verdicts, changed_verdicts(verdicts, verdicts[:, -1, -1]))


def planning_table(families: tuple[Family, ...], grid: Grid, pool: Pool, options: VolatilityOptions) -> pl.DataFrame:
    """For each metric, the shallowest pool, and with it the shallowest evaluation, that keep the final verdicts.

    The smallest of many cells that do so on these topics often does so by chance. The table therefore also gives the
    share of resampled topic sets for which it does (``holds``), and the shallowest cell that does for nearly all.
    """
    import polars as pl

    rows, changed = len(families), grid.changed
    end = Cell(len(grid.pools) - 1, len(grid.depths) - 1)
    cells = [
        shallowest_cell(kept_share, turned, KEPT) or end
        for kept_share, turned in zip(changed.kept, changed.reversed, strict=True)
    ]
    at = (np.arange(rows), *(np.array(index) for index in zip(*cells, strict=True)))
    if options.resamples:
        plans = _sure_plans(grid, end, options)
        sure = _cell_columns([cell or end for cell in plans.sure], grid, pool)
    else:
        plans = SurePlans(np.full(rows, np.nan), [None] * rows, np.zeros(rows, np.bool_))
        sure = dict.fromkeys(_CELL_COLUMNS, np.full(rows, np.nan))
    columns = {
        **_cell_columns(cells, grid, pool),
        "verdicts": changed.discriminated[:, -1, -1].astype(np.float64),
        "kept": changed.kept[at],
        "reversed": changed.reversed[at].astype(np.float64),
        "holds": plans.holds,
        **{f"sure_{name}": values for name, values in sure.items()},
        "close_call": plans.close,
    }
    whole = [name for name in columns if name.removeprefix("sure_") in _WHOLE]
    table = frame_of_rows(families, {name: values[:, None] for name, values in columns.items()}, 1)
    return table.with_columns(pl.col(whole).cast(pl.Int64))


class SurePlans(NamedTuple):
    """For each family, the cell that suffices for resampled topics, too.

    Attributes
    ----------
    holds : ndarray
        The share of resampled topic sets for which the shallowest cell suffices.
    sure : list of Cell or None
        The shallowest cell that suffices for nearly all of them; None if only the last one does.
    close : ndarray of bool
        Whether a tested cell is so near the limit that another seed could change the choice.
    """

    holds: Floats
    sure: list[Cell | None]
    close: NDArray[np.bool_]


_CELL_COLUMNS = ("pool_depth", "depth", "judgments", "share")


def _cell_columns(cells: list[Cell], grid: Grid, pool: Pool) -> dict[str, Floats]:
    """The depths of the cell of each row, and the number of judgments of its pool.

    The pool depth is NaN for the pool of all judgments if its depth is unknown.
    """
    depths = [grid.pools[cell.pool] for cell in cells]
    last = len(grid.pools) - 1
    within = {depth: pool.judged_within(depth) for depth in grid.pools[:last] if depth is not None}
    judged = np.array([within.get(depth or 0, pool.judged) for depth in depths], dtype=np.float64)
    return {
        "pool_depth": np.array([np.nan if depth is None else depth for depth in depths], dtype=np.float64),
        "depth": np.array([grid.depths[cell.depth] for cell in cells], dtype=np.float64),
        "judgments": judged,
        "share": judged / max(pool.judged, 1),
    }


def _sure_plans(grid: Grid, end: Cell, options: VolatilityOptions) -> SurePlans:
    """Find, for each family, the shallowest cell that suffices for nearly all resampled topic sets.

    The cells that suffice on these topics are tested in order of depth until one passes. A round tests the next cell of
    all undecided families together.
    """
    rows = len(grid.scores)
    waiting = [_candidates(grid, row, end) for row in range(rows)]
    first, close = np.full(rows, np.nan), np.zeros(rows, np.bool_)
    sure: list[Cell | None] = [None] * rows
    near = 2.0 * (SURE * (1.0 - SURE) / options.resamples) ** 0.5  # two Monte-Carlo errors
    undecided = [row for row in range(rows) if waiting[row]]
    while undecided:
        cells = [waiting[row].pop(0) for row in undecided]
        chosen = np.stack([grid.scores[row][cell] for row, cell in zip(undecided, cells, strict=True)])
        last = grid.scores[undecided, -1, -1]
        shares = stable_share(
            chosen,
            last,
            at_least=KEPT,
            alpha=options.alpha,
            resamples=options.resamples,
            seed=options.seed,
            jobs=options.jobs,
        )
        for row, cell, share in zip(undecided, cells, shares, strict=True):
            first[row] = share if np.isnan(first[row]) else first[row]
            sure[row] = cell if share >= SURE else None
            close[row] |= abs(share - SURE) < near
        undecided = [row for row in undecided if sure[row] is None and waiting[row]]
    return SurePlans(first, sure, close)


def _candidates(grid: Grid, row: int, end: Cell) -> list[Cell]:
    suffices = keeps_verdicts(grid.changed.kept[row], grid.changed.reversed[row], KEPT)
    cells = [Cell(*map(int, position)) for position in np.argwhere(suffices)]
    return [cell for cell in cells if cell != end]
