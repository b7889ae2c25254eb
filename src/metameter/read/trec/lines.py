"""Line by line: the slow reader, which knows the line of every error."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from metameter.errors import MetameterError

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.trec.layout import Layout


#: The byte-order mark of UTF-8.
MARK = b"\xef\xbb\xbf"

# What counts as a number in a file; float() alone would also take 1_000 and white space.
#: How a number is written.
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def _refuse(problem: MetameterError) -> None:
    raise problem


def content_lines(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Line number and columns of every line that is neither blank nor a comment."""
    for number, line in enumerate(without_marks(data).split(b"\n"), start=1):
        columns = line.split()
        if columns and not columns[0].startswith(b"#"):
            yield number, columns


def without_marks(data: bytes) -> bytes:
    """The text without the byte-order mark that its lines may begin with: each part of a joined file may have one."""
    # A single byte is looked for ten times faster than three.
    if MARK[:1] not in data:
        return data
    return data.removeprefix(MARK).replace(b"\n" + MARK, b"\n")


def line_of_row(data: bytes, row: int) -> int:
    """The line on which the table's row (from 0) stands."""
    return next(islice(content_lines(data), row, None))[0]


def read_line_by_line(
    data: bytes, layout: Layout, where: str, report: Callable[[MetameterError], None] = _refuse
) -> pl.DataFrame:
    r"""The wanted columns as a table; ``report`` is told about each line that does not fit, and raises the first.

    Examples
    --------
    >>> from metameter.read.trec.layout import Layout
    >>> read_line_by_line(b"401 1\n402 a\n", Layout(("topic", "x"), ("topic",), ("x",)), "q")
    Traceback (most recent call last):
    metameter.errors.MetameterError: q:2: the x is not a number (given 'a', allowed: a finite number). Correct the x.
    """
    import polars as pl

    rows, number = [], 0
    for number, fields in content_lines(data):
        try:
            rows.append(_row(fields, layout, f"{where}:{number}"))
        except MetameterError as problem:
            report(problem)
    if not number:
        fix = f"Give lines of the form: {' '.join(layout.columns)}."
        report(MetameterError("the file is empty", where=where, fix=fix))
    return pl.DataFrame(rows, schema={name: layout.schema[name] for name in layout.wanted}, orient="row")


def _row(fields: list[bytes], layout: Layout, place: str) -> tuple[str | float, ...]:
    if len(fields) != len(layout.columns):
        raise MetameterError(
            f"the line has {len(fields)} column{'s' if len(fields) != 1 else ''}",
            where=place,
            given=b" ".join(fields).decode(errors="replace"),
            allowed=f"{len(layout.columns)} columns: {' '.join(layout.columns)}",
            fix="Correct the line.",
        )
    words = dict(zip(layout.columns, (_text(field, place) for field in fields), strict=True))
    texts, numbers = layout.texts, layout.numbers
    return (*(words[name] for name in texts), *(_number(words[name], name, place) for name in numbers))


def _text(field: bytes, place: str) -> str:
    what = "the text holds a null byte"
    try:
        if b"\x00" not in field:
            return field.decode()
    except UnicodeDecodeError:
        what = "the text is not UTF-8"
    raise MetameterError(what, where=place, given=field, fix="Convert the file to UTF-8.")


def _number(text: str, name: str, place: str) -> float:
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    raise MetameterError(
        f"the {name} is not a number", where=place, given=text, allowed="a finite number", fix=f"Correct the {name}."
    )
