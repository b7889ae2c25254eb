"""The connection to a Dask cluster: connecting, sending work, and noticing that nobody answers."""

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


_GONE = "See that the cluster runs, then call again: what a study has finished is kept."
_SILENT = "End it, or see that it runs, then call again: what a study has finished is kept."
#: A question to the scheduler itself is answered at once, or never.
_AT_ONCE = 5.0
#: Even the last question before the timeout gets so many seconds.
_SHORTEST = 0.5
#: Seconds between two looks at whether somebody is there, and seconds for an end in good order.
_STEP, _FAREWELL = 1.0, 2.0


class DaskCluster:
    """A scheduler with its workers.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Its address; or a client, which is then not closed here.
    timeout : float
        So many seconds to wait for the scheduler, and for workers when there are none.
    """

    def __init__(self, scheduler: Any, timeout: float) -> None:
        self.timeout = timeout
        self._alone_since: float | None = None
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
        """How many pieces of work can be under way at the same time; none where nobody answers."""
        return self._asked(_AT_ONCE) or 0

    def _asked(self, seconds: float) -> int | None:
        """The scheduler's answer to how many threads there are; None if it has none in so many seconds."""
        try:
            return int(sum(self._client.nthreads(callback_timeout=seconds).values()))
        except (OSError, ValueError, RuntimeError, AttributeError):  # a client that is connecting has no scheduler
            return None

    def check_workers(self) -> bool:
        """Whether there are workers; refused if there have been none for as long as the timeout."""
        begun = time.monotonic()
        since = begun if self._alone_since is None else self._alone_since
        left = self.timeout - (begun - since)
        count = self._asked(min(_AT_ONCE, max(left, _SHORTEST)))
        if count:
            self._alone_since = None
            return True
        self._alone_since = since
        if time.monotonic() - since >= self.timeout:
            gone = "does not answer" if count is None else "has no workers"
            what = f"the scheduler {self.name} {gone}, for {self.timeout:g} seconds now"
            raise MetameterError(what, fix=_GONE)
        return False

    def check_open(self) -> None:
        """Refuse work when the connection is closed: nobody would be told of it."""
        if self._client.status in ("closing", "closed"):
            what = f"the connection with the scheduler {self.name} is closed"
            raise MetameterError(what, fix="Make workers anew, with Workers.dask, and use them before they are closed.")

    def check_installed(self) -> None:
        """Refuse a scheduler or a worker with other versions, or other plug-ins, than here."""
        # First what Dask itself reports: who has another Dask, or no metameter, may not even read our question.
        check_report(self._watched(partial(self._client.get_versions, packages=packages()), self.timeout))
        self.on_every_worker(partial(_same_versions, versions()))

    def _watched(self, call: Callable[[], Any], timeout: float = math.inf) -> Any:
        """The result of a call for which Dask knows no timeout; given up when the scheduler is.

        A question to all workers is given a timeout, too: one that is stopped counts as there, and does not answer.
        """
        answer, begun = aside(call), time.monotonic()
        while not wait([answer], timeout=min(_STEP, timeout)).done:
            self.check_workers()
            if time.monotonic() - begun >= timeout:
                raise MetameterError(f"{self._silent()} does not answer, for {timeout:g} seconds now", fix=_SILENT)
        return answer.result()

    def _silent(self) -> str:
        """Who has not answered, most likely: the worker of which the scheduler has not heard for longest."""
        told = aside(self._client.scheduler_info)
        try:
            workers = told.result(_AT_ONCE)["workers"]
            return f"the worker {min(workers, key=lambda each: workers[each]['last_seen'])}"
        except (OSError, ValueError, LookupError):  # nobody can tell
            return f"a worker of {self.name}"

    def on_every_worker(self, check: Callable[[str], None]) -> None:
        """Call a check on all workers, each with its address; the first refusal is raised."""
        answers = self._watched(partial(self._client.run, _checked, check, on_error="return"), self.timeout)
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, MetameterError):
                raise answer
            # A worker that has gone meanwhile has nothing to say; one that cannot read the question lacks something.
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                raise not_installed(worker, answer)

    def scatter(self, thing: Any, *, everywhere: bool) -> Any:
        """Send something to one worker, or to all, which keep it; the return value stands for it in tasks."""
        options = {"broadcast": everywhere, "hash": False, "timeout": _AT_ONCE}
        while True:
            try:
                return self._watched(partial(self._client.scatter, thing, **options))
            except MetameterError:
                raise
            except Exception as problem:
                # There are no workers, or they left while it was sent: Dask has no error of its own for that.
                if "ModuleNotFoundError" in str(problem):
                    raise not_installed("that was asked", problem) from None
                self.check_workers()
                time.sleep(0.1)

    def submit(self, function: Callable[..., Done], *arguments: Any) -> Any:
        """Send a task."""
        while True:
            try:
                return self._client.submit(function, *arguments, pure=False)
            except (OSError, ValueError, RuntimeError):  # no connection at the moment
                if self._client.status == "running":
                    raise
                self.check_workers()
                time.sleep(0.1)

    def is_over(self, task: Any, seconds: float) -> bool:
        """Wait for a task, so long; whether it is done, failed or lost."""
        try:
            task.exception(timeout=seconds)
        except distributed_package().TimeoutError:
            return False
        except distributed_package().CancelledError:
            return True
        return True

    def is_lost(self, sent: Any) -> bool:
        """Whether what was sent is on no worker any more, and none can make it again."""
        return sent.status in ("cancelled", "lost")

    def outcome(self, task: Any) -> Done | None:
        """What came of a task that is over; None where that was lost meanwhile."""
        if task.status == "error":
            raise in_words(task.exception())
        seconds = 1.0
        while True:
            try:
                done: Done = task.result(timeout=seconds)
                return done
            except distributed_package().TimeoutError:
                self.check_workers()
                seconds *= 2  # what is large takes its time, and begins anew every time
            except (distributed_package().CancelledError, OSError):  # the connection broke while it came
                return None
            except Exception as problem:  # it was done again, with another end
                raise in_words(problem) from None

    def close(self) -> None:
        """End the connection, if it was made here."""
        if self._owned:
            with suppress(TimeoutError):
                self._client.close(timeout=_FAREWELL)
            # Who has not said farewell by now does not answer; thrown away, the client would try it again.
            self._client.status = "closed"


def _checked(check: Callable[[str], None], dask_worker: Any = None) -> None:
    """Call a check on a worker: Dask gives it as the argument of that name."""
    check(dask_worker.address)


def _same_versions(here: dict[str, str], worker: str) -> None:
    check_versions(here, versions(), f"the worker {worker}")


def in_words(problem: BaseException) -> BaseException:
    """What a worker raised, as a user can understand it."""
    if isinstance(problem, ImportError):
        return not_installed("that was asked", problem)
    if isinstance(problem, RuntimeError) and "deserialization" in str(problem):
        what = "the scheduler cannot read what it is sent: it has other packages, or other versions"
        return MetameterError(what, fix="Install the same versions everywhere.")
    if type(problem).__name__ == "KilledWorker":
        what = "a piece of work ended every worker that took it, one after the other"
        return MetameterError(what, fix="See the workers' logs; as a rule they need more memory.")
    return problem


def not_installed(worker: str, problem: Exception) -> MetameterError:
    """What is said of a worker that could not read a question, or a piece of work."""
    what = f"the worker {worker} cannot import what it needs: {problem}"
    return MetameterError(what, fix="Install the same packages everywhere, plug-ins included.")
