"""Tables and sentences as HTML, for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.escape import escape_html
from metameter.view.tables.cells import is_number, rounded

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn


MOST_ROWS = 60


def html_table(frame: pl.DataFrame, total: int | None = None, marks: MarkedColumn | None = None) -> str:
    """A table with rounded numbers; of a long one the first 60 rows and the number of the others.

    Parameters
    ----------
    frame : polars.DataFrame
    total : int, optional
        How many rows there are in all, if not all of them are in the frame.
    marks : MarkedColumn, optional
        The column whose labels have marks; the marks of some rows are hollow.

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
    rows = "\n".join(
        _row("td", _marked(values, frame.columns, marks), sides) for values in frame.head(MOST_ROWS).iter_rows()
    )
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


def _marked(values: Sequence[Any], columns: Sequence[str], marks: MarkedColumn | None) -> list[Any]:
    """A row in which the label of a marked column has its shape and colour, and words where the mark is hollow."""
    row = dict(zip(columns, values, strict=True))
    style = None if marks is None else marks.styles.get(str(row.get(marks.name)))
    if marks is None or style is None:
        return list(values)
    hollow = bool(row.get(marks.hollow))
    fill = f'fill="{"none" if hollow else style.colour}" stroke="{style.colour}" stroke-width="{0.4 if hollow else 0}"'
    path = f'<path d="{style.shape}" {fill}/>'
    mark = f'<svg width="10" height="10" viewBox="-1.35 -1.35 2.7 2.7" aria-hidden="true">{path}</svg>'
    text = f" ({marks.hollow_text})" if hollow else ""
    return [*({**row, marks.name: _Html(f"{mark} {escape_html(style.name)}{text}")}).values()]


class _Html(str):
    """Text that is HTML already."""


def _row(tag: str, values: Iterable[Any], sides: list[str]) -> str:
    pairs = zip(values, sides, strict=True)
    cells = (f'<{tag} style="text-align: {side}">{_cell(value)}</{tag}>' for value, side in pairs)
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: Any) -> str:
    return value if isinstance(value, _Html) else escape_html(rounded(value))
