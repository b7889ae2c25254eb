"""What a worker of a Dask cluster does with one piece of work; Dask itself is not imported here."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from metameter.distributions import version
from metameter.errors import MetameterError
from metameter.notices import collecting_notices
from metameter.parallel.travel import Files, check_files, opening

__all__ = ["Done", "Sent", "Work", "address", "check_versions", "do", "versions"]

#: What the bits of a result may depend on.
_PACKAGES = ("numpy", "polars", "scipy")


def versions() -> dict[str, str]:
    """The versions of what computes, here.

    Examples
    --------
    >>> sorted(versions())
    ['metameter', 'numpy', 'polars', 'python', 'scipy']
    """
    from metameter import __version__

    packages = {name: version(name) for name in _PACKAGES}
    return {"metameter": __version__, "python": platform.python_version(), **packages}


def check_versions(here: Mapping[str, str], there: Mapping[str, str], worker: str) -> None:
    """Refuse a worker that would compute with other versions, and perhaps other bits.

    Examples
    --------
    >>> check_versions({"numpy": "2.4.6"}, {"numpy": "2.3.0"}, "tcp://10.0.0.7:4001")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the worker tcp://10.0.0.7:4001 has numpy 2.3.0, and here is numpy 2.4.6. Install
    the same versions everywhere.
    """
    for name, mine in here.items():
        theirs = there.get(name, "of no known version")
        if theirs != mine:
            what = f"the worker {worker} has {name} {theirs}, and here is {name} {mine}"
            raise MetameterError(what, fix="Install the same versions everywhere.")


@dataclass(frozen=True, eq=False)
class Work:
    """What all pieces have in common; of a class of its own, so that Dask does not look into it.

    Attributes
    ----------
    function : callable
    shared : dict
        What it takes besides the item.
    versions : dict
        With which it is to be done: a worker may join at any time.
    """

    function: Callable[..., Any]
    shared: dict[str, Any]
    versions: dict[str, str]


@dataclass(frozen=True, eq=False)
class Sent:
    """One item and the files that it names; of a class of its own, so that Dask does not look into it."""

    value: Any
    files: Files = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Done:
    """What came of it, and what the user should be told."""

    value: Any
    notices: list[str] = field(default_factory=list)


def do(work: Work, item: Sent) -> Done:
    """Do one piece of work, here.

    Examples
    --------
    >>> do(Work(round, {"ndigits": 1}, versions()), Sent(1.26)).value
    1.3
    """
    where = address()
    check_versions(work.versions, versions(), where)
    check_files(item.files, where)
    with collecting_notices() as notices, opening(item.files):
        return Done(work.function(item.value, **work.shared), notices)


def address() -> str:
    """Which worker this is, for messages."""
    module = sys.modules.get("distributed")
    try:
        return str(module.get_worker().address) if module else "here"
    except ValueError:  # not on a worker
        return "here"
