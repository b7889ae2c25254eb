"""The text of a run in blocks of whole topics, so that a large file is never in memory as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

#: How many bytes of text a block has, or a little more: its arrays stay in the processor's cache.
BLOCK = 1 << 23
# A line's topic: its first word, unless it is a comment. A line may begin with a byte-order mark.
_TOPIC = re.compile(rb"^(?:\xef\xbb\xbf)?+[^\S\n]*([^\s#]\S*)", re.MULTILINE)


def topic_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Join pieces of a text, and cut it where a topic ends.

    Lines of a topic that follow each other are in one block. A block is larger where a topic is.
    """
    waiting, size = list[bytes](), 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size < BLOCK:
            continue
        cut = _last_change(piece)
        if cut:
            yield b"".join([*waiting[:-1], memoryview(piece)[:cut]])
            waiting, size = [piece[cut:]], len(piece) - cut
    yield b"".join(waiting)


def _last_change(piece: bytes) -> int:
    """Where the lines of the last topic begin, by bisection; 0 if they may have begun before.

    The first and the last line may be incomplete. A topic whose lines do not follow each other may be cut in two.
    """
    begun = piece.find(b"\n") + 1
    first, last, end = _TOPIC.search(piece, begun), None, piece.rfind(b"\n")
    while last is None and end > begun:
        begin = piece.rfind(b"\n", 0, end) + 1
        last, end = _TOPIC.match(piece, begin, end), begin - 1
    if first is None or last is None or first[1] == last[1]:
        return 0
    low, high, cut = first.end(), last.start(), last.start()
    while low < high:
        middle = (low + high) // 2
        match = _TOPIC.search(piece, middle)
        if match is not None and match.start() < high and match[1] != last[1]:
            low = match.end()
        else:
            cut = match.start() if match is not None and match.start() < high else cut
            high = middle
    return cut
