"""The tables of `consistency`: every metric, every pair of metrics, and how the means converged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.groups import is_canonical, pairs_within
from metameter.stats.monte_carlo import mean_error, running_means
from metameter.stats.percentile import centred_interval

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
    resampled: Floats,
) -> pl.DataFrame:
    """Every pair of metrics within a group: difference in mean tau, the test's p, the interval for other topics."""
    import polars as pl

    places = pairs_within(grouped)
    first, second = (np.array([place[side] for place in places], dtype=np.intp) for side in (1, 2))
    each = taus[:, first] - taus[:, second]
    ends, errors = centred_interval(resampled[:, first] - resampled[:, second], each.mean(axis=0))
    p = np.concatenate([np.empty(0), *(pvalues[group] for group in grouped if group in pvalues)])
    return pl.DataFrame(
        {
            "metric_a": _text(metrics[a] for a in first),
            "metric_b": _text(metrics[b] for b in second),
            "difference": each.mean(axis=0),
            "p": p,
            **ends,
            "group": _text(group for group, _, _ in places),
            "se": mean_error(each),
            "p_se": np.sqrt(p * (1.0 - p) / trials),
            **errors,
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def metric_rows(
    metrics: tuple[str, ...],
    grouped: dict[str, list[int]],
    taus: Floats,
    pairs: pl.DataFrame,
    alpha: float,
    resampled: Floats,
) -> pl.DataFrame:
    """Every metric: mean tau, its Monte-Carlo error, which metrics of its group it beats, the interval."""
    import polars as pl

    order = [member for members in grouped.values() for member in members]
    names, mean = [metrics[member] for member in order], taus.mean(axis=0)[order]
    beaten = _beaten(names, pairs, alpha)
    ends, errors = centred_interval(resampled[:, order], mean)
    return pl.DataFrame(
        {
            "group": [group for group, members in grouped.items() for _ in members],
            "metric": names,
            "mean_tau": mean,
            "se": mean_error(taus)[order],
            "beats": [len(beaten[name]) for name in names],
            "beaten": [";".join(beaten[name]) for name in names],
            **{name: np.clip(end, -1.0, 1.0) for name, end in ends.items()},
            "canonical": [is_canonical(name) for name in names],
            **errors,
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def _beaten(names: list[str], pairs: pl.DataFrame, alpha: float) -> dict[str, list[str]]:
    beaten: dict[str, list[str]] = {name: [] for name in names}
    for a, b, difference, p in pairs["metric_a", "metric_b", "difference", "p"].iter_rows():
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
