"""Finished stages, kept on disk: a stage is there whole under its key, or not at all.

Nothing is executed when a stage is read back: tables are Parquet, arrays NumPy, the rest JSON. A folder may come from
anywhere, so names read from it become paths only after a check, links in it are not followed, and nothing is ever
removed but what is in the record of what this folder's studies made.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.studies.plain import from_plain, to_plain
from metameter.view.files import write_whole
from metameter.view.result import Result

__all__ = ["Store", "plain_name", "refuse_link", "write_here"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_KEY = re.compile(r"[0-9a-f]{1,64}")
# JSON that is nested too deeply ends in a RecursionError.
_UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError),
    *(RecursionError, pl.exceptions.PolarsError),
)


def plain_name(name: Any) -> str:
    """A name that can be part of a file name; anything else is refused.

    Examples
    --------
    >>> plain_name("power_pairs")
    'power_pairs'
    >>> plain_name("../power")
    Traceback (most recent call last):
    ValueError: '../power' is no name of a stage, table or field
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r:.80} is no name of a stage, table or field")
    return name


def refuse_link(path: Path) -> None:
    """Refuse to write through a link: it could lead out of the folder."""
    if path.is_symlink():
        fix = "Remove the link, or choose another folder for the study."
        raise MetameterError("a link stands where a study writes", where=str(path), fix=fix)


def write_here(path: Path, content: str | bytes) -> None:
    """Write a file whole, into this folder and nowhere else."""
    refuse_link(path)
    write_whole(path, content)


class Store:
    """A folder of finished stages.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.get("power", "0a1b") is None
    True
    >>> store.put("power", "0a1b", Result({"power": pl.DataFrame({"metric": ["AP"]})}, {"seed": 0}))
    >>> store.get("power", "0a1b").table["metric"].to_list()
    ['AP']
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._record = folder / "made.json"

    def place(self, stage: str, key: str) -> Path:
        """Where a stage is kept; names that could lead elsewhere are refused."""
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(f"{key!r:.80} is no key of a stage")
        return self.folder / plain_name(stage) / key

    def get(self, stage: str, key: str, kind: type[Result] = Result) -> Any | None:
        """The result kept under a key; None if there is none, or none that can be read."""
        try:
            return _read(self._own(self.place(stage, key)), kind)
        except _UNREADABLE:
            # Missing, damaged, of another version, or not ours at all: then the stage is computed again.
            return None

    def put(self, stage: str, key: str, result: Result) -> None:
        """Keep a result. Its JSON file is written last: a stage without it, left by an interrupt, is not read."""
        place = self.place(stage, key)
        for each in (self.folder, place.parent, place, *place.glob("*")):
            refuse_link(each)
        self._note({*self.made(), (stage, key)})
        place.mkdir(parents=True, exist_ok=True)
        (place / "result.json").unlink(missing_ok=True)
        try:
            _write(place, result)
        except (TypeError, ValueError) as error:
            fix = "Report it to the authors: fields hold what JSON and NumPy can, tables what Parquet can."
            raise MetameterError(f"the result of {stage} cannot be kept: {error}", fix=fix) from error

    def made(self) -> set[tuple[str, str]]:
        """The stages that studies made in this folder, as (stage, key)."""
        made = set()
        with suppress(OSError, ValueError, TypeError, RecursionError):
            for entry in json.loads(self._own(self._record).read_text()):
                with suppress(ValueError, TypeError):
                    stage, key = entry
                    self.place(stage, key)
                    made.add((stage, key))
        return made

    def prune(self, kept: set[tuple[str, str]]) -> None:
        """Remove the stages made here, except these; whatever else is in the folder stays."""
        made = self.made()
        for stage, key in made - kept:
            with suppress(OSError, ValueError):
                _remove(self._own(self.place(stage, key)))
        self._note(made & kept)

    def _note(self, made: set[tuple[str, str]]) -> None:
        write_here(self._record, json.dumps(sorted(made), indent=0) + "\n")

    def _own(self, path: Path) -> Path:
        """The path, unless a link on the way could lead out of the folder."""
        for each in (path, *path.parents):
            if each.is_symlink():
                raise ValueError(f"{each} is a link")
            if each == self.folder:
                break
        return path


def _remove(place: Path) -> None:
    """Remove what `_write` wrote; a folder that holds more than that stays with the rest."""
    for file in place.iterdir():
        if file.name == "result.json" or file.suffix in (".parquet", ".npy"):
            file.unlink()
    place.rmdir()
    with suppress(OSError):
        place.parent.rmdir()


def _write(place: Path, result: Result) -> None:
    for name, table in result.tables.items():
        table.write_parquet(place / f"{plain_name(name)}.parquet", compression="lz4")
    values = {}
    for each in fields(result):
        value = getattr(result, each.name)
        if isinstance(value, np.ndarray):
            np.save(place / f"{each.name}.npy", value, allow_pickle=False)
        elif each.name != "tables":
            values[each.name] = _plain_field(each.name, value)
    write_whole(place / "result.json", json.dumps({"tables": list(result.tables), "values": values}))


def _plain_field(name: str, value: Any) -> Any:
    try:
        return to_plain(value)
    except TypeError as error:
        raise TypeError(f"in its field {name}, {error}") from None


def _read(place: Path, kind: type[Result]) -> Result:
    kept = json.loads(_file(place, "result.json").read_text())
    tables = {name: pl.read_parquet(_file(place, f"{plain_name(name)}.parquet")) for name in kept["tables"]}
    values: dict[str, Any] = {name: from_plain(value) for name, value in kept["values"].items()}
    for each in fields(kind):
        if each.name not in values and (place / f"{each.name}.npy").exists():
            values[each.name] = np.load(_file(place, f"{each.name}.npy"), allow_pickle=False)
    if not tables or not isinstance(values.get("manifest"), dict) or not isinstance(values.get("notes"), tuple):
        raise ValueError("the result has another form")
    return kind(**{**values, "tables": tables})


def _file(place: Path, name: str) -> Path:
    if (place / name).is_symlink():
        raise ValueError(f"{place / name} is a link")
    return place / name
