"""The charts that satisfaction and preference share: a heat map of products, and all metrics in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.tables import SAME, is_table, meanings, products, table_cells

if TYPE_CHECKING:
    import polars as pl


_TOOLTIP = (
    *("concordance", "ties", "low", "high", "p", "canonical", "difference", "difference_low", "difference_high"),
    *("p_vs_canonical", "p_table", "close_call", "beats", "beaten_by"),
)
_GRID = "Rows: browsing models. Columns: aggregations."
_OTHER = "other metrics"


def agreement_charts(
    name: str, table: pl.DataFrame, reference: str | None = None, *, map_title: str, order_title: str
) -> dict[str, Any]:
    """The heat map of the products, if they form a table, and all metrics in order of concordance.

    Parameters
    ----------
    name : str
        ``satisfaction`` or ``preference``.
    table : polars.DataFrame
        The table of this name.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    map_title, order_title : str
    """
    is_map = is_table(one_collection(table)[0])
    charts = {name: agreement_map(table, map_title, reference)} if is_map else {}
    return {**charts, f"{name}_order": agreement_order(table, order_title, reference)}


def agreement_map(table: pl.DataFrame, title: str, reference: str | None = None) -> Any:
    """Tables 4 and 5 of Moffat et al. (2022): browsing models down, aggregations across, tau_b with marks.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``; of several collections one is shown, and the chart says which.
        Metrics without a browsing model have no square; the chart says how many there are.
    title : str
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    from metameter.view.charts.heat_maps import heat_table

    rows, which = one_collection(table)
    cells = table_cells(rows, reference)
    tooltip = [name for name in _TOOLTIP if name in cells.columns and cells[name].is_not_null().any()]
    columns = ("browse", "aggregate", "tau_b", "written", "mark", "best", "metric", "class")
    below = [_GRID, *_legend(cells, reference), *_elsewhere(rows), which]
    return heat_table(
        cells.select(*columns, *tooltip),
        *("aggregate", "browse", "tau_b", "written", "mark", "best", ("metric", "class", *tooltip)),
        title=title,
        below=[" ".join(filter(None, below))],
    )


def _legend(cells: pl.DataFrame, reference: str | None) -> list[str]:
    """The meanings of the marks that occur."""
    marks, classes = ([f"{sign}: {text}." for sign, text in texts.items()] for texts in meanings(cells, reference))
    return [*marks, *["Framed: the highest of its row."] * bool(cells["best"].any()), *classes]


def _elsewhere(rows: pl.DataFrame) -> list[str]:
    left = rows.height - products(rows).height
    return [f"Without a browsing model, and in the next chart only: {left}."] if left else []


def agreement_order(table: pl.DataFrame, title: str, reference: str | None = None) -> Any:
    """All metrics in order of concordance, with intervals; stars mark those that others are compared with.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``. A metric without a value has a row without a dot.
    title : str
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    import polars as pl

    from metameter.view.charts import ordered_intervals

    rows, which = one_collection(table)
    stars = [row["metric"] == row["canonical"] for row in rows.iter_rows(named=True)]
    series = [row["aggregate"] if row["browse"] and row["aggregate"] else _OTHER for row in rows.iter_rows(named=True)]
    kind = " (canonical)" if reference is None else " (reference)"
    labels = [_label(row, kind * star) for row, star in zip(rows.iter_rows(named=True), stars, strict=True)]
    named = (pl.Series("metric", labels, dtype=pl.String), pl.Series("aggregation", series, dtype=pl.String))
    return ordered_intervals(
        rows.select(*named, pl.col("concordance").fill_nan(None), "concordance_low", "concordance_high"),
        *("metric", "concordance", "concordance_low", "concordance_high"),
        title=" ".join(filter(None, [title, which])),
        series="aggregation" if set(series) != {_OTHER} else None,
        colours=aggregation_colours,
        reference=[label for label, star in zip(labels, stars, strict=True) if star],
    )


def _label(row: dict[str, Any], kind: str) -> str:
    if row["concordance"] is None:
        return f"{row['metric']}: {row['class']}"
    return f"{row['metric']}{kind}"


def contrasting_metrics(table: pl.DataFrame) -> list[str]:
    """The two metrics that stand side by side: the one that the best is compared with, and the best.

    If the best is compared with nothing, or is no better than its reference, the first is the next best with another
    value.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["RR*ERR", "RR*max", "RR*fin"], "concordance": [0.57, 0.74, 0.74],
    ...                       "canonical": ["RR*ERR"] * 3})
    >>> contrasting_metrics(frame), contrasting_metrics(frame.with_columns(canonical=pl.lit(None)))
    (['RR*ERR', 'RR*max'], ['RR*ERR', 'RR*max'])
    """
    import polars as pl

    rows, _ = one_collection(table)
    known = rows.filter(pl.col("concordance").is_not_null() & pl.col("concordance").is_not_nan())
    known = known.sort("concordance", descending=True, maintain_order=True)
    ordered = known.select("metric", "canonical", "concordance").rows()
    if not ordered:
        return []
    best, against, value = ordered[0]
    figures = {name: figure for name, _, figure in ordered}
    if against in figures and value - figures[against] > SAME:
        return [against, best]
    # ETG is often ERG times a constant: two panes of the same would show nothing.
    best = against if against in figures else best
    others = [name for name in figures if value - figures[name] > SAME] or [name for name in figures if name != best]
    return [*others[:1], best]
