"""Tables as CSV and TSV: for programs in full, for a spreadsheet with nothing in them that it would run."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from metameter.view.cells import plain
from metameter.view.escape import visible
from metameter.view.safe_cells import is_wanted, safe_cells

if TYPE_CHECKING:
    import polars as pl

__all__ = ["csv_bytes", "to_csv", "visible_table"]


def to_csv(frame: pl.DataFrame, separator: str = ",") -> str:
    r"""Full precision, names unchanged and quoted where needed; what is missing is empty.

    `metameter.view.safe_cells.safe_csv` is for spreadsheets.

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
    # Where semicolons or tabs separate cells, too, quotes keep them within one.
    quotes: Any = "non_numeric" if is_wanted() else "necessary"
    frame = safe_cells(frame) if is_wanted() else frame
    frame.with_columns(map(_spelled, frame)).write_csv(buffer, separator=separator, quote_style=quotes)
    return buffer.getvalue()


def visible_table(frame: pl.DataFrame) -> pl.DataFrame:
    r"""The table as a terminal may be shown it as CSV: control characters in names are written out.

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
