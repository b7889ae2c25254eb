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


#: What is larger, in bytes, is not part of a task: it goes to the workers once, and tasks name it.
_LARGEST = 100_000
#: So often a piece is sent anew after all workers that had what it needs are gone.
_MOST = 10
#: Seconds between two looks at whether there are workers.
_STEP = 1.0


class DaskWorkers(Workers):
    """Workers of a Dask cluster, wherever it runs; made by `Workers.dask`.

    A context manager, too: at the end of the block the connection is closed, unless it is a client of the caller's.

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
        """Where pieces of work are submitted: as many at a time as keep all workers busy that are there now."""
        self._cluster.check_open()
        self.count = max(1, self._cluster.threads())
        yield DaskExecutor(self._cluster)

    def close(self) -> None:
        """End the connection with the scheduler; a client of the caller's stays open."""
        self._cluster.close()

    def __enter__(self) -> DaskWorkers:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workers.dask({self._cluster.name!r})"


class DaskExecutor(Executor):
    """Sends pieces of one kind of work, as `Workers.map` does; what they share is sent once.

    Parameters
    ----------
    cluster : DaskCluster
    """

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster = cluster
        self._work: _Handed | None = None
        self._seen = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send a piece of work: a function of a module's top level, one item, and what all items share."""
        (item,) = args
        work = self._work
        if work is None or not _is_same(work.thing, fn, kwargs):
            work = self._work = _Handed(Work(fn, kwargs, versions()), self._cluster, everywhere=True)
        files = files_of(item)
        if files and not self._seen:
            # One file shows whether a worker sees the folder at all: better now than after hours.
            self._cluster.on_every_worker(partial(check_files, files))
            self._seen = True
        return _Piece(self._cluster, work, _Handed(Sent(item, files), self._cluster))


def _is_same(work: Work, function: Callable[..., Any], shared: dict[str, Any]) -> bool:
    if work.function is not function or work.shared.keys() != shared.keys():
        return False
    return all(shared[name] is each for name, each in work.shared.items())


@dataclass(eq=False)
class _Handed:
    """Something that tasks need: small, it is part of them; large, the workers keep it, and it may be lost with them.

    Attributes
    ----------
    thing : object
    cluster : DaskCluster
    everywhere : bool
        Whether all workers will need it.
    """

    thing: Any
    cluster: DaskCluster
    everywhere: bool = False
    _kept: Any = None

    def argument(self) -> Any:
        """What a task is given in its place."""
        if self._kept is None:
            small = size_of(self.thing) <= _LARGEST
            self._kept = self.thing if small else self.cluster.scatter(self.thing, everywhere=self.everywhere)
        elif self._kept is not self.thing and self.cluster.is_lost(self._kept):
            self._kept = self.cluster.scatter(self.thing, everywhere=self.everywhere)
        return self._kept


def size_of(thing: Any) -> int:
    """How many bytes it takes to send something; arrays are not copied to find out.

    Examples
    --------
    >>> import numpy as np
    >>> size_of(Sent(3)) < 200, 8_000 < size_of(Sent(np.zeros(1000))) < 8_500
    (True, True)
    """
    import cloudpickle

    apart: list[Any] = []
    head = cloudpickle.dumps(thing, protocol=5, buffer_callback=apart.append)
    return len(head) + sum(int(each.raw().nbytes) for each in apart)


class _Piece(Future[Any]):
    """One piece of work under way."""

    def __init__(self, cluster: DaskCluster, shared: _Handed, item: _Handed) -> None:
        super().__init__()
        self._cluster, self._shared, self._item = cluster, shared, item
        self._sent = self._send()

    def _send(self) -> Any:
        return self._cluster.submit(do, self._shared.argument(), self._item.argument())

    def result(self, timeout: float | None = None) -> Any:
        """Wait for what comes of it, for as long as there are workers."""
        for _ in range(_MOST):
            while not self._cluster.is_over(self._sent, _STEP):
                self._cluster.check_workers()
            if not self._cluster.is_lost(self._sent):
                done = self._cluster.outcome(self._sent)
                if done is not None:
                    for each in done.notices:
                        notice(each)
                    return done.value
            # With the last worker that kept it, what was scattered is lost, and all that needs it.
            while not self._cluster.check_workers():
                time.sleep(_STEP)
            self._sent = self._send()
        what = f"a piece of work was lost {_MOST} times with the workers that had it"
        raise MetameterError(what, fix="See the workers' logs for why they end; give them more memory.")
