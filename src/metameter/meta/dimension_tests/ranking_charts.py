"""How metrics rank, by intuitiveness or unanimity: along the iterations of sessions, or at the only one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.table_rows import ALL, iterations_of, one_collection

if TYPE_CHECKING:
    import polars as pl


_LINES = (
    "Rank 1 is the best; joined dots share a rank. A click on a line picks its metric out in all panels; pointing at a "
    "dot tells more."
)
_BEST = "Rank 1 is the best."
_RANGES = "Lines: the middle 95% of the ranks over resampled topics."


def ranking_chart(ranking: pl.DataFrame, title: str) -> Any:
    """A line per metric along the iterations, a panel per set of simple metrics; dots with ranges if there is but one.

    Parameters
    ----------
    ranking : polars.DataFrame
        The table ``intuitiveness_ranking`` or ``unanimity_ranking``; ``collection``, ``rank_low`` and ``rank_high`` may
        be missing. The ranks over all collections are shown, if there are such rows; else those of the first.
    title : str
    """
    import polars as pl

    from metameter.view.charts import bump, rank_intervals

    rows, which = one_collection(ranking)
    iterations = iterations_of(rows)
    known = "rank_low" in rows.columns and rows["rank_low"].is_not_null().any()
    low, high = ("rank_low", "rank_high") if known else (None, None)
    ends = ["rank_low", "rank_high"] if known else []
    if len(iterations) < 2:
        below = " ".join(filter(None, [_BEST, _RANGES if known else "", which]))
        return rank_intervals(rows, "metric", "rank", low, high, "simple", ("wins",), title=title, below=[below])
    place = {iteration: number for number, iteration in enumerate(iterations)}
    ordered = rows.sort(pl.col("iteration").replace_strict(place), maintain_order=True)
    ordered = ordered.sort(_places(rows), maintain_order=True)
    return bump(
        ordered.select("simple", "iteration", "metric", "rank", "wins", *ends),
        *("iteration", "rank", "metric", "simple", ("wins", *ends)),
        apart=ALL,
        title=title,
        below=[" ".join([_LINES, which]).strip()],
        colours=_colours,
    )


def _places(rows: pl.DataFrame) -> pl.Expr:
    import polars as pl

    names = rows["simple"].unique(maintain_order=True).to_list()
    return pl.col("simple").replace_strict({name: number for number, name in enumerate(names)})


def _colours(names: Sequence[str]) -> list[str] | None:
    """Those of their aggregations, where each metric is a product with one of its own."""
    from metameter.view.charts.theme import PALETTE

    found = aggregation_colours([name.rpartition("*")[2].partition("@")[0] for name in names])
    whole = all("*" in name for name in names) and len(set(found)) == len(found) and set(found) <= set(PALETTE)
    return found if whole else None
