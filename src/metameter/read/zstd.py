"""Zstandard's frames: by Python itself from 3.14 on, before that by a package. What is no frame is a ValueError."""

from __future__ import annotations

import sys

from metameter.read.decoder import Decoder

__all__ = ["GIVEN", "FrameDecoder", "unpack_frame"]

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

    def unpack_frame(packed: bytes, size: int) -> bytes:
        """A frame that unpacks to so many bytes, and to no more."""
        return FrameDecoder().decompress(packed, size)

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

    def unpack_frame(packed: bytes, size: int) -> bytes:
        """A frame that unpacks to so many bytes, and to no more.

        Examples
        --------
        >>> unpack_frame(bytes([40, 181, 47, 253, 32, 2, 17, 0, 0, 100, 49]), 2)
        b'd1'
        """
        try:
            # The frame may say that it holds more, which would be made room for.
            if zstandard.frame_content_size(packed) not in (size, -1):
                raise ValueError("a frame of another size")
            return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
        except zstandard.ZstdError as problem:
            raise ValueError(str(problem)) from None
