"""Workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from metameter.arguments import check_seconds
from metameter.parallel.dask_cluster import DaskCluster
from metameter.parallel.dask_executor import DaskExecutor
from metameter.parallel.workers import Workers

__all__ = ["DaskWorkers"]


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
