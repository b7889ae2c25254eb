"""Labelled pages wherever they are: files, folders of parts, standard input, data frames, dictionaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.read.files.content import Content, is_read_once, opened_as
from metameter.read.files.limits import unpack_limit, unpacking, within_its_limit
from metameter.read.frames import is_frame
from metameter.read.serps_batches import Form, sheet_of_rows, sheets_in
from metameter.read.serps_json import sheet_of_records
from metameter.read.sheets import Sheet
from metameter.read.sources import find_files
from metameter.types import Fingerprint

__all__ = ["PartFile", "PartInMemory", "parts_of"]


@dataclass(frozen=True)
class PartFile:
    """A file of labelled pages, which is read when it is reduced; perhaps by another process.

    Attributes
    ----------
    source : str
        Its path, or ``-``.
    limit : int
        How many bytes it may unpack to.
    """

    source: str
    limit: int = field(default_factory=unpack_limit)

    @within_its_limit
    def opened(self) -> tuple[str, bytes | None]:
        """How another process gets at it."""
        return opened_as(self.source)

    @property
    def size(self) -> int:
        """Its bytes on disk, for the progress; of what can be read only once it is not known."""
        known = Path(self.source).is_file() and not is_read_once(self.source)
        return max(1, os.stat(self.source).st_size) if known else 1

    def sheets(self, form: Form) -> tuple[Fingerprint | None, Iterator[Sheet]]:
        """What it is, and its rows piece by piece."""
        with unpacking(self.limit):
            content = Content.of(self.source)
        return content.fingerprint, self._within_limit(sheets_in(content, form))

    def _within_limit(self, sheets: Iterator[Sheet]) -> Iterator[Sheet]:
        while True:
            # Only here: what is done with a piece is not part of reading it.
            with unpacking(self.limit):
                sheet = next(sheets, None)
            if sheet is None:
                return
            yield sheet

    def place(self, form: Form) -> Callable[[int], str]:
        """From a row's number to where it stands; opens the file again, so that none is kept for its messages."""

        def place(row: int) -> str:
            before = 0
            for sheet in self.sheets(form)[1]:
                if row < before + sheet.cells.height:
                    return sheet.place(row - before)
                before += sheet.cells.height
            return self.source

        return place


@dataclass(frozen=True, eq=False)
class PartInMemory:
    """An object in memory, which is a table already."""

    sheet: Sheet
    size: int = 1

    @property
    def source(self) -> str:
        """What it is called in messages."""
        return self.sheet.source

    def sheets(self, form: Form) -> tuple[Fingerprint | None, Iterator[Sheet]]:
        """Its rows."""
        return None, iter([self.sheet] if self.sheet.cells.height else [])

    def place(self, form: Form) -> Callable[[int], str]:
        """From a row's number to where it stands."""
        return self.sheet.place


def parts_of(source: Any, form: Form) -> tuple[str, Sequence[PartFile | PartInMemory]]:
    """What it is called in messages, and its parts; no file is read yet."""
    if isinstance(source, str | Path):
        return str(source), [PartFile(file) for file in _files([source])]
    listed = isinstance(source, Sequence) and not isinstance(source, bytes)
    if listed and source and all(isinstance(each, str | Path) for each in source):
        name = str(source[0]) if len(source) == 1 else f"{source[0]} and {len(source) - 1} more"
        return name, [PartFile(file) for file in _files(source)]
    if form.layout is not None:
        raise MetameterError(
            "input says how a file is laid out", given=type(source).__name__, fix="Give a file, or leave input out."
        )
    if listed and all(isinstance(each, Mapping) for each in source):
        sheet = sheet_of_records(source, form.name, form.wanted)
    elif is_frame(source):
        sheet = sheet_of_rows(source, form)
    else:
        raise MetameterError("this cannot be read", given=type(source).__name__, fix=form.fix)
    return form.name, [PartInMemory(sheet)]


def _files(sources: Sequence[str | Path]) -> list[str]:
    """The files; in folders without those that say something of the others (``_SUCCESS``, ``_metadata``)."""
    files = []
    for source in sources:
        found = find_files([source])
        files += [file for file in found if len(found) == 1 or not Path(file).name.startswith("_")]
    return files
