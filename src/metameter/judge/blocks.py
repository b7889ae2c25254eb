"""Blocks of topics, whose size bounds the memory: never all topics times the longest list.

All blocks are as wide as the longest list of the run, so the scores of a list are the same to the last bit whichever
topics share its block. If that makes more than `TOO_MANY_CELLS` cells in all, each block is only as wide as its own
longest list. Sums beyond the end of a list then start at a different rank, which may change the last digit of a score.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: The most cells (topics x ranks) of a block with more than one topic: 8 MB an array.
MOST_CELLS = 1 << 20
#: With more cells than this in all blocks, each block has its own width.
TOO_MANY_CELLS = 1 << 28


def blocks_of(length: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Yield the first topic, the end, and the width of each block of topics; there is at least one.

    Examples
    --------
    >>> import numpy as np
    >>> list(blocks_of(np.full(50, 1000)))
    [(0, 50, 1000)]
    >>> list(blocks_of(np.array([9, MOST_CELLS // 2, 9])))
    [(0, 2, 524288), (2, 3, 524288)]
    >>> list(blocks_of(np.array([9, TOO_MANY_CELLS, 9, 9])))
    [(0, 1, 9), (1, 2, 268435456), (2, 4, 9)]
    """
    topics, width = length.size, int(length.max(initial=0))
    if topics * width > TOO_MANY_CELLS:
        yield from _of_their_own_width(length.tolist())
        return
    step = max(MOST_CELLS // max(width, 1), 1)
    for start in range(0, max(topics, 1), step):
        yield start, min(start + step, topics), width


def _of_their_own_width(length: list[int]) -> Iterator[tuple[int, int, int]]:
    start = width = 0
    for topic, each in enumerate(length):
        wider = max(width, each)
        if topic > start and (topic + 1 - start) * wider > MOST_CELLS:
            yield start, topic, width
            start, wider = topic, each
        width = wider
    yield start, len(length), width
