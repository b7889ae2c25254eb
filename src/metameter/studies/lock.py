"""A lock on the folder of a study: one process at a time works in it, a second one waits for it."""

from __future__ import annotations

import errno
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.studies.store import make_room

#: Seconds to wait for another process, by default.
LOCK_TIMEOUT = 3600.0
_PAUSE = 0.2
_WAITING = "waiting for another process"
#: Attempts to create the folder, which another process may remove at any time, before an error.
_ATTEMPTS = 20
#: The content of the lock file: the number and the host of the process that holds the lock.
_HOLDER = re.compile(rb"([0-9]{1,10}) ([A-Za-z0-9._-]{1,255})\n")


@contextmanager
def locked(folder: Path, progress: Callable[..., None] | None = None, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Hold the lock of a folder within the block; wait for another process that holds it, and name it in a notice.

    The lock is released when the process ends, however it ends. On systems without file locks no process waits.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    progress : callable, optional
        Called with ``(0, 1, what)`` while waiting for the lock.
    timeout : float
        The most seconds to wait for another process; 0 does not wait.

    Examples
    --------
    >>> import tempfile
    >>> with locked(Path(tempfile.mkdtemp())):
    ...     print("alone")
    alone
    """
    if folder.is_symlink():
        raise MetameterError("the folder is a link", where=str(folder), fix="Remove it, or choose another folder.")
    file = _acquire(folder, progress, timeout)
    try:
        _note_holder(file, f"{os.getpid()} {platform.node()}\n".encode())
        yield
    finally:
        _note_holder(file, b"")
        os.close(file)


def _acquire(folder: Path, progress: Callable[..., None] | None, timeout: float) -> int:
    """The lock file, open and locked."""
    begun, waiting, missing = time.monotonic(), False, 0
    while True:
        try:
            file, holder = _try_lock(folder)
        except FileNotFoundError as error:
            missing += 1
            if missing == _ATTEMPTS:
                raise _refusal(folder, error) from error
            continue
        except OSError as error:
            raise _refusal(folder, error) from error
        if file is not None:
            break
        left = timeout - (time.monotonic() - begun)
        if left <= 0:
            what = f"{holder} works in this folder, and has not ended within {timeout:g} seconds"
            fix = "Wait for it, end it, or choose another folder; --lock-timeout (lock_timeout=) allows more time."
            raise MetameterError(what, where=str(folder.parent), fix=fix)
        if not waiting:
            notice(f"{folder.parent}: {holder} works in this folder; waiting for it to end", at_once=True)
        waiting = True
        if progress:
            progress(0, 1, _WAITING)
        time.sleep(min(_PAUSE, left))
    if waiting and progress:
        progress(1, 1, _WAITING)
    return file


def _try_lock(folder: Path) -> tuple[int | None, str]:
    """The lock file, locked; or None, and the process that holds the lock."""
    path = folder / "lock"
    folder.mkdir(parents=True, exist_ok=True)
    make_room(path)
    file, is_ours = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o666), False
    try:
        if not _lock(file):
            return None, _holder(file)
        # The folder may have been removed and made again: then the lock is on a file that no longer exists.
        if not os.path.samestat(os.stat(path), os.fstat(file)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        is_ours = True
        return file, ""
    finally:
        if not is_ours:
            os.close(file)


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


def _note_holder(file: int, text: bytes) -> None:
    """Write the holder of the lock into its file; a full disk is no reason to stop."""
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, text)


def _holder(file: int) -> str:
    """The process that holds the lock; another version may have written the file in a form that is not known here."""
    try:
        match = _HOLDER.fullmatch(os.read(file, 300))
    except OSError:
        match = None
    if match is None:
        return "another process"
    number, host = (part.decode("ascii") for part in match.groups())
    return f"process {number}" if host == platform.node() else f"process {number} on {host}"


def _refusal(folder: Path, error: OSError) -> MetameterError:
    reason = (error.strerror or str(error)).lower()
    fix = "Check the path and its permissions, or choose another folder."
    return MetameterError(f"the folder of the study cannot be made: {reason}", where=str(folder.parent), fix=fix)
