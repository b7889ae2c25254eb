"""Tables as text in a format, and as pandas data frames."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError, did_you_mean, refuse
from metameter.view.escape import escape_markdown
from metameter.view.tables.cells import DECIMALS, is_number, plain, rounded_rows
from metameter.view.tables.csv import to_csv
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl


FORMATS = ("table", "csv", "tsv", "json", "markdown", "latex")


def render(
    tables: dict[str, pl.DataFrame],
    first: str,
    format: str,  # noqa: A002
    *,
    digits: int = DECIMALS,
) -> str:
    """One of several tables as text in a format.

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
        from metameter.view.tables.terminal import to_terminal

        return to_terminal(frame, digits=digits)
    return to_markdown(frame, digits) if format == "markdown" else to_latex(frame, digits=digits)


def to_json(tables: dict[str, pl.DataFrame]) -> str:
    r"""Tables as JSON, ``{table name: [rows]}``; NaN is null, characters that do not print are escaped.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_json({"runs": pl.DataFrame({"run": ["é\x9b\u202e"]})}))
    {"runs": [{"run": "é\u009b\u202e"}]}
    """
    rows = {
        name: [{column: plain(value) for column, value in row.items()} for row in frame.iter_rows(named=True)]
        for name, frame in tables.items()
    }
    text = json.dumps(rows, ensure_ascii=False, allow_nan=False)
    # A reader decodes the same names, and a terminal receives no control characters.
    return text if text.isprintable() else re.sub(r"[^ -~]", _printable, text)


def _printable(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def to_markdown(frame: pl.DataFrame, digits: int = DECIMALS) -> str:
    r"""A Markdown table of GitHub, its columns padded so that it is also legible as plain text.

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


def to_pandas(frame: pl.DataFrame) -> Any:
    """The table as a pandas data frame; pyarrow is not needed.

    Examples
    --------
    >>> import polars as pl
    >>> to_pandas(pl.DataFrame({"system": ["a", "b"], "mean": [0.5, None]}))["mean"].tolist()
    [0.5, nan]
    """
    try:
        import pandas as pd
    except ImportError:
        raise MetameterError("pandas is not installed", fix="Install it with: pip install pandas.") from None
    # Polars' own conversion needs pyarrow, which not everybody has.
    columns = {column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list() for column in frame}
    return pd.DataFrame(columns)
