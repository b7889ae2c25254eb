"""A manifest of reduced parts: what was reduced once is not read again, unless the part has changed since."""

from __future__ import annotations

import hashlib
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.serps_batches import Form
from metameter.read.serps_parts import PartFile
from metameter.read.serps_reduced import Odd, Reduced
from metameter.types import Fingerprint
from metameter.types.pages import Labelled
from metameter.types.tally import Tally
from metameter.view.files import write_whole

__all__ = ["KeptParts"]

_MANIFEST = "parts.jsonl"
_FIELDS = {"key", "source", "counts", "fingerprint", "odd", "ignored"}


class KeptParts:
    """A folder with the counts of parts, a Parquet file each, and ``parts.jsonl``, a line for each that is whole.

    A part is known by its path, size and time of change, and by how it was read; its counts by their SHA-256. A line is
    added once its file stands: whatever interrupts the work, what is listed is right.

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

    def get(self, part: PartFile) -> _Kept | None:
        """What is kept of a part as it is now; None if nothing is, or if that is damaged."""
        note = self._notes.get(self._key(part) or "")
        if note is None:
            return None
        try:
            data = (self.folder / f"{note['key']}.parquet").read_bytes() if note["counts"] else b""
        except OSError:
            return None
        whole = not note["counts"] or hashlib.sha256(data).hexdigest() == note["counts"]
        return _Kept(self.folder, note, self._columns) if whole else None

    def put(self, part: PartFile, result: Reduced) -> None:
        """Keep the counts of a part: first the file, then the line."""
        key = self._key(part)
        if key is None:
            return  # what can be read only once cannot be known again
        counts = None
        if result.tally is not None:
            file = io.BytesIO()
            result.tally.table().write_parquet(file)
            counts = hashlib.sha256(file.getvalue()).hexdigest()
            write_whole(self.folder / f"{key}.parquet", file.getvalue())
        note: dict[str, Any] = {"key": key, "source": result.source, "counts": counts, "ignored": result.ignored}
        note |= {"fingerprint": None if result.fingerprint is None else asdict(result.fingerprint)}
        note |= {"odd": {name: asdict(each) for name, each in result.odd.items()}}
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / _MANIFEST).open("a", encoding="utf-8") as manifest:
            # Whatever stands before: a line that was cut short spoils no other.
            manifest.write(f"\n{json.dumps(note)}\n")

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

    def _listed(self) -> dict[str, dict[str, Any]]:
        """The lines of the manifest by their keys; the last may have been cut short."""
        if self.folder.exists() and not self.folder.is_dir():
            what, fix = "the folder for reduced parts is a file", "Name a folder, or one that is still to be made."
            raise MetameterError(what, where=str(self.folder), fix=fix)
        try:
            lines = (self.folder / _MANIFEST).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        return {note["key"]: note for line in lines if (note := _note(line)) is not None}


@dataclass(frozen=True, eq=False)
class _Kept:
    """The counts of a part in a folder, which are read when it is their turn."""

    folder: Path
    note: dict[str, Any]
    columns: list[str]

    def reduced(self) -> Reduced:
        note, tally = self.note, None
        if note["counts"]:
            tally = Tally.of(pl.read_parquet(self.folder / f"{note['key']}.parquet"), self.columns)
        fingerprint = None if note["fingerprint"] is None else Fingerprint(**note["fingerprint"])
        odd = {name: Odd(**each) for name, each in note["odd"].items()}
        return Reduced(note["source"], fingerprint, tally, None, odd, tuple(note["ignored"]))


def _note(line: str) -> dict[str, Any] | None:
    try:
        note = json.loads(line)
        # It becomes the name of a file.
        usable = len(bytes.fromhex(note["key"])) == 16 and note.keys() >= _FIELDS
        return note if usable else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
