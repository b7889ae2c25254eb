"""Which stages a study consists of: notes in its folder, from which its report is rebuilt without its inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.studies.finished import Finished
from metameter.studies.store import Store, write_here

__all__ = ["STAGES", "kept_parts", "note_parts", "notes_of"]

#: Where the stages of a study are kept, within its folder.
STAGES = ".stages"


def note_parts(folder: Path, parts: dict[str, Finished], manifest: dict[str, Any]) -> None:
    """Write down which stages the study consists of."""
    index = {"collections": {name: part.digests for name, part in parts.items()}, "manifest": manifest}
    write_here(folder / STAGES / "study.json", json.dumps(index, indent=1) + "\n")


def notes_of(folder: Path) -> dict[str, Any]:
    """The notes of a finished study; a folder without them is refused."""
    file = folder / STAGES / "study.json"
    try:
        if file.is_symlink() or file.parent.is_symlink():
            raise ValueError("its notes are a link")
        notes = json.loads(file.read_text(encoding="utf-8"))
        if not all(isinstance(notes[part], dict) for part in ("collections", "manifest")) or not notes["collections"]:
            raise ValueError("its notes have another form")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(folder, error) from None
    return dict(notes)


def kept_parts(folder: Path) -> tuple[dict[str, Finished], dict[str, Any]]:
    """The collections of a finished study and its manifest, from its folder alone; nothing in it is changed."""
    notes = notes_of(folder)
    store = Store(folder / STAGES)
    try:
        parts = {name: Finished.restored(store, digests) for name, digests in notes["collections"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(folder, error) from None
    return parts, notes["manifest"]


def _unreadable(folder: Path, error: Exception) -> MetameterError:
    reason = error.args[0] if isinstance(error, KeyError) and error.args else error
    what = f"this is not the folder of a finished study, or it cannot be read: {reason}"
    return MetameterError(what, where=str(folder), fix="Run the study again, into this folder or another.")
