"""Somebody's decoder of one archive, with the manners of those of bz2 and lzma."""

from __future__ import annotations

from typing import Any

__all__ = ["Decoder"]


class Decoder:
    """A decoder that lacks some of these manners; a subclass says how it decompresses.

    Parameters
    ----------
    decoder : object
        What decodes one archive, and knows when it has ended (``eof``) and what follows it (``unused_data``).
    """

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    @property
    def eof(self) -> bool:
        """Whether the archive has ended."""
        return bool(self._decoder.eof)

    @property
    def unused_data(self) -> bytes:
        """What follows it."""
        return bytes(self._decoder.unused_data)

    @property
    def needs_input(self) -> bool:
        """Whether it goes on only if it is given more."""
        return True
