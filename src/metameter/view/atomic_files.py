"""Write files and folders whole or not at all.

A process that is interrupted removes its own drafts. One that is killed cannot; the next process that writes into the
same folder does it: the name of a draft says which process it belongs to.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from metameter.errors import MetameterError

_NAME = re.compile(r"\.metameter-([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{12}\.part")
_DEAD = ("Z", "X")

_live: list[Draft] = []
_swept: set[Path] = set()
_placings: list[None] = []


@dataclass(eq=False)
class Draft:
    """A temporary file or folder that will replace its target.

    Attributes
    ----------
    path : Path
        Its own path.
    new_folders : list of Path
        Folders created for it, the innermost first.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> draft = Draft.beside(folder / "new" / "a.txt")
    >>> _ = draft.path.write_text("half a sente")
    >>> draft.path.parent.name, draft.path.name.startswith(f".metameter-{_home()}-{os.getpid()}-")
    ('new', True)
    >>> draft.discard()
    >>> list(folder.iterdir())
    []
    """

    path: Path
    new_folders: list[Path]

    @classmethod
    def beside(cls, target: Path) -> Draft:
        """Begin a draft in the folder of its target, since a rename is atomic only within one file system.

        The name of a draft is short: that of the target may have the greatest length allowed.
        """
        draft = cls(target.parent / _name(), [each for each in target.parents if not each.exists()])
        # Listed before it is created: an interrupt in between finds nothing to remove.
        _live.append(draft)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            sweep(target.parent)
        except BaseException:
            draft.discard()
            raise
        return draft

    def put(self, target: Path) -> None:
        """Replace the target."""
        os.replace(self.path, target)
        self.new_folders = []

    def discard(self) -> None:
        """Remove the draft and the folders created for it; after `put` there is nothing to remove."""
        with suppress(OSError):
            _remove(self.path)
            for folder in self.new_folders:
                folder.rmdir()
        with suppress(ValueError):
            _live.remove(self)


def discard_all() -> None:
    """Remove every draft of this process, which is about to end."""
    for draft in reversed(_live.copy()):
        draft.discard()


@contextmanager
def placing() -> Iterator[None]:
    """Within this context, several drafts replace their targets, and the program must not be interrupted."""
    _placings.append(None)
    try:
        yield
    finally:
        _placings.pop()


def is_placing() -> bool:
    """Whether drafts are replacing their targets now."""
    return bool(_placings)


def sweep(folder: Path) -> None:
    """Remove the drafts in a folder whose processes have ended; each folder is swept once.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in (_name(), f".metameter-{_home()}-{os.getpid()}-1-{12 * 'a'}.part", ".mine.part"):
    ...     _ = (folder / name).write_text("")
    >>> sweep(folder)  # the second is of another process that had our number, long ago
    >>> len(list(folder.iterdir())), (folder / ".mine.part").exists()
    (2, True)
    """
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (name := _NAME.fullmatch(entry.name)) and _has_ended(name[1], int(name[2]), name[3]):
                with suppress(OSError):
                    _remove(Path(entry.path))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _name() -> str:
    return f".metameter-{_home()}-{os.getpid()}-{_started(os.getpid())}-{secrets.token_hex(6)}.part"


@cache
def _home() -> str:
    """Identifies the namespace of process ids: the machine, and on Linux the container."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{os.uname().nodename if os.name == 'posix' else ''} {space}".encode()).hexdigest()[:8]


def _has_ended(home: str, process: int, started: str) -> bool:
    """Whether a process has certainly ended; False for a process on another machine."""
    if home != _home() or os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        pass  # it exists, and belongs to another user
    return _started(process) not in (started, "0")


def _started(process: int) -> str:
    """The start time of a process in clock ticks after boot, since process ids are reused; 0 if not known."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = stat.rpartition(")")[2].split()
        return "1" if state in _DEAD else fields[18]
    except (OSError, ValueError, IndexError):
        return "0"


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file atomically: a reader sees the old file or the whole new one.

    Text is written as UTF-8, its line ends unchanged. Missing folders are created.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_whole(Path(folder) / "new" / "a.txt", "text")
    ...     path.read_text(), [entry.name for entry in path.parent.iterdir()]
    ('text', ['a.txt'])
    """
    data = content.encode() if isinstance(content, str) else content
    # A link remains a link: the file it points to is replaced.
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
    """Write several files or none of them: they replace the old files when the last one is complete.

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
    """A complete file that has not yet replaced its target."""

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
            f"cannot write: {reason}", where=str(path), fix="Choose another path, or make this one writable."
        ) from error
