"""The grid of pool and evaluation depths: what each cell discriminates, and what more evidence does to that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.changed_verdicts import Cell, ChangedVerdicts, changed_verdicts, shallowest, signs
from metameter.stats.resampled_verdicts import holds
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

    def means(self, pool: int, families: tuple[Family, ...]) -> Floats:
        """One figure of each system over topics, as each metric makes it, (families, depths, systems)."""
        by_topic = np.swapaxes(self.scores[:, pool], -1, -2)
        return np.stack([each.measure.summarise(scores) for each, scores in zip(families, by_topic, strict=True)])

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
    """For each metric the shallowest pool, and with it the shallowest evaluation, that keep the final verdicts."""
    changed, end = grid.changed, Cell(len(grid.pools) - 1, len(grid.depths) - 1)
    found = [shallowest(*each, KEPT) for each in zip(changed.kept, changed.reversed, strict=True)]
    cells = [cell or end for cell in found]
    rows = np.arange(len(families))
    pools, depths = (np.array(places) for places in zip(*cells, strict=True))
    judged = np.array([_judgments(grid.pools[place], place == end.pool, pool) for place in pools], dtype=np.float64)
    chosen, final = grid.scores[rows, pools, depths], grid.scores[:, -1, -1]
    does = np.full(len(families), np.nan)
    if resamples:
        does = holds(chosen, final, at_least=KEPT, alpha=alpha, resamples=resamples, seed=seed, jobs=jobs)
    # What is held against itself holds always, and says nothing.
    does[[cell is None for cell in found]] = np.nan
    columns = {
        "pool_depth": np.array([np.nan if grid.pools[place] is None else grid.pools[place] for place in pools], float),
        "depth": np.array(grid.depths, dtype=np.float64)[depths],
        "judgments": judged,
        "share": judged / max(_judgments(None, True, pool), 1),
        "verdicts": changed.discriminated[:, -1, -1].astype(np.float64),
        "kept": changed.kept[rows, pools, depths],
        "reversed": changed.reversed[rows, pools, depths].astype(np.float64),
        "holds": does,
    }
    return _whole(frame_of_rows(families, {name: values[:, None] for name, values in columns.items()}, 1))


def _judgments(depth: int | None, everything: bool, pool: Pool) -> int:
    return pool.judged if everything or depth is None else pool.judged_within(depth)


def _whole(table: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return table.with_columns(pl.col("pool_depth", "depth", "judgments", "verdicts", "reversed").cast(pl.Int64))
