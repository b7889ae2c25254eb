"""Data frames of any library, and series of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError, in_utf8
from metameter.read.cell_coercion import TIMES, column_of
from metameter.read.columns import repeated_name
from metameter.read.formats.base import ObjectFormat

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl


class Frame(ObjectFormat):
    """A data frame, collected or lazy, that narwhals knows."""

    order = 1

    def recognises(self, obj: Any) -> bool:
        """Whether this is a data frame, or a series of pandas with names for its index."""
        return is_frame(obj) or _with_index(obj) is not obj

    def table(self, obj: Any, value: str, fix: str) -> pl.DataFrame:
        """Its columns; where a ``value`` is wanted, the index of a pandas frame is a column if it has a name."""
        import narwhals as nw
        import polars as pl

        frame = _known(_with_index(obj) if value else obj)
        if isinstance(frame, nw.LazyFrame):
            frame = _collected(frame)
        if not isinstance(frame, nw.DataFrame):
            raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
        try:
            # Polars panics over types that only Arrow has, such as decimals of 256 bits, and Arrow takes a duration
            # without a unit in a column of Python objects for a whole number.
            types = frame.schema.dtypes()
            of_arrow = nw.Unknown in types or (nw.Decimal in types and frame.implementation.is_pyarrow())
            table = None if of_arrow or _has_times(frame) else frame.to_polars()
        except (ImportError, TypeError, ValueError, OverflowError, NotImplementedError, pl.exceptions.PolarsError):
            # Polars converts pandas frames with pyarrow, which not everybody has, and which takes no mixed columns and
            # no whole numbers of more than 64 bits.
            table = None
        if table is None:
            return pl.DataFrame([_column(frame[name]) for name in frame.columns])
        objects = [name for name, dtype in table.schema.items() if isinstance(dtype, pl.Object)]
        return table.with_columns(column_of(name, table[name].to_list()) for name in objects) if objects else table


def is_frame(obj: Any) -> bool:
    """Whether this is a data frame of some library."""
    # No library's frame is a list; narwhals is imported only if needed.
    if isinstance(obj, list | tuple):
        return False
    import narwhals as nw

    return isinstance(_known(obj), nw.DataFrame | nw.LazyFrame)


def _with_index(obj: Any) -> Any:
    """A frame or a series of pandas with its index as columns, where that has names."""
    names = getattr(getattr(obj, "index", None), "names", None)
    if not hasattr(obj, "reset_index") or not names or None in names:
        return obj
    columns = obj.columns if hasattr(obj, "columns") else [obj.name]
    if any(name in columns for name in names):
        return obj
    return obj.reset_index()


def _has_times(frame: nw.DataFrame[Any]) -> bool:
    """Whether a column of Python objects holds dates, times or durations."""
    import narwhals as nw

    objects = (name for name, dtype in frame.schema.items() if dtype == nw.Object)
    return any(isinstance(cell, TIMES) for name in objects for cell in frame[name].to_list())


def _collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a lazy query; an error of its library becomes one of ours."""
    import polars as pl

    try:
        return frame.collect()
    except (Exception, pl.exceptions.PanicException) as problem:
        lines = str(problem).strip().splitlines()
        what = f"the lazy frame cannot be collected: {lines[0] if lines else type(problem).__name__}"
        raise MetameterError(what, fix="Correct the query, or collect it first.") from problem


def _column(column: nw.Series[Any]) -> pl.Series:
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return column_of(in_utf8(str(column.name)), [None if missing else value for value, missing in pairs])


def _known(obj: Any) -> Any:
    """The data frame wrapped by narwhals, or the object itself; columns that share a name are refused."""
    import narwhals as nw

    try:
        return nw.from_native(obj, pass_through=True)
    except nw.exceptions.DuplicateError:  # pandas has such frames
        names = [str(name) for name in obj.columns]
        twice = repeated_name(names) or names[0]
        raise MetameterError(f"the header names {twice!r} twice", fix="Rename one of the columns.") from None


FORMAT = Frame()
