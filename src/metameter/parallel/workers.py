"""Workers: an in-order map over independent tasks, in threads or on another executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from metameter.arguments import whole_number
from metameter.errors import MetameterError

if TYPE_CHECKING:
    from metameter.parallel.dask.workers import DaskWorkers


T = TypeVar("T")
R = TypeVar("R")

#: An upper bound on the number of threads.
_MOST = 10_000
#: Called with ``(done, of, what)``.
Progress = Callable[[int, int, str], None]


class Workers:
    """Workers that run tasks in parallel and return the results in order.

    A task is a function defined at the top level of a module and data that can be pickled, without open files or side
    effects, so results are the same to the last bit wherever it runs. By default tasks run in threads, since NumPy,
    Polars and zlib release the interpreter lock; a subclass with another `executor` may run them elsewhere, such as on
    a cluster (`Workers.dask`).

    Parameters
    ----------
    jobs : int, optional
        The number of threads, by default that of the cores; 1 runs everything in the calling thread.

    Examples
    --------
    >>> list(Workers(2).map(round, [1.26, 2.71], ndigits=1))
    [1.3, 2.7]
    """

    def __init__(self, jobs: int | None = None) -> None:
        count = _cores() if jobs is None else whole_number(jobs)
        if count is None or not 1 <= count <= _MOST:
            allowed = f"a whole number from 1 to {_MOST:,}"
            raise MetameterError("jobs is out of range", given=jobs, allowed=allowed, fix="Give a whole number.")
        self.count = count

    @classmethod
    def of(cls, jobs: int | Workers | None) -> Workers:
        """The workers for an option ``jobs``: a number of threads, None for all cores, or workers themselves.

        Examples
        --------
        >>> Workers.of(3).count
        3
        """
        return jobs if isinstance(jobs, Workers) else cls(jobs)

    @staticmethod
    def dask(scheduler: Any, *, timeout: float = 60.0) -> DaskWorkers:
        """Workers of a Dask cluster, for every option ``jobs``; results are the same to the last bit.

        Tables and matrices are sent as data; what all tasks share is sent once to every worker. Files are sent as paths
        and opened by the workers, so they must be on a shared file system under the same path.

        Parameters
        ----------
        scheduler : str or distributed.Client
            The address of a scheduler, such as ``tcp://10.0.0.1:8786``, or a client of one.
        timeout : float
            How many seconds to wait for the scheduler, and for workers when none are left.

        Examples
        --------
        >>> with Workers.dask("tcp://10.0.0.1:8786") as workers:  # doctest: +SKIP
        ...     scores = metameter.score("qrels.txt", "/shared/runs", ["nDCG@10"], jobs=workers)
        """
        from metameter.parallel.dask.workers import DaskWorkers

        return DaskWorkers(scheduler, timeout)

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Yield the executor to which tasks are submitted."""
        pool = ThreadPoolExecutor(self.count)
        try:
            yield pool
        except BaseException:
            # On an error or interrupt, do not wait for tasks whose results are no longer needed.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()

    def map(self, work: Callable[..., R], items: Iterable[T], **shared: Any) -> Iterator[R]:
        """Apply ``work(item, **shared)`` to every item; yield the results in the order of the items.

        Only a few items are in progress at a time, so memory does not grow with their number.

        Parameters
        ----------
        work : callable
            A function defined at the top level of a module.
        items : iterable
        **shared
            Arguments that all tasks share, such as a matrix of scores.
        """
        if self.count == 1 and type(self).executor is Workers.executor:
            # With one job another thread only costs time; executors of subclasses run even a single task.
            yield from (work(item, **shared) for item in items)
            return
        with self.executor() as pool:
            pending: list[Future[R]] = []
            for item in items:
                pending.append(pool.submit(work, item, **shared))
                if len(pending) > 2 * self.count:
                    yield pending.pop(0).result()
            for future in pending:
                yield future.result()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.count})"


def reported(results: Iterable[R], of: int, what: str, progress: Progress | None) -> Iterator[R]:
    """Yield the results; after each, call ``progress`` with the number done and the total.

    Examples
    --------
    >>> list(reported("ab", 2, "letters", lambda done, of, what: print(done, of, what)))
    1 2 letters
    2 2 letters
    ['a', 'b']
    """
    for done, result in enumerate(results, start=1):
        if progress is not None:
            progress(done, of, what)
        yield result


@contextmanager
def stage(progress: Progress | None, what: str) -> Iterator[Progress | None]:
    """Report the beginning (0 of 1) and the end (1 of 1) of a stage; yield a callback for its steps.

    A step is reported as ``stage: step``. It is reported as complete before the next begins, even if it ended early.

    Examples
    --------
    >>> with stage(lambda done, of, what: print(done, of, what), "power") as step:
    ...     step(1, 3, "shuffling")
    0 1 power
    1 3 power: shuffling
    3 3 power: shuffling
    1 1 power
    """
    if progress is None:
        yield None
        return
    progress(0, 1, what)
    steps = _Steps(progress, what)
    yield steps
    steps.end()
    progress(1, 1, what)


class _Steps:
    """The steps of a stage, one after another; repeated steps may have the same name."""

    def __init__(self, progress: Progress, within: str) -> None:
        self._progress, self._within = progress, within
        self._open: tuple[int, int, str] | None = None

    def __call__(self, done: int, of: int, what: str = "runs") -> None:
        if self._open is not None and (self._open[2] != what or done < self._open[0]):
            self.end()
        self._open = (done, of, what) if done < of else None
        self._progress(done, of, f"{self._within}: {what}")

    def end(self) -> None:
        """Report the current step as complete, if it is not."""
        if self._open is not None:
            _, of, what = self._open
            self._progress(of, of, f"{self._within}: {what}")
        self._open = None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
