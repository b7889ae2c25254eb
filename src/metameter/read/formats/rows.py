"""Rows that are Python objects: dictionaries, or named tuples as in ir_measures and ir_datasets, in any iterable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError, in_utf8
from metameter.read.cell_coercion import column_of, is_number
from metameter.read.columns import SPELLINGS, column_key, repeated_name, spellings
from metameter.read.formats.base import ObjectFormat

if TYPE_CHECKING:
    import polars as pl


_WORDS = frozenset(word for name in SPELLINGS for word in spellings(name))
_METRIC = spellings("metric")
_PLAIN = (str, float, int, type(None))


def is_row(obj: Any) -> bool:
    """Whether this is one row with the names of its columns, rather than a run or the path of one.

    Examples
    --------
    >>> from collections import namedtuple
    >>> is_row({"qid": "1", "docno": "d1", "score": 9.5}), is_row(namedtuple("ScoredDoc", "query_id doc_id")("1", "d1"))
    (True, True)
    >>> is_row({"1": {"d1": 9.5}}), is_row({"BM25": "bm25.run", "QL": "ql.run"}), is_row("bm25.run")
    (False, False, False)
    """
    if isinstance(obj, tuple):
        return hasattr(obj, "_fields")
    if not isinstance(obj, Mapping) or not obj:
        return False
    keys = {key: column_key(key) if isinstance(key, str) else "" for key in obj}
    # A metric may be an object, as in ir_measures; any other object is a run.
    others = [key for key, value in obj.items() if not isinstance(value, str | Path | Number | None)]
    if any(keys[key] not in _METRIC or isinstance(obj[key], Iterable) for key in others):
        return False
    named = sum(word in _WORDS for word in keys.values())
    return named >= 2 or any(isinstance(value, Number) for value in obj.values())


class Rows(ObjectFormat):
    """Rows with the names of their columns; each must have the columns of the first."""

    order = 2

    def recognises(self, obj: Any) -> bool:
        """Whether this is an iterable; its content is checked when it is read."""
        return isinstance(obj, Iterable) and not isinstance(obj, str | bytes)

    def table(self, obj: Any, value: str, fix: str) -> pl.DataFrame:
        """The cells of all rows."""
        rows = list(obj)
        if not rows or not is_row(rows[0]):
            given = f"a {type(obj).__name__} of {type(rows[0]).__name__}" if rows else f"an empty {type(obj).__name__}"
            raise MetameterError("this cannot be read", given=given, fix=fix)
        return _table(rows, "rows")


def _table(listed: list[Any], where: str) -> pl.DataFrame:
    import polars as pl

    names = _names(listed[0])
    kind = Mapping if isinstance(listed[0], Mapping) else tuple
    known = set(names)

    def fits(row: Any) -> bool:
        own = _names(row) if isinstance(row, kind) else []
        return own == names or (kind is Mapping and len(own) == len(names) and known.issuperset(own))

    refusal = next((number for number, row in enumerate(listed, start=1) if not fits(row)), None)
    if refusal is not None:
        row = listed[refusal - 1]
        raise MetameterError(
            "the row has other columns than the first one" if is_row(row) else "this is not a row",
            where=f"{where}: row {refusal}",
            given=", ".join(map(str, _names(row))) if is_row(row) else row,
            allowed=", ".join(map(str, names)),
            fix="Give dictionaries or named tuples with the same names.",
        )
    texts = [in_utf8(str(name)) for name in names]
    if (twice := repeated_name(texts)) is not None:
        raise MetameterError(f"the rows name {twice!r} twice", where=where, fix="Rename one of the columns.")
    keys = names if kind is Mapping else range(len(names))
    columns = ([row[key] for row in listed] for key in keys)
    return pl.DataFrame([column_of(text, list(map(_cell, cells))) for text, cells in zip(texts, columns, strict=True)])


def _names(row: Any) -> list[Any]:
    return list(row) if isinstance(row, Mapping) else list(getattr(row, "_fields", ()))


def _cell(cell: Any) -> Any:
    # Measures of ir_measures become what they print; durations of NumPy are no numbers.
    return cell if type(cell) in _PLAIN or isinstance(cell, str) or is_number(cell) else in_utf8(str(cell))


FORMAT = Rows()
