"""The charts of `compare`, of one metric each: means with their groups, differences, differences topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.convergence import convergence_chart
from metameter.meta.groups import group_of
from metameter.stats.letters import shortened

if TYPE_CHECKING:
    import polars as pl

__all__ = ["difference_chart", "mean_chart", "settling_chart", "topic_chart"]

_MOST_SYSTEMS = 40


def mean_chart(means: pl.DataFrame, metric: str, baseline: tuple[str, ...], alpha: float) -> Any:
    """Means with their intervals and groups, best first."""
    import polars as pl

    from metameter.view.charts import ordered_intervals

    frame = means.filter(pl.col("metric") == metric)
    # The builder colours few groups and writes many beside the rows, where long lists of letters need the room.
    short = pl.Series("group", [shortened(group) for group in frame["group"]])
    group = "group" if short.n_unique() > 1 and frame.height > 1 else None
    title = (
        f"{metric}: mean and {100 * (1 - alpha):g}% interval over topics; "
        "systems that share a letter do not differ significantly"
    )
    columns = ("system", "mean", "low", "high", group, baseline)
    return ordered_intervals(frame.with_columns(short), *columns, title=title)


def difference_chart(pairs: pl.DataFrame, metric: str, baseline: str, alpha: float) -> Any:
    """Differences from the baseline with their intervals."""
    import polars as pl

    from metameter.view.charts import ordered_intervals

    frame = pairs.filter(pl.col("metric") == metric)
    found = frame.filter(pl.col("p") < alpha)["system_a"].to_list()
    title = f"{metric}: difference from {baseline}, with its interval; in colour where significant"
    # A name that no system has keeps all of them grey when none differs.
    highlight = found or ("",)
    return ordered_intervals(frame, "system_a", "difference", "low", "high", None, highlight, title=title)


def topic_chart(topics: pl.DataFrame, means: pl.DataFrame, metric: str) -> Any:
    """Differences from the first baseline, topic by topic, of the best systems."""
    import polars as pl

    from metameter.view.charts import heat_map

    frame = topics.filter(pl.col("metric") == metric)
    frame = frame.filter(pl.col("baseline") == frame["baseline"][0])
    best = means.filter(pl.col("metric") == metric)["system"].head(_MOST_SYSTEMS + 1).implode()
    title = f"{metric}: score minus that of {frame['baseline'][0]}, topic by topic"
    return heat_map(frame.filter(pl.col("system").is_in(best)), "topic", "system", "delta", title=title)


def settling_chart(table: pl.DataFrame) -> Any:
    """How the share of pairs that differ settled, a panel a browsing model."""
    import polars as pl

    panel = pl.Series("panel", [group_of(metric) for metric in table["metric"]])
    columns = ("trials", "power", "power_error", "metric", "panel")
    title = "Share of pairs that differ significantly, after the first so many trials"
    return convergence_chart(table.with_columns(panel), *columns, title=title)
