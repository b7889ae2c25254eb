"""What stands in a cell of a table of labelled pages: a list of grades, a label, a user."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

from metameter.parameters import LARGEST

__all__ = ["grades_in", "number_in", "text_of"]

_MISSING = ("", "null", "none")
_UNJUDGED = ("null", "none", "?")
_TRUTH = {"true": 1.0, "false": 0.0}
_CLOSING = {"[": "]", "(": ")"}


def number_in(text: str) -> tuple[float | None, str | None]:
    """The number in a cell, None where it is missing (empty, null, None); or what is there instead of one.

    Examples
    --------
    >>> number_in(" 4 "), number_in("null"), number_in("true"), number_in("good"), number_in("inf")
    ((4.0, None), (None, None), (1.0, None), (None, 'good'), (None, 'inf'))
    """
    word = text.strip()
    if word.lower() in _MISSING:
        return None, None
    value = _finite(word)
    return (None, word) if value is None or abs(value) > LARGEST else (value, None)


def grades_in(text: str) -> tuple[list[float | None] | None, str | None]:
    """The grades in a cell, None for a result that is not judged; or what is there instead of a grade.

    A cell that is empty, null or None as a whole holds no list. An object of JSON is none either: it is told whole.

    Examples
    --------
    >>> grades_in("[1, null, 2]"), grades_in("1 ? 2"), grades_in("1;0.5"), grades_in("[]"), grades_in("null")
    (([1.0, None, 2.0], None), ([1.0, None, 2.0], None), ([1.0, 0.5], None), ([], None), (None, None))
    >>> grades_in("1 good"), grades_in("1,,2")
    ((None, 'good'), (None, ''))
    >>> grades_in('{"d1": 1, "d2": 0}')
    (None, '{"d1": 1, "d2": 0}')
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
    for word in inner.split("," if "," in inner else ";" if ";" in inner else None):
        known, grade = _grade(word)
        if not known:
            return None, word.strip()
        grades.append(grade)
    return grades, None


def text_of(value: Any, seen: dict[Any, str]) -> str | None:
    """A value of JSON or of Python as it would stand in a cell; ``seen`` remembers lists that were written already.

    Examples
    --------
    >>> seen = {}
    >>> text_of([2, None], seen), text_of(4.0, seen), text_of("u1", seen), text_of(None, seen), text_of(True, seen)
    ('[2, null]', '4', 'u1', None, 'true')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        try:
            key = tuple(value)
            written = seen.get(key)
        except TypeError:  # lists within the list
            return _written(value)
        if written is None:
            written = seen[key] = _written(value)
        return written
    if type(value) is int and abs(value) < 2**63:  # the most frequent case, and JSON takes its time
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # 4.0 is the user 4
    return _written(value)


def _written(value: Any) -> str:
    plain = _plain(value)
    if plain is not value:
        return text_of(plain, {}) or "null"
    try:
        return json.dumps(value, default=_nested)
    except (ValueError, TypeError, RecursionError):  # a number of thousands of digits, a key that is no text
        return "unwritable"


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy, and columns of data frames, as Python has them."""
    plain = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    return value if plain is None else plain()


def _nested(value: Any) -> Any:
    plain = _plain(value)
    return str(value) if plain is value else plain


@lru_cache(maxsize=4096)
def _grade(word: str) -> tuple[bool, float | None]:
    """Whether it is a grade or a sign for none, and which."""
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        word = word[1:-1].strip()
    if word.lower() in _UNJUDGED:
        return True, None
    value = _finite(word)
    return value is not None, value


def _finite(word: str) -> float | None:
    # float() alone would also take 1_000, the digits of other scripts, nan and inf.
    if "_" in word or not word.isascii():
        return None
    try:
        value = float(word)
    except ValueError:
        return _TRUTH.get(word.lower())
    return value + 0.0 if math.isfinite(value) else None  # -0 is 0
