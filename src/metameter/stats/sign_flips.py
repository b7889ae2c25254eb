"""Signs for the differences of whole topics: what could have been observed, had no systems differed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import require_at_least
from metameter.stats.replicates import Drawn, Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_signs", "sign_flips"]


def sign_flips(topics: int, trials: int = 2000, seed: int = 0) -> Drawn:
    """Draw a sign for each topic: replicates (topics,) of 1 and -1, the same sign for all pairs of systems.

    Examples
    --------
    >>> block = sign_flips(5).block(0)
    >>> block.shape, sorted(set(block.ravel().tolist()))
    ((64, 5), [-1, 1])
    """
    require_at_least(topics, 1, "topics")
    return Drawn(trials, partial(_draw_signs, topics=topics), Stream.SIGN_FLIP, seed)


def _draw_signs(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return 2 * rng.integers(0, 2, size=(count, topics), dtype=np.int8) - 1


def check_signs(flips: NDArray[Any]) -> None:
    """Refuse flips that are not all 1 or -1.

    Examples
    --------
    >>> check_signs(np.array([[1, 0]]))
    Traceback (most recent call last):
    metameter.errors.MetameterError: a flip is not a sign (given 0, allowed: 1, -1). Give each topic 1 or -1.
    """
    wrong = flips[np.abs(flips.astype(np.int64)) != 1]
    if wrong.size:
        raise MetameterError(
            "a flip is not a sign", given=int(wrong.flat[0]), allowed="1, -1", fix="Give each topic 1 or -1."
        )
