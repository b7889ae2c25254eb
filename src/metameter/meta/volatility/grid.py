"""The grid of pool and evaluation depths: what each cell discriminates, and what more evidence does to that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.changed_verdicts import ChangedVerdicts, changed_verdicts, shallowest, signs
from metameter.stats.tukey import randomised_tukey

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import Pool
    from metameter.meta.volatility.families import Family
    from metameter.parallel import Workers
    from metameter.stats.checks import Floats

__all__ = ["GRID_DEPTHS", "GRID_POOLS", "KEPT", "Grid", "grid_of", "planning_table"]

#: The cells by default, as far as there are pools and lists so deep.
GRID_POOLS = (5, 10, 20, 50, 100)
GRID_DEPTHS = (5, 10, 20, 50, 100, 200, 1000)
#: The share of the final verdicts that a plan must keep.
KEPT = 0.95


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells, tested.

    Attributes
    ----------
    pools : tuple of int or None
        Pool depths, rising; the last is that of the judgments themselves, None if it is unknown.
    depths : tuple of int
        Evaluation depths; the last is the final one.
    scores : ndarray, (families, pools, depths, topics, systems)
    verdicts : ndarray of int8, (families, pools, depths, pairs)
    changed : ChangedVerdicts
        Arrays (families, pools, depths).
    """

    pools: tuple[int | None, ...]
    depths: tuple[int, ...]
    scores: Floats
    verdicts: np.ndarray
    changed: ChangedVerdicts

    @property
    def means(self) -> Floats:
        """(families, pools, depths, systems)."""
        return np.asarray(self.scores.mean(axis=-2))

    @property
    def pairs(self) -> int:
        """How many pairs of systems there are."""
        return int(self.verdicts.shape[-1])

    def columns(self, pool: int) -> dict[str, Any]:
        """What the summary says of the cells of one pool, (families, depths) each."""
        counted = {name: getattr(self.changed, name)[:, pool] for name in ("discriminated", "lost", "reversed", "kept")}
        shape = counted["discriminated"].shape
        power = counted["discriminated"] / max(self.pairs, 1)
        return {
            **{name: np.asarray(value, dtype=np.float64) for name, value in counted.items()},
            "pairs": np.full(shape, float(self.pairs)),
            "power": power,
        }


def grid_of(
    pools: tuple[int | None, ...],
    depths: tuple[int, ...],
    scores: Floats,
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
    progress: Callable[..., None] | None = None,
) -> Grid:
    """Test every pair of systems in every cell with the randomised Tukey HSD, the same shuffles for all cells."""
    tested = randomised_tukey(scores, trials=trials, seed=seed, jobs=jobs, progress=progress)
    verdicts = signs(tested.statistic, tested.pvalue < alpha)
    return Grid(pools, depths, scores, verdicts, changed_verdicts(verdicts, verdicts[:, -1, -1]))


def planning_table(families: tuple[Family, ...], grid: Grid, pool: Pool, holds: Callable[[int, Any], float]) -> Any:
    """For each metric the shallowest pool, and with it the shallowest evaluation, that keep the final verdicts."""
    rows = []
    everything = int(np.count_nonzero(pool.kept & (pool.grade >= 0)))
    for number in range(len(families)):
        changed = grid.changed
        cell = shallowest(changed.kept[number], changed.reversed[number], KEPT)
        at = (len(grid.pools) - 1, len(grid.depths) - 1) if cell is None else tuple(cell)
        depth = grid.pools[at[0]]
        needed = everything if at[0] == len(grid.pools) - 1 or depth is None else pool.judged_within(depth)
        rows.append(
            {
                "pool_depth": np.nan if depth is None else float(depth),
                "depth": float(grid.depths[at[1]]),
                "judgments": float(needed),
                "share": needed / max(everything, 1),
                "verdicts": float(changed.discriminated[number, -1, -1]),
                "kept": changed.kept[number][at],
                "reversed": float(changed.reversed[number][at]),
                "holds": holds(number, cell),
            }
        )
    columns = {name: np.array([[row[name]] for row in rows]) for name in rows[0]}
    return _whole(frame_of_rows(families, columns, 1))


def _whole(table: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return table.with_columns(pl.col("pool_depth", "depth", "judgments", "verdicts", "reversed").cast(pl.Int64))
