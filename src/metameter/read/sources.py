"""The files behind names: files, folders, globs, standard input."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError, in_utf8
from metameter.notices import notice
from metameter.read.files.content import PACKED, Content, is_read_once
from metameter.read.formats import format_of

# Suffixes of formats, which are no part of a system's name.
_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
_PREDICTIONS = "_predictions.json"


def system_name(source: str | Path) -> str:
    """A system is called as its file, without folder and without the suffixes of compression and format.

    Predictions of MTEB (``TASK_predictions.json``) are called after the model that they name.

    Examples
    --------
    >>> system_name("runs/input.BM25.gz"), system_name("runs/dense.jsonl.zst")
    ('input.BM25', 'dense')
    """
    if str(source) == "-":
        return "stdin"
    name = Path(source).name
    for suffixes in (PACKED, _SUFFIXES):
        name = next(
            (name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix) and name != suffix), name
        )
    name = in_utf8(name)
    return _model(source) or name if _PREDICTIONS in Path(source).name else name


def is_predicted(source: str | Path, name: str) -> bool:
    """Whether a file of this system holds predictions of MTEB that name a model."""
    return _PREDICTIONS in Path(source).name and not Path(source).name.startswith(name)


def _model(source: str | Path) -> str | None:
    try:
        head = next(Content.of(source).pieces()) if os.path.isfile(source) else b""
    except MetameterError:  # reading it raises the error
        return None
    return format_of(head).system(head)


def find_files(arguments: Iterable[str | Path]) -> list[str]:
    """The files that the arguments stand for, in the order given, and sorted within each folder or glob."""
    arguments = list(arguments)
    if not arguments:
        raise MetameterError("no file is named", fix="Name files, folders or globs.")
    return [file for argument in arguments for file in _expanded(str(argument))]


def distinct(named: Iterable[tuple[str, str]], what: str = "run", *, name_by: str = "file") -> None:
    """Refuse two sources of one name."""
    seen: dict[str, str] = {}
    for name, source in named:
        if seen.get(name) == source and Path(source).exists():
            raise MetameterError(f"the {what} is given twice", where=source, fix=f"Name each {what} once.")
        if name in seen:
            raise one_name(name, seen[name], source, what, name_by=name_by)
        seen[name] = source


def one_name(name: str, first: str, second: str, what: str = "run", *, name_by: str = "file") -> MetameterError:
    """The error for two sources of one name."""
    # An object in memory has only a name.
    if what == "run" and any(each == name and not Path(each).exists() for each in (first, second)):
        where, fix = "", "Give {name: run}, or a column system that names them."
    else:
        where = f": {first} and {second}"
        fix = "Name systems by file, or change one of the tags." if name_by == "tag" else "Rename one of the files."
    return MetameterError(f"two {what}s have the name {name!r}{where}", fix=fix)


def refuse_one_stream_twice(*inputs: Any) -> None:
    """Refuse standard input as more than one of the judgments, runs and costs."""
    sources = [source for value in inputs for source in (value if isinstance(value, list | tuple) else [value])]
    if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
        raise MetameterError("standard input (-) is named twice", fix="Name it once, and files for the rest.")


def _expanded(argument: str) -> list[str]:
    path = Path(argument)
    if not argument.strip():
        raise MetameterError("the name of a file is empty", given=argument, fix="Name files, folders or globs.")
    if argument == "-" or path.is_file():
        return [argument]
    if path.is_dir() or (glob.has_magic(argument) and not path.exists()):
        links: list[str] = []
        paths = [str(file) for file in path.iterdir()] if path.is_dir() else _matches(path, links)
        readable = [file for file in paths if not Path(file).name.startswith(".") and not Path(file).is_dir()]
        files = [file for file in readable if not is_read_once(file)]
        skipped = sorted({*readable, *links} - {*files}, key=_natural)
        if skipped:  # they may never end
            many = f"{len(skipped):,} entries" if len(skipped) > 1 else "1 entry"
            which = f"{skipped[0]}{', ...' * (len(skipped) > 1)}"
            reason = "pipes, sockets, devices and links to folders are read only where they are named"
            notice(f"{argument}: left out {many} ({which}): {reason}")
    else:
        # Pipes and the like are not regular files, yet can be read where they are named.
        files = [argument] if path.exists() else []
    if not files:
        what = "the folder holds no file" if path.is_dir() else "no file matches"
        raise MetameterError(what, where=argument, fix="Check the path.")
    return sorted(files, key=_natural)


def _matches(pattern: Path, links: list[str]) -> list[str]:
    """The paths that a glob matches; ``**`` lists links to folders but does not follow them, since they may loop."""
    if "**" not in pattern.parts:
        return glob.glob(str(pattern))
    at = pattern.parts.index("**")
    rest = pattern.parts[at + 1 :] or ("*",)
    paths: dict[str, None] = {}
    for start in glob.glob(str(Path(*pattern.parts[:at]))):
        for folder, inner, _ in os.walk(start):
            inner[:] = [name for name in inner if not name.startswith(".")]
            links += [str(Path(folder, name)) for name in inner if Path(folder, name).is_symlink()]
            paths |= dict.fromkeys(_matches(Path(glob.escape(folder), *rest), links))
    return list(paths)


def _natural(file: str) -> tuple[list[tuple[bool, int, str]], str]:
    # run9 before run10; run1 and run01, equal as numbers, are ordered by their names.
    parts = re.split(r"(\d+)", Path(file).name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts], file
