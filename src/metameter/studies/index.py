"""Which stages a study consists of: notes in its folder, from which its report is rebuilt without its inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.studies.finished import Finished
from metameter.studies.sealed import sealed, unsealed
from metameter.studies.store import Store, made_room, write_here
from metameter.view.aside import bytes_of_file
from metameter.view.safe_cells import is_wanted

__all__ = ["STAGES", "kept_parts", "note_parts", "notes_of", "unreadable"]

#: Where the stages of a study are kept, within its folder.
STAGES = ".stages"


def note_parts(folder: Path, parts: dict[str, Finished], manifest: dict[str, Any]) -> None:
    """Write down which stages the study consists of."""
    digests = {name: part.digests for name, part in parts.items()}
    # Not part of the manifest: it changes what files look like, and no result.
    index = {"collections": digests, "manifest": manifest, "safe_csv": is_wanted()}
    file = folder / STAGES / "study.json"
    made_room(file)
    write_here(file, sealed(index, indent=1))


def notes_of(folder: Path) -> dict[str, Any]:
    """The notes of a finished study; a folder without them is refused."""
    file = folder / STAGES / "study.json"
    try:
        if file.is_symlink() or file.parent.is_symlink():
            raise ValueError("its notes are a link")
        notes = unsealed(bytes_of_file(file))
        if not all(isinstance(notes[part], dict) for part in ("collections", "manifest")) or not notes["collections"]:
            raise ValueError("its notes have another form")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(folder, error) from None
    return dict(notes)


def kept_parts(folder: Path) -> tuple[dict[str, Finished], dict[str, Any]]:
    """The collections of a finished study and its manifest, from its folder alone; nothing in it is changed."""
    notes = notes_of(folder)
    store = Store(folder / STAGES)
    try:
        parts = {name: Finished.restored(store, digests) for name, digests in notes["collections"].items()}
    except (MetameterError, MemoryError):
        raise
    except Exception as error:
        # A folder may come from anywhere, or from another version: then anything may be missing in it.
        raise unreadable(folder, error) from error
    return parts, notes["manifest"]


def unreadable(folder: Path, error: Exception | None = None) -> MetameterError:
    """What to say of a folder from which no report can be made; without an error of ours, that it has another form."""
    reason: Any = "columns or types of its tables, or its fields, are not those that a study of this version writes"
    if error is not None and not _of_a_library(error):
        reason = error.args[0] if isinstance(error, KeyError) and error.args else error
    what = f"this is not the folder of a finished study, or it cannot be read: {reason}"
    return MetameterError(what, where=str(folder), fix="Run the study again, into this folder or another.")


def _of_a_library(error: Exception) -> bool:
    """Whether an error says in the words of Python or Polars that a table is not as it should be."""
    import polars as pl

    foreign = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
    return isinstance(error, (*foreign, TypeError, AttributeError)) or isinstance(error.__cause__, foreign)
