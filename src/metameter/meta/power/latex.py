"""The table of `power` as papers print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.view.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

__all__ = ["paper_table"]

_HEADINGS = {
    "metric": "Metric",
    "pairs": "Pairs",
    "significant": "Significant",
    "power": "Power",
    "required_difference": "Required",
    "agreement": "Agreement",
}


def paper_table(table: pl.DataFrame, test: str) -> str:
    """The metrics without errors and shares, and without columns that have nothing in them.

    Parameters
    ----------
    table : polars.DataFrame
        ``power``.
    test : str
        Which test, on how many topics and pairs: the first of the notes.
    """
    headings = {name: heading for name, heading in _HEADINGS.items() if table[name].is_not_null().any()}
    caption = f"Discriminative power: the share of pairs of systems that differ significantly. {test}"
    if "required_difference" in headings:
        caption += " Required: the difference in means that the test requires."
    text = to_latex(table, caption, "tab:power", headings)
    return text.replace(r"\begin{tabular}", "\\small\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}", 1)
