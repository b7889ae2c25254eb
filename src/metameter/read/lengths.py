"""How long documents are: what it takes to read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.held import is_number
from metameter.read.layout import Layout, parse
from metameter.read.parquet_notes import is_parquet
from metameter.read.separated import is_headed
from metameter.read.sheets import DOC, Sheet, sheet_of, sheet_of_frame
from metameter.read.trec import place_of_row
from metameter.types import Fingerprint, counted

__all__ = ["Lengths", "read_lengths"]

_LENGTH = ("length", "words", "tokens", "doc_len")
_LINES = Layout(("doc", "length"), ("doc",), ("length",))
_FORM = "doc (or docno, doc_id, docid), length (or words, tokens, doc_len)"
_FIX = "Give lines of doc and length, a table with these columns, or {doc: length}."


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Lengths of documents in words, as far as they are known.

    Attributes
    ----------
    table : polars.DataFrame
        Columns ``doc`` (String) and ``length`` (Float64, at least 0); every document once.
    fingerprint : Fingerprint
        What they were read from.
    """

    table: pl.DataFrame
    fingerprint: Fingerprint

    def __repr__(self) -> str:
        return f"<Lengths of {counted(self.table.height, 'document')}>"


def read_lengths(source: Any) -> Lengths:
    r"""Read how many words documents have.

    Parameters
    ----------
    source : path, dict, data frame or Lengths
        A file, plain, .gz, .bz2, .xz or .zst, or ``-`` for standard input: lines of ``doc length``; a table (comma- or
        tab-separated, or Parquet) with a header with doc (or docno, doc_id, docid) and length (or words, tokens,
        doc_len); or JSON, an object {doc: length}. A dictionary {doc: length}, or a data frame with the columns of a
        table.

    Examples
    --------
    >>> read_lengths({"d1": 387, "d2": 906}).table.rows()
    [('d1', 387.0), ('d2', 906.0)]
    >>> read_lengths({"d1": 387, "d2": -1})
    Traceback (most recent call last):
    metameter.errors.MetameterError: lengths: document 'd2' has a length below 0 (given -1.0). Correct the length.
    """
    if isinstance(source, Lengths):
        return source
    if isinstance(source, str | Path):
        content = Content.of(source)
        return Lengths(_valid(_sheet_in(content.unpacked(), content.source)), content.fingerprint)
    if isinstance(source, Mapping):
        sheet = _of_pairs(list(source.items()), "lengths", lambda doc: "lengths")
    else:
        sheet = sheet_of_frame(source, "lengths", _FIX)
    return Lengths(_valid(sheet), Fingerprint("lengths"))


def _sheet_in(data: bytes, where: str) -> Sheet:
    if data.startswith(b"\x80"):
        what = "this is a pickle, which is not read: it could run a program"
        raise MetameterError(what, where=where, fix="Write the lengths as JSON, {doc: length}.")
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _of_json(data, where)
    if is_parquet(data) or is_headed(data, (*DOC, *_LENGTH)):
        return sheet_of(data, where)
    return Sheet(where, parse(data, _LINES, where), place_of_row(data, where))


def _of_json(data: bytes, where: str) -> Sheet:
    try:
        pairs: list[tuple[str, Any]] = json.loads(data, object_pairs_hook=list)
    except json.JSONDecodeError as problem:
        place = f"{where}:{problem.lineno}"
        raise MetameterError(f"this is not JSON: {problem.msg}", where=place, fix="Correct the line.") from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, thousands of brackets
        raise MetameterError("this is not a JSON object {doc: length}", where=where, fix=_FIX) from None

    def place_of(doc: str) -> str:
        at = max(data.rfind(name.encode(errors="replace")) for name in (json.dumps(doc), f'"{doc}"'))
        line = data.count(b"\n", 0, max(at, 0)) + 1
        return f"{where}:{line}"

    return _of_pairs(pairs, where, place_of)


def _of_pairs(pairs: list[tuple[Any, Any]], where: str, place: Callable[[str], str]) -> Sheet:
    docs = [str(doc) for doc, _ in pairs]
    for doc, length in pairs:
        if type(length) not in (int, float) and (isinstance(length, bool) or not is_number(length)):
            what, fix = f"the length of document {doc!r} is not a number", "Correct the length."
            raise MetameterError(what, where=place(str(doc)), given=length, fix=fix)
    try:
        cells = pl.DataFrame({"doc": docs, "length": [float(length) for _, length in pairs]})
    except (OverflowError, TypeError, UnicodeEncodeError):
        what, fix = "a length is too large, or the name of a document is no text", "Correct the entry."
        raise MetameterError(what, where=where, fix=fix) from None
    return Sheet(where, cells, lambda row: place(docs[row]))


def _valid(sheet: Sheet) -> pl.DataFrame:
    """Every document once; a length below 0, or a second length, is refused."""
    doc, length = sheet.needed(*DOC, allowed=_FORM), sheet.needed(*_LENGTH, allowed=_FORM)
    table = pl.DataFrame([sheet.texts(doc).alias("doc"), sheet.numbers(length).alias("length")])
    if not table.height:
        raise MetameterError("there are no lengths", where=sheet.source, fix=_FIX)
    _refuse(table, pl.col("length") < 0, "has a length below 0", sheet)
    once = table.unique("doc", keep="first", maintain_order=True)
    if once.height < table.height:
        _refuse(table, pl.col("length") != pl.col("length").first().over("doc"), "has two lengths", sheet)
    return once


def _refuse(table: pl.DataFrame, wrong: pl.Expr, what: str, sheet: Sheet) -> None:
    rows = table.select(wrong.arg_true()).to_series()
    if rows.len():
        doc, length = table.row(int(rows[0]))
        place, fix = sheet.place(int(rows[0])), "Correct the length."
        raise MetameterError(f"document {doc!r} {what}", where=place, given=length, fix=fix)
