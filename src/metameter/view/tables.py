"""Tables as text: for a terminal, a program, a wiki page or a paper."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from metameter.errors import did_you_mean, refuse
from metameter.view.cells import DECIMALS, is_number, plain, rounded_rows
from metameter.view.escape import escape_markdown
from metameter.view.latex import to_latex
from metameter.view.terminal import to_terminal

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("table", "csv", "tsv", "json", "markdown", "latex")

__all__ = ["FORMATS", "csv_bytes", "render", "to_csv", "to_json", "to_markdown"]


def render(
    tables: dict[str, pl.DataFrame],
    first: str,
    format: str,  # noqa: A002
    *,
    digits: int = DECIMALS,
    width: int | None = None,
) -> str:
    """The text that goes to standard output.

    Parameters
    ----------
    tables : dict of polars.DataFrame
        A procedure's tables by name.
    first : str
        The table to show.
    format : {"table", "csv", "tsv", "json", "markdown", "latex"}
        CSV, TSV and JSON carry full precision.
    digits : int
        Decimals in the other formats.
    width : int, optional
        Columns of the terminal, for "table"; by default those of the terminal in use.

    Returns
    -------
    str
        Without a line end after the last line.

    Examples
    --------
    >>> import polars as pl
    >>> tables = {"power": pl.DataFrame({"metric": ["AP", "a,b"], "power": [0.1 + 0.2, None]})}
    >>> print(render(tables, "power", "csv"))
    metric,power
    AP,0.30000000000000004
    "a,b",
    >>> print(render(tables, "power", "json"))
    {"power": [{"metric": "AP", "power": 0.30000000000000004}, {"metric": "a,b", "power": null}]}
    """
    if first not in tables:
        refuse("no such table", given=first, fix=did_you_mean(first, list(tables)))
    if format not in FORMATS:
        refuse("no such format", given=format, fix=did_you_mean(format, list(FORMATS)))
    if format == "json":
        return to_json({first: tables[first]})
    frame = tables[first]
    if format in ("csv", "tsv"):
        return to_csv(frame, "," if format == "csv" else "\t")
    if format == "table":
        return to_terminal(frame, width, digits)
    return to_markdown(frame, digits) if format == "markdown" else to_latex(frame, digits=digits)


def to_csv(frame: pl.DataFrame, separator: str = ",") -> str:
    r"""Full precision, names unchanged and quoted where needed; what is missing is empty.

    Examples
    --------
    >>> import polars as pl
    >>> to_csv(pl.DataFrame({"condensed": [True], "p": [1e-05]}))
    'condensed,p\ntrue,1e-05'
    """
    return csv_bytes(frame, separator)[:-1].decode()


def csv_bytes(frame: pl.DataFrame, separator: str = ",") -> bytes:
    r"""The same as a file holds it: in UTF-8, with a line end after the last line.

    Examples
    --------
    >>> import polars as pl
    >>> csv_bytes(pl.DataFrame({"metric": ["AP"], "power": [0.5]}))
    b'metric,power\nAP,0.5\n'
    """
    buffer = io.BytesIO()
    frame.with_columns(map(_spelled, frame)).write_csv(buffer, separator=separator)
    return buffer.getvalue()


def _spelled(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_float():
        return _spelled_floats(column)
    if not column.dtype.is_nested():
        return column
    texts = [json.dumps(plain(value), ensure_ascii=False) for value in column.to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


def _spelled_floats(column: pl.Series) -> pl.Series:
    """Python's own spelling of a float: the shortest that reads back as the same number; null if it is not a number."""
    import numpy as np
    import polars as pl

    values = column.to_numpy()
    with np.errstate(invalid="ignore"):
        unknown, size = np.isnan(values), np.abs(values)
        # Polars spells all but the very small and the very large as Python does, and many times faster.
        otherwise = np.flatnonzero(~unknown & (size != 0) & ((size < 1e-4) | (size >= 1e16)))
    known = column.clone().scatter(np.flatnonzero(unknown), None) if unknown.any() else column
    if column.dtype == pl.Float64 and not otherwise.size:
        return known
    return known.cast(pl.String).scatter(otherwise, [repr(value) for value in values[otherwise].tolist()])


def to_json(tables: dict[str, pl.DataFrame]) -> str:
    """``{table name: [rows]}``; NaN, which JSON lacks, is null."""
    rows = {
        name: [{column: plain(value) for column, value in row.items()} for row in frame.iter_rows(named=True)]
        for name, frame in tables.items()
    }
    return json.dumps(rows, ensure_ascii=False, allow_nan=False)


def to_markdown(frame: pl.DataFrame, digits: int = DECIMALS) -> str:
    r"""A GitHub table, columns padded so that it reads as plain text too.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_markdown(pl.DataFrame({"run": ["a|b"], "mean": [0.5]})))
    | run  |   mean |
    |------|-------:|
    | a\|b | 0.5000 |
    """
    right = is_number(frame)
    rows = [[escape_markdown(cell) for cell in row] for row in (frame.columns, *rounded_rows(frame, digits))]
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(frame.width)]
    rule = "|".join("-" * (width + 1) + (":" if number else "-") for width, number in zip(widths, right, strict=True))
    lines = [_padded(row, widths, right) for row in rows]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _padded(row: list[str], widths: list[int], right: list[bool]) -> str:
    cells = zip(row, widths, right, strict=True)
    return "| " + " | ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells) + " |"
