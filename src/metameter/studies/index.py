"""Which stages make up a study: a note in its folder, from which its report is rebuilt without its inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.studies.finished import Finished
from metameter.studies.store import Store, write_here

__all__ = ["STAGES", "kept_parts", "note_parts"]

#: Where the stages of a study are kept, within its folder.
STAGES = ".stages"


def note_parts(folder: Path, parts: dict[str, Finished], manifest: dict[str, Any]) -> None:
    """Note which stages make up the study."""
    index = {"collections": {name: part.digests for name, part in parts.items()}, "manifest": manifest}
    write_here(folder / STAGES / "study.json", json.dumps(index, indent=1) + "\n")


def kept_parts(folder: Path) -> tuple[dict[str, Finished], dict[str, Any]]:
    """The collections of a finished study and its manifest, from its folder alone; nothing in it is changed."""
    try:
        index = _index(folder / STAGES / "study.json")
        store = Store(folder / STAGES)
        parts = {str(name): Finished.restored(store, digests) for name, digests in index["collections"].items()}
        if not parts:
            raise ValueError("no collection is noted")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise MetameterError(
            f"this is no folder of a finished study, or one that cannot be read: {reason}",
            where=str(folder),
            fix="Run the study again, into this folder or another.",
        ) from None
    return parts, index["manifest"]


def _index(file: Path) -> dict[str, Any]:
    if file.is_symlink() or file.parent.is_symlink():
        raise ValueError("its notes are a link")
    index = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(index, dict) or not isinstance(index.get("manifest"), dict):
        raise ValueError("its notes have another form")
    return index
