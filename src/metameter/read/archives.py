"""The content of a file, unpacked if it is compressed: the first bytes decide, not the suffix."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from metameter.errors import MetameterError
from metameter.read.stored import is_read_once, stored_bytes
from metameter.read.unpack_limit import unpack_limit
from metameter.read.unpacked import unpacked, unpacked_pieces
from metameter.types import Fingerprint
from metameter.utf8 import in_utf8

__all__ = ["PACKED", "Content", "opened_as", "read_bytes"]

# Suffixes that are not part of a system's name.
_PIECE = 1 << 20
PACKED = (".gz", ".bz2", ".xz", ".zst", ".parquet")


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
    >>> import gzip
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
        return cls(str(source), stored_bytes(source, unpack_limit()))

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Name, size and SHA-256 of the bytes as they were stored; computed once, when first asked for."""
        return Fingerprint(in_utf8(Path(self.source).name), len(self.stored), hashlib.sha256(self.stored).hexdigest())

    def unpacked(self) -> bytes:
        """The bytes without compression; more than the `unpack_limit` are refused."""
        content = unpacked(self.stored, self.source, unpack_limit())
        if content is not None:
            return content
        self._refuse_suffix()
        return self.stored

    def pieces(self) -> Iterator[bytes]:
        """The same in pieces of a megabyte or so, so that it is never in memory as a whole."""
        found = unpacked_pieces(self.stored, self.source, unpack_limit())
        if found is None:
            self._refuse_suffix()
            found = (self.stored[at : at + _PIECE] for at in range(0, len(self.stored), _PIECE))
        waiting: list[bytes] = []
        for piece in found:
            waiting.append(piece)
            if sum(map(len, waiting)) >= _PIECE:
                yield b"".join(waiting)
                waiting = []
        yield b"".join(waiting)

    def _refuse_suffix(self) -> None:
        if self.source.endswith(PACKED[:4]) and self.stored:
            raise MetameterError(
                "the file is not compressed as its suffix says",
                where=self.source,
                fix="Remove the suffix, or fetch the file again.",
            )


def opened_as(source: str | Path) -> tuple[str, bytes | None]:
    """How another process gets at a file: by its name; what can be read only once is read here, and goes along.

    Examples
    --------
    >>> opened_as("runs/bm25.gz")
    ('runs/bm25.gz', None)
    """
    return str(source), Content.of(source).stored if is_read_once(source) else None


def read_bytes(source: str | Path) -> bytes:
    """The bytes of a file without compression, or of standard input for ``-``."""
    return Content.of(source).unpacked()
