"""What goes to another machine with a piece of work: of a file its path, of what can be read only once its bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from metameter.errors import MetameterError

__all__ = ["Files", "NamedFile", "Reads", "check_files", "files_of", "opening", "sent_for"]


@dataclass(frozen=True)
class NamedFile:
    """A file that whoever does a piece of work must be able to open: its absolute path, and how large it is here."""

    path: str
    size: int


#: By the name that the user gave, which messages keep: where the file is, or all of its bytes.
Files: TypeAlias = Mapping[str, NamedFile | bytes]

_sent: ContextVar[Files | None] = ContextVar("files sent", default=None)


@runtime_checkable
class Reads(Protocol):
    """A piece of work, or a part of one, that is still to be read from a file."""

    def opened(self) -> tuple[str, bytes | None] | None:
        """The name by which it is opened, and its bytes if it can be read only once; None if nothing is opened."""
        ...


def files_of(item: Any) -> Files:
    """The files that are opened when a piece of work is done; an item may be a tuple of parts.

    Examples
    --------
    >>> files_of((3, "bm25"))  # a text is a text, not a path
    {}
    """
    parts = item if type(item) is tuple else (item,)
    found = [each.opened() for each in parts if isinstance(each, Reads)]
    return {name: _named(name) if data is None else data for name, data in filter(None, found)}


def _named(name: str) -> NamedFile:
    path = Path(name)
    return NamedFile(os.path.abspath(name), path.stat().st_size if path.exists() else -1)


def check_files(files: Files, worker: str) -> None:
    """Refuse files that cannot be opened where this is called, or are others there.

    Examples
    --------
    >>> check_files({"run": NamedFile("/no/such/run", 9)}, "tcp://10.0.0.7:4001")
    Traceback (most recent call last):
    metameter.errors.MetameterError: /no/such/run: the worker tcp://10.0.0.7:4001 cannot open it: no such file or
    directory. Put it on a file system that all workers share, under the same path.
    """
    for file in files.values():
        reason = _unreadable(file) if isinstance(file, NamedFile) and file.size >= 0 else ""
        if reason:
            what = f"the worker {worker} cannot open it: {reason}"
            fix = "Put it on a file system that all workers share, under the same path."
            raise MetameterError(what, where=file.path, fix=fix)  # type: ignore[union-attr]


def _unreadable(file: NamedFile) -> str:
    try:
        with open(file.path, "rb") as opened:
            size = os.fstat(opened.fileno()).st_size
    except OSError as problem:
        return (problem.strerror or str(problem)).lower()
    return "" if size == file.size else f"it is {size:,} bytes large there, and {file.size:,} where it was named"


@contextmanager
def opening(files: Files) -> Iterator[None]:
    """Open these files in the block by the names they have elsewhere, where the current folder is another.

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
    """Where a file is that came with a piece of work, or its bytes; None if none of that name did."""
    sent = (_sent.get() or {}).get(str(name))
    return sent.path if isinstance(sent, NamedFile) else sent
