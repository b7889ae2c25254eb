"""The tables of `recommend` in the columns that people read, and as LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.view.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

__all__ = ["paper_table", "readable_columns"]

# Table -> column -> its heading in a paper. The words stand in the answer; Monte-Carlo errors are for programs.
_HEADINGS = {
    "recommendation": {
        "metric": "metric",
        "verdict": "verdict",
        "close_call": "close call",
        "canonical": "reference",
        "tau_to_canonical": "tau",
        "consistency_difference": "consistency",
        "consistency_low": "low",
        "consistency_high": "high",
        "power_difference": "power",
        "power_low": "low",
        "power_high": "high",
    },
    "metrics": {
        "metric": "metric",
        "standing": "standing",
        "top_share": "top share",
        "consistency": "consistency",
        "consistency_group": "group",
        "power": "power",
        "power_group": "group",
        "front": "front",
        "beats": "beats",
        "beaten_by": "beaten by",
        "judged": "judged",
    },
    "recommendation_terciles": {name: name for name in ("metric", "tercile", "topics", "mean_tau", "power")},
}


def readable_columns(name: str) -> list[str]:
    """The columns of a table that people read."""
    return list(_HEADINGS[name])


def paper_table(name: str, frame: pl.DataFrame) -> str:
    """A table as LaTeX, three decimals."""
    return to_latex(frame, columns=_HEADINGS[name], digits=3)
