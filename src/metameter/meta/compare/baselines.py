"""Which systems are compared with which: all pairs, or every system with each baseline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["baseline_names", "listed_pairs", "place_of_pair"]


def baseline_names(baseline: Any) -> tuple[str, ...]:
    """The baselines asked for, each once.

    Examples
    --------
    >>> baseline_names("a"), baseline_names(["b", "a", "b"]), baseline_names(7)
    (('a',), ('b', 'a'), ('7',))
    """
    several = isinstance(baseline, Iterable) and not isinstance(baseline, str)
    return tuple(dict.fromkeys(map(str, baseline if several else [baseline])))


def listed_pairs(systems: tuple[str, ...], names: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the systems of every pair; the second is the baseline where there is one.

    Examples
    --------
    >>> [side.tolist() for side in listed_pairs(("a", "b", "c"), ("b", "a"))]
    [[0, 2, 2], [1, 1, 0]]
    """
    from metameter.stats.checks import system_pairs

    for name in names:
        if name not in systems:
            raise MetameterError("no system has this name", given=name, fix=did_you_mean(name, list(systems)))
    if not names:
        return system_pairs(len(systems))
    places = [systems.index(name) for name in names]
    pairs = [(a, b) for n, b in enumerate(places) for a in range(len(systems)) if a not in places[: n + 1]]
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
