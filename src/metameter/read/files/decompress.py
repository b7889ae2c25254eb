"""Decompression that stops at a limit; the first bytes of an archive determine its kind."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from metameter.errors import MetameterError
from metameter.read.files.limits import too_large

#: Makes a decompressor of one archive from the most memory that it may take.
Decoding: TypeAlias = Callable[[int], Any]

deflate: Any
try:
    # Twice to three times as fast as zlib, where there is a wheel of it.
    from isal import isal_zlib as deflate
except ImportError:  # pragma: no cover
    deflate = zlib


_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
# Frames of Zstandard that hold no content may come first.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
# Deflate never packs tighter: a small archive cannot unpack to more than the limit, whatever it claims.
_DEFLATE_MOST = 1032
# How many bytes a decompressor is given at a time, and how many it may return.
_STEP, _RETURNED = 1 << 14, 1 << 20
# An archive that unpacks to more than so many times its size, and is not small, is measured before it is kept.
_CREDIBLE, _LITTLE = 200, 1 << 27
# How much memory a decompressor may take for itself.
_WINDOW = 1 << 27


def unpacked(stored: bytes, where: str, limit: int) -> bytes | None:
    """The content of an archive, or of several ones after another; None if these bytes are no archive."""
    decoding = decoding_of(stored)
    if decoding is None:
        return None
    with _explained(where):
        data = _at_once(stored, limit) if stored.startswith(_GZIP) else None
        return _bounded(stored, decoding, where, limit) if data is None else data


def decoding_of(head: bytes) -> Decoding | None:
    """How an archive that begins like this is decompressed; None if it is none."""
    return next((decoding for magic, decoding in _MAGIC if head.startswith(magic)), None)


def unpacked_pieces(stream: Readable, decoding: Decoding, where: str, limit: int) -> Iterator[bytes]:
    """The content of an archive, piece by piece, so that it is never in memory as a whole."""
    size, most = 0, max(limit, _WINDOW)
    with _explained(where):
        try:
            for piece in _pieces(stream, lambda: decoding(most)):
                size += len(piece)
                if size > limit:
                    raise too_large(where, limit)
                yield piece
        except lzma.LZMAError as problem:
            # An archive states how much memory its decompressor needs, and may state anything.
            if "limit" not in str(problem):
                raise
            raise too_large(where, most, "the file takes too much memory to unpack") from None


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Turn the errors of decompressors into one of ours."""
    try:
        yield
    except MetameterError:
        raise
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, _zstd().ZstdError):
        what, fix = "the archive is damaged or cut short", "Fetch or compress the file again."
        raise MetameterError(what, where=where, fix=fix) from None


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; fewer only at the end."""
        ...


def _at_once(packed: bytes, limit: int) -> bytes | None:
    """The content of a single gzip member that cannot exceed the limit; None for anything else."""
    if len(packed) * _DEFLATE_MOST > limit:
        return None
    # The last four bytes tell the size: one allocation instead of many.
    size = min(int.from_bytes(packed[-4:], "little"), _DEFLATE_MOST * len(packed))
    decoder = deflate.decompressobj(wbits=31)
    try:
        # One byte more than there should be, so that it goes on to the end.
        data: bytes = decoder.decompress(packed, size + 1)
    except deflate.error:
        return None  # zlib decides
    return data if decoder.eof and not decoder.unused_data else None  # several members, or trailing bytes


def _bounded(packed: bytes, decoding: Decoding, where: str, limit: int) -> bytes:
    credible, size = max(_CREDIBLE * len(packed), _LITTLE), 0
    whole = io.BytesIO()  # it grows in place: pieces that are joined at the end would need the memory twice
    for piece in unpacked_pieces(io.BytesIO(packed), decoding, where, limit):
        size += len(piece)
        if size <= credible:
            whole.write(piece)
        elif whole.tell():
            whole = io.BytesIO()  # from here on it is only measured
    if size > credible:
        whole.writelines(unpacked_pieces(io.BytesIO(packed), decoding, where, limit))
    return whole.getvalue()


def _pieces(stream: Readable, new: Callable[[], Any]) -> Iterator[bytes]:
    """The content of archives that follow each other, piece by piece; zeros between them are padding."""
    data = stream.read(_STEP)
    while data:
        decoder = new()
        yield decoder.decompress(data, _RETURNED)
        while not decoder.eof:
            data = stream.read(_STEP) if decoder.needs_input else b""
            piece = decoder.decompress(data, _RETURNED)
            if not (piece or data or decoder.eof):
                raise EOFError
            yield piece
        data = decoder.unused_data.lstrip(b"\0")
        while not data and (more := stream.read(_STEP)):
            data = more.lstrip(b"\0")


class _GzipDecompressor:
    """Adapts zlib to the interface of `bz2.BZ2Decompressor`."""

    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._decompressor.decompress(data or self._decompressor.unconsumed_tail, most)

    @property
    def eof(self) -> bool:
        return self._decompressor.eof

    @property
    def unused_data(self) -> bytes:
        return self._decompressor.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._decompressor.unconsumed_tail


def _zstd() -> Any:
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


# The first bytes of archives of each kind, and how they are decompressed.
_MAGIC: tuple[tuple[bytes | tuple[bytes, ...], Decoding], ...] = (
    (_GZIP, lambda most: _GzipDecompressor()),
    (b"BZh", lambda most: bz2.BZ2Decompressor()),
    (b"\xfd7zXZ\x00", lambda most: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=most)),
    ((_ZSTD, *_SKIPPABLE), lambda most: _zstd().ZstdDecompressor()),
)
