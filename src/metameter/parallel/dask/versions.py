"""The versions that must agree within a cluster; Dask itself is not imported here."""

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

#: The name of the digest of our source code among the versions.
_SOURCE = "source of metameter"
# The packages on which results may depend, and those that transfer tasks and results.
_COMPUTING, _TRANSFER = ("numpy", "polars", "scipy"), ("dask", "distributed", "cloudpickle")


def versions() -> dict[str, str]:
    """The versions here of the packages that compute or transfer, of plug-ins, and a digest of our source code.

    Examples
    --------
    >>> sorted(versions().keys() - plug_ins().keys())
    ['cloudpickle', 'dask', 'distributed', 'metameter', 'numpy', 'polars', 'python', 'scipy',
     'source of metameter']
    """
    return dict(_versions(tuple(sys.path)))


def packages() -> list[str]:
    """The names among the versions that are distributions, which Dask can report."""
    return [name for name in versions() if name not in ("python", _SOURCE)]


@lru_cache(maxsize=1)  # workers check before every task
def _versions(path: tuple[str, ...]) -> dict[str, str]:
    from metameter import __version__

    known = {"metameter": __version__, "python": platform.python_version(), _SOURCE: _source()}
    for name in (*_COMPUTING, *_TRANSFER):
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue  # Dask is optional
    return known | plug_ins()


def _source() -> str:
    """A digest of the Python files of this package, since two checkouts of one version may differ."""
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
    """Refuse a scheduler or worker with other versions, which may give other bits, or with other plug-ins.

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
        what = f"{who} has {_with_version(name, there)}, and here is {_with_version(name, here)}"
        raise MetameterError(what, fix="Install the same versions everywhere.")


def check_report(report: Mapping[str, Any]) -> None:
    """Refuse a scheduler or worker by Dask's report of the `packages`, which works without importing metameter.

    Parameters
    ----------
    report : dict
        From ``distributed.Client.get_versions``: ``client``, ``scheduler``, and ``workers`` by address.
    """
    here = _reported(report["client"])
    check_versions(here, _reported(report["scheduler"]), "the scheduler")
    for worker, there in sorted(report["workers"].items()):
        check_versions(here, _reported(there), f"the worker {worker}")


def _reported(side: Mapping[str, Any]) -> dict[str, str]:
    """The reported versions of the packages that are compared."""
    reported = side["packages"]
    # Dask writes 3.12.1.final.0.
    named = {"python": str(reported.get("python")).removesuffix(".final.0")}
    return named | {name: str(reported[name]) for name in packages() if reported.get(name) is not None}


def _with_version(name: str, known: Mapping[str, str]) -> str:
    return f"{name} {known[name]}" if name in known else f"no {name}"
