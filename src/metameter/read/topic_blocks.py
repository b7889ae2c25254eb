"""The text of a run in blocks of whole topics, so that a large file is never in memory as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["BLOCK", "topic_blocks"]

#: How many bytes of text a block has, or a little more: what is made of them stays in the processor's cache.
BLOCK = 1 << 23
# A line's topic: its first word, unless it is a comment. A line may begin with a byte-order mark.
_TOPIC = re.compile(rb"^(?:\xef\xbb\xbf)?+[^\S\n]*([^\s#]\S*)", re.MULTILINE)


def topic_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Join pieces of a text, and cut it where a topic ends.

    Lines of a topic that follow each other are in one block. A block is larger where a topic is.

    Examples
    --------
    >>> pieces = [b"1 Q0 d1 1 2 t\n1 Q0 d2", b" 2 1 t\n2 Q0 d1 1 2 t\n2 Q0 d3 2 1 t\n"]
    >>> list(topic_blocks(pieces))
    [b'1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n2 Q0 d1 1 2 t\n2 Q0 d3 2 1 t\n']
    """
    waiting, size, enough = list[bytes](), 0, BLOCK
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size < enough:
            continue
        text = b"".join(waiting)
        cut = _last_change(text)
        if cut:
            yield text[:cut]
        waiting, size = [text[cut:]], len(text) - cut
        enough = BLOCK if cut else 2 * size  # a topic that goes on and on is not looked through again and again
    yield b"".join(waiting)


def _last_change(text: bytes) -> int:
    r"""Where the lines of the last topic begin, 0 if they may have begun before; the last line may be cut short.

    It halves the text again and again: a topic whose lines do not follow each other may be cut in two.

    Examples
    --------
    >>> text = b"1 Q0 d1 1 2 t\n2 Q0 d1 1 2 t\n2 Q0 d3 2 1 t\n2 Q"
    >>> text[_last_change(text):][:13], _last_change(b"1 Q0 d1 1 2 t\n1 Q0")
    (b'2 Q0 d1 1 2 t', 0)
    """
    first, last, end = _TOPIC.search(text), None, text.rfind(b"\n")
    while last is None and end > 0:
        begin = text.rfind(b"\n", 0, end) + 1
        last, end = _TOPIC.match(text, begin, end), begin - 1
    if first is None or last is None or first[1] == last[1]:
        return 0
    low, high, cut = first.end(), last.start(), last.start()
    while low < high:
        middle = (low + high) // 2
        found = _TOPIC.search(text, middle)
        if found is not None and found.start() < high and found[1] != last[1]:
            low = found.end()
        else:
            cut = found.start() if found is not None and found.start() < high else cut
            high = middle
    return cut
