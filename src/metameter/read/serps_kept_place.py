"""Where the counts of parts may be kept: not among the parts, where they would be read as pages next time."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import Any

from metameter.errors import MetameterError

__all__ = ["refuse_among_pages"]

# What is written there, for patterns that files are named by.
_WRITTEN = ("parts.jsonl", "0.parquet")


def refuse_among_pages(keep: Path, source: Any) -> None:
    """Refuse a folder for counts that is a folder of the pages, or stands in one.

    Parameters
    ----------
    keep : Path
    source : object
        Whatever is read: only what is named by paths has folders.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> refuse_among_pages(folder / "kept", folder / "pages.csv")
    >>> refuse_among_pages(folder / "kept", folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metameter.errors.MetameterError: .../kept: counts cannot be kept among the pages (given ...). Keep them in a folder
    beside the pages.
    """
    several = isinstance(source, Sequence) and not isinstance(source, str | bytes)
    for each in source if several else [source]:
        if isinstance(each, str | Path) and str(each) != "-" and _is_among(os.path.realpath(keep), str(each)):
            what, fix = "counts cannot be kept among the pages", "Keep them in a folder beside the pages."
            raise MetameterError(what, where=str(keep), given=str(each), fix=fix)


def _is_among(keep: str, named: str) -> bool:
    if os.path.isdir(named):
        folder = os.path.realpath(named)
        return keep == folder or Path(folder) in Path(keep).parents
    if not os.path.exists(named) and glob.has_magic(named):
        return any(_would_match(os.path.join(keep, name), os.path.realpath(named)) for name in _WRITTEN)
    return keep == os.path.dirname(os.path.realpath(named))


def _would_match(file: str, pattern: str) -> bool:
    """Whether a file would be found by a pattern; ``**`` stands for any folders, or none.

    Examples
    --------
    >>> _would_match("/a/kept/0.parquet", "/a/*.parquet"), _would_match("/a/kept/0.parquet", "/a/**/*.parquet")
    (False, True)
    """
    if "**" in pattern:
        return fnmatch(file, pattern) or fnmatch(file, pattern.replace("**/", ""))
    return PurePath(file).match(pattern)
