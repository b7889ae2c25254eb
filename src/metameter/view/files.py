"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from metameter.errors import MetameterError

__all__ = ["all_or_nothing", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file so that a reader sees the old one or the whole new one, never a part of it.

    Text is written as UTF-8, its line ends unchanged. Missing folders are made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_whole(Path(folder) / "new" / "a.txt", "text")
    ...     path.read_text(), [entry.name for entry in path.parent.iterdir()]
    ('text', ['a.txt'])
    """
    data = content.encode() if isinstance(content, str) else content
    # A link stays a link: the file it points to is replaced.
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        with _explained(path):
            target.write_bytes(data)  # a device or a pipe, such as /dev/stdout
        return Path(path)
    with all_or_nothing():
        _drafts.get().append(_Draft.of(path, target, data))  # type: ignore[union-attr]
    return Path(path)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Write several files or none of them: they replace the old ones when the last of them is complete.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with suppress(ZeroDivisionError), all_or_nothing():
    ...         _ = write_whole(Path(folder) / "new" / "a.txt", f"{1 / 1}")
    ...         _ = write_whole(Path(folder) / "new" / "b.txt", f"{1 / 0}")
    ...     list(Path(folder).iterdir())
    []
    """
    if _drafts.get() is not None:
        yield
        return
    drafts: list[_Draft] = []
    outer = _drafts.set(drafts)
    try:
        yield
        for draft in drafts:
            draft.put_in_place()
    finally:
        _drafts.reset(outer)
        for draft in reversed(drafts):
            draft.discard()


@dataclass
class _Draft:
    """A file that is complete but not yet in its place."""

    path: str | os.PathLike[str]
    target: Path
    draft: Path
    made: list[Path]

    @classmethod
    def of(cls, path: str | os.PathLike[str], target: Path, data: bytes) -> _Draft:
        # In the same folder, since a file can be renamed in one step only within a file system; and short,
        # since the target's name may be as long as names can be.
        draft = cls(path, target, target.parent / f".{secrets.token_hex(6)}.part", [])
        try:
            with _explained(path):
                draft.write(data)
        except BaseException:
            draft.discard()
            raise
        return draft

    def write(self, data: bytes) -> None:
        if self.target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        self.made = [each for each in self.target.parents if not each.exists()]
        self.target.parent.mkdir(parents=True, exist_ok=True)
        with open(self.draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def put_in_place(self) -> None:
        with _explained(self.path):
            os.replace(self.draft, self.target)
        self.made = []

    def discard(self) -> None:
        """Remove the file and the folders made for it; after `put_in_place` there is nothing to remove."""
        with suppress(OSError):
            self.draft.unlink(missing_ok=True)
            for folder in self.made:
                folder.rmdir()


_drafts: ContextVar[list[_Draft] | None] = ContextVar("drafts", default=None)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise MetameterError(
            f"cannot write: {reason}", where=str(path), fix="Choose another place, or make this one writable."
        ) from error
