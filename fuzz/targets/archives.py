"""Compressed files: unpacked as Python's own modules do, or refused as damaged."""

import bz2
import gzip
import lzma
import zlib
from random import Random

import zstandard

from fuzz.draw import damaged, lines, one_in
from fuzz.laws import Refused, outcome
from fuzz.targets.run import COLUMNS
from metameter.read.archives import Content

GROUP, SHARE = "readers", 2
PACK = [
    lambda data: gzip.compress(data, mtime=0),
    bz2.compress,
    lzma.compress,
    zstandard.compress,
    lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
]
GZIP = b"\x1f\x8b\x08"
THEIRS = {GZIP: gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
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
    """Ours gives what theirs gives, and refuses what theirs refuses; and what theirs would drop without a word."""
    ours = outcome(lambda: Content("input", data).unpacked())
    refused = isinstance(ours, Refused)
    for magic, unpack in THEIRS.items():
        if data.startswith(magic):
            try:
                theirs = unpack(data)
            except ERRORS:
                theirs = None
            drops = magic != GZIP and refused and theirs is not None and _rest(data, magic)
            assert (refused and theirs is None) or ours == theirs or drops, (
                f"ours: {ours[:80]!r}, theirs: {theirs!r:.80}"
            )
    return not refused


def _rest(data: bytes, magic: bytes) -> bytes:
    """What follows the first archive: their modules stop there if it is none."""
    decoder = bz2.BZ2Decompressor() if magic == b"BZh" else lzma.LZMADecompressor()
    decoder.decompress(data)
    return decoder.unused_data
