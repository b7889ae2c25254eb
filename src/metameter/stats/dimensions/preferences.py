"""Which of two systems does a metric prefer on a topic? All pairs of systems as bits, ties decided by a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


Word64s: TypeAlias = "NDArray[np.uint64]"

_CACHED_WORDS = 1 << 16  # in memory at a time, to stay in the cache

Codes: TypeAlias = "NDArray[np.float32]"

_CELLS = 1 << 20  # booleans in memory at a time


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
    # Missing scores are replaced by the highest score of the row, which adds no ties between other scores.
    present = np.where(missing, -np.inf, array).max(axis=-1, keepdims=True, initial=-np.inf)
    filled = np.where(missing, np.where(np.isinf(present), 0.0, present), array)
    codes = tied_codes(filled).astype(np.float32)
    codes[missing] = np.nan
    return codes


def systems_of_sets(simple: Codes, sets: Sequence[Sequence[int]]) -> list[tuple[list[int], NDArray[np.bool_]]]:
    """Group sets of metrics by the systems that have scores of all their metrics; each group with these systems.

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


class Preferences(NamedTuple):
    """Pairs of systems as bits, (metrics, words).

    Attributes
    ----------
    first, second : ndarray
        The pairs of which a metric prefers the first, and the second.
    level : ndarray
        The pairs that it scores equally.
    """

    first: Word64s
    second: Word64s
    level: Word64s

    def of(self, metrics: Any) -> Preferences:
        """The same for some of the metrics."""
        return Preferences(*(each[metrics] for each in self))


def iterate_preferences(codes: Codes, *, ties: bool = True) -> Iterator[Preferences]:
    """Yield the preferences of each metric over every pair of systems, some pairs at a time to bound memory.

    Parameters
    ----------
    codes : ndarray, (metrics, systems)
    ties : bool
        Whether ties are needed; if not, ``level`` is zero.

    Examples
    --------
    >>> [one] = iterate_preferences(preference_codes([[0.5, 0.1, 0.5]]))
    >>> [np.unpackbits(each.view(np.uint8))[:3].tolist() for each in one]  # (0,1), (1,2), (2,0)
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    metrics, systems = codes.shape
    step = max(1, _CELLS // max(metrics * (systems // 2), 1))
    for start in range(0, systems, step):
        rows = slice(start, start + step)
        first, second = (pack_bits(compare_pairs(codes, rows, operation)) for operation in (np.greater, np.less))
        yield Preferences(
            first, second, pack_bits(compare_pairs(codes, rows, np.equal)) if ties else np.zeros_like(first)
        )


def compare_pairs(codes: Codes, rows: slice, operation: Callable[..., Any] = np.greater) -> NDArray[np.bool_]:
    """Compare every pair of systems once in each metric, (metrics, pairs).

    Systems are arranged in a circle, and each is compared with those in the half circle after it: so each pair is
    compared once, without a list of pairs.

    Parameters
    ----------
    codes : ndarray, (metrics, systems)
    rows : slice
        The systems that are the first of their pairs.
    how : callable
        By default greater: the metric prefers the first. Comparisons with NaN are false.

    Examples
    --------
    >>> compare_pairs(preference_codes([[0.5, 0.1, 0.9]]), slice(0, 3))  # (0,1), (1,2), (2,0)
    array([[ True, False,  True]])
    >>> compare_pairs(preference_codes([[0.5, 0.1]]), slice(0, 2))  # (0,1); (1,0) is the same pair
    array([[ True, False]])
    """
    systems = codes.shape[1]
    ahead = systems // 2
    circle = np.concatenate([codes, codes[:, :ahead]], axis=1)
    shape = (len(codes), systems, ahead)
    step = circle.strides[1]
    # Row i holds the systems i + 1, i + 2, ..., around the circle: a view, nothing is copied.
    others = np.lib.stride_tricks.as_strided(circle[:, 1:], shape, (circle.strides[0], step, step), writeable=False)
    holds = operation(codes[:, rows, None], others[:, rows])
    if systems % 2 == 0:
        # Opposite systems would be compared twice.
        holds[:, max(ahead - rows.start, 0) :, -1:] = False
    return np.asarray(holds.reshape(len(codes), -1))


def pack_bits(matrix: NDArray[np.bool_]) -> Word64s:
    """Pack booleans (..., columns) into 64-bit words (..., ceil(columns / 64)), padded with zeros.

    Examples
    --------
    >>> pack_bits(np.ones((2, 65), dtype=bool)).shape
    (2, 2)
    """
    octets = np.packbits(matrix, axis=-1)
    filled = np.zeros((*octets.shape[:-1], -(-octets.shape[-1] // 8) * 8), dtype=np.uint8)
    filled[..., : octets.shape[-1]] = octets
    return filled.view(np.uint64)


def unpack_bits(word64s: Word64s) -> NDArray[np.bool_]:
    """Unpack 64-bit words into booleans; the padding is included.

    Examples
    --------
    >>> unpack_bits(pack_bits(np.array([True, False, True])))[:4]
    array([ True, False,  True, False])
    """
    return np.unpackbits(word64s.view(np.uint8), axis=-1).view(np.bool_)


def bit_product(first: Word64s, second: Word64s) -> NDArray[np.int64]:
    """The matrix product of packed booleans: in how many columns two rows both have a one, (rows, rows).

    Examples
    --------
    >>> one, other = np.array([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 1], [0, 0, 1]])
    >>> bit_product(pack_bits(one == 1), pack_bits(other == 1)), one @ other.T
    (array([[2, 0], [2, 1]]), array([[2, 0], [2, 1]]))
    """
    product = np.empty((len(first), len(second)), dtype=np.int64)
    step = max(1, _CACHED_WORDS // max(second.size, 1))
    for start in range(0, len(first), step):
        common = first[start : start + step, None] & second
        product[start : start + step] = np.bitwise_count(common).sum(axis=-1, dtype=np.uint32)
    return product
