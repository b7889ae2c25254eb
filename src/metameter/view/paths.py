"""Checks of paths before results are written and stored files are read."""

from __future__ import annotations

import os
import stat
from itertools import count
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError


def output_path(out: Any) -> Path:
    """Return an output argument as a path; refuse what is not a path, or empty.

    Examples
    --------
    >>> output_path("results").name
    'results'
    >>> output_path(" ")
    Traceback (most recent call last):
    metameter.errors.MetameterError: out is not a path (given ' '). Name a file or a folder to write.
    """
    if isinstance(out, str | os.PathLike):
        name = os.fspath(out)
        if isinstance(name, str) and name.strip() and "\0" not in name:
            return Path(name)
    raise MetameterError("out is not a path", given="None" if out is None else out, fix=_FIX)


_FIX = "Name a file or a folder to write."


def set_aside(path: Path) -> Path:
    """Rename a file, a folder or a link to the first unused name of ``NAME.damaged-1``, ``NAME.damaged-2``, ...

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "power"
    >>> path.touch()
    >>> set_aside(path).name, path.exists()
    ('power.damaged-1', False)
    """
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    other = next(name for name in names if not _stands(name))
    try:
        return path.rename(other)
    except OSError as error:
        fix = "Move it away yourself, or choose another folder."
        what = f"it can be neither read nor renamed: {error.strerror or error}"
        raise MetameterError(what, where=str(path), fix=fix) from error


def is_in_the_way(path: Path, *, of_folder: bool = False) -> bool:
    """Whether a path to be written exists as something else: a folder, a pipe or a device instead of a file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> is_in_the_way(folder), is_in_the_way(folder, of_folder=True), is_in_the_way(folder / "new")
    (True, False, False)
    """
    return _stands(path) and not path.is_symlink() and not (path.is_dir() if of_folder else path.is_file())


def bytes_of_file(path: Path) -> bytes:
    """Read a regular file; refuse a link, which could lead elsewhere, and a pipe, which would block.

    Examples
    --------
    >>> bytes_of_file(Path("/dev/zero"))
    Traceback (most recent call last):
    ValueError: /dev/zero is not a regular file
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path} is not a regular file")
    return path.read_bytes()


def _stands(path: Path) -> bool:
    return path.exists() or path.is_symlink()
