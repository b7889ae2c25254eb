"""Finished work, kept on disk: a stage is there whole under its key, or not at all.

Nothing here is ever executed when it is read back: tables are Parquet, arrays NumPy, the rest JSON.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from metameter.view.result import Result

__all__ = ["Store"]


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

    def place(self, stage: str, key: str) -> Path:
        """Where a stage is kept."""
        return self.folder / stage / key

    def get(self, stage: str, key: str) -> Any | None:
        """The result kept under a key; None if there is none, or none that can be read."""
        place = self.place(stage, key)
        if not (place / "result.json").exists():
            return None
        try:
            return _read(place)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError, pl.exceptions.PolarsError):
            # Damaged, or of another version, or not ours at all: then the work is done again.
            shutil.rmtree(place, ignore_errors=True)
            return None

    def put(self, stage: str, key: str, result: Result) -> None:
        """Keep a result; whoever is killed in between leaves a draft that nobody reads."""
        place = self.place(stage, key)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.parent / f".{secrets.token_hex(6)}"
        try:
            _write(draft, result)
            os.rename(draft, place)
        except FileExistsError:
            pass  # somebody else has finished the same work
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def prune(self, kept: set[tuple[str, str]]) -> None:
        """Throw away all but these stages, and drafts that were left behind."""
        for place in self.folder.glob("*/*"):
            # Scores are files, kept by what they depend on: who goes back to an older run finds them again.
            if place.is_dir() and (place.parent.name, place.name) not in kept:
                shutil.rmtree(place, ignore_errors=True)


def _write(folder: Path, result: Result) -> None:
    folder.mkdir()
    known = type(result)
    plain: dict[str, Any] = {"class": [known.__module__, known.__qualname__], "tables": list(result.tables)}
    for name, table in result.tables.items():
        table.write_parquet(folder / f"{name}.parquet", compression="lz4")
    values = {}
    for each in fields(result):
        value = getattr(result, each.name)
        if isinstance(value, np.ndarray):
            np.save(folder / f"{each.name}.npy", value, allow_pickle=False)
        elif each.name != "tables":
            values[each.name] = value
    (folder / "result.json").write_text(json.dumps({**plain, "values": values}))


def _read(folder: Path) -> Result:
    plain = json.loads((folder / "result.json").read_text())
    module, name = plain["class"]
    known = getattr(import_module(module), name) if module.startswith("metameter.") else None
    if not (isinstance(known, type) and issubclass(known, Result)):
        # A folder from elsewhere may name anything; only results are made from it.
        raise ValueError(f"{module}.{name} is no result of metameter")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in plain["values"].items()
    }
    arrays: dict[str, Any] = {path.stem: np.load(path, allow_pickle=False) for path in folder.glob("*.npy")}
    tables = {table: pl.read_parquet(folder / f"{table}.parquet") for table in plain["tables"]}
    result: Result = known(tables=tables, **values, **arrays)
    return result
