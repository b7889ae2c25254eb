"""How much memory a process may still ask for."""

from __future__ import annotations

import math

__all__ = ["memory_left"]


def memory_left() -> float:
    """So many bytes, where this process was given a limit (``ulimit -v``); else infinitely many.

    Examples
    --------
    >>> memory_left() > 0
    True
    """
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return math.inf
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return math.inf
    return max(most - taken, 0)
