"""The charts of `satisfaction`: Table 4 of Moffat et al. (2022) as a heat map, all metrics in order, their Figure 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.charts import agreement_charts, contrasting_metrics

if TYPE_CHECKING:
    import polars as pl


_MAP = "How well do metrics agree with people's satisfaction? Kendall's tau_b"
_ORDER = "Agreement with satisfaction: share of pairs of pages ordered as users do (ties half), with 95% intervals"
_HOW = (
    "Each line: of the pages that people gave this level of satisfaction, the share that scores no more than this. The "
    "further apart the lines, and the lower those of satisfied people, the better the metric tells the levels apart."
)


def satisfaction_charts(table: pl.DataFrame, levels: pl.DataFrame, reference: str | None = None) -> dict[str, Any]:
    """All charts by name, the most important first.

    Parameters
    ----------
    table, levels : polars.DataFrame
        The tables ``satisfaction`` and ``satisfaction_levels``.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    charts = agreement_charts("satisfaction", table, reference, map_title=_MAP, order_title=_ORDER)
    chart = levels_chart(table, levels)
    return charts if chart is None else {**charts, "satisfaction_levels": chart}


def levels_chart(table: pl.DataFrame, levels: pl.DataFrame) -> Any:
    """The best metric, and what it is compared with: the scores of pages at each level of satisfaction.

    Parameters
    ----------
    table, levels : polars.DataFrame
        The tables ``satisfaction`` and ``satisfaction_levels``.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has a value.
    """
    import polars as pl

    from metameter.view.charts.bars import level_steps

    rows, which = one_collection(levels)
    names = [name for name in contrasting_metrics(table) if name in set(rows["metric"])]
    if not names:
        return None
    figures = dict(one_collection(table)[0].select("metric", "concordance").rows())
    panes = [
        rows.filter(rows["metric"] == name).with_columns(pane=pl.lit(f"{name}: concordance {figures[name]:.3f}"))
        for name in names
    ]
    return level_steps(
        pl.concat(panes).select("pane", "satisfaction", "score", "share", "pages"),
        *("score", "share", "satisfaction", "pane", ("pages",)),
        title="What do pages score that people are more, or less, satisfied with?",
        below=[" ".join(filter(None, [_HOW, which]))],
        titles=("score of the page by the metric", "share of the level's pages", "satisfaction"),
    )
