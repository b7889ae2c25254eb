"""The tables of `volatility` for the eye: curves have far more rows than anybody reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metameter.meta.volatility.depths import thinned

if TYPE_CHECKING:
    import polars as pl

__all__ = ["final_depth", "shown", "unshown_depths"]

_DEPTHS, _MOST_NAMED = 8, 5
_SUMMARY = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "crossings", "falls", "range"),
    *("drift", "residual", "discriminated", "lost", "reversed"),
)


def shown(tables: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    """A table for the eye: of the curves the marked systems at a few depths; of the summary a few depths.

    Of settled depths, tau at the pool depth only where there is one.
    """
    import polars as pl

    table = tables[name]
    if name == "volatility_settled":
        return table.select(each for each in table if each.name != "tau_at_pool_depth" or each.is_not_null().any())
    if name not in ("volatility", "volatility_summary"):
        return table
    few = thinned(_depths(table), _DEPTHS)
    table = table.filter(pl.col("depth").is_in(few))
    if name == "volatility_summary":
        return table.select(each for each in _SUMMARY if table[each].is_not_null().any())
    # A system may be the best and the first quartile, if there are few.
    marks = tables["marked"].group_by("metric", "condensed", "system", maintain_order=True).agg(pl.col("mark").first())
    marked = marks.join(table, on=["metric", "condensed", "system"], how="inner", maintain_order="left")
    wide = marked.pivot("depth", index=["metric", "condensed", "mark", "system"], values="score", maintain_order=True)
    return wide.rename({str(depth): f"@{depth}" for depth in few})


def unshown_depths(tables: Mapping[str, pl.DataFrame], name: str) -> str:
    """How many depths of a table are not for the eye, and of a few which.

    Examples
    --------
    >>> import polars as pl
    >>> curves = pl.DataFrame({"depth": [1, 2, 3, 5, 10, 20, 30, 40, 50]})
    >>> unshown_depths({"volatility": curves}, "volatility")
    '1 more depth (40)'
    """
    if name not in ("volatility", "volatility_summary"):
        return ""
    every = _depths(tables[name])
    few = thinned(every, _DEPTHS)
    left = [str(depth) for depth in every if depth not in few]
    named = f" ({', '.join(left)})" if len(left) <= _MOST_NAMED else ""
    return f"{len(left):,} more depth{'s' * (len(left) > 1)}{named}" if left else ""


def final_depth(tables: Mapping[str, pl.DataFrame]) -> str:
    """The column of the depth to which the marks refer."""
    return f"@{_depths(tables['volatility'])[-1]}"


def _depths(table: pl.DataFrame) -> list[int]:
    depths: list[int] = table["depth"].unique().sort().to_list()
    return depths
