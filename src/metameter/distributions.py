"""What is installed: the plug-ins that enter something here, and the versions of what results are computed with.

`importlib.metadata` knows, but parses the entry points of every distribution, and mail headers for a version: that
takes as long as scoring a small run. So the folders of the path are looked through here first, and it is asked only
where something is left to say.
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


# How the folders end in which distributions say what they are; what those say that enter something here.
_ENDINGS = (".dist-info", ".egg-info")
_GROUP = "metameter."
_GROUPS = f"[{_GROUP}".encode()
# A name may be written with any of them.
_SEPARATOR = re.compile(r"[-_.]+")
_VERSION = re.compile(rb"^Version: (\S+)\s*$", re.MULTILINE)


def entry_points(group: str) -> Iterable[EntryPoint]:
    """What other distributions enter in a group of ours, ``metameter.<kind>``: of all that are installed.

    Examples
    --------
    >>> list(entry_points(group="metameter.nothing"))
    []
    """
    path = tuple(sys.path)
    found: Iterable[EntryPoint] = _entered(path).select(group=group) if _may_enter(path) else ()
    return found


def plug_ins() -> dict[str, str]:
    """The versions of the distributions that enter something here, in whichever group; by their names.

    Examples
    --------
    >>> "numpy" in plug_ins()
    False
    """
    path = tuple(sys.path)
    if not _may_enter(path):
        return {}
    every = _entered(path)
    entries = [each for group in every.groups if group.startswith(_GROUP) for each in every.select(group=group)]
    return {_SEPARATOR.sub("-", each.dist.name).lower(): each.dist.version for each in entries if each.dist is not None}


def version(name: str) -> str:
    """The version of a distribution that is installed; its name in lower case.

    Examples
    --------
    >>> import numpy
    >>> version("numpy") == numpy.__version__
    True
    """
    told = _told(name, tuple(sys.path)) if _are_all_folders() else None
    if told is not None:
        return told
    from importlib.metadata import version as version_of

    return version_of(name)


@lru_cache(maxsize=1)
def _entered(path: tuple[str, ...]) -> Any:  # a type of its own in Python 3.11
    from importlib.metadata import entry_points as every_entry_point

    return every_entry_point()


@lru_cache(maxsize=1)
def _may_enter(path: tuple[str, ...]) -> bool:
    """Whether any distribution may enter something here: it names one of our groups, or is not looked into."""
    return not _are_all_folders() or any(_GROUPS in _content(info, "entry_points.txt") for info in _infos(path))


def _told(name: str, path: tuple[str, ...]) -> str | None:
    """The version in the first folder of a distribution, which is the one that counts; None if it says none."""
    own = next((info for info in _infos(path) if _name_of(info) == name), None)
    told = None if own is None else _VERSION.search(_content(own, "METADATA"))
    return None if told is None else told[1].decode()


def _name_of(info: str) -> str:
    """The name of a distribution, from that of its folder: ``numpy-2.4.6.dist-info``."""
    return os.path.splitext(os.path.basename(info))[0].partition("-")[0].lower()


def _are_all_folders() -> bool:
    """Whether all distributions are folders that are seen from the path: no archives, no eggs, no finders of others."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return finders == [PathFinder] and all(_is_folder(each) for each in sys.path)


def _is_folder(entry: object) -> bool:
    # What is no text, such as a Path, is not a part of the path to imports; others may take it for one.
    return isinstance(entry, str) and not entry.endswith(".egg") and not os.path.isfile(entry)


@lru_cache(maxsize=1)
def _infos(path: tuple[str, ...]) -> list[str]:
    """The folders in which distributions say what they are, in the order of the path."""
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
