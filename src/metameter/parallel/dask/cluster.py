"""The connection to a Dask cluster: connect, send tasks, and detect schedulers and workers that do not answer."""

from __future__ import annotations

import asyncio
import math
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from typing import Any

from metameter.errors import MetameterError
from metameter.parallel.dask.task import Done
from metameter.parallel.dask.versions import check_report, check_versions, packages, versions

#: Seconds beyond the timeout after which connecting is given up.
_GRACE = 1.0
_FIX = "Give the address that dask scheduler prints, such as tcp://10.0.0.1:8786."


def distributed_package() -> Any:
    """Return the package ``distributed``; refuse with what to install if it is missing."""
    try:
        import distributed
    except ImportError:
        what, fix = "a cluster needs Dask, which is not installed", 'Install it: pip install "metameter[cluster]"'
        raise MetameterError(what, fix=fix) from None
    return distributed


def connected(scheduler: str, timeout: float) -> Any:
    """Connect a client to a scheduler.

    Dask's own timeout ends when the connection is accepted: it would wait for ever for the greeting of a stopped
    scheduler, or of another service. So this runs in another thread, which is given up in time.
    """
    distributed = distributed_package()
    future = in_thread(lambda: _client(distributed, scheduler, timeout), unwanted=lambda client: client.close())
    try:
        return future.result(timeout + _GRACE)
    except (ValueError, TypeError):
        raise MetameterError("not an address of a Dask scheduler", given=scheduler, fix=_FIX) from None
    except (Exception, asyncio.CancelledError):  # another service may answer anything
        what = f"no Dask scheduler answers within {timeout:g} seconds"
        raise MetameterError(what, given=scheduler, fix=_FIX) from None
    finally:
        future.cancel()


def refuse_unusable(client: Any) -> None:
    """Refuse a client of the user that is closed or asynchronous."""
    if client.status in ("closing", "closed"):
        what, fix = "the client is closed", "Give one that is connected, or the address of the scheduler."
    elif client.asynchronous:
        what, fix = "the client is asynchronous", "Make it without asynchronous=True, or give the scheduler's address."
    else:
        return
    raise MetameterError(what, given=str(client), fix=fix)


def in_thread(call: Callable[[], Any], unwanted: Callable[[Any], None] = lambda _: None) -> Future[Any]:
    """Call a function that may never return in a daemon thread; return its future.

    Parameters
    ----------
    call : callable
    unwanted : callable
        Called with a result that arrives after the future was cancelled.

    Examples
    --------
    >>> in_thread(lambda: 6 * 7).result(timeout=5)
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
    # A client that failed to connect logs errors when it is deleted, so it is made only after a scheduler answered.
    asyncio.run(_greeted(distributed, scheduler, timeout))
    with warnings.catch_warnings():
        # Warnings of version mismatches: those that matter are refused by `versions.py`.
        warnings.simplefilter("ignore")
        return distributed.Client(scheduler, timeout=timeout, set_as_default=False, name="metameter")


async def _greeted(distributed: Any, scheduler: str, timeout: float) -> None:
    options = distributed.Security().get_connection_args("client")
    comm = await asyncio.wait_for(distributed.comm.connect(scheduler, timeout=timeout, **options), timeout)
    comm.abort()


_GONE = "See that the cluster runs, then call again: what a study has finished is kept."
_SILENT = "End it, or see that it runs, then call again: what a study has finished is kept."
#: Seconds to wait for an answer of the scheduler, which comes at once or never.
_AT_ONCE = 5.0
#: The least number of seconds to wait for an answer, even shortly before the timeout.
_SHORTEST = 0.5
#: Seconds between two checks for workers, and seconds to wait for a regular close.
_POLL, _CLOSING = 1.0, 2.0


class DaskCluster:
    """A Dask scheduler with its workers.

    Parameters
    ----------
    scheduler : str or distributed.Client
        The address of the scheduler; or a client, which stays open after use.
    timeout : float
        How many seconds to wait for the scheduler, and for workers when there are none.
    """

    def __init__(self, scheduler: Any, timeout: float) -> None:
        self.timeout = timeout
        self._without_workers_since: float | None = None
        self._owned = not isinstance(scheduler, distributed_package().Client)
        if not self._owned:
            refuse_unusable(scheduler)
        self._client = connected(scheduler, timeout) if self._owned else scheduler
        self.name = str(scheduler) if self._owned else self._client.scheduler.address
        try:
            while not self.check_workers():
                time.sleep(0.1)
            self.check_installed()
        except BaseException:
            self.close()
            raise

    def threads(self) -> int:
        """The number of tasks that can run at the same time; 0 if the scheduler does not answer."""
        return self._thread_count(_AT_ONCE) or 0

    def _thread_count(self, seconds: float) -> int | None:
        """The number of threads by the scheduler; None if it does not answer in time."""
        try:
            return int(sum(self._client.nthreads(callback_timeout=seconds).values()))
        except (OSError, ValueError, RuntimeError, AttributeError):  # a client that is connecting has no scheduler
            return None

    def check_workers(self) -> bool:
        """Whether there are workers; refuse if there have been none for as long as the timeout."""
        begun = time.monotonic()
        since = begun if self._without_workers_since is None else self._without_workers_since
        left = self.timeout - (begun - since)
        count = self._thread_count(min(_AT_ONCE, max(left, _SHORTEST)))
        if count:
            self._without_workers_since = None
            return True
        self._without_workers_since = since
        if time.monotonic() - since >= self.timeout:
            state = "has not answered" if count is None else "has had no workers"
            what = f"the scheduler {self.name} {state} for {self.timeout:g} seconds"
            raise MetameterError(what, fix=_GONE)
        return False

    def check_open(self) -> None:
        """Refuse tasks on a closed connection, which would be lost silently."""
        if self._client.status in ("closing", "closed"):
            what = f"the connection with the scheduler {self.name} is closed"
            raise MetameterError(what, fix="Make new workers with Workers.dask, and use them before closing them.")

    def check_installed(self) -> None:
        """Refuse a scheduler or worker whose versions or plug-ins differ from those here."""
        # First by Dask's own report, since our check cannot run with another Dask or without metameter.
        check_report(self._result_of(partial(self._client.get_versions, packages=packages()), self.timeout))
        self.on_every_worker(partial(_same_versions, versions()))

    def _result_of(self, call: Callable[[], Any], timeout: float = math.inf) -> Any:
        """Return the result of a call without a timeout of its own; give up when the scheduler does not answer.

        Calls on all workers get a timeout, too, since a stopped worker still counts as connected.
        """
        answer, begun = in_thread(call), time.monotonic()
        while not wait([answer], timeout=min(_POLL, timeout)).done:
            self.check_workers()
            if time.monotonic() - begun >= timeout:
                raise MetameterError(f"{self._silent_worker()} has not answered for {timeout:g} seconds", fix=_SILENT)
        return answer.result()

    def _silent_worker(self) -> str:
        """The worker that most likely does not answer: the one seen least recently by the scheduler."""
        info = in_thread(self._client.scheduler_info)
        try:
            workers = info.result(_AT_ONCE)["workers"]
            return f"the worker {min(workers, key=lambda each: workers[each]['last_seen'])}"
        except (OSError, ValueError, LookupError):  # the scheduler does not know, either
            return f"a worker of {self.name}"

    def on_every_worker(self, check: Callable[[str], None]) -> None:
        """Run a check on all workers, each with its address; raise the first refusal."""
        answers = self._result_of(partial(self._client.run, _checked, check, on_error="return"), self.timeout)
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, MetameterError):
                raise answer
            # A worker that left meanwhile is ignored; one that cannot load the check lacks a package.
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise not_installed(worker, answer)

    def scatter(self, value: Any, *, everywhere: bool) -> Any:
        """Send an object to one worker or to all; return the future that stands for it in tasks."""
        send = partial(self._client.scatter, value, broadcast=everywhere, hash=False, timeout=_AT_ONCE)
        while True:
            try:
                return self._result_of(send)
            except MetameterError:
                raise
            except Exception as problem:
                # There are no workers, or they left during the transfer; Dask has no specific error for that.
                if "ModuleNotFoundError" in str(problem):
                    raise not_installed("that was used", problem) from None
                self.check_workers()
                time.sleep(0.1)

    def submit(self, function: Callable[..., Done], *arguments: Any) -> Any:
        """Submit a task."""
        while True:
            try:
                return self._client.submit(function, *arguments, pure=False)
            except (OSError, ValueError, RuntimeError):  # no connection at the moment
                if self._client.status == "running":
                    raise
                self.check_workers()
                time.sleep(0.1)

    def is_over(self, task: Any, seconds: float) -> bool:
        """Wait for a task for some seconds; return whether it is done, failed or lost."""
        try:
            task.exception(timeout=seconds)
        except distributed_package().TimeoutError:
            return False
        except distributed_package().CancelledError:
            return True
        return True

    def is_lost(self, future: Any) -> bool:
        """Whether an object is lost on all workers and cannot be computed again."""
        return future.status in ("cancelled", "lost")

    def outcome(self, task: Any) -> Done | None:
        """The result of a finished task; None if it was lost meanwhile."""
        if task.status == "error":
            raise readable(task.exception())
        seconds = 1.0
        while True:
            try:
                done: Done = task.result(timeout=seconds)
                return done
            except distributed_package().TimeoutError:
                self.check_workers()
                seconds *= 2  # a large result needs more time, and the transfer restarts every time
            except (distributed_package().CancelledError, OSError):  # the connection broke during the transfer
                return None
            except Exception as problem:  # the task ran again and failed
                raise readable(problem) from None

    def close(self) -> None:
        """Close the connection, unless it is a client of the user."""
        if self._owned:
            with suppress(TimeoutError):
                self._client.close(timeout=_CLOSING)
            # After the timeout the scheduler does not answer; without this the client would try again when deleted.
            self._client.status = "closed"


def _checked(check: Callable[[str], None], dask_worker: Any = None) -> None:
    """Run a check on a worker, which Dask passes as ``dask_worker``."""
    check(dask_worker.address)


def _same_versions(here: dict[str, str], worker: str) -> None:
    check_versions(here, versions(), f"the worker {worker}")


def readable(problem: BaseException) -> BaseException:
    """The exception of a worker as one that a user can understand."""
    if isinstance(problem, ImportError):
        return not_installed("that was used", problem)
    if isinstance(problem, RuntimeError) and "deserialization" in str(problem):
        what = "the scheduler cannot load what it is sent: its packages or versions differ"
        return MetameterError(what, fix="Install the same versions everywhere.")
    if type(problem).__name__ == "KilledWorker":
        what = "a task ended every worker that ran it"
        return MetameterError(what, fix="See the logs of the workers; usually they need more memory.")
    return problem


def not_installed(worker: str, problem: Exception) -> MetameterError:
    """The error for a worker that cannot import what a check or task needs."""
    what = f"the worker {worker} cannot import what it needs: {problem}"
    return MetameterError(what, fix="Install the same packages everywhere, plug-ins included.")
