"""How deep must one judge and evaluate? The shallowest cells of a grid that keep the final verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.checks import Floats
from metameter.stats.depth.changed_verdicts import Cell, keeps_verdicts, shallowest_cell, stable_share

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import Pool
    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.grid import Grid
    from metameter.parallel import Workers


#: The share of the final verdicts that a plan must keep; and of the resampled topic sets for which a sure plan does.
KEPT = SURE = 0.95


def planning_table(
    families: tuple[Family, ...],
    grid: Grid,
    pool: Pool,
    *,
    alpha: float,
    resamples: int,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame:
    """For each metric the shallowest pool, and with it the shallowest evaluation, that keep the final verdicts.

    The smallest of many cells that do so on these topics is a lucky one more often than not: beside it stand the share
    of resampled topic sets for which it does (``holds``), and the shallowest cell that does for nearly all of them.
    """
    import polars as pl

    end = Cell(len(grid.pools) - 1, len(grid.depths) - 1)
    changed = grid.changed
    found = [shallowest_cell(*each, KEPT) for each in zip(changed.kept, changed.reversed, strict=True)]
    options: dict[str, Any] = {"alpha": alpha, "resamples": resamples, "seed": seed, "jobs": jobs}
    nothing = Tried(np.full(len(families), np.nan), [None] * len(families), np.zeros(len(families), np.bool_))
    tried = _tried(grid, end, options) if resamples else nothing
    cells = [cell or end for cell in found]
    at = (np.arange(len(families)), *(np.array(places) for places in zip(*cells, strict=True)))
    columns = {
        **_described(cells, grid, pool),
        "verdicts": changed.discriminated[:, -1, -1].astype(np.float64),
        "kept": changed.kept[at],
        "reversed": changed.reversed[at].astype(np.float64),
        "holds": tried.holds,
        **{f"sure_{name}": part for name, part in _described([each or end for each in tried.sure], grid, pool).items()},
        "close_call": tried.close,
    }
    if not resamples:
        columns |= {name: np.full(len(families), np.nan) for name in columns if name.startswith("sure_")}
    whole = [name for name in columns if name.removeprefix("sure_") in _WHOLE]
    table = frame_of_rows(families, {name: values[:, None] for name, values in columns.items()}, 1)
    return table.with_columns(pl.col(whole).cast(pl.Int64))


_WHOLE = ("pool_depth", "depth", "judgments", "verdicts", "reversed")


class Tried(NamedTuple):
    """What resampled topics say of the cells of each row.

    Attributes
    ----------
    holds : ndarray
        For what share of them the shallowest cell does.
    sure : list of Cell or None
        The shallowest cell that surely does; None if only the last one.
    close : ndarray of bool
        Whether a cell that was tried is so near the limit that other draws could turn the choice.
    """

    holds: Floats
    sure: list[Cell | None]
    close: NDArray[np.bool_]


def _described(cells: list[Cell], grid: Grid, pool: Pool) -> dict[str, Floats]:
    """The depths of a chosen cell of each row, and how many judgments its pool takes; NaN for all judgments' depth."""
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


def _tried(grid: Grid, end: Cell, options: dict[str, Any]) -> Tried:
    """Try the cells of all rows together, the next of each that is left: a cell must do on these topics to be tried."""
    rows = len(grid.scores)
    waiting = [_candidates(grid, row, end) for row in range(rows)]
    first, close = np.full(rows, np.nan), np.zeros(rows, np.bool_)
    sure: list[Cell | None] = [None] * rows
    near = 2.0 * (SURE * (1.0 - SURE) / options["resamples"]) ** 0.5  # two Monte-Carlo errors
    left = [row for row in range(rows) if waiting[row]]
    while left:
        cells = [waiting[row].pop(0) for row in left]
        chosen = np.stack([grid.scores[row][cell] for row, cell in zip(left, cells, strict=True)])
        does = stable_share(chosen, grid.scores[left, -1, -1], at_least=KEPT, **options)
        for row, cell, share in zip(left, cells, does, strict=True):
            first[row] = share if np.isnan(first[row]) else first[row]
            sure[row] = cell if share >= SURE else None
            close[row] |= abs(share - SURE) < near
        left = [row for row in left if sure[row] is None and waiting[row]]
    return Tried(first, sure, close)


def _candidates(grid: Grid, row: int, end: Cell) -> list[Cell]:
    does = keeps_verdicts(grid.changed.kept[row], grid.changed.reversed[row], KEPT)
    cells = [Cell(*map(int, place)) for place in np.argwhere(does)]
    return [cell for cell in cells if cell != end]
