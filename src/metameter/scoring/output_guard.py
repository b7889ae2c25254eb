"""Refuse, before anything is read, to write results over their inputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.read.sources import find_files

#: The files that are written into a folder beside the tables, and the suffixes of a table's files.
_BESIDE = ("manifest.json", "run.json", "report.html", "scores.parquet")
_ENDINGS = (".csv", ".tex", ".html")
#: The suffixes of an output that is one file, not a folder.
_TABLES = (".csv", ".tsv", ".parquet", ".json")


def refuse_overwriting(out: Path, inputs: Iterable[Any], tables: Iterable[str]) -> None:
    """Refuse an output path that is an input, or a folder in which an input would be overwritten.

    Parameters
    ----------
    out : path
        The file or folder to write; of a file, its manifest is written beside it.
    inputs : iterable
        The arguments of the call: texts that name no file, and data, are passed over.
    tables : iterable of str
        The names of the tables that would be written into a folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "power.csv").write_text("metric,system,topic,score")
    >>> refuse_overwriting(folder, [folder / "power.csv"], ["consistency"])
    >>> refuse_overwriting(folder, [folder], ["consistency"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metameter.errors.MetameterError: ...: the output is an input (given ...). Choose another place to write to.
    """
    written = {*_BESIDE, *(f"{name}{ending}" for name in tables for ending in _ENDINGS)}
    for source in _paths(inputs):
        if _same(out, source):
            raise _refusal(source, out, "the output is an input")
        for file in _files(source):
            if any(_same(target, file) for target in _targets(out, Path(file).name, written)):
                raise _refusal(file, out, "the output would be written over an input")
        if out.suffix in _TABLES and _same(out.parent, source):
            raise _refusal(source, out, "the output would be read next time as an input")


def _targets(out: Path, name: str, written: set[str]) -> Iterator[Path]:
    """Return the paths that would be written if ``out`` is a file or a folder, and that may be this input."""
    yield out
    yield Path(f"{out}.manifest.json")
    if name in written:
        yield out / name


def _paths(inputs: Iterable[Any]) -> Iterator[str]:
    for value in inputs:
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str | Path) and str(each).strip():
                yield str(each)


def _files(source: str) -> list[str]:
    """Return the files that a string names, if any: many strings are not paths."""
    try:
        return find_files([source])
    except (MetameterError, OSError, ValueError):
        return []


def _same(one: str | Path, other: str | Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False  # one of them does not exist, so it cannot be overwritten


def _refusal(source: str, out: Path, what: str) -> MetameterError:
    return MetameterError(what, where=source, given=str(out), fix="Choose another place to write to.")
