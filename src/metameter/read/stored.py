"""The bytes of a file as they are stored; what can be read only once (pipes, standard input) is read once."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from metameter.errors import MetameterError
from metameter.parallel.travel import sent_for
from metameter.read.unpack_limit import too_large

__all__ = ["is_read_once", "open_file", "reading_pipes_once", "regular_file", "stored_bytes"]

_STDIN = "-"
_STEP = 1 << 20


@dataclass
class _Pipe:
    """What came out of a pipe; whoever asks while it is being read waits, and for no other pipe."""

    reading: Lock = field(default_factory=Lock)
    content: bytes | None = None


# By path, as long as somebody may ask again.
_pipes: dict[str, _Pipe] = {}
_askers = 0
_counting = Lock()


@contextmanager
def reading_pipes_once() -> Iterator[None]:
    """Keep what comes out of pipes until the end of the block: whoever reads one again in it gets the same bytes.

    A run may be read for the pool, then for its scores; a table to see what it is, then for its numbers. Blocks may
    stand in each other, and work in other threads belongs to them.
    """
    global _askers
    with _counting:
        _askers += 1
    try:
        yield
    finally:
        with _counting:
            _askers -= 1
            if not _askers:
                _pipes.clear()


def stored_bytes(source: str | Path, limit: int) -> bytes:
    """The bytes of a file, or of standard input for ``-``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run"
    >>> _ = path.write_bytes(b"401 Q0 d1")
    >>> stored_bytes(path, 1)  # a plain file is as large as it is
    b'401 Q0 d1'
    """
    sent = sent_for(source)
    if isinstance(sent, bytes):
        return sent
    with _explained(source):
        if sent is not None or not is_read_once(source):
            return Path(sent or source).read_bytes()
        with _counting:
            # A pipe that nobody will ask for again need not be kept.
            pipe = _pipes.setdefault(str(source), _Pipe()) if _askers else _Pipe()
        with pipe.reading:
            if pipe.content is None:
                pipe.content = _drained(source, limit)
            return pipe.content


def open_file(source: str | Path) -> BinaryIO:
    """A regular file, to be read from its beginning."""
    with _explained(source):
        return open(regular_file(source) or source, "rb")


@contextmanager
def _explained(source: str | Path) -> Iterator[None]:
    """Say of a file that cannot be read what the reason is."""
    try:
        yield
    except FileNotFoundError:
        raise MetameterError("there is no such file", where=str(source), fix="Check the path.") from None
    except IsADirectoryError:
        raise MetameterError("this is a folder, not a file", where=str(source), fix="Name a file in it.") from None
    except (OSError, ValueError) as problem:
        if isinstance(problem, MetameterError):
            raise
        reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        raise MetameterError(f"cannot be read: {reason}", where=str(source), fix="Check the path.") from None


def regular_file(source: str | Path) -> Path | None:
    """Where a file is that can be read as often as it is needed; None if it is none."""
    sent = sent_for(source)
    path = Path(sent) if isinstance(sent, str) else Path(source)
    return None if isinstance(sent, bytes) or str(source) == _STDIN or not os.path.isfile(path) else path


def is_read_once(source: str | Path) -> bool:
    """Whether this is standard input, or neither a file nor a folder: a pipe, a socket, a device."""
    if str(source) == _STDIN:
        return True
    try:
        mode = os.stat(source).st_mode
    except (OSError, ValueError):  # whoever opens it will be told why it cannot be
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _drained(source: str | Path, limit: int) -> bytes:
    if str(source) == _STDIN:
        if sys.stdin is None:
            raise MetameterError("standard input is closed", where=_STDIN, fix="Name a file, or pipe one in.")
        return _up_to(sys.stdin.buffer, limit, "standard input")
    with open(source, "rb") as pipe:
        return _up_to(pipe, limit, str(source))


def _up_to(stream: BinaryIO, limit: int, where: str) -> bytes:
    # Some devices never end.
    parts, size = [], 0
    while part := stream.read(_STEP):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise too_large(where, limit, "there is no end to what it gives")
    return b"".join(parts)
