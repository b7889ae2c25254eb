"""Agreement with satisfaction as Table 4 of Moffat et al. (2022) prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.label_agreement.latex import agreement_latex
from metameter.meta.label_agreement.text import CANONICAL_ONLY, Held
from metameter.view.escape import escape_latex

if TYPE_CHECKING:
    import polars as pl


def satisfaction_latex(table: pl.DataFrame, about: str = "", held: Held = CANONICAL_ONLY) -> str:
    r"""Browsing models down, aggregations across; metrics without a browsing model as a list.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction``.
    about : str
        What the caption says of the data and the parameters, as plain text.
    held : Held
        What metrics are held against, and by which test.
    """
    caption = r"Correlation (Kendall's $\tau_b$) of metric scores with people's satisfaction with the page."
    whole = " ".join(filter(None, [caption, escape_latex(about and about.rstrip(".") + ".")]))
    return agreement_latex(table, whole, "tab:satisfaction", held)
