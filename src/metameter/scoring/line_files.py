"""Files with a line for each system: its name or path, or the group that it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.read.files.content import read_bytes


class RunName(str):
    """The name or path of a run, and the line it was read from, for messages."""

    where: str

    def __new__(cls, name: str, where: str) -> RunName:
        """A name that was read at ``where``, as ``file:line``."""
        new = super().__new__(cls, name)
        new.where = where
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return RunName, (str(self), self.where)


def read_run_names(source: str | Path) -> list[RunName]:
    """Read the names or paths of runs, one per line; blank lines are left out."""
    lines = read_bytes(source).decode("utf-8", errors="backslashreplace").splitlines()
    names = [RunName(line.strip(), f"{source}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not names:
        raise MetameterError("no run is named", where=str(source), fix="Write one name or path per line.")
    return names


def read_system_groups(source: str | Path) -> dict[RunName, str]:
    r"""Read lines ``system group``; the two stand apart by a tab, by a comma, or else by white space.

    Blank lines and lines that begin with ``#`` are left out. A name with a space or a comma in it needs a tab.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "groups"
    >>> _ = path.write_text("# runs of TREC-8\nok8alx  Okapi\n\nGE8ATD3,GE\n")
    >>> [(system, system.where[-2:], group) for system, group in read_system_groups(path).items()]
    [('ok8alx', ':2', 'Okapi'), ('GE8ATD3', ':4', 'GE')]
    """
    groups: dict[RunName, str] = {}
    text = read_bytes(source).removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            where = f"{source}:{number}"
            system, group = _parts(line, where)
            if groups.setdefault(RunName(system, where), group) != group:
                fix = "Keep one of the two lines."
                raise MetameterError("a system is in two groups", where=where, given=system, fix=fix)
    if not groups:
        raise MetameterError("no system is named", where=str(source), fix="Write a system and its group in each line.")
    return groups


def _parts(line: str, where: str) -> tuple[str, str]:
    separator = next((each for each in ("\t", ",") if each in line.strip()), None)
    parts = [part.strip() for part in line.strip().split(separator)]
    if len(parts) != 2 or not all(parts):
        fix = "Write a system and its group, with a tab between them if a name holds a space or a comma."
        raise MetameterError("not a system and its group", where=where, given=line.strip(), fix=fix)
    return parts[0], parts[1]
