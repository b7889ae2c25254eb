"""CSV that a spreadsheet shows and does not run: a cell that begins with an equals sign is a formula to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


# What spreadsheets take for the beginning of a formula, also after characters that they leave out: white space,
# control and format characters. The wide forms are those of Asian keyboards.
_FORMULA = r"^[\s\p{C}\p{Z}]*[=+\-@＝＋－＠−]|^[\t\r\n]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_wanted: ContextVar[bool] = ContextVar("safe_csv", default=False)


@contextmanager
def safe_csv(wanted: bool = True) -> Iterator[None]:
    """Within it, whatever is written as CSV or TSV has an apostrophe before each text that a spreadsheet would run.

    It is for people who open such files in a spreadsheet, of systems named by others. Names are not unchanged then, so
    programs should read files that were written without it. Numbers stay numbers.

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
    outer = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(outer)


def is_wanted() -> bool:
    """Whether this is within `safe_csv`."""
    return _wanted.get()


def safe_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with an apostrophe before each text and each heading that a spreadsheet would run.

    Examples
    --------
    >>> import polars as pl
    >>> safe_cells(pl.DataFrame({"@x": ["-0.5", " =a", "+1-1"]})).to_dict(as_series=False)
    {"'@x": ['-0.5', "' =a", "'+1-1"]}
    """
    import polars as pl

    columns = [_safe(column) if column.dtype in (pl.String, pl.Categorical, pl.Enum) else column for column in frame]
    headings: list[str] = []
    for name, heading in zip(frame.columns, _safe(pl.Series(frame.columns, dtype=pl.String)), strict=True):
        # Two headings must not become one.
        while heading in headings or (heading != name and heading in frame.columns):
            heading = f"'{heading}"
        headings.append(heading)
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, headings, strict=True)])


def _safe(column: pl.Series) -> pl.Series:
    import polars as pl

    texts = column.cast(pl.String)
    runs = texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)
    return texts.zip_with(~runs.fill_null(False), "'" + texts)
