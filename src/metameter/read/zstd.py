"""Zstandard's frames: by Python itself from 3.14 on, before that by a package. What is no frame is a ValueError."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["GIVEN", "Decoder", "unpack_frame"]

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd

    #: How many bytes a decoder is given at a time, if its memory is to be bounded.
    GIVEN = 1 << 14

    class Decoder:
        """Decodes one frame, piece by piece, with the manners of the decoders of bz2 and lzma."""

        def __init__(self) -> None:
            self._decoder = zstd.ZstdDecompressor()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._decoder, name)

        def decompress(self, data: bytes, most: int) -> bytes:
            """What follows, at most so much of it."""
            try:
                return self._decoder.decompress(data, most)
            except zstd.ZstdError as problem:
                raise ValueError(str(problem)) from None

else:
    import zstandard

    #: Four bytes may stand for 128 kB, and this decoder cannot be told how much to return: it is given little.
    GIVEN = 1 << 11

    class Decoder:
        """Decodes one frame, piece by piece, with the manners of the decoders of bz2 and lzma."""

        needs_input = True

        def __init__(self) -> None:
            self._decoder = zstandard.ZstdDecompressor().decompressobj()

        @property
        def eof(self) -> bool:
            """Whether the frame has ended."""
            return self._decoder.eof

        @property
        def unused_data(self) -> bytes:
            """What follows the frame."""
            return self._decoder.unused_data

        def decompress(self, data: bytes, most: int) -> bytes:
            """What follows, however much that is."""
            try:
                return self._decoder.decompress(data)
            except zstandard.ZstdError as problem:
                raise ValueError(str(problem)) from None


def unpack_frame(packed: bytes, size: int) -> bytes:
    """A frame that unpacks to so many bytes, and to no more.

    Examples
    --------
    >>> frame = bytes([40, 181, 47, 253, 32, 2, 17, 0, 0, 100, 49])
    >>> unpack_frame(frame, 2)
    b'd1'
    """
    if sys.version_info >= (3, 14):  # pragma: no cover
        unpacked = Decoder().decompress(packed, size)
    else:
        try:
            # The frame may say that it holds more, which would be made room for.
            said = zstandard.frame_content_size(packed)
            if said not in (size, -1):
                raise ValueError("a frame of another size")
            unpacked = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
        except zstandard.ZstdError as problem:
            raise ValueError(str(problem)) from None
    return unpacked
