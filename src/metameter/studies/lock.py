"""One process at a time in a study's folder: a second one waits for the first to end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.studies.store import made_room

__all__ = ["locked"]

_PAUSE = 0.2
_WAITING = "waiting for another process"


@contextmanager
def locked(folder: Path, progress: Callable[..., None] | None = None) -> Iterator[None]:
    """Hold the lock of a folder; while another process holds it, wait, and say so.

    The lock is released when the process ends, however it ends. On systems without file locks no process waits.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    progress : callable, optional
        Called with ``(0, 1, what)`` while waiting for the lock.

    Examples
    --------
    >>> import tempfile
    >>> with locked(Path(tempfile.mkdtemp())):
    ...     print("alone")
    alone
    """
    if folder.is_symlink():
        raise MetameterError("the folder is a link", where=str(folder), fix="Remove it, or choose another folder.")
    file = _taken(folder, progress)
    try:
        yield
    finally:
        os.close(file)


def _taken(folder: Path, progress: Callable[..., None] | None) -> int:
    told = False
    while (file := _opened(folder)) is None:
        if not told:
            notice(f"{folder.parent}: another process is at work in this folder; waiting for it to end")
        told = True
        if progress:
            progress(0, 1, _WAITING)
        time.sleep(_PAUSE)
    if told and progress:
        progress(1, 1, _WAITING)
    return file


def _opened(folder: Path) -> int | None:
    """The lock file, locked; None while another process holds it, or has just removed the folder."""
    path = folder / "lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made_room(path)
        file = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except FileNotFoundError:
        return None
    if _lock(file) and _still(path, file):
        return file
    os.close(file)
    return None


def _lock(file: int) -> bool:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _still(path: Path, file: int) -> bool:
    """Whether the file is still the one of that name: the folder may have been removed and made again."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False
