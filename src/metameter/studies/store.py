"""Finished stages on disk: a stage is stored completely under its key, or not at all.

The folder may come from anywhere, so names read from it become paths only after a check, links in it are not followed,
and only stages in the record of this folder's studies are ever removed.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.studies.stage_files import plain_name, read_stage, remove_stage, write_stage
from metameter.view.atomic_files import Draft, sweep, write_whole
from metameter.view.paths import bytes_of_file, is_in_the_way, set_aside
from metameter.view.result import Result

_KEY = re.compile(r"[0-9a-f]{1,64}([.]damaged-[0-9]{1,9})?")


def refuse_link(path: Path) -> None:
    """Refuse to write through a link, a pipe or a device: they lead out of the folder."""
    kind = "a link" if path.is_symlink() else "a pipe or a device"
    if path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir()):
        fix = "Remove it, or choose another folder for the study."
        raise MetameterError(f"{kind} is in the way of a file that the study writes", where=str(path), fix=fix)


def write_here(path: Path, content: str | bytes) -> None:
    """Write a file whole, and never through a link out of the folder."""
    refuse_link(path)
    write_whole(path, content)


def make_room(path: Path, *, for_folder: bool = False) -> None:
    """Set aside whatever is in the way of a file, or with ``for_folder`` of a folder, that a study writes."""
    if is_in_the_way(path, of_folder=for_folder):
        notice(f"{path}: this is no {'folder' if for_folder else 'file'}; it was set aside as {set_aside(path).name}")


class Store:
    """A folder of finished stages.

    A stage that cannot be read is set aside and computed again. When the next study here has finished, it is removed,
    like every stage of this folder that is no longer used.

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
        self._aside: set[tuple[str, str]] = set()

    def folder_of(self, stage: str, key: str) -> Path:
        """The folder of a stage; a ValueError for names that could lead elsewhere."""
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(f"{key!r:.80} is no key of a stage")
        return self.folder / plain_name(stage) / key

    def get(self, stage: str, key: str, kind: type[Result] = Result) -> Any | None:
        """The result stored under a key; None if there is none that can be read."""
        try:
            return self.read(stage, key, kind)
        except MetameterError:
            raise
        except ValueError:
            # Missing, damaged, of another version, or not ours: the stage is computed again.
            return None

    def read(self, stage: str, key: str, kind: type[Result] = Result) -> Result:
        """The result stored under a key; a ValueError if it cannot be read.

        A table above the limit on what files may unpack to (``--unpack-limit``) is a MetameterError: it may be ours.
        """
        try:
            return read_stage(self._own(self.folder_of(stage, key)), kind, stage, key)
        except (MemoryError, MetameterError):
            raise
        except (Exception, pl.exceptions.PanicException) as error:
            raise ValueError(f"the stage {stage} is missing or cannot be read: {error}") from error

    def put(self, stage: str, key: str, result: Result) -> None:
        """Store a result, which appears under its key only when it is complete; anything at its path is set aside."""
        folder = self.folder_of(stage, key)
        make_room(folder.parent, for_folder=True)
        for each in (self.folder, folder.parent):
            refuse_link(each)
        self._set_aside(stage, folder)
        self._write_record({*self.recorded(), (stage, key)})
        try:
            _write_whole(folder, result, stage, key)
        except OSError as error:
            what = f"the result of {stage} cannot be kept: {error.strerror or error}"
            fix = "Make room, or make the folder writable, and run the study again: it goes on from here."
            raise MetameterError(what, where=str(folder), fix=fix) from error
        except (TypeError, ValueError) as error:
            fix = "Report it to the authors: fields must have types of JSON or NumPy, tables types of Parquet."
            raise MetameterError(f"the result of {stage} cannot be kept: {error}", fix=fix) from error

    def recorded(self) -> set[tuple[str, str]]:
        """The stages that studies made in this folder, as (stage, key)."""
        stages = set()
        with suppress(OSError, ValueError, TypeError, RecursionError):
            for entry in json.loads(bytes_of_file(self._own(self._record))):
                with suppress(ValueError, TypeError):
                    stage, key = entry
                    self.folder_of(stage, key)
                    stages.add((stage, key))
        return stages

    def prune(self, used: set[tuple[str, str]]) -> None:
        """Remove the recorded stages, except those in use and those just set aside; all other files stay."""
        recorded = self.recorded()
        for stage, key in recorded - used - self._aside:
            folder = self.folder_of(stage, key)
            with suppress(OSError, ValueError):
                remove_stage(self._own(folder))
            with suppress(OSError):
                folder.parent.rmdir()
        # Stages in use belong to a study, even if the record was lost.
        self._write_record(used | (recorded & self._aside))

    def sweep(self) -> None:
        """Remove the drafts that a killed study left; the folder must be locked, so that no other study writes."""
        for folder in (self.folder.parent, self.folder, *self.folder.iterdir()):
            if not folder.is_symlink():
                sweep(folder)

    def notice_set_aside(self) -> None:
        """Name the stages that could not be read, in one notice, since a folder of another version may have many."""
        if not self._aside:
            return
        stages = sorted({stage for stage, _ in self._aside})
        if len(self._aside) == 1:
            [(stage, name)] = self._aside
            what, where = f"the stage {stage} could not be read, and was", f"as {self.folder / stage / name}"
        else:
            what, where = f"the stages {', '.join(stages)} could not be read, and were", "beside them as *.damaged-*"
        notice(
            f"{what} computed again; the old files are kept {where} until the next study in this folder has finished"
        )

    def _set_aside(self, stage: str, folder: Path) -> None:
        """Set aside whatever exists at the path of a stage; the record follows its new name."""
        if not folder.exists() and not folder.is_symlink():
            return
        recorded, other = self.recorded(), set_aside(folder)
        self._aside.add((stage, other.name))
        if (stage, folder.name) in recorded:
            self._write_record({*recorded, (stage, other.name)})

    def _write_record(self, stages: set[tuple[str, str]]) -> None:
        make_room(self._record)
        write_here(self._record, json.dumps(sorted(stages), indent=0) + "\n")

    def _own(self, path: Path) -> Path:
        """The path; a ValueError if a link on the way could lead out of the folder."""
        for each in (path, *path.parents):
            if each.is_symlink():
                raise ValueError(f"{each} is a link")
            if each == self.folder:
                break
        return path


def _write_whole(folder: Path, result: Result, stage: str, key: str) -> None:
    draft = Draft.beside(folder)
    try:
        draft.path.mkdir()
        write_stage(draft.path, result, stage, key)
        draft.put(folder)
    finally:
        draft.discard()
