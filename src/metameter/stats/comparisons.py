"""Which systems are compared with which: all pairs, or every system with each baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import system_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["comparisons", "in_chunks", "place_of_pair"]

_PAIRS = 1024  # handled at a time: differences of 50 topics stay in the cache, and memory is bounded


def comparisons(systems: int, baselines: Sequence[int] = ()) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and second members of the pairs compared; the second is the baseline where there is one.

    Examples
    --------
    >>> [side.tolist() for side in comparisons(3)]
    [[0, 0, 1], [1, 2, 2]]
    >>> [side.tolist() for side in comparisons(3, [1, 0])]  # each pair once, also that of two baselines
    [[0, 2, 2], [1, 1, 0]]
    """
    if not len(baselines):
        return system_pairs(systems)
    for place in baselines:
        if not 0 <= place < systems:
            allowed, fix = f"0 to {systems - 1}", "Give the positions of systems."
            raise MetameterError("no system stands at this position", given=place, allowed=allowed, fix=fix)
    places = list(dict.fromkeys(int(place) for place in baselines))
    pairs = [(a, b) for n, b in enumerate(places) for a in range(systems) if a not in places[: n + 1]]
    first, second = np.array(pairs, dtype=np.intp).T
    return first, second


def place_of_pair(a: NDArray[np.intp], b: NDArray[np.intp], systems: int) -> NDArray[np.intp]:
    """Where two systems stand, whichever comes first, among the pairs (0,1), (0,2), ..., (1,2), ...

    Examples
    --------
    >>> place_of_pair(np.array([0, 2, 2]), np.array([1, 1, 0]), 3)
    array([0, 2, 1])
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    return np.asarray(low * (2 * systems - low - 1) // 2 + high - low - 1)


def in_chunks(pairs: int) -> Iterator[slice]:
    """Slices of at most 1,024 pairs, in order.

    Examples
    --------
    >>> [(some.start, some.stop) for some in in_chunks(1500)]
    [(0, 1024), (1024, 2048)]
    """
    return (slice(start, start + _PAIRS) for start in range(0, pairs, _PAIRS))
