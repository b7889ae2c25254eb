"""The formats of judgments and runs, a module each: adding a format is adding a file to this folder."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.formats.base import Format, ObjectFormat, TableFormat
from metameter.read.trec.parse import content_lines

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout

_HEAD = 10_000


@cache
def _declared() -> tuple[Any, ...]:
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    formats = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return tuple(sorted(formats, key=lambda form: int(form.order)))


def format_of(data: bytes, known_names: Collection[str] | None = None) -> Format:
    r"""The format of a file, from its first bytes; a file that no other format recognises is lines of TREC.

    A first line with two of the known names, by default those of columns of judgments or runs, is a header.

    Examples
    --------
    >>> [type(format_of(data)).__name__ for data in (b"PAR1...", b'{"1": {"d1": 2}}', b"qid,docid\n", b"1 0 d1 2\n")]
    ['Parquet', 'Json', 'Delimited', 'Trec']
    """
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    head = data[:_HEAD] if len(text) == len(data) else b"\n" + text[:_HEAD]
    return next(form for form in _declared() if isinstance(form, Format) and form.recognises(head, known_names))


def named_columns(
    data: bytes, where: str, known_names: Collection[str] | None = None, layout: Layout | None = None
) -> HeaderTable | None:
    """The table in a file whose columns have names, at least those of the layout; None if it is lines of TREC."""
    form = format_of(data, known_names)
    return form.table(data, where, layout) if isinstance(form, TableFormat) else None


def table_in(data: bytes, where: str, known_names: Collection[str], *layouts: Layout) -> HeaderTable:
    """The table in a file: columns with names, or lines in the layout that is as wide as the first line.

    The first layout is the widest: it has all columns that are read.
    """
    from metameter.read.header_table import HeaderTable

    table = named_columns(data, where, known_names, layouts[0])
    if table is not None:
        return table
    _, first = next(content_lines(data), (0, []))
    layout = next((each for each in layouts if len(each.columns) == len(first)), layouts[0])
    return HeaderTable.of_lines(data, layout, where)


def table_of(obj: Any, value: str, fix: str) -> pl.DataFrame:
    """A Polars table of any data frame, of rows, of {topic: {doc: value}}, or of a Qrels or Run of ranx.

    Where rows have a ``value``, as those of judgments and runs, a named index of a pandas frame becomes a column.
    """
    forms = (form for form in _declared() if isinstance(form, ObjectFormat) and form.recognises(obj))
    form = next(forms, None)
    if form is None:
        raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
    return form.table(obj, value, fix)


def location_in_frame(name: str) -> Callable[[int], str]:
    """A function from a row's number, from 0, to its location in messages."""
    return lambda row: f"{name}: row {row + 1}"
