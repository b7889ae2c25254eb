"""Values as JSON can hold them, such that what is read back is what was written: tuples, and keys that are no text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["from_plain", "to_plain"]

_TUPLE, _ITEMS = "__tuple__", "__items__"


def to_plain(value: Any) -> Any:
    """A value in terms of what JSON has; anything that would not come back the same raises a TypeError.

    Examples
    --------
    >>> to_plain({"ends": (1, np.float64(0.5)), "by": {10: "a"}})
    {'ends': {'__tuple__': [1, 0.5]}, 'by': {'__items__': [[10, 'a']]}}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value) and not {_TUPLE, _ITEMS} & set(value):
            return {str(key): to_plain(each) for key, each in value.items()}
        return {_ITEMS: [[to_plain(key), to_plain(each)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {_TUPLE: [to_plain(each) for each in value]}
    if isinstance(value, list):
        return [to_plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{type(value).__name__} is neither text, number, list, tuple nor dict")


def from_plain(value: Any) -> Any:
    """The value behind what `to_plain` made of it.

    Examples
    --------
    >>> from_plain(to_plain({"ends": (1, [2, (3,)]), "by": {10: "a"}}))
    {'ends': (1, [2, (3,)]), 'by': {10: 'a'}}
    """
    if isinstance(value, list):
        return [from_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {_TUPLE}:
        return tuple(map(from_plain, value[_TUPLE]))
    if set(value) == {_ITEMS}:
        return {from_plain(key): from_plain(each) for key, each in value[_ITEMS]}
    return {key: from_plain(each) for key, each in value.items()}
