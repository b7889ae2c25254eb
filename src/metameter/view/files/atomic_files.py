"""Drafts: files and folders under way. Their names say whose they are: those of dead processes are swept, no others.

A process that is interrupted removes its own drafts. One that is killed cannot; the next that writes into the same
folder does it for it.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NAME = re.compile(r"\.metameter-([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{12}\.part")
_DEAD = ("Z", "X")

_live: list[Draft] = []
_swept: set[Path] = set()
_placings: list[None] = []


@dataclass(eq=False)
class Draft:
    """A file or a folder that is not yet in its place.

    Attributes
    ----------
    path : Path
        Where it is until then.
    made : list of Path
        Folders that had to be made for it, the innermost first.

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
    made: list[Path]

    @classmethod
    def beside(cls, target: Path) -> Draft:
        """Begin a draft in the folder of its target: only within a file system is a file renamed in one step.

        Its name is short, since the target's may be as long as names can be.
        """
        made = [each for each in target.parents if not each.exists()]
        draft = cls(target.parent / _name(), made)
        # First noted, then made: an interrupt in between finds nothing to remove.
        _live.append(draft)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            sweep(target.parent)
        except BaseException:
            draft.discard()
            raise
        return draft

    def put(self, target: Path) -> None:
        """Let it take its place."""
        os.replace(self.path, target)
        self.made = []

    def discard(self) -> None:
        """Remove it and the folders made for it; after `put` there is nothing to remove."""
        with suppress(OSError):
            _remove(self.path)
            for folder in self.made:
                folder.rmdir()
        with suppress(ValueError):
            _live.remove(self)


def discard_all() -> None:
    """Remove every draft of this process: it is about to end."""
    for draft in reversed(_live.copy()):
        draft.discard()


@contextmanager
def placing() -> Iterator[None]:
    """While several drafts take their places, one after another, the program is not interrupted."""
    _placings.append(None)
    try:
        yield
    finally:
        _placings.pop()


def is_placing() -> bool:
    """Whether drafts are just taking their places."""
    return bool(_placings)


def sweep(folder: Path) -> None:
    """Remove the drafts in a folder whose processes have ended; once for each folder is enough.

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
    """Where the numbers of processes mean what they mean here: a machine, and on Linux its container."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{os.uname().nodename if os.name == 'posix' else ''} {space}".encode()).hexdigest()[:8]


def _has_ended(home: str, process: int, started: str) -> bool:
    """Whether a process has surely ended; of one on another machine that is not known."""
    if home != _home() or os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        pass  # it lives, and is another user's
    return _started(process) not in (started, "0")


def _started(process: int) -> str:
    """When a process began, in ticks since the machine did: its number may be another's later. 0: not known."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = stat.rpartition(")")[2].split()
        return "1" if state in _DEAD else fields[18]
    except (OSError, ValueError, IndexError):
        return "0"
