"""Tables and sentences as HTML, for a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from metameter.view.cells import is_number, rounded
from metameter.view.escape import escape_html

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_ROWS", "html_table", "paragraphs"]

MOST_ROWS = 60


def html_table(frame: pl.DataFrame, total: int | None = None) -> str:
    """A table without types and with rounded numbers; of a long one the first 60 rows, and how many more there are.

    Parameters
    ----------
    frame : polars.DataFrame
    total : int, optional
        How many rows there are in all, if not all of them were given.

    Examples
    --------
    >>> import polars as pl
    >>> print(html_table(pl.DataFrame({"system": ["<b>"], "mean": [2 / 3]})))
    <div style="overflow-x: auto"><table>
    <thead><tr><th style="text-align: left">system</th><th style="text-align: right">mean</th></tr></thead>
    <tbody>
    <tr><td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">0.6667</td></tr>
    </tbody></table></div>
    """
    sides = ["right" if number else "left" for number in is_number(frame)]
    rows = "\n".join(_row("td", values, sides) for values in frame.head(MOST_ROWS).iter_rows())
    table = f"<table>\n<thead>{_row('th', frame.columns, sides)}</thead>\n<tbody>\n{rows}\n</tbody></table>"
    left = (total or frame.height) - MOST_ROWS
    more = f"<p>and {left:,} more row{'s' * (left > 1)}</p>" if left > 0 else ""
    return f'<div style="overflow-x: auto">{table}</div>{more}'


def paragraphs(sentences: Iterable[str]) -> str:
    """Each sentence a paragraph.

    Examples
    --------
    >>> paragraphs(["a < b", ""])
    '<p>a &lt; b</p>'
    """
    return "".join(f"<p>{escape_html(sentence)}</p>" for sentence in sentences if sentence)


def _row(tag: str, values: Iterable[Any], sides: list[str]) -> str:
    pairs = zip(values, sides, strict=True)
    cells = (f'<{tag} style="text-align: {side}">{escape_html(rounded(value))}</{tag}>' for value, side in pairs)
    return f"<tr>{''.join(cells)}</tr>"
