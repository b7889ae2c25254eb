"""A manifest of reduced parts: what was reduced once is not read again, unless the part has changed since."""

from __future__ import annotations

import hashlib
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from metameter.errors import MetameterError
from metameter.read.serps_batches import Form
from metameter.read.serps_notes import Note
from metameter.read.serps_parts import PartFile
from metameter.read.serps_reduced import Reduced
from metameter.types.pages import Labelled
from metameter.types.tally import Tally
from metameter.view.files import write_whole

__all__ = ["KeptPart", "KeptParts"]

_MANIFEST = "parts.jsonl"


class KeptParts:
    """A folder with the counts of parts, a Parquet file each, and ``parts.jsonl``, a line for each that is whole.

    A part is known by its path, size and time of change as they were before it was read, and by how it was read; its
    counts by their SHA-256. A line is added once its file stands: whatever interrupts the work, what it says is right.

    Parameters
    ----------
    folder : Path
    form : Form
    kind : type of Labelled
    """

    def __init__(self, folder: Path, form: Form, kind: type[Labelled]) -> None:
        from metameter import __version__

        self.folder = folder
        self._columns = [*kind.lists_in, kind.label, *form.optional]
        layout = None if form.layout is None else form.layout.__name__
        self._how = [__version__, pl.__version__, kind.__name__, self._columns, layout, form.max_grade]
        self._notes = self._listed()
        self._before: dict[PartFile, str | None] = {}

    def get(self, part: PartFile) -> KeptPart | None:
        """What is kept of a part as it is now; None if nothing is, or if that is damaged.

        To be asked before the part is read: what it is now is what its counts will be known by.
        """
        key = self._before[part] = self._key(part)
        note = self._notes.get(key or "")
        if note is None:
            return None
        try:
            data = self._counts(note.key).read_bytes() if note.counts else b""
        except OSError:
            return None
        whole = not note.counts or hashlib.sha256(data).hexdigest() == note.counts
        return KeptPart(note, self._counts(note.key), self._columns) if whole else None

    def put(self, part: PartFile, result: Reduced) -> None:
        """Keep the counts of a part: first the file, then the line."""
        key = self._before[part]
        if key is None:
            return  # what can be read only once cannot be known again
        if key != self._key(part):
            return  # it was written anew meanwhile: nobody knows which of the two was read
        counts = None
        if result.tally is not None:
            file = io.BytesIO()
            result.tally.table().write_parquet(file)
            counts = hashlib.sha256(file.getvalue()).hexdigest()
            write_whole(self._counts(key), file.getvalue())
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / _MANIFEST).open("a", encoding="utf-8") as manifest:
            # Whatever stands before: a line that was cut short spoils no other.
            manifest.write(f"\n{Note.of(key, counts, result).line()}\n")

    def _counts(self, key: str) -> Path:
        return self.folder / f"{key}.parquet"

    def _key(self, part: PartFile) -> str | None:
        try:
            path = os.path.realpath(part.source)
            state = os.stat(path)
        except OSError:
            return None
        if not os.path.isfile(path):
            return None
        text = json.dumps([path, state.st_size, state.st_mtime_ns, *self._how])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def _listed(self) -> dict[str, Note]:
        """The lines of the manifest by their keys; the last may have been cut short, and any may be damaged."""
        if self.folder.exists() and not self.folder.is_dir():
            what, fix = "the folder for reduced parts is a file", "Name a folder, or one that is still to be made."
            raise MetameterError(what, where=str(self.folder), fix=fix)
        try:
            lines = (self.folder / _MANIFEST).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        return {note.key: note for line in lines if (note := Note.read(line)) is not None}


@dataclass(frozen=True, eq=False)
class KeptPart:
    """The counts of a part in a folder, which are read when it is their turn."""

    note: Note
    file: Path
    columns: list[str]

    def reduced(self) -> Reduced:
        """The part as it was reduced."""
        return self.note.reduced(Tally.of(pl.read_parquet(self.file), self.columns) if self.note.counts else None)
