"""Column names: as headings, by what they hold, and which of them are published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


_LABELS = {"judged_at_10": "judged@10", "canonical": "compared with"}
_ERRORS = ("_se", "_error")
_OURS = re.compile("[a-z0-9_]+")


def heading(column: str) -> str:
    """A column's name with spaces for underscores; the name of a metric is unchanged.

    Examples
    --------
    >>> heading("mean_tau"), heading("judged_at_10"), heading("power_interval_row"), heading("alpha_nDCG@10")
    ('mean tau', 'judged@10', 'power interval, alone', 'alpha_nDCG@10')
    """
    text = _LABELS.get(column) or (column.replace("_", " ") if _OURS.fullmatch(column) else column)
    return f"{text.removesuffix(' row')}, alone" if text.endswith(" row") else text


def is_error(column: str) -> bool:
    """Whether a column holds Monte-Carlo errors, which a report hides at first.

    Examples
    --------
    >>> is_error("power_error"), is_error("se"), is_error("p")
    (True, True, False)
    """
    return column == "se" or column.endswith(_ERRORS)


def other_end(column: str, end: str, other: str) -> str:
    """The name of the column with the other end of an interval; empty if this column is not an end of one.

    Examples
    --------
    >>> other_end("power_low_row", "low", "high"), other_end("slow", "low", "high")
    ('power_high_row', '')
    """
    changed = re.sub(rf"(?<![a-z]){end}(?![a-z])", other, column)
    return changed if changed != column else ""


def label_of(name: str) -> str:
    """The name of a table, a chart or a fact as a heading.

    Examples
    --------
    >>> label_of("consistency_pairs"), label_of("judged_at_10")
    ('Consistency pairs', 'Judged@10')
    """
    text = heading(name)
    return text[:1].upper() + text[1:]


def printed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A table without its columns of Monte-Carlo errors, for Markdown and LaTeX; tables of convergence keep them.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"trials": [100], "power": [0.5], "power_error": [0.05]})
    >>> printed("power", frame).columns, printed("power_convergence", frame).columns
    (['trials', 'power'], ['trials', 'power', 'power_error'])
    """
    errors = [] if name.endswith("convergence") else [column for column in frame.columns if is_error(column)]
    return frame.drop(errors)
