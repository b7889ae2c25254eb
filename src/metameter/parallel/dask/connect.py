"""Connect with a Dask scheduler, or say within the stated time that there is none."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from metameter.errors import MetameterError

#: Who is told within so many seconds after the timeout that nobody answers is told in time.
_GRACE = 1.0
_FIX = "Give the address that dask scheduler prints, such as tcp://10.0.0.1:8786."


def distributed_package() -> Any:
    """The package, or what to install."""
    try:
        import distributed
    except ImportError:
        what, fix = "a cluster needs Dask, which is not installed", 'Install it: pip install "metameter[cluster]"'
        raise MetameterError(what, fix=fix) from None
    return distributed


def connected(scheduler: str, timeout: float) -> Any:
    """A client of a scheduler.

    Dask's own timeout ends when somebody accepts the connection: it would wait for ever for a greeting from what is no
    scheduler, or from one that is stopped. So all of it happens aside, and is given up in time.
    """
    distributed = distributed_package()
    made = aside(lambda: _client(distributed, scheduler, timeout), unwanted=lambda client: client.close())
    try:
        return made.result(timeout + _GRACE)
    except (ValueError, TypeError):
        raise MetameterError("this is no address of a Dask scheduler", given=scheduler, fix=_FIX) from None
    except (Exception, asyncio.CancelledError):  # what is no scheduler may say anything
        what = f"no Dask scheduler answers within {timeout:g} seconds"
        raise MetameterError(what, given=scheduler, fix=_FIX) from None
    finally:
        made.cancel()


def refuse_unusable(client: Any) -> None:
    """Refuse a client of the caller's that is closed, or whose answers are to be awaited."""
    if client.status in ("closing", "closed"):
        what, fix = "the client is closed", "Give one that is connected, or the address of the scheduler."
    elif client.asynchronous:
        what, fix = "the client is asynchronous", "Make it without asynchronous=True, or give the scheduler's address."
    else:
        return
    raise MetameterError(what, given=str(client), fix=fix)


def aside(call: Callable[[], Any], unwanted: Callable[[Any], None] = lambda _: None) -> Future[Any]:
    """Call something that may never return, in a thread that does not keep the process from ending.

    Parameters
    ----------
    call : callable
    unwanted : callable
        What to do with a result that comes when the future has been cancelled.

    Examples
    --------
    >>> aside(lambda: 6 * 7).result(timeout=5)
    42
    """
    future: Future[Any] = Future()

    def work() -> None:
        try:
            result = call()
        except BaseException as problem:
            if future.set_running_or_notify_cancel():
                future.set_exception(problem)
            return
        if future.set_running_or_notify_cancel():
            future.set_result(result)
        else:
            unwanted(result)

    threading.Thread(target=work, daemon=True, name="metameter-dask").start()
    return future


def _client(distributed: Any, scheduler: str, timeout: float) -> Any:
    # A client that cannot be made complains of it when it is thrown away; none is made before somebody has answered.
    asyncio.run(_greeted(distributed, scheduler, timeout))
    with warnings.catch_warnings():
        # Of other versions: those that matter are refused, in one line (`dask_versions.py`).
        warnings.simplefilter("ignore")
        return distributed.Client(scheduler, timeout=timeout, set_as_default=False, name="metameter")


async def _greeted(distributed: Any, scheduler: str, timeout: float) -> None:
    options = distributed.Security().get_connection_args("client")
    comm = await asyncio.wait_for(distributed.comm.connect(scheduler, timeout=timeout, **options), timeout)
    comm.abort()
