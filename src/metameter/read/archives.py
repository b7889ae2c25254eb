"""The content of a file, unpacked if it is compressed: the first bytes decide, not the suffix."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from metameter.errors import MetameterError
from metameter.types import Fingerprint

__all__ = ["PACKED", "Content", "read_bytes"]

# Suffixes that are not part of a system's name.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".parquet")

_STDIN = "-"
_kept: dict[BinaryIO, bytes] = {}
_one_at_a_time = Lock()
_GZIP = b"\x1f\x8b\x08"


@dataclass(frozen=True, eq=False)
class Content:
    """A file that was opened once: its bytes as they were stored, perhaps compressed.

    Attributes
    ----------
    source : str
        Its path; ``-`` is standard input.
    stored : bytes

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run"  # no suffix: the content says that it is gzip
    >>> _ = path.write_bytes(gzip.compress(b"401 Q0 d1 1 9.5 tag", mtime=0))
    >>> content = Content.of(path)
    >>> content.unpacked(), content.fingerprint.name, content.fingerprint.size
    (b'401 Q0 d1 1 9.5 tag', 'run', 39)
    """

    source: str
    stored: bytes

    @classmethod
    def of(cls, source: str | Path) -> Content:
        """Read a file, or standard input for ``-``."""
        return cls(str(source), _stored(source))

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Name, size and SHA-256 of the bytes as they were stored; computed once, when first asked for."""
        return Fingerprint(Path(self.source).name, len(self.stored), hashlib.sha256(self.stored).hexdigest())

    def unpacked(self) -> bytes:
        """The bytes without compression."""
        for magic, unpack in _MAGIC:
            if self.stored.startswith(magic):
                return _unpacked(self.stored, unpack, self.source)
        if self.source.endswith(PACKED[:4]) and self.stored:
            raise MetameterError(
                "the file is not compressed as its suffix says",
                where=self.source,
                fix="Remove the suffix, or fetch the file again.",
            )
        return self.stored


def read_bytes(source: str | Path) -> bytes:
    """The bytes of a file without compression, or of standard input for ``-``."""
    return Content.of(source).unpacked()


def _read_once(stream: BinaryIO) -> bytes:
    # A run may be read twice, for the pool and for its scores; a pipe gives its bytes only once.
    with _one_at_a_time:
        if stream not in _kept:
            _kept.clear()
            _kept[stream] = stream.read()
        return _kept[stream]


def _stored(source: str | Path) -> bytes:
    if str(source) == _STDIN:
        return _read_once(sys.stdin.buffer)
    try:
        return Path(source).read_bytes()
    except FileNotFoundError:
        raise MetameterError("there is no such file", where=str(source), fix="Check the path.") from None
    except IsADirectoryError:
        raise MetameterError("this is a folder, not a file", where=str(source), fix="Name a file in it.") from None
    except ValueError:  # from Python or a study file; no system has such a path
        raise MetameterError("a null byte is in the path", given=str(source), fix="Check the path.") from None
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise MetameterError(f"cannot be read: {reason}", where=str(source), fix="Check the path.") from None


def _unpacked(packed: bytes, unpack: Callable[[bytes], bytes], where: str) -> bytes:
    try:
        return unpack(packed)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, *_ZSTD_ERRORS):
        raise MetameterError(
            "the archive is damaged or cut short", where=where, fix="Fetch or compress the file again."
        ) from None


def _gunzip(packed: bytes) -> bytes:
    if packed.find(_GZIP, 1) >= 0:
        return gzip.decompress(packed)  # perhaps several members, one after another
    # The last four bytes tell the size: one allocation instead of many (deflate never packs tighter than 1:1032).
    size = min(int.from_bytes(packed[-4:], "little"), 1032 * len(packed))
    return zlib.decompress(packed, wbits=31, bufsize=max(size, 1))


if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd

    _ZSTD_ERRORS: tuple[type[Exception], ...] = (zstd.ZstdError,)

    def _unzstd(packed: bytes) -> bytes:
        return zstd.decompress(packed)

else:
    import zstandard

    _ZSTD_ERRORS = (zstandard.ZstdError,)

    def _unzstd(packed: bytes) -> bytes:
        parts = []
        while packed:  # several frames may follow each other
            frame = zstandard.ZstdDecompressor().decompressobj()
            parts.append(frame.decompress(packed))
            if not frame.eof:
                raise EOFError
            packed = frame.unused_data
        return b"".join(parts)


_MAGIC: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (_GZIP, _gunzip),
    (b"BZh", bz2.decompress),
    (b"\xfd7zXZ\x00", lzma.decompress),
    (b"\x28\xb5\x2f\xfd", _unzstd),
)
