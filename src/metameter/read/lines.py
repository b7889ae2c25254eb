"""Line by line: the patient reader that knows where an error is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice

import polars as pl

from metameter.errors import MetameterError

__all__ = ["content_lines", "line_of_row", "read_line_by_line"]

# What counts as a number in a file; float() alone would also take 1_000 and white space.
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def content_lines(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    r"""Line number and columns of every line that is neither blank nor a comment.

    Examples
    --------
    >>> list(content_lines(b"# a comment\n\n401 0 d1 1\n"))
    [(3, [b'401', b'0', b'd1', b'1'])]
    """
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        columns = line.split()
        if columns and not columns[0].startswith(b"#"):
            yield number, columns


def line_of_row(data: bytes, row: int) -> int:
    r"""The line on which the table's row (from 0) stands.

    Examples
    --------
    >>> line_of_row(b"# a comment\n401 0 d1 1\n401 0 d2 1\n", 1)
    3
    """
    return next(islice(content_lines(data), row, None))[0]


def read_line_by_line(
    data: bytes, columns: tuple[str, ...], texts: tuple[str, ...], numbers: tuple[str, ...], where: str
) -> pl.DataFrame:
    r"""The wanted columns as a table; a line that does not fit is refused with its number.

    Examples
    --------
    >>> read_line_by_line(b"401 1\n402 a\n", ("topic", "x"), ("topic",), ("x",), "q")
    Traceback (most recent call last):
    metameter.errors.MetameterError: q:2: the x is not a number (given 'a', allowed: a finite number). Correct the x.
    """
    found: dict[str, list[str] | list[float]] = {name: [] for name in texts + numbers}
    position = {name: columns.index(name) for name in found}
    for number, fields in content_lines(data):
        place = f"{where}:{number}"
        if len(fields) != len(columns):
            raise _wrong_width(fields, columns, place)
        for name in texts:
            found[name].append(_text(fields[position[name]], place))  # type: ignore[arg-type]
        for name in numbers:
            found[name].append(_number(fields[position[name]], name, place))  # type: ignore[arg-type]
        for field in fields:
            _text(field, place)
    if not found[texts[0]]:
        raise MetameterError("the file is empty", where=where, fix=f"Give lines of the form: {' '.join(columns)}.")
    schema = {name: pl.String if name in texts else pl.Float64 for name in found}
    return pl.DataFrame(found, schema=schema)


def _wrong_width(fields: list[bytes], columns: tuple[str, ...], place: str) -> MetameterError:
    return MetameterError(
        f"the line has {len(fields)} column{'s' if len(fields) != 1 else ''}",
        where=place,
        given=b" ".join(fields).decode(errors="replace"),
        allowed=f"{len(columns)} columns: {' '.join(columns)}",
        fix="Correct the line.",
    )


def _text(field: bytes, place: str) -> str:
    try:
        return field.decode()
    except UnicodeDecodeError:
        raise MetameterError(
            "the text is not UTF-8", where=place, given=field, fix="Convert the file to UTF-8."
        ) from None


def _number(field: bytes, name: str, place: str) -> float:
    text = _text(field, place)
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    raise MetameterError(
        f"the {name} is not a number", where=place, given=text, allowed="a finite number", fix=f"Correct the {name}."
    )
