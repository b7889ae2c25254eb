"""Where a command's work runs: in threads of this machine, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from metameter.arguments import check_seconds, checks_arguments
from metameter.errors import MetameterError
from metameter.parallel import Workers

_START = "Start a scheduler (dask scheduler) and workers (dask worker ADDRESS), and give its address with --scheduler."


@partial(checks_arguments, checks={"scheduler_timeout": partial(check_seconds, name="scheduler_timeout")})
@contextmanager
def working(
    jobs: int | None = None,
    engine: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    scheduler_timeout: float = 60.0,
) -> Iterator[int | Workers | None]:
    """Give what ``jobs=`` is to be in the block.

    Parameters
    ----------
    jobs : int
        How many threads of this machine.
    engine : {"local", "dask"}
        Work in threads of this machine (local), or on a Dask cluster (dask), which gives the same results.
    scheduler : str
        With --engine dask: the address of the scheduler, such as tcp://10.0.0.1:8786; by default what the environment
        variable DASK_SCHEDULER_ADDRESS says.
    scheduler_timeout : float
        So many seconds to wait for the scheduler, and for workers when there are none; then the command gives up.

    Examples
    --------
    >>> with working(3) as jobs:
    ...     jobs
    3
    """
    if engine == "local":
        if scheduler is not None:
            what, fix = "a scheduler is for --engine dask", "Add --engine dask, or leave --scheduler out."
            raise MetameterError(what, given=scheduler, fix=fix)
        yield jobs
        return
    if jobs is not None:
        what, fix = "--jobs counts threads of this machine", "Leave it out with --engine dask: all workers are used."
        raise MetameterError(what, given=jobs, fix=fix)
    address = scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS")
    if not address:
        raise MetameterError("--engine dask needs a scheduler", fix=_START)
    with Workers.dask(address, timeout=scheduler_timeout) as workers:
        _silence()
        yield workers


def _silence() -> None:
    """What Dask logs of workers that come and go is not for users, who are told in one line what concerns them."""
    for name in ("asyncio", *(known for known in logging.root.manager.loggerDict if known.startswith("distributed"))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
