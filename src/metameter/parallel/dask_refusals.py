"""What goes wrong on a Dask cluster, in words that help its user."""

from __future__ import annotations

from metameter.errors import MetameterError

__all__ = ["in_words", "not_installed"]


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
