"""Option groups of every command that works or reads: where its work runs, and how much a file may unpack to."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from metameter.arguments import check_arguments, check_seconds
from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.read.files.limits import DEFAULT, as_size

_START = "Start a scheduler (dask scheduler) and workers (dask worker ADDRESS), and give its address with --scheduler."


@dataclass(frozen=True)
class Execution:
    """Where the work of a command runs: in threads of this machine, or on a Dask cluster.

    Parameters
    ----------
    jobs : int
        How many threads of this machine; by default one per core. Results do not depend on it.
    engine : {"local", "dask"}
        Work in threads of this machine (local), or on a Dask cluster (dask), which gives the same results.
    scheduler : str
        With --engine dask: the address of the scheduler, such as tcp://10.0.0.1:8786; by default what the environment
        variable DASK_SCHEDULER_ADDRESS says.
    scheduler_timeout : float
        So many seconds to wait for the scheduler, and for workers when there are none; then the command gives up.

    Examples
    --------
    >>> with Execution(jobs=3).workers() as jobs:
    ...     jobs
    3
    >>> Execution(scheduler="tcp://10.0.0.1:8786")
    Traceback (most recent call last):
    metameter.errors.MetameterError: a scheduler is for --engine dask (given 'tcp://10.0.0.1:8786'). Add --engine dask,
    or leave --scheduler out.
    """

    jobs: int | None = None
    engine: Literal["local", "dask"] = "local"
    scheduler: str | None = None
    scheduler_timeout: float = 60.0

    def __post_init__(self) -> None:
        check_arguments(Execution, vars(self))
        Workers.of(self.jobs)
        check_seconds(self.scheduler_timeout, "scheduler_timeout")
        if self.engine == "local" and self.scheduler is not None:
            what, fix = "a scheduler is for --engine dask", "Add --engine dask, or leave --scheduler out."
            raise MetameterError(what, given=self.scheduler, fix=fix)
        if self.engine == "dask" and self.jobs is not None:
            what = "--jobs counts threads of this machine"
            fix = "Leave it out with --engine dask: all workers are used."
            raise MetameterError(what, given=self.jobs, fix=fix)
        if self.engine == "dask" and not self._address:
            raise MetameterError("--engine dask needs a scheduler", fix=_START)

    @property
    def _address(self) -> str:
        return self.scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS", "")

    @contextmanager
    def workers(self) -> Iterator[int | Workers | None]:
        """Within the block: what functions take as ``jobs=``."""
        if self.engine == "local":
            yield self.jobs
            return
        with Workers.dask(self._address, timeout=self.scheduler_timeout) as workers:
            _silence_dask()
            yield workers


def _silence_dask() -> None:
    """Keep what Dask logs of workers that come and go from users, who are told in one line what concerns them."""
    for name in ("asyncio", *(known for known in logging.root.manager.loggerDict if known.startswith("distributed"))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@dataclass(frozen=True)
class Unpacking:
    """How much a file may unpack to.

    Parameters
    ----------
    unpack_limit : int or str
        The largest size of one unpacked file, such as 500MB or 8GB.
    """

    unpack_limit: int | str = DEFAULT

    def __post_init__(self) -> None:
        object.__setattr__(self, "unpack_limit", as_size(self.unpack_limit))
