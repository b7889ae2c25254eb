"""What ``RUN...`` on a command line stands for: files, folders, globs, standard input."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.read.trec import read_run, system_name
from metameter.types import Run

__all__ = ["RunFile", "distinct", "find_files", "find_runs"]


@dataclass(frozen=True)
class RunFile:
    """A run that has not been read yet.

    Attributes
    ----------
    name : str
        The system's name; with ``name_by="tag"`` only the run that was read knows it.
    source : str
        Its path, or ``-``.
    options : dict
        What to pass on to `read_run`.
    """

    name: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)

    def read(self) -> Run:
        """Read it."""
        name = None if self.options.get("name_by") == "tag" else self.name
        return read_run(self.source, name=name, **self.options)


def find_runs(arguments: Iterable[str | Path], **options: Any) -> list[RunFile]:
    """The runs that the arguments stand for, with their systems' names, which must differ.

    Parameters
    ----------
    arguments : iterable of path
        Files, folders, globs, ``-``; in the order given, and sorted within each.
    **options
        For `read_run`.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("run10.gz", "run9", ".hidden"):
    ...     _ = (folder / name).write_text("1 Q0 d 1 1 t")
    >>> [run.name for run in find_runs([folder])]
    ['run9', 'run10']
    """
    runs = [RunFile(system_name(file), file, options) for file in find_files(arguments)]
    if options.get("name_by") != "tag":
        distinct([(run.name, run.source) for run in runs])
    return runs


def find_files(arguments: Iterable[str | Path]) -> list[str]:
    """The files that the arguments stand for: a folder or a glob for all visible files in it, in natural order."""
    arguments = list(arguments)
    if not arguments:
        raise MetameterError("no run is given", fix="Name files, folders or globs.")
    return [file for argument in arguments for file in _expanded(str(argument))]


def distinct(named: Iterable[tuple[str, str]]) -> None:
    """Refuse two sources of one system name.

    Examples
    --------
    >>> distinct([("bm25", "a/bm25"), ("bm25", "b/bm25.gz")])
    Traceback (most recent call last):
    metameter.errors.MetameterError: two runs have the name 'bm25': a/bm25 and b/bm25.gz. Rename one of the files.
    """
    seen: dict[str, str] = {}
    for name, source in named:
        if seen.get(name) == source and Path(source).exists():
            raise MetameterError("the run is given twice", where=source, fix="Name each run once.")
        if name in seen:
            raise MetameterError(
                f"two runs have the name {name!r}: {seen[name]} and {source}", fix="Rename one of the files."
            )
        seen[name] = source


def _expanded(argument: str) -> list[str]:
    path = Path(argument)
    if not argument.strip():
        raise MetameterError("the name of a file is empty", given=argument, fix="Name files, folders or globs.")
    if argument == "-" or path.is_file():
        return [argument]
    if path.is_dir():
        found = [str(file) for file in path.iterdir()]
    elif glob.has_magic(argument):
        found = glob.glob(argument, recursive=True)
    else:
        # Pipes and the like are no regular files, yet can be read.
        found = [argument] if path.exists() else []
    found = [file for file in found if not Path(file).name.startswith(".") and not Path(file).is_dir()]
    if not found:
        what = "the folder holds no file" if path.is_dir() else "no file matches"
        raise MetameterError(what, where=argument, fix="Check the path.")
    return sorted(found, key=_natural)


def _natural(file: str) -> tuple[list[tuple[bool, int, str]], str]:
    # run9 before run10; the name itself settles what numbers leave open (run1, run01).
    parts = re.split(r"(\d+)", Path(file).name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts], file
