"""The tables of `consistency`: every metric, every pair of metrics, and how the means converged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.groups import is_canonical, pairs_within
from metameter.stats.monte_carlo import mean_error, running_means
from metameter.stats.resampled_metrics import ResampledTaus
from metameter.stats.row_intervals import noise_of_differences, row_intervals

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["convergence_rows", "metric_rows", "pair_rows"]


def pair_rows(
    metrics: tuple[str, ...],
    grouped: dict[str, list[int]],
    taus: Floats,
    pvalues: dict[str, Floats],
    trials: int,
    resampled: ResampledTaus,
    units: int,
) -> pl.DataFrame:
    """Every pair of metrics within a group: difference in mean tau, its interval and p-value, and the paper's test."""
    import polars as pl

    places = pairs_within(grouped)
    first, second = (np.array([place[side] for place in places], dtype=np.intp) for side in (1, 2))
    each = taus[:, first] - taus[:, second]
    difference, se = each.mean(axis=0), mean_error(each)
    noise = noise_of_differences(resampled.noise, first, second)
    drawn = resampled.taus[:, first] - resampled.taus[:, second]
    rows = row_intervals(difference, drawn, noise, se**2, units=units)
    p_splits = np.concatenate([np.empty(0), *(pvalues[group] for group in grouped if group in pvalues)])
    return pl.DataFrame(
        {
            "metric_a": _text(metrics[a] for a in first),
            "metric_b": _text(metrics[b] for b in second),
            "difference": difference,
            "p": rows.p,
            **rows.ends,
            "p_splits": p_splits,
            "group": _text(group for group, _, _ in places),
            "se": se,
            "p_se": rows.p_se,
            **rows.errors,
            "p_splits_se": np.sqrt(p_splits * (1.0 - p_splits) / trials),
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def metric_rows(
    metrics: tuple[str, ...],
    grouped: dict[str, list[int]],
    taus: Floats,
    pairs: pl.DataFrame,
    alpha: float,
    resampled: ResampledTaus,
    units: int,
) -> pl.DataFrame:
    """Every metric: mean tau, its Monte-Carlo error, which metrics it beats on these splits, its interval."""
    import polars as pl

    order = [member for members in grouped.values() for member in members]
    names, mean, se = [metrics[member] for member in order], taus.mean(axis=0)[order], mean_error(taus)[order]
    beaten = _beaten(names, pairs, alpha)
    rows = row_intervals(mean, resampled.taus[:, order], resampled.noise[:, order, order], se**2, units=units)
    return pl.DataFrame(
        {
            "group": [group for group, members in grouped.items() for _ in members],
            "metric": names,
            "mean_tau": mean,
            "se": se,
            "beats": [len(beaten[name]) for name in names],
            "beaten": [";".join(beaten[name]) for name in names],
            **{name: np.clip(end, -1.0, 1.0) for name, end in rows.ends.items()},
            "canonical": [is_canonical(name) for name in names],
            **rows.errors,
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def _beaten(names: list[str], pairs: pl.DataFrame, alpha: float) -> dict[str, list[str]]:
    beaten: dict[str, list[str]] = {name: [] for name in names}
    for a, b, difference, p in pairs["metric_a", "metric_b", "difference", "p_splits"].iter_rows():
        if p < alpha:
            better, worse = (a, b) if difference > 0 else (b, a)
            beaten[better].append(worse)
    place = {name: number for number, name in enumerate(names)}
    return {name: sorted(losers, key=place.__getitem__) for name, losers in beaten.items()}


def convergence_rows(metrics: tuple[str, ...], grouped: dict[str, list[int]], taus: Floats) -> pl.DataFrame:
    """Mean tau and its Monte-Carlo error after more and more splits."""
    import polars as pl

    splits, means, errors = running_means(taus)
    order = [(group, member) for group, members in grouped.items() for member in members]
    columns = [member for _, member in order]
    return pl.DataFrame(
        {
            "group": _text(group for group, _ in order for _ in splits),
            "metric": _text(metrics[member] for member in columns for _ in splits),
            "splits": np.tile(splits, len(columns)),
            "mean_tau": means[:, columns].T.reshape(-1),
            "se": errors[:, columns].T.reshape(-1),
        }
    )


def _text(values: Iterable[str]) -> pl.Series:
    import polars as pl

    return pl.Series(list(values), dtype=pl.String)
