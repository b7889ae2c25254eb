"""Compressed files: unpacked as Python's own modules do, or refused as damaged."""

import bz2
import gzip
import lzma
import zlib
from random import Random

from backports import zstd

from fuzz.draw import damaged, lines, one_in
from fuzz.laws import Refused, outcome
from fuzz.targets.run import COLUMNS
from metameter.read.files.content import Content
from metameter.read.files.limits import unpacking

GROUP, SHARE = "readers", 2
PACK = [
    lambda data: gzip.compress(data, mtime=0),
    bz2.compress,
    lzma.compress,
    zstd.compress,
    lambda data: zstd.compress(data, options={zstd.CompressionParameter.content_size_flag: 0}),
]
# Zeros after an archive are padding (the format of xz says so, Python's module does not know).
GZIP = b"\x1f\x8b\x08"
THEIRS = {
    GZIP: gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lambda data: lzma.decompress(data.rstrip(b"\0")),
}
# A bomb is whatever unpacks to more.
LIMIT = 4 << 20
ERRORS = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


def make(draw: Random) -> bytes:
    """A run, packed once or twice, in one piece or several; cut, damaged, with something after it; or a small bomb."""
    data = lines(draw, [*COLUMNS, [b"1", b"2"], [b"tag"]])
    if one_in(draw, 200):
        data = bytes(draw.choice([1, 5, 20]) << 20)
    packed = draw.choice(PACK)(data)
    if one_in(draw, 8):
        packed = draw.choice(PACK)(packed)
    if one_in(draw, 6):
        packed += (
            draw.choice(PACK)(data[:100]) if one_in(draw, 2) else draw.choice([b"\0" * 8, b"x", b"\n", packed[:9]])
        )
    return damaged(draw, packed) if one_in(draw, 2) else packed


def hold(data: bytes) -> bool:
    """Ours gives what theirs gives; it refuses what theirs refuses, what theirs would drop, and what is too large."""
    with unpacking(LIMIT):
        ours = outcome(lambda: Content("input", data).unpacked())
    refused = isinstance(ours, Refused)
    for magic, unpack in THEIRS.items():
        if data.startswith(magic):
            try:
                theirs = unpack(data)
            except ERRORS:
                theirs = None
            drops = refused and theirs is not None and _dropped(data, magic)
            large = refused and theirs is not None and len(theirs) > LIMIT
            assert (refused and theirs is None) or ours == theirs or drops or large, (
                f"ours: {ours[:80]!r}, theirs: {theirs!r:.80}"
            )
    assert refused or len(ours) <= max(LIMIT, len(data)), "more than the limit"
    return not refused


def _dropped(data: bytes, magic: bytes) -> bool:
    """Whether their module passes over something: what follows an archive and is none, or flags of the future."""
    if magic == GZIP:
        return bool(data[3] & 0xE0)
    decoder = bz2.BZ2Decompressor() if magic == b"BZh" else lzma.LZMADecompressor()
    decoder.decompress(data)
    return bool(decoder.unused_data)
