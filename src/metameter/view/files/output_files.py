"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from metameter.errors import MetameterError
from metameter.view.files.atomic_files import Draft, placing


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
        _written.get().append(_Written.of(path, target, data))  # type: ignore[union-attr]
    return Path(path)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Write several files or none of them: they replace the old ones when the last of them is complete.

    Examples
    --------
    >>> import tempfile
    >>> from contextlib import suppress
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with suppress(ZeroDivisionError), all_or_nothing():
    ...         _ = write_whole(Path(folder) / "new" / "a.txt", f"{1 / 1}")
    ...         _ = write_whole(Path(folder) / "new" / "b.txt", f"{1 / 0}")
    ...     list(Path(folder).iterdir())
    []
    """
    if _written.get() is not None:
        yield
        return
    files: list[_Written] = []
    outer = _written.set(files)
    try:
        yield
        with placing():
            for file in files:
                file.put()
    finally:
        _written.reset(outer)
        for file in reversed(files):
            file.draft.discard()


@dataclass
class _Written:
    """A file that is complete but not yet in its place."""

    path: str | os.PathLike[str]
    target: Path
    draft: Draft

    @classmethod
    def of(cls, path: str | os.PathLike[str], target: Path, data: bytes) -> _Written:
        with _explained(path):
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            draft = Draft.beside(target)
            try:
                _save(draft.path, data)
            except BaseException:
                draft.discard()
                raise
        return cls(path, target, draft)

    def put(self) -> None:
        with _explained(self.path):
            self.draft.put(self.target)


def _save(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


_written: ContextVar[list[_Written] | None] = ContextVar("written", default=None)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise MetameterError(
            f"cannot write: {reason}", where=str(path), fix="Choose another place, or make this one writable."
        ) from error
