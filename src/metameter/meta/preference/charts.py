"""The charts of `preference`: Table 5 of Moffat et al. (2022) as a heat map, all metrics in order, their Figure 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.charts import agreement_charts, contrasting_metrics

if TYPE_CHECKING:
    import polars as pl


_MAP = "How well do metrics agree with which page people prefer? Kendall's tau_b"
_ORDER = "Agreement with preferences: share of preferences that scores agree with (ties half), with 95% intervals"
_HOW = (
    "People saw two pages, A and B. A metric that knows what they prefer has only B at the right end, only A at the "
    "left end. Bars are as wide as their ranges of differences; grey bars below show how many pairs each has."
)
_SHARES = (("prefer_b", "B preferred"), ("neither", "neither"), ("prefer_a", "A preferred"))


def preference_charts(table: pl.DataFrame, shares: pl.DataFrame, reference: str | None = None) -> dict[str, Any]:
    """All charts by name, the most important first.

    Parameters
    ----------
    table, shares : polars.DataFrame
        The tables ``preference`` and ``preference_shares``.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    charts = agreement_charts("preference", table, reference, map_title=_MAP, order_title=_ORDER)
    chart = shares_chart(table, shares)
    return charts if chart is None else {**charts, "preference_shares": chart}


def shares_chart(table: pl.DataFrame, shares: pl.DataFrame) -> Any:
    """The best metric, and what it is compared with: which page people prefer, along the difference in score.

    Parameters
    ----------
    table, shares : polars.DataFrame
        The tables ``preference`` and ``preference_shares``.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has a value.
    """
    import polars as pl

    from metameter.view.charts.bars import share_bars

    rows, which = one_collection(shares)
    names = [name for name in contrasting_metrics(table) if name in set(rows["metric"])]
    if not names:
        return None
    return share_bars(
        pl.concat([rows.filter(rows["metric"] == name) for name in names]),
        ("low", "high"),
        _SHARES,
        *("pairs", "metric"),
        title="Which of two pages do people prefer, by how much higher one scores?",
        below=[" ".join(filter(None, [_HOW, which]))],
        titles=("score of B less score of A", "share of the pairs"),
    )
