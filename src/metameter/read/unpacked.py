"""Decompression that stops at a limit; how an archive begins says of which kind it is."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from metameter.errors import MetameterError
from metameter.read.decoder import Decoder
from metameter.read.unpack_limit import too_large

deflate: Any
try:
    # Twice to three times as fast as zlib, where there is a wheel of it.
    from isal import isal_zlib as deflate
except ImportError:  # pragma: no cover
    deflate = zlib

__all__ = ["unpacked", "unpacked_pieces"]

_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
# The last three bytes of the number that a skippable frame begins with; the first is 0x50 to 0x5f.
_SKIPPABLE = b"\x2a\x4d\x18"
# Deflate never packs tighter: what is small enough cannot unpack to more than the limit, whatever it says.
_DEFLATE_MOST = 1032
# How many bytes a decoder is given at a time, and how many it may return: so much is in memory besides the rest.
_GIVEN, _RETURNED = 1 << 14, 1 << 20
# What unpacks to more than that many times its size, and is not small, is measured before it is kept.
_CREDIBLE, _LITTLE = 200, 1 << 27
# So much may any decoder take for itself.
_WINDOW = 1 << 27


def unpacked(stored: bytes, where: str, limit: int) -> bytes | None:
    """What an archive holds, perhaps several ones after another; None if these bytes are none.

    Examples
    --------
    >>> unpacked(bz2.compress(b"401 Q0 d1"), "run.bz2", 9), unpacked(b"401 Q0 d1", "run", 9)
    (b'401 Q0 d1', None)
    >>> unpacked(bz2.compress(b"401 Q0 d1"), "run.bz2", 8)
    Traceback (most recent call last):
    metameter.errors.MetameterError: run.bz2: the file unpacks to too much (allowed: at most 8 B). If you trust it,
    allow more with --unpack-limit (in Python: metameter.unpacking).
    """
    stored = _without_skippable(stored)
    unpack = next((unpack for magic, unpack, _ in _MAGIC if stored.startswith(magic)), None)
    if unpack is None:
        return None
    with _explained(where):
        return unpack(stored, where, limit)


def unpacked_pieces(stored: bytes, where: str, limit: int) -> Iterator[bytes] | None:
    """The same piece by piece, so that what an archive holds is never in memory as a whole.

    Examples
    --------
    >>> b"".join(unpacked_pieces(bz2.compress(b"401 Q0 d1"), "run.bz2", 9))
    b'401 Q0 d1'
    """
    stored = _without_skippable(stored)
    decoding = next((decoding for magic, _, decoding in _MAGIC if stored.startswith(magic)), None)
    return None if decoding is None else _limited(stored, decoding(), where, limit)


def _without_skippable(stored: bytes) -> bytes:
    """The bytes without the skippable frames of Zstandard that they begin with: what follows must be an archive of it.

    Examples
    --------
    >>> _without_skippable(bytes([0x5F, 0x2A, 0x4D, 0x18, 2, 0, 0, 0]) + b"ab" + _ZSTD) == _ZSTD
    True
    >>> _without_skippable(b"401 Q0 d1")
    b'401 Q0 d1'
    """
    at = 0
    while stored[at + 1 : at + 4] == _SKIPPABLE and stored[at] >> 4 == 5:
        at += 8 + int.from_bytes(stored[at + 4 : at + 8], "little")
    return stored[at:] if at and stored.startswith(_ZSTD, at) else stored


def _limited(stored: bytes, decoding: _Decoding, where: str, limit: int) -> Iterator[bytes]:
    size, most = 0, max(limit, _WINDOW)
    with _explained(where):
        try:
            for piece in _pieces(stored, lambda: decoding.new(most), decoding.given):
                size += len(piece)
                if size > limit:
                    raise too_large(where, limit)
                yield piece
        except lzma.LZMAError as problem:
            if "limit" not in str(problem):
                raise
            raise too_large(where, most, "the file takes too much memory to unpack") from None


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Say of a decoder's error what it means."""
    try:
        yield
    except MetameterError:
        raise
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        what, fix = "the archive is damaged or cut short", "Fetch or compress the file again."
        raise MetameterError(what, where=where, fix=fix) from None


class _Decoding(NamedTuple):
    """How archives of a kind are decoded piece by piece.

    Attributes
    ----------
    new : callable
        Given the most memory that it may take, a decoder of one archive.
    given : int
        How many bytes it is given at a time.
    """

    new: Callable[[int], Any]
    given: int = _GIVEN


def _gunzip(packed: bytes, where: str, limit: int) -> bytes:
    if len(packed) * _DEFLATE_MOST > limit:
        return _bounded(packed, _GzipDecoder, where, limit)
    # The last four bytes tell the size: one allocation instead of many.
    size = min(int.from_bytes(packed[-4:], "little"), _DEFLATE_MOST * len(packed))
    decoder = deflate.decompressobj(wbits=31)
    try:
        # One byte more than there should be, so that it goes on to the end.
        data: bytes = decoder.decompress(packed, size + 1)
    except deflate.error:
        pass  # which zlib says, too, and it has the last word
    else:
        if decoder.eof and not decoder.unused_data:
            return data
    return _bounded(packed, _GzipDecoder, where, limit)  # several members, one after another, or what is none


def _bounded(packed: bytes, decoder: Callable[[], Any], where: str, limit: int, given: int = _GIVEN) -> bytes:
    credible, size = max(_CREDIBLE * len(packed), _LITTLE), 0
    whole = io.BytesIO()  # it grows in place: pieces that are joined at the end would need the memory twice
    for piece in _pieces(packed, decoder, given):
        size += len(piece)
        if size > limit:
            raise too_large(where, limit)
        if size <= credible:
            whole.write(piece)
        elif whole.tell():
            whole = io.BytesIO()  # from here on it is only measured
    if size > credible:
        whole.writelines(_pieces(packed, decoder, given))
    return whole.getvalue()


def _pieces(packed: bytes, new: Callable[[], Any], step: int) -> Iterator[bytes]:
    """What archives that follow each other hold, piece by piece; zeros between them are padding."""
    view, at = memoryview(packed), 0
    while at < len(view):
        decoder = new()
        while not decoder.eof:
            given = view[at : at + step] if decoder.needs_input else b""
            at += len(given)
            piece = decoder.decompress(given, _RETURNED)
            if not (piece or given or decoder.eof):
                raise EOFError
            yield piece
        at = _past_zeros(view, at - len(decoder.unused_data))


def _past_zeros(view: memoryview, at: int) -> int:
    while at < len(view):
        rest = bytes(view[at : at + _GIVEN])
        zeros = len(rest) - len(rest.lstrip(b"\0"))
        at += zeros
        if zeros < len(rest):
            break
    return at


class _GzipDecoder(Decoder):
    """That of zlib."""

    def __init__(self) -> None:
        super().__init__(zlib.decompressobj(wbits=31))

    def decompress(self, data: bytes, most: int) -> bytes:
        return bytes(self._decoder.decompress(data or self._decoder.unconsumed_tail, most))

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail


def _bunzip(packed: bytes, where: str, limit: int) -> bytes:
    return _bounded(packed, bz2.BZ2Decompressor, where, limit)


def _unxz(packed: bytes, where: str, limit: int) -> bytes:
    # An archive says itself how much memory its decoder needs, and may say anything.
    most = max(limit, _WINDOW)
    try:
        return _bounded(packed, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=most), where, limit)
    except lzma.LZMAError as problem:
        if "limit" not in str(problem):
            raise
        raise too_large(where, most, "the file takes too much memory to unpack") from None


def _unzstd(packed: bytes, where: str, limit: int) -> bytes:
    from metameter.read.zstd import GIVEN, FrameDecoder

    return _bounded(packed, FrameDecoder, where, limit, given=GIVEN)


def _zstd() -> _Decoding:
    from metameter.read.zstd import GIVEN, FrameDecoder

    return _Decoding(lambda most: FrameDecoder(), GIVEN)


# How archives of each kind begin, what unpacks them as a whole, and what piece by piece.
_MAGIC: tuple[tuple[bytes, Callable[[bytes, str, int], bytes], Callable[[], _Decoding]], ...] = (
    (_GZIP, _gunzip, lambda: _Decoding(lambda most: _GzipDecoder())),
    (b"BZh", _bunzip, lambda: _Decoding(lambda most: bz2.BZ2Decompressor())),
    (b"\xfd7zXZ\x00", _unxz, lambda: _Decoding(lambda most: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=most))),
    (_ZSTD, _unzstd, _zstd),
)
