"""Tables as CSV and TSV: in full precision, and on request safe to open in a spreadsheet."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import product
from typing import TYPE_CHECKING, Any

from metameter.view.escape import visible
from metameter.view.tables.cells import plain

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


# Cells that need quotes.
_QUOTED = re.compile(r'[",\t\r\n]|^$')


def to_csv(frame: pl.DataFrame, separator: str = ",") -> str:
    r"""A table as CSV in full precision; names are quoted where needed, missing values are empty.

    Within `safe_csv` the text is safe to open in a spreadsheet.

    Examples
    --------
    >>> import polars as pl
    >>> to_csv(pl.DataFrame({"condensed": [True], "p": [1e-05]}))
    'condensed,p\ntrue,1e-05'
    """
    return csv_bytes(frame, separator)[:-1].decode()


def csv_bytes(frame: pl.DataFrame, separator: str = ",") -> bytes:
    r"""The content of a CSV file: UTF-8, with a line end after the last line.

    Examples
    --------
    >>> import polars as pl
    >>> csv_bytes(pl.DataFrame({"metric": ["AP"], "power": [0.5]}))
    b'metric,power\nAP,0.5\n'
    """
    buffer = io.BytesIO()
    # Where semicolons or tabs separate cells, too, quotes keep them within one.
    quotes: Any = "non_numeric" if is_safe_csv() else "necessary"
    frame = safe_cells(frame) if is_safe_csv() else frame
    frame.with_columns(map(_spelled_column, frame)).write_csv(buffer, separator=separator, quote_style=quotes)
    return buffer.getvalue()


def visible_table(frame: pl.DataFrame) -> pl.DataFrame:
    r"""The table with control characters in names spelled out, so that a terminal may show it as CSV.

    Examples
    --------
    >>> import polars as pl
    >>> print(visible_table(pl.DataFrame({"run": ["a\x1b[31m"]}))["run"][0])
    a\x1b[31m
    """
    import polars as pl

    texts = [column for column in frame if column.dtype == pl.String and not column.str.join("").item().isprintable()]
    seen = [pl.Series(each.name, [t if t is None else visible(t) for t in each], dtype=pl.String) for each in texts]
    return frame.with_columns(seen)


def _spelled_column(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_float():
        return _spelled_floats(column)
    if not column.dtype.is_nested():
        return column
    texts = [json.dumps(plain(value), ensure_ascii=False) for value in column.to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


def _spelled_floats(column: pl.Series) -> pl.Series:
    """Floats as Python spells them, the shortest text that reads back as the same number; null for NaN."""
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


def crossed_csv(
    axes: Mapping[str, Sequence[str]], column: str, values: NDArray[np.float64], separator: str = ","
) -> str | None:
    r"""The text that `to_csv` returns, without making the table; None where labels need quotes or must be made safe.

    Parameters
    ----------
    axes : dict
        The labels of each axis, the last one fastest.
    column : str
        What the values are called.
    values : ndarray
        One for each combination; NaN is missing.

    Examples
    --------
    >>> import numpy as np
    >>> crossed_csv({"metric": ["AP"], "topic": ["1", "2"]}, "score", np.array([[0.5, 1e-05]]))
    'metric,topic,score\nAP,1,0.5\nAP,2,1e-05'
    """
    if is_safe_csv() or any(_QUOTED.search(label) for labels in axes.values() for label in labels):
        return None
    *outer, inner = axes.values()
    # Python spells a number shortest; one that is missing is nothing.
    spelled = [repr(value) if value == value else "" for value in values.reshape(-1).tolist()]
    before = (separator.join(labels) + separator for labels in product(*outer))
    names = (f"{front}{last}{separator}" for front in before for last in inner)
    return "\n".join([separator.join([*axes, column]), *map(str.__add__, names, spelled)])


# The beginning of a formula in a spreadsheet, also after characters that spreadsheets ignore: white space, control and
# format characters. Asian keyboards have wide forms of the signs.
_FORMULA_START = r"^[\s\p{C}\p{Z}]*[=+\-@＝＋－＠−]|^[\t\r\n]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_is_safe: ContextVar[bool] = ContextVar("safe_csv", default=False)


@contextmanager
def safe_csv(wanted: bool = True) -> Iterator[None]:
    """Within this context CSV and TSV have an apostrophe before each text that a spreadsheet would run as a formula.

    It is for files with names from others that people open in a spreadsheet. It changes names, so programs should read
    files written without it. Numbers remain numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.view.tables.csv import to_csv
    >>> with safe_csv():
    ...     print(to_csv(pl.DataFrame({"system": ["=1+1", "bm25"], "difference": [-0.5, 0.5]})))
    "system","difference"
    "'=1+1",-0.5
    "bm25",0.5
    """
    outer = _is_safe.set(wanted)
    try:
        yield
    finally:
        _is_safe.reset(outer)


def is_safe_csv() -> bool:
    """Whether `safe_csv` is in effect."""
    return _is_safe.get()


def safe_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with an apostrophe before each text and heading that a spreadsheet would run as a formula.

    Examples
    --------
    >>> import polars as pl
    >>> safe_cells(pl.DataFrame({"@x": ["-0.5", " =a", "+1-1"]})).to_dict(as_series=False)
    {"'@x": ['-0.5', "' =a", "'+1-1"]}
    """
    import polars as pl

    columns = [
        _safe_column(column) if column.dtype in (pl.String, pl.Categorical, pl.Enum) else column for column in frame
    ]
    headings: list[str] = []
    for name, heading in zip(frame.columns, _safe_column(pl.Series(frame.columns, dtype=pl.String)), strict=True):
        # Two headings must not become one.
        while heading in headings or (heading != name and heading in frame.columns):
            heading = f"'{heading}"
        headings.append(heading)
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, headings, strict=True)])


def _safe_column(column: pl.Series) -> pl.Series:
    import polars as pl

    texts = column.cast(pl.String)
    runs = texts.str.contains(_FORMULA_START) & ~texts.str.contains(_NUMBER)
    return texts.zip_with(~runs.fill_null(False), "'" + texts)
