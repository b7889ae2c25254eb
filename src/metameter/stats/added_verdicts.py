"""Verdicts that one metric adds to another's: of the pairs that A tells apart and B does not, how many hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Verdicts: TypeAlias = NDArray[np.bool_]
    Both: TypeAlias = tuple[Verdicts, Verdicts]
    Against: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

__all__ = ["added_tally"]


def added_tally(won: Both, told: Both, against: Against) -> NDArray[np.int64]:
    """Count verdicts of metric A on each half: those that B does not give, and those that it gives likewise.

    Parameters
    ----------
    won : pair of ndarray of bool, (metrics, ...)
        On either half, per ordered pair of systems: whether the first is significantly better.
    told : pair of ndarray of bool, (metrics, ...)
        Whether they differ significantly, in either direction.
    against : pair of ndarray of int, (comparisons,)
        The positions of A and of B.

    Returns
    -------
    ndarray of int, (6, comparisons)
        How many pairs A tells apart and B does not; how many of them A tells apart likewise on the other half; how many
        of them B does, there. The same three of the pairs that both tell apart likewise.

    Examples
    --------
    >>> a, b = [True, False, True, False], [False, False, True, False]  # four ordered pairs of systems
    >>> won = np.array([a, b]), np.array([a, a])
    >>> added_tally(won, won, (np.array([0]), np.array([1]))).ravel().tolist()  # B follows on the second half
    [1, 1, 1, 3, 3, 2]
    """
    counts = np.zeros((6, len(against[0])), dtype=np.int64)
    for here, there, said in ((won[0], won[1], told[0]), (won[1], won[0], told[1])):
        silent = ~said
        for place, (a, b) in enumerate(zip(*against, strict=True)):
            for row, verdicts in ((0, here[a] & silent[b]), (3, here[a] & here[b])):
                counts[row, place] += np.count_nonzero(verdicts)
                counts[row + 1, place] += np.count_nonzero(verdicts & there[a])
                counts[row + 2, place] += np.count_nonzero(verdicts & there[b])
    return counts
