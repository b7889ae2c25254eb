"""Rows as JSON or as dictionaries: every object a row, its cells as they would stand in a table of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key
from metameter.read.frames import place_in_frame
from metameter.read.serps_values import text_of
from metameter.read.sheets import Sheet

__all__ = ["is_json", "sheet_of_json", "sheet_of_records"]

_AT_ONCE = 20_000  # rows that are objects of Python at the same time
_NAMED = 30  # columns that are remembered although nobody wants them, to name them in messages
_FIX = "Give an object a line, or a list of objects."


def is_json(data: bytes) -> bool:
    r"""Whether these are objects of JSON: an object a line, or a list of objects.

    Examples
    --------
    >>> is_json(b'{"grades": [1]}\n'), is_json(b'\n[{"grades": [1]}]'), is_json(b"[1, 0]\t3"), is_json(b"grades,x")
    (True, True, False, False)
    """
    start = data.removeprefix(b"\xef\xbb\xbf")[:1000].lstrip()
    return start.startswith(b"{") or (start.startswith(b"[") and start[1:].lstrip()[:1] in (b"{", b"]", b""))


def sheet_of_json(data: bytes, where: str, wanted: Sequence[str], start: int = 1) -> Sheet:
    r"""The wanted columns of objects, as text; the first line of a piece of a file has another number than 1.

    Examples
    --------
    >>> sheet = sheet_of_json(b'{"grades": [1, null], "satisfaction": 3}\n', "log.jsonl", ("grades", "satisfaction"))
    >>> sheet.cells.rows(), sheet.place(0)
    ([('[1, null]', '3')], 'log.jsonl:1')
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + start
        raise MetameterError(
            "the text is not UTF-8", where=f"{where}:{line}", fix="Convert the file to UTF-8."
        ) from None
    if text.lstrip().startswith("["):
        return sheet_of_records(_listed(text, where), where, wanted, lambda row: f"{where}:{_line_in_list(text, row)}")
    rows = (_object(line, f"{where}:{number}") for number, line in _lines(text, start))
    return sheet_of_records(
        rows, where, wanted, lambda row: f"{where}:{next(islice(_lines(text, start), row, None), (0, ''))[0]}"
    )


def sheet_of_records(
    records: Iterable[Mapping[Any, Any]], source: str, wanted: Sequence[str], place: Callable[[int], str] | None = None
) -> Sheet:
    """The wanted columns of dictionaries, as text; what a row does not have is missing there.

    Examples
    --------
    >>> rows = [{"Grades": (1, 0), "user": 7}, {"grades": "2 1"}]
    >>> sheet_of_records(rows, "pages", ("grades", "user")).cells.rows()
    [('[1, 0]', '7'), ('2 1', None)]
    """
    place = place or place_in_frame(source)
    parts: list[pl.DataFrame] = []
    named: dict[str, None] = {}
    seen: dict[Any, str] = {}
    rows = iter(records)
    while chunk := list(islice(rows, _AT_ONCE)):
        spelled: dict[str, list[Any]] = {}
        for key in dict.fromkeys(key for record in chunk for key in record):
            spelled.setdefault(column_key(str(key)), []).append(key)
        named |= dict.fromkeys(list(spelled)[:_NAMED]) | {name: None for name in wanted if name in spelled}
        columns = {name: _texts(chunk, spelled.get(name, []), seen) for name in wanted}
        parts.append(_frame(columns, sum(part.height for part in parts), place))
    cells = pl.concat(parts) if parts else pl.DataFrame()
    others = [name for name in named if name not in wanted]
    # The others first: without a single wanted column there would be no rows left to tell of it.
    cells = cells.with_columns(pl.lit(None, pl.String).alias(name) for name in others)
    return Sheet(source, cells.select(*(name for name in wanted if name in named), *others), place)


def _texts(chunk: list[Mapping[Any, Any]], keys: list[Any], seen: dict[Any, str]) -> list[str | None]:
    if len(keys) == 1:
        return [text_of(record.get(keys[0]), seen) for record in chunk]
    # Spelt in several ways (Grades, grades), or not there at all.
    found = ((record[key] for key in keys if record.get(key) is not None) for record in chunk)
    return [text_of(next(values, None), seen) for values in found]


def _frame(columns: dict[str, list[str | None]], before: int, place: Callable[[int], str]) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))
    except UnicodeEncodeError:
        rows = zip(*columns.values(), strict=True)
        row = next(i for i, row in enumerate(rows) if any(_halved(text) for text in row))
        what, fix = "the text holds half a character (a lone surrogate)", "Correct the text."
        raise MetameterError(what, where=place(before + row), fix=fix) from None


def _halved(text: str | None) -> bool:
    return any("\ud800" <= each <= "\udfff" for each in text or "")


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), start) if line.strip())


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as problem:
        raise MetameterError(f"this is not JSON: {problem.msg}", where=place, given=line, fix=_FIX) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, thousands of brackets
        raise MetameterError("this JSON cannot be read", where=place, given=line, fix=_FIX) from None
    if not isinstance(value, Mapping):
        raise MetameterError("this is no JSON object", where=place, given=line, fix=_FIX)
    return value


def _listed(text: str, where: str) -> list[Mapping[str, Any]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as problem:
        place = f"{where}:{problem.lineno}"
        raise MetameterError(f"this is not JSON: {problem.msg}", where=place, fix=_FIX) from None
    except (ValueError, RecursionError):
        raise MetameterError("this JSON cannot be read", where=where, fix=_FIX) from None
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            place = f"{where}:{_line_in_list(text, number)}"
            raise MetameterError("this is no JSON object", where=place, given=row, fix=_FIX)
    return list(rows)


def _line_in_list(text: str, row: int) -> int:
    """The line on which an object of the list begins; asked for messages only."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    for skipped in range(row + 1):
        while text[at] in ", \t\r\n":
            at += 1
        if skipped < row:
            at = decoder.raw_decode(text, at)[1]
    return text.count("\n", 0, at) + 1
