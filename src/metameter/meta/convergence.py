"""How power and the required difference converged with the number of trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.row_names import names_at
from metameter.parallel import Workers
from metameter.stats.convergence import convergence
from metameter.stats.pairs import Pairs

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["convergence_table"]


def convergence_table(
    metrics: tuple[str, ...],
    matrix: Floats,
    pairs: Pairs,
    correction: str,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame | None:
    """Power after fewer trials, one row per metric and number of trials; None if there is nothing to show."""
    import polars as pl

    figures = convergence(matrix, pairs, correction, alpha, seed, jobs)
    if figures is None:
        return None
    trials = figures.pop("trials")
    names = names_at(metrics, np.repeat(np.arange(len(metrics)), len(trials)))
    values = {name: value.reshape(-1) for name, value in figures.items()}
    table = pl.DataFrame({"metric": names, "trials": np.tile(trials, len(metrics)), **values})
    return table.with_columns(pl.selectors.float().fill_nan(None))
