"""The charts of `compare`: means with their groups, differences, differences topic by topic, convergence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.metric_groups import group_of
from metameter.stats.significance.compact_letter_display import sharing

if TYPE_CHECKING:
    import polars as pl


_MOST_METRICS, _MOST_SYSTEMS = 12, 40
#: The most systems of a chart of means.
_MOST_ROWS = 30
_LOWEST, _HIGHEST = "lowest not different", "highest not different"


def metric_charts(tables: Mapping[str, pl.DataFrame], baseline: tuple[str, ...], alpha: float) -> dict[str, Any]:
    """Return the charts of each metric, for the first twelve metrics: ``compare``, ..., ``compare_2``, ...

    Parameters
    ----------
    tables : dict of polars.DataFrame
        ``compare``, ``compare_topics`` and, if there are baselines, ``compare_baseline``, whose charts come first.
    baseline : tuple of str
    alpha : float
    """
    means, topics = tables["compare"], tables["compare_topics"]
    charts: dict[str, Any] = {}
    for number, metric in enumerate(means["metric"].unique(maintain_order=True).to_list()[:_MOST_METRICS]):
        suffix = f"_{number + 1}" if number else ""
        if baseline:
            charts[f"compare_baseline{suffix}"] = _difference_chart(tables["compare_baseline"], metric, baseline, alpha)
        charts[f"compare{suffix}"] = mean_chart(means, metric, baseline, alpha)
        charts[f"compare_topics{suffix}"] = _topic_chart(topics, means, metric)
    return charts


def mean_chart(means: pl.DataFrame, metric: str, baseline: tuple[str, ...], alpha: float) -> Any:
    """Means with their intervals, best first; a light bar behind spans the means that are not shown to differ.

    Of many systems the best are drawn, and the baselines.
    """
    import polars as pl

    from metameter.view.charts import ordered_intervals

    frame = means.filter(pl.col("metric") == metric)
    known = frame["group"].null_count() == 0
    if known:
        alike, mean = sharing(frame["group"].to_list()), frame["mean"].to_numpy()
        lowest, highest = (part(np.where(alike, mean, np.nan), axis=1) for part in (np.nanmin, np.nanmax))
        frame = frame.with_columns(pl.Series(_LOWEST, lowest), pl.Series(_HIGHEST, highest))
    some = frame.filter((pl.col("rank") <= _MOST_ROWS) | pl.col("system").is_in(list(baseline)))
    of = f"the {_MOST_ROWS} best of {frame.height} systems" if some.height < frame.height else "systems"
    below = [
        f"Line: {100 * (1 - alpha):g}% interval of the mean over topics.",
        *(["Grey bar: from the lowest to the highest mean that is not shown to differ."] if known else []),
        *([f"In black: {' and '.join(baseline)}."] if baseline else []),
    ]
    return ordered_intervals(
        some,
        *("system", "mean", "low", "high"),
        highlight=baseline,
        title=f"{metric}: {of} by mean score",
        band=(_LOWEST, _HIGHEST) if known else None,
        hover=("rank", *(["not_different_from"] if known else [])),
        below=below,
    )


def _difference_chart(compared: pl.DataFrame, metric: str, baseline: tuple[str, ...], alpha: float) -> Any:
    """Differences from the baselines with their intervals."""
    import polars as pl

    from metameter.view.charts import ordered_intervals

    frame = compared.filter(pl.col("metric") == metric)
    label = pl.col("system") if len(baseline) == 1 else pl.format("{} against {}", "system", "baseline")
    frame = frame.with_columns(label.alias("compared"))
    significant = frame.filter(pl.col("p") < alpha)["compared"].to_list()
    title = f"{metric}: difference from {' and '.join(baseline)}, with its interval; in black where significant"
    # If none differs, highlight a name that no system has, so that all bars stay grey.
    highlight = significant or ("",)
    columns = ("compared", "difference", "low", "high")
    return ordered_intervals(frame, *columns, highlight=highlight, title=title, within=(0.0,))


def _topic_chart(topics: pl.DataFrame, means: pl.DataFrame, metric: str) -> Any:
    """Differences from the first baseline, topic by topic: bars of one system, squares of the best of several."""
    import polars as pl

    from metameter.view.charts import heat_map, signed_bars

    frame = topics.filter(pl.col("metric") == metric)
    baseline = frame["baseline"][0]
    frame = frame.filter(pl.col("baseline") == baseline)
    if frame["system"].n_unique() == 1:
        title = f"{metric}: {frame['system'][0]} minus {baseline}, topic by topic"
        titles = (f"{frame.height:,} topics", "difference")
        return signed_bars(frame, "topic", "delta", ("score",), title=title, titles=titles)
    best = means.filter(pl.col("metric") == metric)["system"].head(_MOST_SYSTEMS + 1).implode()
    title = f"{metric}: score minus that of {baseline}, topic by topic"
    return heat_map(frame.filter(pl.col("system").is_in(best)), "topic", "system", "delta", title=title, thin=True)


def convergence_chart(table: pl.DataFrame) -> Any:
    """The share of significant pairs after increasing numbers of trials, one panel per browsing model."""
    import polars as pl

    from metameter.view import charts

    panel = pl.Series("panel", [group_of(metric) for metric in table["metric"]])
    columns = ("trials", "power", "power_error", "metric", "panel")
    title = "Share of pairs that differ significantly, after increasing numbers of trials"
    return charts.convergence(table.with_columns(panel), *columns, title=title, colours=aggregation_colours)
