"""Random splits, permutations and resamples, in blocks that do not depend on which worker computes them.

Replicates come in blocks of 64; block b draws from ``SeedSequence(seed, spawn_key=(stream, b))``. So the first
1000 of 2000 replicates are the same 1000, any number of jobs gives the same bits, and
never are all replicates in memory at once.
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
    """The stream of random numbers that a kind of replicate draws from. Never renumber: results would change."""

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
    """Replicates in blocks of 64 along the first axis; small enough to be sent to where a block is computed.

    Attributes
    ----------
    trials : int
        How many replicates there are.
    """

    trials: int

    @abstractmethod
    def block(self, number: int) -> NDArray[Any]:
        """Return replicates 64 * number to 64 * number + 63, or fewer at the end."""

    def __len__(self) -> int:
        """How many blocks there are."""
        return -(-self.trials // BLOCK)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the blocks in order."""
        return (self.block(number) for number in range(len(self)))


@dataclass(frozen=True, eq=False)
class RandomReplicates(Replicates):
    """Replicates drawn block by block.

    Attributes
    ----------
    draw : callable
        ``draw(rng, 64)`` returns 64 replicates. A function of a module's top level, or a partial of one, so that it
        can be pickled.
    stream : Stream
        Its stream of random numbers.
    seed : int
    part : tuple of int
        Which of several sets of replicates with one seed this is: each has random numbers of its own.
    """

    draw: Callable[[np.random.Generator, int], NDArray[Any]]
    stream: Stream
    seed: int = 0
    part: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # NumPy's integers may be too narrow to count with, so both become Python's.
        object.__setattr__(self, "trials", check_count(self.trials, "trials"))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def block(self, number: int) -> NDArray[Any]:
        """Draw one block; the last is drawn whole and cut, so that it begins like a longer one."""
        key = (int(self.stream), *self.part, number)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        return self.draw(rng, BLOCK)[: self.trials - number * BLOCK]


def map_blocks(
    work: Callable[..., R], replicates: Replicates, jobs: int | Workers | None, *, first: int = 0, **shared: Any
) -> Iterator[R]:
    """Compute ``work(number, replicates=replicates, **shared)`` for the numbers of all blocks; yield results in order.

    Numbers are handed out, not blocks: drawing is often the larger part of the work, and is done by the workers.

    Parameters
    ----------
    work : callable
        A function of a module's top level.
    replicates : Replicates
    jobs : int or Workers, optional
    first : int
        The block to begin with.
    **shared
        What the work on every block needs.
    """
    return Workers.of(jobs).map(work, range(first, len(replicates)), replicates=replicates, **shared)


@dataclass(frozen=True, eq=False)
class GivenReplicates(Replicates):
    """Replicates that the caller has listed in an array."""

    array: NDArray[Any]

    def block(self, number: int) -> NDArray[Any]:
        """Return one block."""
        return self.array[number * BLOCK : (number + 1) * BLOCK]


def replicates_or_default(
    given: Replicates | ArrayLike | None, default: Replicates | None, shape: tuple[int, ...], what: str
) -> Replicates:
    """Return the replicates that the caller has given, or else the default.

    Parameters
    ----------
    given : Replicates, array-like or None
    default : Replicates or None
    shape : tuple of int
        What each given replicate must look like; -1 is any length.
    what : str
        Their name, for messages.

    Examples
    --------
    >>> replicates_or_default([[True, False]], None, (2,), "splits").trials
    1
    """
    if given is None and default is not None:
        return default
    replicates = given if isinstance(given, Replicates) else _listed(given, what)
    actual = replicates.block(0).shape if len(replicates) else (0,)
    fits = len(actual) == len(shape) + 1
    if not fits or any(want not in (-1, got) for want, got in zip(shape, actual[1:], strict=True)):
        allowed = f"(trials, {', '.join('any' if length < 0 else str(length) for length in shape)})"
        fix = f"Give {what} as an array of this shape."
        raise MetameterError(f"{what} do not fit the scores", given=actual, allowed=allowed, fix=fix)
    return replicates


def _listed(given: Any, what: str) -> GivenReplicates:
    try:
        array = np.asarray(given)
    except ValueError:
        raise MetameterError(f"{what} are not an array", fix="Give all replicates the same shape.") from None
    if array.dtype.kind not in "biu":
        fix = "Give an array of integers or of booleans."
        raise MetameterError(f"{what} are not whole numbers or truth values", given=str(array.dtype), fix=fix)
    return GivenReplicates(len(array), array)
