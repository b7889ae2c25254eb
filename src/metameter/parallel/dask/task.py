"""A task as a Dask worker runs it; Dask itself is not imported here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from metameter.notices import collecting_notices
from metameter.parallel.dask.versions import check_versions, versions
from metameter.parallel.sent_files import Files, check_files, opening


@dataclass(frozen=True, eq=False)
class Work:
    """What all tasks share; a class of its own, so that Dask does not traverse it.

    Attributes
    ----------
    function : callable
    shared : dict
        The arguments besides the item.
    versions : dict
        The versions that are required; they are checked per task, since workers may join at any time.
    """

    function: Callable[..., Any]
    shared: dict[str, Any]
    versions: dict[str, str]


@dataclass(frozen=True, eq=False)
class Sent:
    """An item and the files that it names; a class of its own, so that Dask does not traverse it."""

    value: Any
    files: Files = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Done:
    """The result of a task and the notices for the user."""

    value: Any
    notices: list[str] = field(default_factory=list)


def do(work: Work, item: Sent) -> Done:
    """Run one task on this worker.

    Examples
    --------
    >>> do(Work(round, {"ndigits": 1}, versions()), Sent(1.26)).value
    1.3
    """
    where = address()
    check_versions(work.versions, versions(), f"the worker {where}")
    check_files(item.files, where)
    with collecting_notices() as notices, opening(item.files):
        return Done(work.function(item.value, **work.shared), notices)


def address() -> str:
    """The address of this worker, for messages."""
    module = sys.modules.get("distributed")
    try:
        return str(module.get_worker().address) if module else "here"
    except ValueError:  # not on a worker
        return "here"
