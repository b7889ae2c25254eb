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
THEIRS = {b"\x1f\x8b\x08": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
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
    """Ours gives what theirs gives, and refuses what theirs refuses."""
    ours = outcome(lambda: Content("input", data).unpacked())
    for magic, unpack in THEIRS.items():
        if data.startswith(magic):
            try:
                theirs = unpack(data)
            except ERRORS:
                theirs = None
            same = isinstance(ours, Refused) if theirs is None else ours == theirs
            assert same, f"ours: {ours[:80]!r}, theirs: {theirs and theirs[:80]!r}"
    return not isinstance(ours, Refused)
