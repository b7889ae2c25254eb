"""Random splits, permutations and resamples, in blocks that do not depend on who computes them.

Replicates come in blocks of 64; block b draws from ``SeedSequence(seed, spawn_key=(procedure, b))``. So the first
1000 of 2000 replicates are the same 1000, any number of jobs gives the same bits, and nothing is ever held whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["BLOCK", "Drawn", "Given", "Procedure", "Replicates", "chosen"]

BLOCK = 64


class Procedure(IntEnum):
    """The stream of random numbers that a kind of replicate draws from. Never renumber: results would change."""

    SPLIT = 1
    PERMUTATION = 2
    BOOTSTRAP = 3
    BOOTSTRAP_SPLIT = 4
    DISJOINT_SUBSETS = 5
    BOOTSTRAP_PAIR = 6


class Replicates(Protocol):
    """Replicates in blocks of 64 along the first axis."""

    @property
    def trials(self) -> int:
        """How many replicates there are."""

    def block(self, number: int) -> NDArray[Any]:
        """Return replicates 64 * number to 64 * number + 63, or fewer at the end."""

    def __len__(self) -> int:
        """How many blocks there are."""

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the blocks in order."""


@dataclass(frozen=True, eq=False)
class _Blocks(ABC):
    trials: int

    @abstractmethod
    def block(self, number: int) -> NDArray[Any]:
        """Replicates 64 * number to 64 * number + 63, or fewer at the end."""

    def __len__(self) -> int:
        return -(-self.trials // BLOCK)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self.block(number) for number in range(len(self)))


@dataclass(frozen=True, eq=False)
class Drawn(_Blocks):
    """Replicates drawn block by block: ``draw(rng, 64)`` must return 64 of them."""

    draw: Callable[[np.random.Generator, int], NDArray[Any]]
    procedure: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise MetameterError("too few trials", given=self.trials, allowed="at least 1")
        if self.seed < 0:
            raise MetameterError("the seed is negative", given=self.seed, allowed="a whole number from 0")

    def block(self, number: int) -> NDArray[Any]:
        """Draw one block; the last is drawn whole and cut."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(int(self.procedure), number)))
        return self.draw(rng, BLOCK)[: self.trials - number * BLOCK]


@dataclass(frozen=True, eq=False)
class Given(_Blocks):
    """Replicates that the caller has listed."""

    array: NDArray[Any]

    def block(self, number: int) -> NDArray[Any]:
        """Return one block."""
        return self.array[number * BLOCK : (number + 1) * BLOCK]


def chosen(
    given: Replicates | ArrayLike | None, default: Replicates | None, shape: tuple[int, ...], what: str
) -> Replicates:
    """Return the replicates that the caller has given, or else the default; each must have ``shape`` (-1: any).

    Examples
    --------
    >>> chosen([[True, False]], None, (2,), "splits").trials
    1
    """
    if given is None and default is not None:
        return default
    replicates = given if isinstance(given, _Blocks) else _listed(given, what)
    found = replicates.block(0).shape if len(replicates) else (0,)
    if len(found) != len(shape) + 1 or any(want not in (-1, got) for want, got in zip(shape, found[1:], strict=True)):
        allowed = f"(trials, {', '.join('any' if length < 0 else str(length) for length in shape)})"
        raise MetameterError(f"{what} do not fit the scores", given=found, allowed=allowed)
    return replicates


def _listed(given: Any, what: str) -> Given:
    try:
        array = np.asarray(given)
    except ValueError:
        raise MetameterError(f"{what} are not an array", fix="All replicates must have one shape.") from None
    if array.dtype.kind not in "biu":
        raise MetameterError(f"{what} are not whole numbers or truth values", given=str(array.dtype))
    return Given(len(array), array)
