"""The columns of a table as a report shows them: in reading order, the two ends of an interval in one column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.view.tables.cells import is_p, plain, rounded, rounded_p
from metameter.view.tables.headings import heading, is_error, other_end

if TYPE_CHECKING:
    import polars as pl


NAMES = ("metric", "metric_a", "metric_b", "system", "system_a", "system_b", "topic")
LONG, DECIMALS = 32, 3
_KINDS: dict[str, Callable[[str], bool]] = {
    "error": is_error,
    "bar": lambda column: column in ("judged_at_10", "power"),
    "verdict": lambda column: column == "verdict",
    "beaten": lambda column: column == "beaten",
    "canonical": lambda column: column == "canonical",
    "group": lambda column: column == "group",
}


@dataclass(frozen=True)
class ShownColumn:
    """One column: its name, its heading, its CSS classes, and its cells as (text, the value to sort by)."""

    name: str
    heading: str
    kind: str
    cells: list[tuple[str, str]]


def shown_columns(frame: pl.DataFrame, shown: pl.DataFrame, names: Sequence[str]) -> list[ShownColumn]:
    """These columns of a table.

    Parameters
    ----------
    frame, shown : polars.DataFrame
        The table, and what people read of it, with some columns as text.
    names : sequence of str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"low": [0.1], "high": [0.3], "verdict": ["worse"], "metric": ["AP"]})
    >>> [(column.heading, column.cells[0][0]) for column in shown_columns(frame, frame, frame.columns)]
    [('metric', 'AP'), ('verdict', 'worse'), ('interval', '[0.100, 0.300]')]
    """
    return _with_intervals([_column(frame, shown, name) for name in _ordered(names)])


def _ordered(columns: Sequence[str]) -> list[str]:
    """Put the verdict right after the names, so that no reader has to scroll to it."""
    rank = {**dict.fromkeys((*NAMES, "group"), 0), "verdict": 1, "canonical": 2}
    return sorted(columns, key=lambda column: rank.get(column, 3))


def _with_intervals(columns: list[ShownColumn]) -> list[ShownColumn]:
    """Join the columns ``low`` and ``high`` into one column of intervals."""
    ends = {column.name: column for column in columns}
    joined = []
    for column in columns:
        high = ends.get(other_end(column.name, "low", "high"))
        if high is not None:
            cells = [
                (f"[{low}, {top or '–'}]" if low else "", value)  # an interval may have no end
                for (low, value), (top, _) in zip(column.cells, high.cells, strict=True)
            ]
            name = other_end(column.name, "low", "interval")
            joined.append(ShownColumn(column.name, heading(name), "number interval", cells))
        elif other_end(column.name, "high", "low") not in ends:
            joined.append(column)
    return joined


def _column(frame: pl.DataFrame, shown: pl.DataFrame, column: str) -> ShownColumn:
    number = frame.schema[column].is_numeric()
    # Errors and p-values are small: they get one more decimal.
    digits = DECIMALS + (is_p(column) or is_error(column))
    values = shown[column].to_list()
    texts = [
        rounded_p(v, digits) if is_p(column) and isinstance(v, float) and v == v else text_of(v, digits) for v in values
    ]
    kind = ["number"] if number else ["long"] if max(map(len, texts), default=0) > LONG else []
    kind += [name for name, applies in _KINDS.items() if applies(column)]
    if not number:
        parted = [text.replace(";", "; ") for text in texts] if column == "beaten" else texts
        return ShownColumn(column, heading(column), " ".join(kind), [(text, "") for text in parted])
    values = [plain(value) for value in frame[column].to_list()]
    cells = [(text, "" if value is None else repr(value)) for text, value in zip(texts, values, strict=True)]
    return ShownColumn(column, heading(column), " ".join(kind), cells)


def text_of(value: Any, digits: int = DECIMALS) -> str:
    """A value as people read it on a page.

    Examples
    --------
    >>> text_of(-0.25), text_of(12345), text_of(True)
    ('−0.250', '12,345', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    text = rounded(value, digits)
    return f"−{text[1:]}" if isinstance(value, float) and text.startswith("-") else text
