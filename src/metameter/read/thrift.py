"""Thrift's compact encoding, as far as the notes in a Parquet file need it: structures become dictionaries."""

from __future__ import annotations

from typing import Any

__all__ = ["Thrift"]

_STOP, _TRUE, _FALSE, _BYTE, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12
_DEEPEST = 32


class Thrift:
    """A place in some bytes from which values are read; what cannot be one is a ValueError.

    Examples
    --------
    A structure whose field 1 is the number 3 (in zigzag: 6), and whose field 4 is a list of two texts.

    >>> Thrift(bytes([0x15, 6, 0x39, 0x28, 1, 97, 1, 98, 0])).structure()
    {1: 3, 4: [b'a', b'b']}
    """

    def __init__(self, data: bytes | memoryview, at: int = 0) -> None:
        self._data, self.at = memoryview(data), at

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """The structure that begins here: the number of each field -> its value."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._number()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("structures, lists and maps nest too deeply")
        if _BYTE < kind <= _I64:
            return self._number()
        if kind == _BINARY:
            return bytes(self._taken(self._varint()))
        if kind == _STRUCT:
            return self.structure(depth + 1)
        if kind in (_LIST, _SET):
            return self._listed(depth)
        if kind == _MAP:
            return self._mapped(depth)
        if kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
            return bytes(self._taken(8 if kind == _DOUBLE else 1))
        raise ValueError("there is no such type")

    def _listed(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._fitting(self._varint() if head >> 4 == 15 else head >> 4)
        return [self._value(head & 15, depth + 1) for _ in range(size)]

    def _mapped(self, depth: int) -> list[Any]:
        size = self._fitting(self._varint())
        kinds = self._byte() if size else 0
        return [(self._value(kinds >> 4, depth + 1), self._value(kinds & 15, depth + 1)) for _ in range(size)]

    def _fitting(self, size: int) -> int:
        # Every value takes a byte at least.
        if size > len(self._data) - self.at:
            raise ValueError("a list is longer than what is left")
        return size

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")
        return value | byte << shift

    def _byte(self) -> int:
        return self._taken(1)[0]

    def _taken(self, size: int) -> memoryview:
        if size > len(self._data) - self.at:
            raise ValueError("the end is missing")
        self.at += size
        return self._data[self.at - size : self.at]
