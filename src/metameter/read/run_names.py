"""A file with the names or paths of runs, one per line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.read.files.content import read_bytes

__all__ = ["RunName", "read_run_names"]


class RunName(str):
    """The name or path of a run, and where it was read, so that a message can say which line is wrong."""

    where: str

    def __new__(cls, name: str, where: str) -> RunName:
        """A name that was read at ``where``, as ``file:line``."""
        new = super().__new__(cls, name)
        new.where = where
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return RunName, (str(self), self.where)


def read_run_names(source: str | Path) -> list[RunName]:
    r"""Read the names or paths of runs, one per line; blank lines are left out.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "names"
    >>> _ = path.write_text("bm25\n\n ql \n")
    >>> [(name, name.where[-2:]) for name in read_run_names(path)]
    [('bm25', ':1'), ('ql', ':3')]
    """
    lines = read_bytes(source).decode("utf-8", errors="backslashreplace").splitlines()
    names = [RunName(line.strip(), f"{source}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not names:
        raise MetameterError("no run is named", where=str(source), fix="Write one name or path per line.")
    return names
