"""Which of two systems does a metric prefer on a topic? All pairs of systems as bits, ties decided by a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


Words: TypeAlias = "NDArray[np.uint64]"

_WORDS = 1 << 16  # held at a time, to stay in the cache

Codes: TypeAlias = "NDArray[np.float32]"

_CELLS = 1 << 20  # truth values held at a time


def preference_codes(values: ArrayLike) -> Codes:
    """Number the scores along the last axis by size: the metric prefers the system with the higher number.

    Scores closer than 1e-12 times the largest one share a number. A missing score is NaN and stays NaN, so that
    no comparison with it is ever true.

    Parameters
    ----------
    values : array-like, (..., systems)

    Examples
    --------
    >>> preference_codes([0.5, 0.1, np.nan, 0.1 + 1e-15, 0.9])
    array([ 1.,  0., nan,  0.,  2.], dtype=float32)
    """
    array = np.asarray(values, dtype=np.float64)
    missing = np.isnan(array)
    if np.isinf(array).any():
        raise MetameterError("a score is infinite", fix="Give finite scores, or leave the cell empty.")
    if not missing.any():
        return tied_codes(array).astype(np.float32)
    # In the place of a missing score stands one that is there, so that nothing is tied through it.
    present = np.where(missing, -np.inf, array).max(axis=-1, keepdims=True, initial=-np.inf)
    filled = np.where(missing, np.where(np.isinf(present), 0.0, present), array)
    codes = tied_codes(filled).astype(np.float32)
    codes[missing] = np.nan
    return codes


def systems_of_sets(simple: Codes, sets: Sequence[Sequence[int]]) -> list[tuple[list[int], NDArray[np.bool_]]]:
    """Sets of metrics that the same systems have all scores of, and these systems.

    Parameters
    ----------
    simple : ndarray, (metrics, systems)
    sets : sequence of sequence of int
        The metrics of each set.

    Examples
    --------
    >>> systems_of_sets(preference_codes([[1, 2, 3], [1, np.nan, 3]]), [(0,), (1,), (0, 1)])
    [([0], array([ True,  True,  True])), ([1, 2], array([ True, False,  True]))]
    """
    there = ~np.isnan(simple)
    if there.all():
        return [(list(range(len(sets))), np.ones(there.shape[1], dtype=np.bool_))]
    groups: dict[bytes, tuple[list[int], NDArray[np.bool_]]] = {}
    for number, members in enumerate(sets):
        mask = np.asarray(there[list(members)].all(axis=0))
        groups.setdefault(mask.tobytes(), ([], mask))[0].append(number)
    return list(groups.values())


class Preferred(NamedTuple):
    """Pairs of systems as bits, (metrics, words).

    Attributes
    ----------
    first, second : ndarray
        The pairs of which a metric prefers the first, and the second.
    level : ndarray
        The pairs that it scores alike.
    """

    first: Words
    second: Words
    level: Words

    def of(self, metrics: Any) -> Preferred:
        """The same for some of the metrics."""
        return Preferred(*(each[metrics] for each in self))


def preferred(codes: Codes, *, ties: bool = True) -> Iterator[Preferred]:
    """Compare every two systems in each metric; the pairs of a few systems at a time, so that memory is bounded.

    Parameters
    ----------
    codes : ndarray, (metrics, systems)
    ties : bool
        Whether anybody asks for ties; if not, ``level`` is left empty.

    Examples
    --------
    >>> [one] = preferred(preference_codes([[0.5, 0.1, 0.5]]))
    >>> [np.unpackbits(each.view(np.uint8))[:3].tolist() for each in one]  # (0,1), (1,2), (2,0)
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    metrics, systems = codes.shape
    step = max(1, _CELLS // max(metrics * (systems // 2), 1))
    for start in range(0, systems, step):
        rows = slice(start, start + step)
        first, second = (packed(compared(codes, rows, how)) for how in (np.greater, np.less))
        yield Preferred(first, second, packed(compared(codes, rows, np.equal)) if ties else np.zeros_like(first))


def compared(codes: Codes, rows: slice, how: Callable[..., Any] = np.greater) -> NDArray[np.bool_]:
    """Compare two systems in each metric, for every pair of systems once, (metrics, pairs).

    The systems stand in a circle, and each is compared with those in the half of the circle before it: so no pair is
    compared twice, and no list of pairs need be kept.

    Parameters
    ----------
    codes : ndarray, (metrics, systems)
    rows : slice
        Which systems come first in the pairs.
    how : callable
        By default greater: the metric prefers the first. With what is missing, nothing compares as true.

    Examples
    --------
    >>> compared(preference_codes([[0.5, 0.1, 0.9]]), slice(0, 3))  # (0,1), (1,2), (2,0)
    array([[ True, False,  True]])
    >>> compared(preference_codes([[0.5, 0.1]]), slice(0, 2))  # (0,1); (1,0) is the same pair
    array([[ True, False]])
    """
    systems = codes.shape[1]
    ahead = systems // 2
    circle = np.concatenate([codes, codes[:, :ahead]], axis=1)
    shape = (len(codes), systems, ahead)
    step = circle.strides[1]
    # Row i holds the systems i + 1, i + 2, ..., around the circle: a view, nothing is copied.
    others = np.lib.stride_tricks.as_strided(circle[:, 1:], shape, (circle.strides[0], step, step), writeable=False)
    found = how(codes[:, rows, None], others[:, rows])
    if systems % 2 == 0:
        # Those that face each other across the circle would meet twice.
        found[:, max(ahead - rows.start, 0) :, -1:] = False
    return np.asarray(found.reshape(len(codes), -1))


def packed(matrix: NDArray[np.bool_]) -> Words:
    """A matrix of truth values (..., columns) as words (..., ceil(columns / 64)), filled up with zeros.

    Examples
    --------
    >>> packed(np.ones((2, 65), dtype=bool)).shape
    (2, 2)
    """
    octets = np.packbits(matrix, axis=-1)
    filled = np.zeros((*octets.shape[:-1], -(-octets.shape[-1] // 8) * 8), dtype=np.uint8)
    filled[..., : octets.shape[-1]] = octets
    return filled.view(np.uint64)


def unpacked(words: Words) -> NDArray[np.bool_]:
    """The truth values again, and the zeros that they were filled up with.

    Examples
    --------
    >>> unpacked(packed(np.array([True, False, True])))[:4]
    array([ True, False,  True, False])
    """
    return np.unpackbits(words.view(np.uint8), axis=-1).view(np.bool_)


def bit_product(first: Words, second: Words) -> NDArray[np.int64]:
    """In how many columns both a row of the first and a row of the second have a one: their product, (rows, rows).

    Examples
    --------
    >>> one, other = np.array([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 1], [0, 0, 1]])
    >>> bit_product(packed(one == 1), packed(other == 1)), one @ other.T
    (array([[2, 0], [2, 1]]), array([[2, 0], [2, 1]]))
    """
    found = np.empty((len(first), len(second)), dtype=np.int64)
    step = max(1, _WORDS // max(second.size, 1))
    for start in range(0, len(first), step):
        common = first[start : start + step, None] & second
        found[start : start + step] = np.bitwise_count(common).sum(axis=-1, dtype=np.uint32)
    return found
