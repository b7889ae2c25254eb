"""The installed distributions: plug-ins with entry points for this package, and versions of libraries.

`importlib.metadata` parses the entry points of every distribution, and mail headers for a version, which takes as long
as scoring a small run. So this module searches the folders of ``sys.path`` first, and calls it only where it must.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


# The suffixes of the folders with the metadata of distributions; the prefix of the names of our entry point groups.
_ENDINGS = (".dist-info", ".egg-info")
_GROUP = "metameter."
_GROUPS = f"[{_GROUP}".encode()
# Any of these may separate the parts of a name.
_SEPARATOR = re.compile(r"[-_.]+")
_VERSION = re.compile(rb"^Version: (\S+)\s*$", re.MULTILINE)


def entry_points(group: str) -> Iterable[EntryPoint]:
    """The entry points of all installed distributions in a group of ours, ``metameter.<kind>``.

    Examples
    --------
    >>> list(entry_points(group="metameter.nothing"))
    []
    """
    path = tuple(sys.path)
    ours: Iterable[EntryPoint] = _entry_points(path).select(group=group) if _may_have_plug_ins(path) else ()
    return ours


def plug_ins() -> dict[str, str]:
    """Name -> version of the distributions with an entry point in any group of ours.

    Examples
    --------
    >>> "numpy" in plug_ins()
    False
    """
    path = tuple(sys.path)
    if not _may_have_plug_ins(path):
        return {}
    every = _entry_points(path)
    entries = [each for group in every.groups if group.startswith(_GROUP) for each in every.select(group=group)]
    return {_SEPARATOR.sub("-", each.dist.name).lower(): each.dist.version for each in entries if each.dist is not None}


def version(name: str) -> str:
    """The version of an installed distribution; its name must be in lower case.

    Examples
    --------
    >>> import numpy
    >>> version("numpy") == numpy.__version__
    True
    """
    known = _version_on_path(name, tuple(sys.path)) if _are_all_folders() else None
    if known is not None:
        return known
    from importlib.metadata import version as version_of

    return version_of(name)


@lru_cache(maxsize=1)
def _entry_points(path: tuple[str, ...]) -> Any:  # a type of its own in Python 3.11
    from importlib.metadata import entry_points as every_entry_point

    return every_entry_point()


@lru_cache(maxsize=1)
def _may_have_plug_ins(path: tuple[str, ...]) -> bool:
    """Whether any distribution may have an entry point of ours: it names a group of ours, or cannot be searched."""
    return not _are_all_folders() or any(_GROUPS in _content(info, "entry_points.txt") for info in _infos(path))


def _version_on_path(name: str, path: tuple[str, ...]) -> str | None:
    """The version in the first folder of a distribution, which is the one in use; None if there is none."""
    own = next((info for info in _infos(path) if _name_of(info) == name), None)
    line = None if own is None else _VERSION.search(_content(own, "METADATA"))
    return None if line is None else line[1].decode()


def _name_of(info: str) -> str:
    """The name of a distribution, from that of its folder: ``numpy-2.4.6.dist-info``."""
    return os.path.splitext(os.path.basename(info))[0].partition("-")[0].lower()


def _are_all_folders() -> bool:
    """Whether all distributions are folders on the path: no archives, no eggs, no other finders."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return finders == [PathFinder] and all(_is_folder(each) for each in sys.path)


def _is_folder(entry: object) -> bool:
    # Python ignores entries of sys.path that are no texts, such as a Path; other finders may use them.
    return isinstance(entry, str) and not entry.endswith(".egg") and not os.path.isfile(entry)


@lru_cache(maxsize=1)
def _infos(path: tuple[str, ...]) -> list[str]:
    """The folders with the metadata of distributions, in the order of the path."""
    return [os.path.join(folder, name) for folder in path for name in _names(folder) if name.lower().endswith(_ENDINGS)]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder or os.curdir)
    except OSError:
        return []  # there may be no such folder


def _content(info: str, name: str) -> bytes:
    try:
        with open(os.path.join(info, name), "rb") as file:
            return file.read()
    except OSError:
        return b""  # few have entry points
