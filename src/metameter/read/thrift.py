"""Thrift's compact encoding, as far as the notes in a Parquet file need it: structures become dictionaries.

Every file is read through here before it is read at all, so places in the bytes are passed from hand to hand rather
than kept in an object, and what is beyond the end shows when it is reached.
"""

from __future__ import annotations

from typing import Any

__all__ = ["structure", "varint"]

_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12
_DEEPEST = 32
_FOLLOWED = 128


def structure(data: bytes, at: int = 0, end: int | None = None) -> tuple[dict[int, Any], int]:
    """The structure that begins at a place: the number of each field -> its value; and where it ends.

    Of a field that is there twice the last one counts, as for whoever reads the file. What is no structure, or does not
    end before ``end``, is a ValueError.

    Examples
    --------
    Field 1 is the number 3 (in zigzag: 6), and field 4 is a list of two texts.

    >>> structure(bytes([0x15, 6, 0x39, 0x28, 1, 97, 1, 98, 0]))
    ({1: 3, 4: [b'a', b'b']}, 9)
    """
    end = len(data) if end is None else end
    try:
        fields, at = _structure(data, at, end, 0)
    except IndexError:
        raise ValueError("the end is missing") from None
    if at > end:
        raise ValueError("the end is missing")
    return fields, at


def _structure(data: bytes, at: int, end: int, depth: int) -> tuple[dict[int, Any], int]:
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _number(data, at)
        if _I16 <= kind <= _I64:
            fields[number], at = _number(data, at)
        elif _TRUE <= kind <= _FALSE:
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _value(data, at, end, kind, depth)
    return fields, at + 1


def _value(data: bytes, at: int, end: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise ValueError("structures, lists and maps nest too deeply")
    if kind == _STRUCT:
        return _structure(data, at, end, depth + 1)
    if kind == _BINARY:
        size, at = varint(data, at)
        return _taken(data, at, end, size)
    if _I16 <= kind <= _I64:
        return _number(data, at)
    if kind in (_LIST, _SET):
        return _listed(data, at, end, depth + 1)
    if kind == _MAP:
        return _mapped(data, at, end, depth + 1)
    if kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
        return _taken(data, at, end, 8 if kind == _DOUBLE else 1)
    raise ValueError("there is no such type")


def _listed(data: bytes, at: int, end: int, depth: int) -> tuple[list[Any], int]:
    kind, size, at = data[at] & 15, data[at] >> 4, at + 1
    if size == 15:
        size, at = varint(data, at)
    values = []
    for _ in range(_fitting(size, end - at)):
        value, at = _value(data, at, end, kind, depth)
        values.append(value)
    return values, at


def _mapped(data: bytes, at: int, end: int, depth: int) -> tuple[list[Any], int]:
    size, at = varint(data, at)
    if not size:
        return [], at
    kinds, at = data[at], at + 1
    pairs = []
    for _ in range(_fitting(size, end - at)):
        key, at = _value(data, at, end, kinds >> 4, depth)
        value, at = _value(data, at, end, kinds & 15, depth)
        pairs.append((key, value))
    return pairs, at


def _fitting(size: int, left: int) -> int:
    # Every value takes a byte at least.
    if size > left:
        raise ValueError("a list is longer than what is left")
    return size


def _taken(data: bytes, at: int, end: int, size: int) -> tuple[bytes, int]:
    if size > end - at:
        raise ValueError("the end is missing")
    return data[at : at + size], at + size


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = data[at]
    if value < _FOLLOWED:
        return value >> 1 ^ -(value & 1), at + 1
    value, at = varint(data, at)
    return value >> 1 ^ -(value & 1), at


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first; and where it ends.

    Examples
    --------
    >>> varint(bytes([0xAC, 2]), 0)
    (300, 2)
    """
    value = shift = 0
    while (byte := data[at]) >= _FOLLOWED:
        value |= (byte & 127) << shift
        at += 1
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")
    return value | byte << shift, at + 1
