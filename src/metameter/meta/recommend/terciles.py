"""The table of hard, medium and easy topics: consistency and power of each metric on each third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metameter.meta.recommend.references import BY_NAME, Comparison
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import SPLITS, TERCILES, terciles

if TYPE_CHECKING:
    import polars as pl


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
    held: Sequence[Comparison],
    *,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame:
    """Mean tau and power of each metric and its reference, on hard, medium and easy topics.

    A topic is the easier, the higher the systems' mean score by the reference: so a metric and its reference are
    compared on the same topics. Metrics that are held against each other by name get rows only where there is
    nothing else, and then by the first of them.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    held : sequence of Comparison

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.random.default_rng(0).random((2, 15, 4)) + np.arange(15)[:, None]
    >>> held = [Comparison(1, 0, "RBP")]
    >>> rows = tercile_rows(("RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), matrix, held, alpha=0.05, seed=0, jobs=1)
    >>> rows.select("metric", "tercile", "topics").rows()[3:]
    [('RBP(p=0.8)*max', 'hard', 5), ('RBP(p=0.8)*max', 'medium', 5), ('RBP(p=0.8)*max', 'easy', 5)]
    """
    import polars as pl

    rows = []
    for (group, reference), alike in (_by_reference(held) if matrix.shape[1] >= FEWEST else {}).items():
        compared = [reference, *alike]
        thirds = terciles(matrix[compared], matrix[reference].mean(axis=-1), alpha=alpha, seed=seed, jobs=jobs)
        for name, third in zip(TERCILES, thirds, strict=True):
            figures = zip(third.mean_tau.tolist(), third.power.tolist(), third.mean_tau_se.tolist(), strict=True)
            rows += [
                (metrics[member], name, third.topics, *each, group, metrics[reference], member == reference)
                for member, each in zip(compared, figures, strict=True)
            ]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    place = {name: number for number, name in enumerate(metrics)}
    # In the order of the metrics, the rows of each together.
    return frame.sort(pl.col("metric").replace_strict(place, return_dtype=pl.Int64), maintain_order=True)


def _by_reference(held: Sequence[Comparison]) -> dict[tuple[str, int], list[int]]:
    """Group and reference -> the metrics held against it."""
    shown = [row for row in held if row.group != BY_NAME]
    if not shown:
        first = min((row.reference for row in held), default=0)
        shown = [row for row in held if row.reference == first]
    grouped: dict[tuple[str, int], list[int]] = {}
    for row in shown:
        grouped.setdefault((row.group, row.reference), []).append(row.metric)
    return grouped
