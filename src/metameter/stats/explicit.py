"""Replicates that a caller lists, instead of having them drawn: splits, permutations, resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.replicates import BLOCK, Replicates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Listed", "replicates_or_default"]


@dataclass(frozen=True, eq=False)
class Listed(Replicates):
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


def _listed(given: Any, what: str) -> Listed:
    try:
        array = np.asarray(given)
    except ValueError:
        raise MetameterError(f"{what} are not an array", fix="Give all replicates the same shape.") from None
    if array.dtype.kind not in "biu":
        fix = "Give an array of integers or of booleans."
        raise MetameterError(f"{what} are not whole numbers or truth values", given=str(array.dtype), fix=fix)
    return Listed(len(array), array)
