"""Many uniform random permutations at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["random_permutations"]

_CELLS = 1 << 16  # drawn at a time, to stay in the cache. Never change: it is part of the stream of random numbers


def random_permutations(rng: np.random.Generator, rows: int, n: int) -> NDArray[Any]:
    """Draw ``rows`` independent uniform permutations of 0..n-1.

    Random keys are sorted with the position in their low bits, which is several times faster than shuffling row by
    row; rows in which two keys collide are drawn again, so that all orders are exactly equally likely.

    Examples
    --------
    >>> drawn = random_permutations(np.random.default_rng(7), rows=1000, n=3)
    >>> drawn.shape, bool((np.sort(drawn, axis=1) == [0, 1, 2]).all())
    ((1000, 3), True)
    """
    drawn = np.empty((rows, n), dtype=np.int16 if n < 1 << 15 else np.int32)
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, rows, step):
        drawn[start : start + step] = _some(rng, min(step, rows - start), n)
    return drawn


def _some(rng: np.random.Generator, rows: int, n: int) -> NDArray[Any]:
    bits = max(n - 1, 1).bit_length()
    # Up to 512 items 32-bit keys collide rarely enough for redrawing to be cheap.
    keys = _keys(rng, rows, n, 32 if bits <= 9 else 64)
    position = keys.dtype.type((1 << bits) - 1)
    keys &= ~position
    keys |= np.arange(n, dtype=keys.dtype)
    keys.sort(axis=-1)
    collided = _collided(keys, position)
    keys &= position
    if len(collided):
        keys[collided] = _some(rng, len(collided), n)
    return keys


def _collided(keys: NDArray[Any], position: Any) -> NDArray[np.intp]:
    # Rows with two neighbours that differ in their position only; a look at all neighbours at once mostly suffices.
    flat = keys.reshape(-1)
    if not (flat[1:] ^ flat[:-1] <= position).any():
        return np.empty(0, dtype=np.intp)
    return np.nonzero((keys[:, 1:] ^ keys[:, :-1] <= position).any(axis=-1))[0]


def _keys(rng: np.random.Generator, rows: int, n: int, width: int) -> NDArray[Any]:
    # Raw bits: they never change between NumPy versions.
    raw = np.asarray(rng.bit_generator.random_raw(-(-rows * n * width // 64)), dtype="<u8")
    keys = raw if width == 64 else raw.view("<u4")
    return keys[: rows * n].reshape(rows, n)
