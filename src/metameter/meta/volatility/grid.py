"""The grid of pool and evaluation depths: what each cell discriminates, and what more evidence does to that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.checks import Floats
from metameter.stats.depth.changed_verdicts import ChangedVerdicts, changed_verdicts, verdict_signs
from metameter.stats.significance.tukey import randomised_tukey

if TYPE_CHECKING:
    from metameter.meta.volatility.families import Family
    from metameter.parallel import Workers


#: The cells by default, as far as there are pools and lists so deep.
GRID_POOLS = (5, 10, 20, 50, 100)
GRID_DEPTHS = (5, 10, 20, 50, 100, 200, 1000)


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
    residual: Floats,
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
    progress: Callable[..., None] | None = None,
) -> Grid:
    """Test every pair of systems in every cell with the randomised Tukey HSD, the same shuffles for all cells."""
    tested = randomised_tukey(scores, trials=trials, seed=seed, jobs=jobs, progress=progress)
    verdicts = verdict_signs(tested.statistic, tested.pvalue < alpha)
    return Grid(pools, depths, scores, residual, verdicts, changed_verdicts(verdicts, verdicts[:, -1, -1]))
