"""The rows of a table as HTML: written directly, since a template takes several times as long for every cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.reporting.glossary import METRIC_COLUMNS, hover, meaning_of
from metameter.reporting.marks import badge
from metameter.view.escape import escape_html

if TYPE_CHECKING:
    from metameter.reporting.shown_columns import ShownColumn
    from metameter.reporting.tables import ShownTable

__all__ = ["head", "rows"]


def head(sheet: ShownTable) -> str:
    """The heading of the table; pointing at it tells what a column means."""
    meanings = {column.name: sheet.words.get(column.name, "") for column in sheet.columns}
    cells = (
        f'<th scope="col"{_kind(column)}{hover(meanings[column.name])}>{escape_html(column.heading)}</th>'
        for column in sheet.columns
    )
    return f"<tr>{''.join(cells)}</tr>"


def rows(sheet: ShownTable) -> str:
    """All rows; pointing at a metric's name tells what it means."""
    columns = [_cells(column, sheet, first=number == 0) for number, column in enumerate(sheet.columns)]
    begins = (
        f'<tr class="marked"{hover(sheet.marked[row])}>' if row in sheet.marked else "<tr>" for row in range(sheet.rows)
    )
    return "\n".join(
        f"{begin}{''.join(row)}</tr>" for begin, row in zip(begins, zip(*columns, strict=True), strict=True)
    )


def _cells(column: ShownColumn, sheet: ShownTable, *, first: bool) -> list[str]:
    tag = "th" if first else "td"
    begin = f'<th scope="row"{_kind(column)}' if first else f"<td{_kind(column)}"
    texts = _texts(column, sheet)
    values = [f' data-v="{escape_html(value)}"' if value and not first else "" for _, value in column.cells]
    if column.name in METRIC_COLUMNS:
        values = [hover(meaning_of(text)) for text, _ in column.cells]
    return [f"{begin}{value}>{text}</{tag}>" for text, value in zip(texts, values, strict=True)]


def _texts(column: ShownColumn, sheet: ShownTable) -> list[str]:
    if column.kind == "verdict":
        return [badge(text, row in sheet.close) for row, (text, _) in enumerate(column.cells)]
    texts = [escape_html(text) for text, _ in column.cells]
    if column.name in METRIC_COLUMNS:
        # A long name is broken after its star rather than anywhere.
        return [text.replace("*", "*<wbr>") for text in texts]
    if "bar" not in column.kind.split():
        return texts
    return [
        f'<span class="share" style="--share:{escape_html(value)}">{text}</span>' if value else text
        for text, (_, value) in zip(texts, column.cells, strict=True)
    ]


def _kind(column: ShownColumn) -> str:
    return f' class="{column.kind}"' if column.kind else ""
