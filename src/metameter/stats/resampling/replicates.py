"""Random replicates (splits, permutations, resamples) in blocks that do not depend on the worker computing them.

Replicates come in blocks of 64; block b draws from ``SeedSequence(seed, spawn_key=(stream, b))``. So 1000 replicates
are the first 1000 of 2000, any number of jobs gives the same bits, and only the blocks in use are in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import check_count, check_seed

R = TypeVar("R")

BLOCK = 64


class Stream(IntEnum):
    """The stream of random numbers of each kind of replicate. Do not renumber or reuse: results would change."""

    SPLIT = 1
    PERMUTATION = 2
    BOOTSTRAP = 3
    BOOTSTRAP_SPLIT = 4
    DISJOINT_SUBSETS = 5
    BOOTSTRAP_PAIR = 6
    SIGN_FLIP = 7
    LONG_BOOTSTRAP = 8
    SYSTEMS = 9
    LABELLED_ROWS = 10
    LABELLING_USERS = 11
    LABEL_FOLDS = 12


@dataclass(frozen=True, eq=False)
class Replicates(ABC):
    """Replicates in blocks of 64 along the first axis.

    `RandomReplicates` stores the seed, not the draws, so its pickles are small.

    Attributes
    ----------
    trials : int
        The number of replicates.
    """

    trials: int

    @abstractmethod
    def block(self, number: int) -> NDArray[Any]:
        """Return replicates 64 * number to 64 * number + 63, or fewer at the end."""

    def __len__(self) -> int:
        """Return the number of blocks."""
        return -(-self.trials // BLOCK)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the blocks in order."""
        return (self.block(number) for number in range(len(self)))


@dataclass(frozen=True, eq=False)
class RandomReplicates(Replicates):
    """Random replicates, drawn block by block.

    Attributes
    ----------
    draw : callable
        ``draw(rng, 64)`` returns 64 replicates. It must be picklable: a module-level function, or a partial of one.
    stream : Stream
        The stream of random numbers.
    seed : int
    part : tuple of int
        Distinguishes several sets of replicates with one seed: each has its own random numbers.
    """

    draw: Callable[[np.random.Generator, int], NDArray[Any]]
    stream: Stream
    seed: int = 0
    part: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Python integers: NumPy's narrow integers overflow.
        object.__setattr__(self, "trials", check_count(self.trials, "trials"))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def block(self, number: int) -> NDArray[Any]:
        """Draw one block; the last one is drawn whole and then cut, so that more trials extend it."""
        key = (int(self.stream), *self.part, number)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        return self.draw(rng, BLOCK)[: self.trials - number * BLOCK]


def map_blocks(
    work: Callable[..., R], replicates: Replicates, jobs: int | Workers | None, *, first: int = 0, **shared: Any
) -> Iterator[R]:
    """Compute ``work(number, replicates=replicates, **shared)`` for every block number; yield the results in order.

    Workers receive numbers, not blocks: drawing is often the larger part of the work.

    Parameters
    ----------
    work : callable
        A module-level function.
    replicates : Replicates
    jobs : int or Workers, optional
    first : int
        The first block.
    **shared
        Further arguments of ``work``.
    """
    return Workers.of(jobs).map(work, range(first, len(replicates)), replicates=replicates, **shared)


@dataclass(frozen=True, eq=False)
class GivenReplicates(Replicates):
    """Replicates given as an array."""

    array: NDArray[Any]

    def block(self, number: int) -> NDArray[Any]:
        """Return one block."""
        return self.array[number * BLOCK : (number + 1) * BLOCK]


def replicates_or_default(
    indices: Replicates | ArrayLike | None, default: Replicates | None, shape: tuple[int, ...], what: str
) -> Replicates:
    """Return explicit replicates, or else the default.

    Parameters
    ----------
    indices : Replicates, array-like or None
    default : Replicates or None
    shape : tuple of int
        The shape of a replicate; -1 stands for any length.
    what : str
        The name of the argument, for messages.

    Examples
    --------
    >>> replicates_or_default([[True, False]], None, (2,), "splits").trials
    1
    """
    if indices is None and default is not None:
        return default
    replicates = indices if isinstance(indices, Replicates) else _listed(indices, what)
    actual = replicates.block(0).shape if len(replicates) else (0,)
    fits = len(actual) == len(shape) + 1
    if not fits or any(want not in (-1, got) for want, got in zip(shape, actual[1:], strict=True)):
        allowed = f"(trials, {', '.join('any' if length < 0 else str(length) for length in shape)})"
        fix = f"Give {what} as an array of this shape."
        raise MetameterError(f"{what} do not fit the scores", given=actual, allowed=allowed, fix=fix)
    return replicates


def _listed(values: Any, what: str) -> GivenReplicates:
    try:
        array = np.asarray(values)
    except ValueError:
        raise MetameterError(f"{what} are not an array", fix="Give all replicates the same shape.") from None
    if array.dtype.kind not in "biu":
        fix = "Give an array of integers or of booleans."
        raise MetameterError(f"{what} are not whole numbers or truth values", given=str(array.dtype), fix=fix)
    return GivenReplicates(len(array), array)
