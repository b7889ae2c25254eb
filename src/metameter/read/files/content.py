"""The content of a file, decompressed if its first bytes (not its suffix) say that it is compressed.

Standard input and pipes can be read only once: their bytes are kept as long as they may be needed again.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from metameter.errors import MetameterError, in_utf8
from metameter.parallel.sent_files import sent_for
from metameter.read.files.decompress import decoding_of, unpacked, unpacked_pieces
from metameter.read.files.limits import too_large, unpack_limit, unpacking
from metameter.types import Fingerprint

# Suffixes that are not part of a system's name.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".parquet")
# How many bytes are read at a time; a file of more stored bytes than the second number is large.
_PIECE = 1 << 20
_LARGE = 1 << 21
_HEAD = 16
_STDIN = "-"


class Content:
    """A file: its path (``-`` is standard input) and its stored bytes, perhaps compressed.

    The bytes of a large file are read when they are needed.
    """

    def __init__(self, source: str, stored: bytes | None = None) -> None:
        self.source, self._limit = source, unpack_limit()
        if stored is not None:
            self.__dict__["stored"] = stored

    @classmethod
    def of(cls, source: str | Path) -> Content:
        """A file, or standard input for ``-``."""
        path = regular_file(source)
        large = path is not None and path.stat().st_size > _LARGE
        return cls(str(source), None if large else _stored_bytes(source, unpack_limit()))

    @cached_property
    def stored(self) -> bytes:
        """All the bytes, as they are stored."""
        return _stored_bytes(self.source, self._limit)

    @property
    def is_large(self) -> bool:
        """Whether it should not be in memory as a whole if possible."""
        return "stored" not in vars(self) or len(self.stored) > _LARGE

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Name, size and SHA-256 of the stored bytes."""
        if "stored" in vars(self):
            name = in_utf8(Path(self.source).name)
            return Fingerprint(name, len(self.stored), hashlib.sha256(self.stored).hexdigest())
        with _Hashing(self) as stream:
            while stream.read(_PIECE):
                pass
        return stream.fingerprint

    def unpacked(self) -> bytes:
        """The decompressed bytes; more than the `unpack_limit` are refused."""
        content = unpacked(self.stored, self.source, unpack_limit())
        if content is not None:
            return content
        self._refuse_suffix(self.stored)
        return self.stored

    def pieces(self) -> Iterator[bytes]:
        """The decompressed bytes in pieces of about a megabyte, so that they are never in memory as a whole.

        Once all are consumed, `fingerprint` is that of what was read.
        """
        with _Hashing(self) as stream:
            decoding = decoding_of(stream.head)
            if decoding is not None:
                decoded = unpacked_pieces(stream, decoding, self.source, self._limit)
            else:
                self._refuse_suffix(stream.head)
                decoded = iter(lambda: stream.read(_PIECE), b"")
            waiting: list[bytes] = []
            for piece in decoded:
                waiting.append(piece)
                if sum(map(len, waiting)) >= _PIECE:
                    yield b"".join(waiting)
                    waiting = []
            yield b"".join(waiting)
        self.__dict__["fingerprint"] = stream.fingerprint

    def _refuse_suffix(self, head: bytes) -> None:
        if self.source.endswith(PACKED[:4]) and head:
            raise MetameterError(
                "the file is not compressed as its suffix says",
                where=self.source,
                fix="Remove the suffix, or fetch the file again.",
            )


class _Hashing:
    """A stream of the stored bytes of a file that hashes them; ``head`` are the first ones."""

    def __init__(self, content: Content) -> None:
        self._source = content.source
        self._file = io.BytesIO(content.stored) if "stored" in vars(content) else _open_file(content.source)
        self._sha256, self._size = hashlib.sha256(), 0
        self.head = self._file.read(_HEAD)
        self._file.seek(0)

    def __enter__(self) -> _Hashing:
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer only at the end."""
        data = self._file.read(size)
        self._sha256.update(data)
        self._size += len(data)
        return data

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of what was read."""
        return Fingerprint(in_utf8(Path(self._source).name), self._size, self._sha256.hexdigest())


@dataclass(frozen=True)
class UnreadFile:
    """A file that is read later, perhaps by another process, with the limit on unpacking that it was made with."""

    source: str
    limit: int = field(default_factory=unpack_limit, kw_only=True)

    def load(self) -> Content:
        """The bytes of the file."""
        with unpacking(self.limit):
            return Content.of(self.source)

    def opened(self) -> tuple[str, bytes | None]:
        """The file's name for another process, with its bytes if it can be read only once."""
        return self.source, self.load().stored if is_read_once(self.source) else None


def read_bytes(source: str | Path) -> bytes:
    """The decompressed bytes of a file, or of standard input for ``-``."""
    return Content.of(source).unpacked()


@dataclass
class _Pipe:
    """The bytes of a pipe; a thread that needs them while they are read waits for this pipe alone."""

    reading: Lock = field(default_factory=Lock)
    content: bytes | None = None


# By path, as long as a block of `reading_pipes_once` is open.
_pipes: dict[str, _Pipe] = {}
_open_blocks = 0
_counting = Lock()


@contextmanager
def reading_pipes_once() -> Iterator[None]:
    """Keep the bytes of pipes until the end of the block, so that a second reading gets the same bytes.

    A run may be read for the pool, then for its scores. Blocks may be nested; they include other threads.
    """
    global _open_blocks
    with _counting:
        _open_blocks += 1
    try:
        yield
    finally:
        with _counting:
            _open_blocks -= 1
            if not _open_blocks:
                _pipes.clear()


def _stored_bytes(source: str | Path, limit: int) -> bytes:
    """The bytes of a file, or of standard input for ``-``."""
    sent = sent_for(source)
    if isinstance(sent, bytes):
        return sent
    with _readable(source):
        if sent is not None or not is_read_once(source):
            return Path(sent or source).read_bytes()
        with _counting:
            pipe = _pipes.setdefault(str(source), _Pipe()) if _open_blocks else _Pipe()
        with pipe.reading:
            if pipe.content is None:
                pipe.content = _drained(source, limit)
            return pipe.content


def _open_file(source: str | Path) -> BinaryIO:
    """A regular file, to be read from its beginning."""
    with _readable(source):
        return open(regular_file(source) or source, "rb")


@contextmanager
def _readable(source: str | Path) -> Iterator[None]:
    """Turn the errors of a file that cannot be read into one of ours."""
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
    """The path of a file that can be read repeatedly; None if it cannot."""
    sent = sent_for(source)
    path = Path(sent) if isinstance(sent, str) else Path(source)
    with _readable(source):  # a name may be too long for a file
        return None if isinstance(sent, bytes) or str(source) == _STDIN or not path.is_file() else path


def is_read_once(source: str | Path) -> bool:
    """Whether this is standard input, or neither a file nor a folder but a pipe, a socket or a device."""
    if str(source) == _STDIN:
        return True
    try:
        mode = os.stat(source).st_mode
    except (OSError, ValueError):  # opening it raises the error
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
    while part := stream.read(_PIECE):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise too_large(where, limit, "there is no end to what it gives")
    return b"".join(parts)
