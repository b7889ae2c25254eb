"""The table of hard, medium and easy topics: consistency and power of each metric on each third."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from metameter.parallel import Workers
from metameter.stats.terciles import SPLITS, TERCILES, terciles

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["FEWEST", "SPLITS", "TERCILES", "tercile_rows"]

FEWEST = 4 * len(TERCILES)  # topics: two in each half of each third
_SCHEMA: dict[str, type] = {
    "metric": str,
    "tercile": str,
    "topics": int,
    "mean_tau": float,
    "power": float,
    "mean_tau_se": float,
    "group": str,
    "canonical": str,
    "is_canonical": bool,
}


def tercile_rows(
    metrics: tuple[str, ...],
    matrix: Floats,
    pairs: dict[str, list[tuple[int, int]]],
    *,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame:
    """Mean tau and power of each metric and its canonical metric, on hard, medium and easy topics.

    A topic is the easier, the higher the systems' mean score by the canonical metric: so an alternative and its
    canonical metric are compared on the same topics.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    pairs : dict
        Group -> (alternative, its canonical metric), positions among the metrics.

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.random.default_rng(0).random((2, 15, 4)) + np.arange(15)[:, None]
    >>> rows = tercile_rows(("RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), matrix, {"RBP": [(1, 0)]}, alpha=0.05, seed=0, jobs=1)
    >>> rows.select("metric", "tercile", "topics").rows()[3:]
    [('RBP(p=0.8)*max', 'hard', 5), ('RBP(p=0.8)*max', 'medium', 5), ('RBP(p=0.8)*max', 'easy', 5)]
    """
    import polars as pl

    rows = []
    for group, members in pairs.items() if matrix.shape[1] >= FEWEST else ():
        for canonical, alike in _by_canonical(members).items():
            compared = [canonical, *alike]
            ease = matrix[canonical].mean(axis=-1)
            thirds = terciles(matrix[compared], ease, alpha=alpha, seed=seed, jobs=jobs)
            for name, third in zip(TERCILES, thirds, strict=True):
                figures = zip(third.mean_tau.tolist(), third.power.tolist(), third.mean_tau_se.tolist(), strict=True)
                rows += [
                    (metrics[member], name, third.topics, *each, group, metrics[canonical], member == canonical)
                    for member, each in zip(compared, figures, strict=True)
                ]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    place = {name: number for number, name in enumerate(metrics)}
    # In the order of the metrics, the rows of each together.
    return frame.sort(pl.col("metric").replace_strict(place, return_dtype=pl.Int64), maintain_order=True)


def _by_canonical(members: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = {}
    for member, canonical in members:
        grouped.setdefault(canonical, []).append(member)
    return grouped
