"""The content of a file, unpacked if it is compressed: the first bytes decide, not the suffix."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from metameter.errors import MetameterError
from metameter.read.stored import is_read_once, open_file, regular_file, stored_bytes
from metameter.read.unpack_limit import unpack_limit
from metameter.read.unpacked import decoding_of, is_skippable, unpacked, unpacked_pieces
from metameter.types import Fingerprint
from metameter.utf8 import in_utf8

__all__ = ["PACKED", "Content", "opened_as", "read_bytes"]

# Suffixes that are not part of a system's name.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".parquet")
# How much is read at a time; a file of more bytes than that, as it is stored, is large.
_PIECE = 1 << 20
_LARGE = 1 << 21
_HEAD = 16


class Content:
    """A file: its bytes as they are stored, perhaps compressed. Those of a large file are read when they are needed.

    Parameters
    ----------
    source : str
        Its path; ``-`` is standard input.
    stored : bytes, optional
        By default those of the file.

    Examples
    --------
    >>> import gzip
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run"  # no suffix: the content says that it is gzip
    >>> _ = path.write_bytes(gzip.compress(b"401 Q0 d1 1 9.5 tag", mtime=0))
    >>> content = Content.of(path)
    >>> content.unpacked(), content.fingerprint.name, content.fingerprint.size
    (b'401 Q0 d1 1 9.5 tag', 'run', 39)
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
        return cls(str(source), None if large else stored_bytes(source, unpack_limit()))

    @cached_property
    def stored(self) -> bytes:
        """All the bytes, as they are stored."""
        return stored_bytes(self.source, self._limit)

    @property
    def is_large(self) -> bool:
        """Whether it should not be in memory as a whole, if that can be avoided."""
        return "stored" not in vars(self) or len(self.stored) > _LARGE

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Name, size and SHA-256 of the bytes as they were stored; computed once, when first asked for."""
        if "stored" in vars(self):
            name = in_utf8(Path(self.source).name)
            return Fingerprint(name, len(self.stored), hashlib.sha256(self.stored).hexdigest())
        with _Hashing(self) as stream:
            while stream.read(_PIECE):
                pass
        return stream.fingerprint

    def unpacked(self) -> bytes:
        """The bytes without compression; more than the `unpack_limit` are refused."""
        content = unpacked(self.stored, self.source, unpack_limit())
        if content is not None:
            return content
        self._refuse_suffix(self.stored)
        return self.stored

    def pieces(self) -> Iterator[bytes]:
        """The same in pieces of a megabyte or so, so that it is never in memory as a whole.

        Whoever takes all of them knows the fingerprint of what was read.
        """
        with _Hashing(self) as stream:
            decoding = decoding_of(stream.head)
            if decoding is not None:
                found = unpacked_pieces(stream, decoding, self.source, self._limit)
            elif is_skippable(stream.head):
                found = iter([self.unpacked()])
                while stream.read(_PIECE):
                    pass
            else:
                self._refuse_suffix(stream.head)
                found = iter(lambda: stream.read(_PIECE), b"")
            waiting: list[bytes] = []
            for piece in found:
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
    """The bytes of a file, one after another, which are hashed on the way.

    Attributes
    ----------
    head : bytes
        How it begins.
    """

    def __init__(self, content: Content) -> None:
        self._source = content.source
        self._file = io.BytesIO(content.stored) if "stored" in vars(content) else open_file(content.source)
        self._sha256, self._size = hashlib.sha256(), 0
        self.head = self._file.read(_HEAD)
        self._file.seek(0)

    def __enter__(self) -> _Hashing:
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """So many more bytes; fewer only at the end."""
        data = self._file.read(size)
        self._sha256.update(data)
        self._size += len(data)
        return data

    @property
    def fingerprint(self) -> Fingerprint:
        """That of what was read."""
        return Fingerprint(in_utf8(Path(self._source).name), self._size, self._sha256.hexdigest())


def opened_as(source: str | Path) -> tuple[str, bytes | None]:
    """How another process gets at a file: by its name; what can be read only once is read here, and goes along.

    Examples
    --------
    >>> opened_as("runs/bm25.gz")
    ('runs/bm25.gz', None)
    """
    return str(source), Content.of(source).stored if is_read_once(source) else None


def read_bytes(source: str | Path) -> bytes:
    """The bytes of a file without compression, or of standard input for ``-``."""
    return Content.of(source).unpacked()
