"""The rows of a run from the bytes of its file, for files as nearly all are: no text is made of the names.

A regular file is looked at in blocks that stay in the processor's cache: where its blanks are says where its cells are.
Whatever is not as expected (other blanks, comments, numbers that are not plain) makes the whole file one to be read as
a table, by `layout.parse`, which is the definition of what is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.read.decimals import decimals
from metameter.read.layout import END, blanks_in, has_control, is_plain, regular_text, separator_of
from metameter.types.names import PADDING, Names
from metameter.types.rows import Rows, beginnings, joined_stretches, salted, salts, take_turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.read.layout import Layout

__all__ = ["split_rows"]

_BLOCK = 1 << 20
_COMMENT = ord("#")


def split_rows(data: bytes, layout: Layout) -> Rows | None:
    r"""The rows of a regular file with the columns topic, doc and one of numbers; None if it is not one.

    Examples
    --------
    >>> from metameter.read.trec import RUN
    >>> rows = split_rows(b"401 Q0 d1 1 9.5 tag\n401 Q0 d2 2 9.1 tag\n402 Q0 d1 1 7 tag\n", RUN)
    >>> rows.topics, rows.begin, rows.doc.texts(), rows.value
    (('401', '402'), array([0, 2]), ['d1', 'd2', 'd1'], array([9.5, 9.1, 7. ]))
    >>> split_rows(b"401 Q0  d1 1 9.5 tag\n", RUN)
    """
    text = regular_text(data)
    separator = separator_of(text) if is_plain(text) else None
    if separator is None:
        return None
    text += PADDING if text.endswith(b"\n") else b"\n" + PADDING
    codes = np.frombuffer(text, dtype=np.uint8)
    parts, begins = [], []
    for start, stop in _blocks(text):
        part = _part(codes, start, stop, ord(separator), layout)
        if part is None and has_control(text, start, stop):
            part = _part(codes, start, stop, ord(separator), layout, exact=True)
        if part is None:
            return None
        parts.append(part)
        begins.append(start)
    value, hashes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("value", "hashes"))
    begin, topics = joined_stretches([(part.value.size, part.begin, part.topics) for part in parts])
    rows = Rows(begin, topics, Names.joined(codes, [part.doc for part in parts], begins), value)
    return replace(rows, known_keys=salted(hashes, np.repeat(salts(rows.topics), rows.length)))


def _blocks(text: bytes) -> Iterator[tuple[int, int]]:
    """Blocks of whole lines, without the padding: where each begins and ends."""
    start, size = 0, len(text) - len(PADDING)
    while start < size:
        stop = min(start + _BLOCK, size)
        # A line that is longer than a block makes a longer block.
        stop = text.rfind(b"\n", start, stop) + 1 or text.find(b"\n", stop) + 1
        yield start, stop
        start = stop


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of a block: where stretches of a topic begin, and their topics; the documents and numbers."""

    begin: NDArray[np.int64]
    topics: list[str]
    doc: Names
    value: NDArray[np.float64]
    hashes: NDArray[np.uint64]


def _part(
    codes: NDArray[np.uint8], start: int, stop: int, separator: int, layout: Layout, *, exact: bool = False
) -> _Part | None:
    block = codes[start:stop]
    columns = len(layout.columns)
    blank = blanks_in(block, exact=exact)
    blanks = np.flatnonzero(blank)
    if blanks.size % columns or blank[0] or (blank[1:] & blank[:-1]).any():
        return None  # some line has other columns than those of the layout, or blanks stand side by side
    ends = blanks.reshape(-1, columns)
    lines = len(ends)
    if (block[ends[:, -1]] != END).any() or np.count_nonzero(block == separator) != lines * (columns - 1):
        return None
    begins = np.append(0, ends[:-1, -1] + 1)
    if (block[begins] == _COMMENT).any():
        return None
    # Where words are read they may go beyond the block.
    beyond = codes[start : stop + len(PADDING)]

    def cells(name: str) -> Names:
        place = layout.columns.index(name)
        first = ends[:, place - 1] + 1 if place else begins
        return Names(beyond, first, ends[:, place] - first)

    value = decimals(cells(layout.numbers[0]))
    if value is None:
        return None
    topic, doc = cells("topic"), cells("doc")
    begin = beginnings(topic.differ())
    if take_turns(begin.size, lines):
        return None
    return _Part(begin, topic.take(begin).texts(), doc, value, doc.hashes())
