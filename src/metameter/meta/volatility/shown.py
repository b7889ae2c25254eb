"""The tables of `volatility` for the eye: curves have far more rows than anybody reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metameter.meta.volatility.depths import thinned

if TYPE_CHECKING:
    import polars as pl

__all__ = ["shown"]

_DEPTHS = 8
_SUMMARY = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "crossings", "falls", "range"),
    *("drift", "residual", "discriminated", "lost", "reversed"),
)


def shown(tables: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    """A table for the eye: of the curves the marked systems at a few depths; of the summary a few depths."""
    import polars as pl

    table = tables[name]
    if name not in ("volatility", "volatility_summary"):
        return table
    few = thinned(table["depth"].unique().sort().to_list(), _DEPTHS)
    table = table.filter(pl.col("depth").is_in(few))
    if name == "volatility_summary":
        return table.select(each for each in _SUMMARY if table[each].is_not_null().any())
    # A system may be the best and the first quartile, if there are few.
    marks = tables["marked"].group_by("metric", "condensed", "system", maintain_order=True).agg(pl.col("mark").first())
    marked = marks.join(table, on=["metric", "condensed", "system"], how="inner", maintain_order="left")
    wide = marked.pivot("depth", index=["metric", "condensed", "mark", "system"], values="score", maintain_order=True)
    return wide.rename({str(depth): f"@{depth}" for depth in few})
