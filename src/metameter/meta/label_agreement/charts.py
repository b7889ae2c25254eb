"""The charts that satisfaction and preference share: tables as heat maps, metrics in order, the two that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.tables import SAME, meanings, products, squares

if TYPE_CHECKING:
    import polars as pl


_TOLD = ("concordance", "ties", "low", "high", "p", "canonical", "difference", "difference_low", "difference_high")
_FURTHER = ("p_vs_canonical", "p_table", "close_call", "beats", "beaten_by")
_GRID = "Rows: browsing models. Columns: aggregations."
_OTHER = "other metrics"


def agreement_map(table: pl.DataFrame, title: str, reference: str | None = None) -> Any:
    """Tables 4 and 5 of Moffat et al. (2022): browsing models down, aggregations across, tau_b with marks.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``; of several collections one is shown, and the chart says which.
        Metrics without a browsing model have no square; the chart says how many there are.
    title : str
    reference : str, optional
        What all metrics are held against, where that is not the canonical metric of each row.
    """
    from metameter.view.charts.heat_maps import heat_table

    rows, which = one_collection(table)
    made = squares(rows, reference)
    told = [name for name in (*_TOLD, *_FURTHER) if name in made.columns and made[name].is_not_null().any()]
    columns = ("browse", "aggregate", "tau_b", "written", "mark", "best", "metric", "class")
    below = [_GRID, *_legend(made, reference), *_elsewhere(rows), which]
    return heat_table(
        made.select(*columns, *told),
        *("aggregate", "browse", "tau_b", "written", "mark", "best", ("metric", "class", *told)),
        title=title,
        below=[" ".join(filter(None, below))],
    )


def _legend(made: pl.DataFrame, reference: str | None) -> list[str]:
    """What the marks mean that are there."""
    marks, classes = ([f"{sign}: {text}." for sign, text in told.items()] for told in meanings(made, reference))
    return [*marks, *["Framed: the highest of its row."] * bool(made["best"].any()), *classes]


def _elsewhere(rows: pl.DataFrame) -> list[str]:
    left = rows.height - products(rows).height
    return [f"Without a browsing model, and in the next chart only: {left}."] if left else []


def agreement_order(table: pl.DataFrame, title: str, reference: str | None = None) -> Any:
    """All metrics in order of concordance, with intervals; those that others are held against are stars.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``. A metric without a value has a row without a dot.
    title : str
    reference : str, optional
        What all metrics are held against, where that is not the canonical metric of each row.
    """
    import polars as pl

    from metameter.view.charts import ordered_intervals

    rows, which = one_collection(table)
    held = [row["metric"] == row["canonical"] for row in rows.iter_rows(named=True)]
    series = [row["aggregate"] if row["browse"] and row["aggregate"] else _OTHER for row in rows.iter_rows(named=True)]
    kind = " (canonical)" if reference is None else " (reference)"
    labels = [_label(row, kind * star) for row, star in zip(rows.iter_rows(named=True), held, strict=True)]
    named = (pl.Series("metric", labels, dtype=pl.String), pl.Series("aggregation", series, dtype=pl.String))
    return ordered_intervals(
        rows.select(*named, pl.col("concordance").fill_nan(None), "concordance_low", "concordance_high"),
        *("metric", "concordance", "concordance_low", "concordance_high"),
        title=" ".join(filter(None, [title, which])),
        series="aggregation" if set(series) != {_OTHER} else None,
        colours=aggregation_colours,
        reference=[label for label, star in zip(labels, held, strict=True) if star],
    )


def _label(row: dict[str, Any], kind: str) -> str:
    if row["concordance"] is None:
        return f"{row['metric']}: {row['class']}"
    return f"{row['metric']}{kind}"


def contrasted(table: pl.DataFrame) -> list[str]:
    """The two metrics that are shown side by side: what the best one is held against, and the best one.

    If the best is held against nothing, or is no better than what it is held against, the first is the next
    best with another value.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["RR*ERR", "RR*max", "RR*fin"], "concordance": [0.57, 0.74, 0.74],
    ...                       "canonical": ["RR*ERR"] * 3})
    >>> contrasted(frame), contrasted(frame.with_columns(canonical=pl.lit(None)))
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
