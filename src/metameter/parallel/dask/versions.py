"""The versions that a cluster must have in common; Dask itself is not imported here."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from metameter.distributions import plug_ins, version
from metameter.errors import MetameterError

#: What the bits of a result may depend on, and what tasks and results travel by.
#: What stands for our own source code among the versions.
_SOURCE = "source of metameter"
_COMPUTING, _TRAVELLING = ("numpy", "polars", "scipy"), ("dask", "distributed", "cloudpickle")


def versions() -> dict[str, str]:
    """The versions of what computes, of what tasks travel by, and of plug-ins, here; and a digest of our source code.

    Examples
    --------
    >>> sorted(versions().keys() - plug_ins().keys())
    ['cloudpickle', 'dask', 'distributed', 'metameter', 'numpy', 'polars', 'python', 'scipy',
     'source of metameter']
    """
    return dict(_versions(tuple(sys.path)))


def packages() -> list[str]:
    """The names of all of them that are distributions: what Dask can be asked for."""
    return [name for name in versions() if name not in ("python", _SOURCE)]


@lru_cache(maxsize=1)  # a worker is asked before every piece of work
def _versions(path: tuple[str, ...]) -> dict[str, str]:
    from metameter import __version__

    found = {"metameter": __version__, "python": platform.python_version(), _SOURCE: _source()}
    for name in (*_COMPUTING, *_TRAVELLING):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue  # Dask is there only where somebody wants it
    return found | plug_ins()


def _source() -> str:
    """A digest of the Python files of this package: under one version two checkouts may hold different code."""
    digest = hashlib.sha256()
    folder = files("metameter")
    for name, text in sorted(_python_files(folder, "")):
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def _python_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _python_files(each, f"{prefix}{each.name}/")
        elif each.name.endswith(".py"):
            yield f"{prefix}{each.name}", each.read_bytes().replace(b"\r\n", b"\n")


def check_versions(here: Mapping[str, str], there: Mapping[str, str], who: str) -> None:
    """Refuse whoever would compute with other versions, and perhaps other bits, or has other plug-ins.

    Examples
    --------
    >>> check_versions({"numpy": "2.4.6"}, {"numpy": "2.3.0"}, "the worker tcp://10.0.0.7:4001")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the worker tcp://10.0.0.7:4001 has numpy 2.3.0, and here is numpy 2.4.6. Install
    the same versions everywhere.
    >>> check_versions({"tired": "1.0"}, {}, "the scheduler")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the scheduler has no tired, and here is tired 1.0. Install the same versions
    everywhere.
    """
    for name in {**here, **there}:
        if here.get(name) == there.get(name):
            continue
        if name == _SOURCE:
            what = f"{who} has other source code of metameter {here['metameter']} than here"
            raise MetameterError(what, fix="Install the same code everywhere, then start the workers again.")
        what = f"{who} has {_said(name, there)}, and here is {_said(name, here)}"
        raise MetameterError(what, fix="Install the same versions everywhere.")


def check_report(report: Mapping[str, Any]) -> None:
    """Refuse a scheduler, or a worker, by what Dask itself reports of the `packages`: for that nobody imports ours.

    Parameters
    ----------
    report : dict
        As of ``distributed.Client.get_versions``: ``client``, ``scheduler``, and ``workers`` by their addresses.
    """
    here = _reported(report["client"])
    check_versions(here, _reported(report["scheduler"]), "the scheduler")
    for worker, there in sorted(report["workers"].items()):
        check_versions(here, _reported(there), f"the worker {worker}")


def _reported(side: Mapping[str, Any]) -> dict[str, str]:
    """The versions that one side reports, of what is compared: Dask names other packages, too."""
    found = side["packages"]
    # Dask writes 3.12.1.final.0.
    named = {"python": str(found.get("python")).removesuffix(".final.0")}
    return named | {name: str(found[name]) for name in packages() if found.get(name) is not None}


def _said(name: str, known: Mapping[str, str]) -> str:
    return f"{name} {known[name]}" if name in known else f"no {name}"
