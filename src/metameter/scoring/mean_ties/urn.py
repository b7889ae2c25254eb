"""Drawing from an urn without replacement."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_choose"]


def log_choose(n: Any, k: Any) -> NDArray[np.longdouble]:
    """The logarithm of the binomial coefficient, minus infinity where there is no way to choose.

    In extended precision, so that the exponential is good to the last digits of a double.

    Examples
    --------
    >>> np.exp(log_choose([4, 4, 1], [2, 0, 2])).astype(float).round(12)
    array([6., 1., 0.])
    """
    n, k = np.broadcast_arrays(np.asarray(n, dtype=np.int64), np.asarray(k, dtype=np.int64))
    possible = (k >= 0) & (k <= n)
    table = _log_factorials(1 << int(max(n.max(initial=1), 1)).bit_length())
    taken = np.where(possible, k, 0)
    ways = table[n] - table[taken] - table[n - taken]
    return np.where(possible, ways, -np.inf)


@lru_cache(maxsize=4)
def _log_factorials(most: int) -> NDArray[np.longdouble]:
    return np.concatenate([[np.longdouble(0)], np.cumsum(np.log(np.arange(1, most + 1, dtype=np.longdouble)))])
