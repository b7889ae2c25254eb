"""Where work runs: in threads, since NumPy, Polars and zlib let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from metameter.errors import MetameterError

__all__ = ["in_order", "workers"]

T = TypeVar("T")
R = TypeVar("R")


def workers(jobs: int | None) -> int:
    """How many jobs: all cores, unless told.

    Examples
    --------
    >>> workers(3)
    3
    """
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs < 1:
        raise MetameterError("jobs is out of range", given=jobs, allowed="1 or more")
    return jobs


@contextmanager
def _pool(jobs: int) -> Iterator[Executor]:
    pool = ThreadPoolExecutor(jobs)
    try:
        yield pool
    finally:
        # An error or an interrupt must not wait for work that nobody wants any more.
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(work: Callable[[T], R], items: Iterable[T], jobs: int | None = None) -> Iterator[R]:
    """Apply ``work`` to every item in parallel; yield the results in the order of the items.

    Only a few items are under way at a time, so memory does not grow with their number.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], jobs=2))
    [1, 2, 3]
    """
    count = workers(jobs)
    if count == 1:
        yield from map(work, items)
        return
    with _pool(count) as pool:
        pending: list[Future[R]] = []
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > 2 * count:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
