"""Parquet files that lie: the notes of one are taken apart, changed and put together again.

A structure is a dictionary, the number of a field -> [its kind in Thrift, its value]; a list is [the kind of its
values, these, and how many it says to have].
"""

from __future__ import annotations

SCHEMA, ROWS, GROUPS = 2, 3, 4
CHUNKS, GROUP_ROWS, META = 1, 3, 3
COUNT, PACKED, FIRST, FIRST_DICTIONARY = 5, 7, 9, 11
TYPE, UNPACKED, OF_VALUES, OF_DICTIONARY, VALUES = 1, 2, 5, 7, 1


class Lies:
    """The end of a Parquet file, and of each chunk its pages: [header, body]."""

    def __init__(self, data):
        length = int.from_bytes(data[-8:-4], "little")
        self.end = _Read(data, len(data) - 8 - length).structure()
        self.chunks = [self._pages(data, chunk) for chunk in self._metas()]

    def groups(self):
        return [group[1] if isinstance(group, list) else group for group in self.end[GROUPS][1][1]]

    def _metas(self):
        return [chunk[META][1] for group in self.groups() for chunk in group[CHUNKS][1][1]]

    def _pages(self, data, meta):
        at, pages = min(meta[each][1] for each in (FIRST, FIRST_DICTIONARY) if meta.get(each, [0, 0])[1]), []
        stop = at + meta[PACKED][1]
        while at < stop:
            read = _Read(data, at)
            header = read.structure()
            at = read.at + header[3][1]
            pages.append([header, data[read.at : at]])
        return pages

    def say_rows(self, rows, values=None):
        """The end of the file says so many rows, and so many values a column."""
        self.end[ROWS][1] = rows
        for group in self.groups():
            group[GROUP_ROWS][1] = rows
        for meta in self._metas():
            meta[COUNT][1] = rows if values is None else values

    def file(self):
        """What the file would be: offsets are true, all else is as it was said."""
        out = b"PAR1"
        for meta, pages in zip(self._metas(), self.chunks, strict=True):
            start, offsets = len(out), {}
            for header, body in pages:
                offsets.setdefault(FIRST_DICTIONARY if header[TYPE][1] == 2 else FIRST, [6, len(out)])
                out += written(12, header) + body
            meta.update(offsets)
            meta[PACKED][1] = len(out) - start
        end = written(12, self.end)
        return out + end + len(end).to_bytes(4, "little") + b"PAR1"


class _Read:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, size):
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self):
        value = shift = 0
        while (byte := self.take(1)[0]) > 127:
            value, shift = value | (byte & 127) << shift, shift + 7
        return value | byte << shift

    def number(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def structure(self):
        fields, number = {}, 0
        while head := self.take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self.number()
            kind = head & 15
            fields[number] = [kind, None if kind in (1, 2) else self.value(kind)]
        return fields

    def value(self, kind):
        if kind == 12:
            return self.structure()
        if kind == 8:
            return self.take(self.varint())
        if kind in (9, 10):
            head = self.take(1)[0]
            size = self.varint() if head >> 4 == 15 else head >> 4
            return [head & 15, [self.value(head & 15) for _ in range(size)], size]
        return self.take(1)[0] if kind < 4 else self.number()


def varint(value):
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def written(kind, value):
    """A value in Thrift's compact encoding."""
    if kind == 12:
        out, before = b"", 0
        for number, (each, inner) in sorted(value.items()):
            out += bytes([(number - before) << 4 | each]) + (b"" if each in (1, 2) else written(each, inner))
            before = number
        return out + b"\0"
    if kind == 8:
        return varint(len(value)) + value
    if kind in (9, 10):
        each, values, size = value
        return bytes([0xF0 | each]) + varint(size) + b"".join(written(each, inner) for inner in values)
    return bytes([value]) if kind < 4 else varint(2 * value if value >= 0 else -2 * value - 1)
