"""Zstandard's frames: by Python itself from 3.14 on, before that by a package. What is no frame is a ValueError."""

from __future__ import annotations

import sys

from metameter.read.decoder import Decoder

__all__ = ["GIVEN", "FrameDecoder"]

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd

    #: How many bytes a decoder is given at a time, if its memory is to be bounded.
    GIVEN = 1 << 14

    class FrameDecoder(Decoder):
        """Decodes one frame, piece by piece."""

        def __init__(self) -> None:
            super().__init__(zstd.ZstdDecompressor())

        @property
        def needs_input(self) -> bool:
            """Whether it goes on only if it is given more."""
            return bool(self._decoder.needs_input)

        def decompress(self, data: bytes, most: int) -> bytes:
            """What follows, at most so much of it."""
            try:
                return bytes(self._decoder.decompress(data, most))
            except zstd.ZstdError as problem:
                raise ValueError(str(problem)) from None

else:
    import zstandard

    #: Four bytes may stand for 128 kB, and this decoder cannot be told how much to return: it is given little.
    GIVEN = 1 << 11

    class FrameDecoder(Decoder):
        """Decodes one frame, piece by piece."""

        def __init__(self) -> None:
            super().__init__(zstandard.ZstdDecompressor().decompressobj())

        def decompress(self, data: bytes, most: int) -> bytes:
            """What follows, however much that is."""
            try:
                return bytes(self._decoder.decompress(data))
            except zstandard.ZstdError as problem:
                raise ValueError(str(problem)) from None
