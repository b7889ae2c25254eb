"""How long documents are: what it takes to read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.cell_coercion import is_number
from metameter.read.columns import spellings
from metameter.read.files.content import Content
from metameter.read.formats import named_columns
from metameter.read.formats.json_text import object_in
from metameter.read.frames import table_of
from metameter.read.header_table import HeaderTable
from metameter.read.trec.layout import Layout
from metameter.types import Fingerprint
from metameter.types.document_tables import Lengths

_DOC, _LENGTH = spellings("doc"), ("length", "words", "tokens", "doc_len")
_LINES = Layout(("doc", "length"), ("doc",), ("length",))
_FORM = "doc (or docno, doc_id, docid), length (or words, tokens, doc_len)"
_FIX = "Give lines of doc and length, a table with these columns, or {doc: length}."


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
        return Lengths(_valid(_table_in(content.unpacked(), content.source)), content.fingerprint)
    if isinstance(source, Mapping):
        table = _of_pairs(list(source.items()), "lengths")
    else:
        table = HeaderTable.by_row("lengths", table_of(source, "", _FIX)).nonempty()
    return Lengths(_valid(table), Fingerprint("lengths"))


def _table_in(data: bytes, where: str) -> HeaderTable:
    if data.startswith(b"\x80"):
        what = "this is a pickle, which is not read: it could run a program"
        raise MetameterError(what, where=where, fix="Write the lengths as JSON, {doc: length}.")
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _of_pairs(*object_in(data, where, "{doc: length}", _FIX))
    table = named_columns(data, where, (*_DOC, *_LENGTH))
    return HeaderTable.of_lines(data, _LINES, where) if table is None else table.nonempty()


def _of_pairs(
    pairs: list[tuple[Any, Any]], where: str, lines: Callable[[], Sequence[int]] | None = None
) -> HeaderTable:
    table = HeaderTable(where, pl.DataFrame(), lines)
    for row, (doc, length) in enumerate(pairs):
        if type(length) not in (int, float) and (isinstance(length, bool) or not is_number(length)):
            what = f"the length of document {doc!r} is not a number"
            raise table.refusal(row, what, given=length, fix="Correct the length.")
    try:
        cells = pl.DataFrame([(str(doc), float(length)) for doc, length in pairs], ["doc", "length"], orient="row")
    except (OverflowError, TypeError, UnicodeEncodeError):
        what, fix = "a length is too large, or the name of a document is no text", "Correct the entry."
        raise MetameterError(what, where=where, fix=fix) from None
    return replace(table, cells=cells)


def _valid(given: HeaderTable) -> pl.DataFrame:
    """Every document once; a length below 0, or a second length, is refused."""
    doc, length = given.needs(*_DOC, allowed=_FORM), given.needs(*_LENGTH, allowed=_FORM)
    table = pl.DataFrame([given.texts(doc).alias("doc"), given.numbers(length).alias("length")])
    if not table.height:
        raise MetameterError("there are no lengths", where=given.source, fix=_FIX)
    _refuse(table, pl.col("length") < 0, "has a length below 0", given)
    once = table.unique("doc", keep="first", maintain_order=True)
    if once.height < table.height:
        _refuse(table, pl.col("length") != pl.col("length").first().over("doc"), "has two lengths", given)
    return once


def _refuse(table: pl.DataFrame, wrong: pl.Expr, what: str, given: HeaderTable) -> None:
    row = table.select(wrong.arg_true().first()).item()
    if row is not None:
        doc, length = table.row(row)
        raise given.refusal(row, f"document {doc!r} {what}", given=length, fix="Correct the length.")
