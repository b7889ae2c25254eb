"""The files that a task needs on another machine: sent by path, or as bytes if they can be read only once."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from metameter.errors import MetameterError

#: How many digests are cached.
_MOST_DIGESTS = 100_000


@dataclass(frozen=True)
class NamedFile:
    """A file that a worker must be able to open.

    Attributes
    ----------
    path : str
        Its absolute path.
    size : int
        Its size here in bytes; -1 if there is no such file.
    digest : str
        The SHA-256 of its content here; empty if it is not a regular file.
    """

    path: str
    size: int
    digest: str = ""


#: The name that the user gave -> the file, or all of its bytes.
Files: TypeAlias = Mapping[str, NamedFile | bytes]

_sent: ContextVar[Files | None] = ContextVar("files sent", default=None)


@runtime_checkable
class Reads(Protocol):
    """An item of work, or a part of one, that is read from a file when the work is done."""

    def opened(self) -> tuple[str, bytes | None] | None:
        """The name of the file, and its bytes if it can be read only once; None if no file is opened."""
        ...


def files_of(item: Any) -> Files:
    """The files that are opened for an item of work, which may be a tuple of parts.

    Examples
    --------
    >>> files_of((3, "bm25"))  # a text is a text, not a path
    {}
    """
    parts = item if type(item) is tuple else (item,)
    opened = [each.opened() for each in parts if isinstance(each, Reads)]
    return {name: _named(name) if data is None else data for name, data in filter(None, opened)}


def _named(name: str) -> NamedFile:
    path = os.path.abspath(name)
    if not os.path.exists(path):
        return NamedFile(path, -1)
    if not os.path.isfile(path):  # opening a pipe would wait for its writer
        return NamedFile(path, os.stat(path).st_size)
    with open(path, "rb") as file:
        about = os.fstat(file.fileno())
        return NamedFile(path, about.st_size, _digest(file, about))


#: (path, device, inode, size, modification time) -> SHA-256, since several tasks or commands may use a file.
_digests: dict[tuple[str, int, int, int, int], str] = {}


def _digest(file: BufferedReader, about: os.stat_result) -> str:
    """The SHA-256 of a file's content; empty for a pipe or a device, which can be read only once."""
    if not stat.S_ISREG(about.st_mode):
        return ""
    key = (file.name, about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
    if key not in _digests:
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        _digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _digests[key]


def check_files(files: Files, worker: str) -> None:
    """Refuse files that cannot be opened on this worker, or whose content differs there.

    Examples
    --------
    >>> check_files({"run": NamedFile("/no/such/run", 9)}, "tcp://10.0.0.7:4001")
    Traceback (most recent call last):
    metameter.errors.MetameterError: /no/such/run: the worker tcp://10.0.0.7:4001 cannot open it: no such file or
    directory. Put it on a file system that all workers share, under the same path.
    """
    for file in files.values():
        reason = _difference(file) if isinstance(file, NamedFile) and file.size >= 0 else ""
        if reason:
            fix = "Put it on a file system that all workers share, under the same path."
            raise MetameterError(f"the worker {worker} {reason}", where=file.path, fix=fix)  # type: ignore[union-attr]


def _difference(file: NamedFile) -> str:
    """How a file on this worker differs from the one that was sent; empty if it does not."""
    try:
        with open(file.path, "rb") as opened:
            about = os.fstat(opened.fileno())
            digest = _digest(opened, about) if about.st_size == file.size else ""
    except OSError as problem:
        return f"cannot open it: {(problem.strerror or str(problem)).lower()}"
    if about.st_size != file.size:
        return f"sees another file there, of {about.st_size:,} bytes: here it has {file.size:,}"
    if digest != file.digest:
        there, here = digest[:12], file.digest[:12]
        return f"sees another file there, of the same size: its SHA-256 begins with {there}, and here with {here}"
    return ""


@contextmanager
def opening(files: Files) -> Iterator[None]:
    """Make these files available in the block by the names that they have on the sending machine.

    Examples
    --------
    >>> with opening({"-": b"401 Q0 d1 1 9.5 tag"}):
    ...     sent_for("-")
    b'401 Q0 d1 1 9.5 tag'
    """
    before = _sent.set(files)
    try:
        yield
    finally:
        _sent.reset(before)


def sent_for(name: str | Path) -> str | bytes | None:
    """The path or the bytes of a file that was sent with a task; None if there is none of that name."""
    sent = (_sent.get() or {}).get(str(name))
    return sent.path if isinstance(sent, NamedFile) else sent
