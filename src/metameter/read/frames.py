"""Tables that are in Python already: dictionaries as of pytrec_eval, rows, the data frames of any library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.held import TIMES, column_of, name_of, number_of
from metameter.read.rows import is_row, table_of_rows
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

__all__ = ["is_frame", "is_of_ranx", "place_in_frame", "table_of"]


def table_of(obj: Any, value: str, fix: str) -> pl.DataFrame:
    """A Polars table of any data frame, of rows, of {topic: {doc: value}}, or of what ranx makes of that.

    Where a ``value`` is wanted, that of judgments or runs, the index of a pandas frame is a column if it has a name.

    Examples
    --------
    >>> table_of({"401": {"d1": 1}}, "grade", "").rows()
    [('401', 'd1', 1.0)]
    >>> table_of([{"qid": "401", "docno": "d1", "label": 1}], "grade", "").rows(named=True)
    [{'qid': '401', 'docno': 'd1', 'label': 1}]
    """
    import narwhals as nw
    import polars as pl

    if is_of_ranx(obj):
        obj = obj.to_dict()
    if isinstance(obj, Mapping):
        return _table_of_dict(obj, value, fix)
    frame = _known(_with_index(obj) if value else obj)
    if frame is obj and isinstance(obj, Iterable) and not isinstance(obj, str | bytes):
        rows = list(obj)
        if rows and is_row(rows[0]):
            return table_of_rows(rows, "rows")
        given = f"a {type(obj).__name__} of {type(rows[0]).__name__}" if rows else f"an empty {type(obj).__name__}"
        raise MetameterError("this cannot be read", given=given, fix=fix)
    if isinstance(frame, nw.LazyFrame):
        frame = _collected(frame)
    if not isinstance(frame, nw.DataFrame):
        raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
    try:
        # Polars panics over types that only Arrow has, such as decimals of 256 bits, and Arrow takes a duration without
        # a unit in a column of Python objects for a whole number.
        types = frame.schema.dtypes()
        of_arrow = nw.Unknown in types or (nw.Decimal in types and frame.implementation.is_pyarrow())
        table = None if of_arrow or _has_times(frame) else frame.to_polars()
    except (ImportError, TypeError, ValueError, OverflowError, NotImplementedError, pl.exceptions.PolarsError):
        # Polars converts pandas frames with pyarrow, which not everybody has, and which takes no mixed columns and no
        # whole numbers of more than 64 bits.
        table = None
    if table is None:
        return pl.DataFrame([_column(frame[name]) for name in frame.columns])
    objects = [name for name, dtype in table.schema.items() if isinstance(dtype, pl.Object)]
    return table.with_columns(column_of(name, table[name].to_list()) for name in objects) if objects else table


def _has_times(frame: nw.DataFrame[Any]) -> bool:
    """Whether a column of Python objects holds dates, times or durations."""
    import narwhals as nw

    objects = (name for name, dtype in frame.schema.items() if dtype == nw.Object)
    return any(isinstance(cell, TIMES) for name in objects for cell in frame[name].to_list())


def _collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """The rows of a query that has not been run yet; what its library says of an error is one line of ours."""
    import polars as pl

    try:
        return frame.collect()
    except (Exception, pl.exceptions.PanicException) as problem:
        lines = str(problem).strip().splitlines()
        what = f"the lazy frame cannot be collected: {lines[0] if lines else type(problem).__name__}"
        raise MetameterError(what, fix="Correct the query, or collect it first.") from problem


def _column(column: nw.Series[Any]) -> pl.Series:
    import narwhals as nw
    import polars as pl

    name = in_utf8(str(column.name))
    every = zip(column.to_list(), column.is_null().to_list(), strict=True)
    cells = [None if missing else value for value, missing in every]
    if column.dtype == nw.Object:
        # Else Polars would call a whole number that it cannot hold missing, without a word.
        return column_of(name, cells)
    try:
        return pl.Series(name, cells, strict=False)
    except UnicodeEncodeError:
        return column_of(name, cells)


def is_of_ranx(obj: Any) -> bool:
    """Whether this has what the Qrels and Run of ranx have; the library need not be there."""
    return not isinstance(obj, type) and all(hasattr(obj, name) for name in ("to_dict", "to_typed_list", "name"))


def _with_index(obj: Any) -> Any:
    """A frame or a series of pandas with its index as columns, where that has names."""
    names = getattr(getattr(obj, "index", None), "names", None)
    if not hasattr(obj, "reset_index") or not names or None in names:
        return obj
    columns = obj.columns if hasattr(obj, "columns") else [obj.name]
    if any(name in columns for name in names):
        return obj
    return obj.reset_index()


def is_frame(obj: Any) -> bool:
    """Whether this is a data frame of some library."""
    # Nobody's frame is a list: what knows them all is imported only where there may be one.
    if isinstance(obj, list | tuple):
        return False
    import narwhals as nw

    return isinstance(_known(obj), nw.DataFrame | nw.LazyFrame)


def _known(obj: Any) -> Any:
    """The data frame as narwhals knows it, or the object itself; columns that share a name are refused."""
    import narwhals as nw

    try:
        return nw.from_native(obj, pass_through=True)
    except nw.exceptions.DuplicateError:  # pandas has such frames
        names = [str(name) for name in obj.columns]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), names[0])
        raise MetameterError(f"the header names {twice!r} twice", fix="Rename one of the columns.") from None


def place_in_frame(name: str) -> Callable[[int], str]:
    """From a row's number, from 0, to where it stands, for messages."""
    return lambda row: f"{name}: row {row + 1}"


def _table_of_dict(obj: Mapping[Any, Any], value: str, fix: str) -> pl.DataFrame:
    import polars as pl

    for documents in obj.values():
        if not isinstance(documents, Mapping):
            raise MetameterError("a topic's documents must be a dictionary", given=documents, fix=fix)
    kinds = {"topic": pl.String, "doc": pl.String, value: pl.Float64}
    keys = {kind for each in (obj, *obj.values()) for kind in set(map(type, each))}
    numbers = {kind for each in obj.values() for kind in set(map(type, each.values()))}
    try:
        if keys <= {str, int} and not any(issubclass(kind, TIMES) for kind in numbers):
            rows = [(str(topic), str(doc), number) for topic, docs in obj.items() for doc, number in docs.items()]
            return pl.DataFrame(rows, schema=kinds, orient="row")
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    # Cell by cell that takes twice as long, and is seldom needed.
    rows = [
        (name_of(topic, "topic"), name_of(doc, "document"), number_of(number, value))
        for topic, docs in obj.items()
        for doc, number in docs.items()
    ]
    return pl.DataFrame(rows, schema=kinds, orient="row")
