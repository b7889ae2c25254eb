"""Several runs at once, whatever they come as; each is read only when its turn comes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import narwhals as nw
import polars as pl

from metameter.errors import MetameterError
from metameter.read.frames import RUN_FIX, as_run, as_table
from metameter.read.sources import RunFile, distinct, find_runs
from metameter.types import Run

__all__ = ["LazyRun", "RunInMemory", "as_runs"]


@dataclass(frozen=True, eq=False)
class RunInMemory:
    """A run that is a Python object; it becomes a `Run` when it is read."""

    name: str
    origin: Any
    options: Mapping[str, Any]

    @property
    def source(self) -> str:
        """Its name, for messages."""
        return self.name

    def read(self) -> Run:
        """Make it a `Run`."""
        return as_run(self.origin, self.name, **self.options)


LazyRun: TypeAlias = RunFile | RunInMemory


def as_runs(obj: Any, **options: Any) -> list[LazyRun]:
    """All the runs that are meant, each with a ``name`` and a ``read()``; nothing is read yet.

    Parameters
    ----------
    obj : object
        A path, folder or glob; a dict {system: run}; one run as a dict {topic: {doc: score}}; a data frame, of
        several systems if it has a column ``system``; a `Run`; or a list of any of these.
    **options
        As for `read_run`.

    Examples
    --------
    >>> [run.name for run in as_runs({"BM25": {"401": {"d1": 9.5}}, "QL": {"401": {"d1": -3.2}}})]
    ['BM25', 'QL']
    """
    runs = _runs(obj, options)
    if not runs:
        raise MetameterError("no run is given", fix=RUN_FIX)
    if options.get("name_by") != "tag":
        distinct([(run.name, run.source) for run in runs])
    return runs


def _runs(obj: Any, options: dict[str, Any]) -> list[LazyRun]:
    if isinstance(obj, str | Path):
        return list(find_runs([obj], **options))
    if isinstance(obj, Run):
        return [RunInMemory(obj.name, obj, options)]
    if isinstance(obj, RunFile | RunInMemory):
        return [obj]
    if isinstance(obj, Mapping):
        if _is_one_run(obj):
            return [RunInMemory("run", obj, options)]
        return [RunInMemory(str(name), run, options) for name, run in obj.items()]
    if isinstance(obj, Iterable) and not _is_frame(obj):
        return [run for part in obj for run in _runs(part, options)]
    return _runs_of_frame(as_table(obj, "score", RUN_FIX), options)


def _runs_of_frame(table: pl.DataFrame, options: dict[str, Any]) -> list[LazyRun]:
    if "system" not in table.columns:
        return [RunInMemory("run", table, options)]
    parts = table.partition_by("system", maintain_order=True)
    return [RunInMemory(str(part["system"][0]), part, options) for part in parts]


def _is_one_run(obj: Mapping[Any, Any]) -> bool:
    """{topic: {doc: score}} rather than {system: run}: two levels down there is a number."""
    lists = [value for value in obj.values() if isinstance(value, Mapping) and value]
    return bool(lists) and not isinstance(next(iter(lists[0].values())), Mapping)


def _is_frame(obj: Any) -> bool:
    return isinstance(nw.from_native(obj, pass_through=True), nw.DataFrame | nw.LazyFrame)
