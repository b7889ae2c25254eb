"""The tables of `consistency`: every metric, every pair of metrics, and how the means converged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.groups import is_canonical, pairs_within
from metameter.parallel import Workers
from metameter.stats.monte_carlo import bound_errors, mean_error, running

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["convergence_rows", "metric_rows", "pair_rows", "tukey_over_splits"]


def tukey_over_splits(
    taus: Floats, found: dict[str, list[int]], trials: int, seed: int, jobs: int | Workers | None
) -> dict[str, Floats]:
    """P-values of the pairs of metrics of each group: the paper's test, with splits for topics, metrics for systems.

    Groups of one size share the shuffles, and the work of drawing them.

    Examples
    --------
    >>> taus = np.random.default_rng(0).random((50, 3)) + [0.0, 0.0, 1.0]
    >>> tukey_over_splits(taus, {"a": [0, 2], "b": [1]}, trials=100, seed=0, jobs=1)
    {'a': array([0.])}
    """
    from metameter.stats import randomised_tukey

    pvalues: dict[str, Floats] = {}
    for size in {len(members) for members in found.values()} - {1}:
        alike = [group for group, members in found.items() if len(members) == size]
        stacked = np.stack([taus[:, found[group]] for group in alike])
        result = randomised_tukey(stacked, trials=trials, seed=seed, jobs=jobs)
        pvalues |= dict(zip(alike, result.pvalue, strict=True))
    return pvalues


def about_observed(resampled: Floats, observed: Floats) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The central 95% of the resampled values, moved onto the observed one; and the Monte-Carlo error of its ends.

    A resample holds about 63% of the topics: its halves agree less than those of all topics, and where two metrics
    lose unequally, their difference moves too. That shift is known and no uncertainty, so it is taken out.

    Examples
    --------
    >>> ends, _ = about_observed(np.arange(201.0)[:, None], np.array([0.0]))
    >>> ends["low"], ends["high"]
    (array([-95.]), array([95.]))
    """
    from metameter.stats import percentile_interval

    if not resampled.size:
        empty = np.full_like(observed, np.nan)
        return {"low": empty, "high": empty}, {"low_se": empty, "high_se": empty}
    shift = observed - resampled.mean(axis=0)
    low, high = percentile_interval(resampled)
    low_se, high_se = bound_errors(resampled)
    return {"low": low + shift, "high": high + shift}, {"low_se": low_se, "high_se": high_se}


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
    ends, errors = about_observed(resampled[:, first] - resampled[:, second], each.mean(axis=0))
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
    ends, errors = about_observed(resampled[:, order], mean)
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

    splits, means, errors = running(taus)
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
