"""Workers of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from metameter.arguments import check_seconds
from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.parallel.dask.cluster import DaskCluster
from metameter.parallel.dask.task import Sent, Work, do
from metameter.parallel.dask.versions import versions
from metameter.parallel.sent_files import check_files, files_of
from metameter.parallel.workers import Workers

if TYPE_CHECKING:
    from metameter.parallel.dask.cluster import DaskCluster


#: Larger objects, in bytes, are sent to the workers once and referenced by tasks.
_LARGEST = 100_000
#: How often a task is sent again after it was lost with its workers.
_MOST = 10
#: Seconds between two checks for workers.
_POLL = 1.0


class DaskWorkers(Workers):
    """Workers of a Dask cluster, wherever it runs; made by `Workers.dask`.

    As a context manager it closes the connection at the end of the block, unless that is a client of the user.

    Parameters
    ----------
    scheduler : str or distributed.Client
    timeout : float
    """

    def __init__(self, scheduler: Any, timeout: Any = 60.0) -> None:
        self._cluster = DaskCluster(scheduler, check_seconds(timeout, "the timeout of the scheduler"))
        self.count = self._cluster.threads()

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Yield the executor; set the number of tasks at a time to the threads that the cluster has now."""
        self._cluster.check_open()
        self.count = max(1, self._cluster.threads())
        yield DaskExecutor(self._cluster)

    def close(self) -> None:
        """Close the connection to the scheduler; a client of the user stays open."""
        self._cluster.close()

    def __enter__(self) -> DaskWorkers:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workers.dask({self._cluster.name!r})"


class DaskExecutor(Executor):
    """An executor that sends tasks as `Workers.map` does; what they share is sent once.

    Parameters
    ----------
    cluster : DaskCluster
    """

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster = cluster
        self._work: _Argument | None = None
        self._seen = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a task: a function of a module's top level, one item, and what all items share."""
        (item,) = args
        work = self._work
        if work is None or not _is_same(work.value, fn, kwargs):
            work = self._work = _Argument(Work(fn, kwargs, versions()), self._cluster, everywhere=True)
        files = files_of(item)
        if files and not self._seen:
            # One file shows whether every worker sees the folder: check now rather than fail after hours.
            self._cluster.on_every_worker(partial(check_files, files))
            self._seen = True
        return _TaskFuture(self._cluster, work, _Argument(Sent(item, files), self._cluster))


def _is_same(work: Work, function: Callable[..., Any], shared: dict[str, Any]) -> bool:
    if work.function is not function or work.shared.keys() != shared.keys():
        return False
    return all(shared[name] is each for name, each in work.shared.items())


@dataclass(eq=False)
class _Argument:
    """An object that tasks need: part of them if small; if large, kept by the workers and sent again if lost.

    Attributes
    ----------
    value : object
    cluster : DaskCluster
    everywhere : bool
        Whether all workers need it.
    """

    value: Any
    cluster: DaskCluster
    everywhere: bool = False
    _sent_value: Any = None

    def argument(self) -> Any:
        """The value itself, or the future that stands for it in tasks."""
        if self._sent_value is None:
            small = size_of(self.value) <= _LARGEST
            self._sent_value = self.value if small else self.cluster.scatter(self.value, everywhere=self.everywhere)
        elif self._sent_value is not self.value and self.cluster.is_lost(self._sent_value):
            self._sent_value = self.cluster.scatter(self.value, everywhere=self.everywhere)
        return self._sent_value


def size_of(value: Any) -> int:
    """The number of bytes that it takes to send an object, determined without copying arrays.

    Examples
    --------
    >>> import numpy as np
    >>> size_of(Sent(3)) < 200, 8_000 < size_of(Sent(np.zeros(1000))) < 8_500
    (True, True)
    """
    import cloudpickle

    buffers: list[Any] = []
    head = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(head) + sum(int(each.raw().nbytes) for each in buffers)


class _TaskFuture(Future[Any]):
    """The future of one task."""

    def __init__(self, cluster: DaskCluster, shared: _Argument, item: _Argument) -> None:
        super().__init__()
        self._cluster, self._shared, self._item = cluster, shared, item
        self._sent = self._send()

    def _send(self) -> Any:
        return self._cluster.submit(do, self._shared.argument(), self._item.argument())

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, as long as there are workers."""
        for _ in range(_MOST):
            while not self._cluster.is_over(self._sent, _POLL):
                self._cluster.check_workers()
            if not self._cluster.is_lost(self._sent):
                done = self._cluster.outcome(self._sent)
                if done is not None:
                    for each in done.notices:
                        notice(each)
                    return done.value
            # Scattered data is lost with the last worker that kept it, and so are the tasks that need it.
            while not self._cluster.check_workers():
                time.sleep(_POLL)
            self._sent = self._send()
        what = f"a task was lost {_MOST} times together with its workers"
        raise MetameterError(what, fix="See the workers' logs for why they end; give them more memory.")
