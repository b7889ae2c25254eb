"""Tables of documents: how long they are, and what it costs a user to look at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.cell_coercion import is_number
from metameter.read.columns import spellings
from metameter.read.duplicates import without_duplicates
from metameter.read.files.content import Content
from metameter.read.formats import table_in, table_of
from metameter.read.formats.json_text import object_in
from metameter.read.header_table import HeaderTable
from metameter.read.trec.parse import Layout
from metameter.types import Fingerprint
from metameter.types.document_tables import EVERYWHERE, CostTable, Lengths

_COST_BY_TOPIC = Layout(("topic", "doc", "cost"), ("topic", "doc"), ("cost",))
_COST = Layout(("doc", "cost"), ("doc",), ("cost",))
_COST_COLUMNS = (*spellings("topic"), *spellings("doc"), "cost")
_COST_FIX = "Give lines of topic, doc, cost or of doc, cost; a table with these columns; or {topic: {doc: cost}}."
_DOC, _LENGTH = spellings("doc"), ("length", "words", "tokens", "doc_len")
_LINES = Layout(("doc", "length"), ("doc",), ("length",))
_FORM = "doc (or docno, doc_id, docid), length (or words, tokens, doc_len)"
_FIX = "Give lines of doc and length, a table with these columns, or {doc: length}."


def read_costs(source: Any) -> CostTable:
    r"""Read costs from a path, a dictionary {topic: {doc: cost}} or {doc: cost}, or any data frame.

    A file has lines of ``topic doc cost`` or of ``doc cost``, or is a table (CSV, TSV, JSON lines, Parquet) with the
    columns topic (if costs differ by topic), doc, cost.

    Examples
    --------
    >>> read_costs({"d1": 12.5}).table.rows()
    [('', 'd1', 12.5)]
    """
    if isinstance(source, str | Path):
        content = Content.of(source)
        table = table_in(content.unpacked(), content.source, _COST_COLUMNS, _COST_BY_TOPIC, _COST)
        return CostTable(_costs(table), content.fingerprint)
    if isinstance(source, Mapping) and not any(isinstance(value, Mapping) for value in source.values()):
        source = {EVERYWHERE: source}
    return CostTable(_costs(HeaderTable.by_row("costs", table_of(source, "cost", _COST_FIX))), Fingerprint("costs"))


def _costs(source: HeaderTable) -> pl.DataFrame:
    """The table with a topic in every row; a cost that is not above 0, or a second cost, is refused."""
    table = source.select(_COST_BY_TOPIC if source.find("topic") else _COST)
    if "topic" not in table.columns:
        table = table.select(pl.lit(EVERYWHERE).alias("topic"), "doc", "cost")
    free = table["cost"] <= 0
    if free.any():
        row = free.arg_max() or 0
        raise source.refusal(row, "a cost is not above 0", given=table["cost"][row], fix="Give a cost above 0.")
    return without_duplicates(table.select("topic", "doc", "cost"), "cost", "error", source.location)


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
    """
    if isinstance(source, Lengths):
        return source
    if isinstance(source, str | Path):
        content = Content.of(source)
        return Lengths(_lengths(_lengths_in(content.unpacked(), content.source)), content.fingerprint)
    if isinstance(source, Mapping):
        table = _of_pairs(list(source.items()), "lengths")
    else:
        table = HeaderTable.by_row("lengths", table_of(source, "", _FIX)).nonempty()
    return Lengths(_lengths(table), Fingerprint("lengths"))


def _lengths_in(data: bytes, where: str) -> HeaderTable:
    if data.startswith(b"\x80"):
        what = "this is a pickle, which is not read: it could run a program"
        raise MetameterError(what, where=where, fix="Write the lengths as JSON, {doc: length}.")
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _of_pairs(*object_in(data, where, "{doc: length}", _FIX))
    return table_in(data, where, (*_DOC, *_LENGTH), _LINES).nonempty()


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


def _lengths(source: HeaderTable) -> pl.DataFrame:
    """Every document once; a length below 0, or a second length, is refused."""
    doc, length = source.needs(*_DOC, allowed=_FORM), source.needs(*_LENGTH, allowed=_FORM)
    table = pl.DataFrame([source.texts(doc).alias("doc"), source.numbers(length).alias("length")])
    if not table.height:
        raise MetameterError("there are no lengths", where=source.source, fix=_FIX)
    faults = {
        "has a length below 0": pl.col("length") < 0,
        "has two lengths": pl.col("length") != pl.col("length").first().over("doc"),
    }
    for what, wrong in faults.items():
        row = table.select(wrong.arg_true().first()).item()
        if row is not None:
            name, value = table.row(row)
            raise source.refusal(row, f"document {name!r} {what}", given=value, fix="Correct the length.")
    return table.unique("doc", keep="first", maintain_order=True)
