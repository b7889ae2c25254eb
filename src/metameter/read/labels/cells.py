"""Interpretation of cells: lists of grades, labels, users. A column holds each distinct text once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import polars as pl

from metameter.parameters import LARGEST
from metameter.read.header_table import names_of
from metameter.read.trec.parse import NUMBER

_MISSING = ("", "null", "none")
_UNJUDGED = ("null", "none", "?")
#: Texts that are read at a time.
_AT_ONCE = 1 << 15
_TRUTH = {"true": 1.0, "false": 0.0}
_CLOSING = {"[": "]", "(": ")"}
# Numbers without exponents; few enough digits that all parsers agree.
_NUMBER = r"(?:-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?|null)"
_PLAIN = rf"^\[ ?(?:{_NUMBER}(?: ?, ?{_NUMBER})*)? ?\]$"
_GRADE = rf"(?:{_NUMBER}|\?)"
_SPLIT = rf"^{_GRADE}(?:(?: {_GRADE})*|(?:,{_GRADE})*|(?:;{_GRADE})*)$"
#: Values, null where there is none, and the texts that are none.
Pair: TypeAlias = tuple[pl.Series, pl.Series]


def raw_column(column: pl.Series) -> pl.Series:
    """A column as numbers or lists of numbers if it holds these, else as text."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    dtype = column.dtype
    if dtype == pl.Categorical or isinstance(dtype, pl.Enum) or dtype == pl.Null:
        return column.cast(pl.String)
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    numeric = inner.is_numeric() or inner == pl.Boolean or (inner == pl.Null and inner is not dtype)
    if numeric or dtype == pl.String:
        return column
    return pl.Series(column.name, [text_of(value) for value in column.to_list()], pl.String)


def grade_column(column: pl.Series) -> Pair:
    """The lists of grades, null where there is none, and the texts that are no grades."""
    if not isinstance(column.dtype, pl.List):
        return _in_blocks(column.cast(pl.String), _grade_lists)
    lists = column.cast(pl.List(pl.Float64))
    if column.dtype.inner.is_integer():
        return lists, _nothing(len(column))
    lists = _without_signs(lists)
    wrong = lists.list.eval(pl.element().filter(~pl.element().is_finite())).list.first().cast(pl.String)
    return lists, wrong


def is_plain_list(texts: pl.Series) -> pl.Series:
    """Which texts are lists of JSON that hold numbers and null alone."""
    return texts.str.contains(_PLAIN)


def _grade_lists(texts: pl.Series) -> Pair:
    """Lists of plain numbers are parsed all at once, others one by one."""
    # Brackets, or one separator; a lone null is no list.
    plain = (is_plain_list(texts) | texts.str.contains(_SPLIT) & (texts != "null")).fill_null(False)
    items = pl.select(pl.when(plain).then(texts)).to_series().str.extract_all(r"[^\[\] ,;]+")
    lists = _without_signs(items.list.eval(pl.element().replace(dict.fromkeys(_UNJUDGED)).cast(pl.Float64)))
    if plain.all():
        return lists, _nothing(len(texts))
    others, wrong = _one_by_one(texts.set(plain, None), grades_in, pl.List(pl.Float64))
    return lists.zip_with(plain, others), wrong


def label_column(column: pl.Series) -> Pair:
    """The labels, null where there is none, and the texts that are no numbers."""
    if column.dtype == pl.String or isinstance(column.dtype, pl.List):
        texts = column if column.dtype == pl.String else column.cast(pl.List(pl.String)).list.join(" ")
        return _in_blocks(texts, lambda some: _one_by_one(some, _number_in, pl.Float64))
    labels = column.cast(pl.Float64).replace(0.0, 0.0)  # -0 is 0
    wrong = pl.select(pl.when(~(labels.abs() <= LARGEST)).then(labels.cast(pl.String))).to_series()
    return labels, wrong


def user_column(column: pl.Series) -> pl.Series:
    """Users, or other names, as text; null where there is none."""
    texts = raw_column(column)
    lists = isinstance(texts.dtype, pl.List)
    names = texts.cast(pl.List(pl.String)).list.join(" ") if lists else names_of(texts, "user")
    texts = names.str.strip_chars()
    return pl.select(pl.when(~texts.str.to_lowercase().is_in(_MISSING)).then(texts)).to_series()


def _in_blocks(texts: pl.Series, read: Callable[[pl.Series], Pair]) -> Pair:
    """Read texts block by block, since Python lists take many times the memory of columns."""
    blocks = (texts[start : start + _AT_ONCE] for start in range(0, max(1, len(texts)), _AT_ONCE))
    values, wrong = zip(*map(read, blocks), strict=True)
    return pl.concat(values), pl.concat(wrong)


def _one_by_one(texts: pl.Series, read: Callable[[str], tuple[Any, str | None]], dtype: Any) -> Pair:
    parsed = [(None, None) if text is None else read(text) for text in texts.to_list()]
    values = pl.Series([value for value, _ in parsed], dtype=dtype)
    return values, pl.Series([wrong for _, wrong in parsed], dtype=pl.String)


def _without_signs(lists: pl.Series) -> pl.Series:
    """The lists with 0 for -0; adding 0 would not do it, since Polars leaves that out."""
    return lists.list.eval(pl.element().replace(0.0, 0.0))


def _nothing(size: int) -> pl.Series:
    return pl.Series([None], dtype=pl.String).new_from_index(0, size)


def grades_in(text: str) -> tuple[list[float | None] | None, str | None]:
    """The grades in a cell, None for a result that is not judged; or the text that is no grade.

    A cell that is empty, null or None as a whole holds no list. Of an object of JSON the whole text is returned.

    Examples
    --------
    >>> grades_in("[1, null, 2]"), grades_in("1 ? 2"), grades_in("1;0.5"), grades_in("[]"), grades_in("null")
    (([1.0, None, 2.0], None), ([1.0, None, 2.0], None), ([1.0, 0.5], None), ([], None), (None, None))
    >>> grades_in("1 good"), grades_in("1,,2"), grades_in('{"d1": 1, "d2": 0}')
    ((None, 'good'), (None, ''), (None, '{"d1": 1, "d2": 0}'))
    """
    inner = text.strip()
    if inner.lower() in _MISSING:
        return None, None
    if "{" in inner:
        return None, inner
    if inner[0] in _CLOSING:
        if len(inner) < 2 or inner[-1] != _CLOSING[inner[0]]:
            return None, inner
        inner = inner[1:-1].strip()
        if not inner:
            return [], None
    grades: list[float | None] = []
    for item in inner.split("," if "," in inner else ";" if ";" in inner else None):
        is_grade, grade = _grade(item)
        if not is_grade:
            return None, item.strip()
        grades.append(grade)
    return grades, None


@lru_cache(maxsize=4096)
def _grade(text: str) -> tuple[bool, float | None]:
    """Whether it is a grade or a sign for none, and which grade."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    if text.lower() in _UNJUDGED:
        return True, None
    value = _finite(text)
    return value is not None, value


def _number_in(text: str) -> tuple[float | None, str | None]:
    """The number in a cell, None where it is missing (empty, null, None); or the text that is no number."""
    stripped = text.strip()
    if stripped.lower() in _MISSING:
        return None, None
    value = _finite(stripped)
    return (None, stripped) if value is None or abs(value) > LARGEST else (value, None)


def _finite(text: str) -> float | None:
    value = float(text) if NUMBER.fullmatch(text) else _TRUTH.get(text.lower(), math.nan)
    return value + 0.0 if math.isfinite(value) else None  # -0 is 0


def text_of(value: Any) -> str | None:
    """A value of JSON or of Python as it would stand in a cell."""
    if hasattr(value, "tolist") or hasattr(value, "to_list"):
        value = _plain(value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # 4.0 is the user 4
    try:
        return json.dumps(value, default=_plain)
    except (ValueError, TypeError, RecursionError):  # a number of thousands of digits, a key that is no text
        return "unwritable"


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy, and columns of data frames, as Python has them; other objects as text."""
    plain = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    return str(value) if plain is None else plain()
