"""Scores that were computed before: kept a file per run, found again by what they depend on."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import secrets
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metameter.metric.base import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Arrays", "ScoreCache", "digest", "file_digest"]

#: Arrays by name.
Arrays: TypeAlias = "dict[str, NDArray[Any]]"


def digest(*parts: Any) -> str:
    """A key for plain values: the same for the same values, on any machine.

    Examples
    --------
    >>> digest("AP", 1) == digest("AP", 1), digest("AP", 1) == digest("AP", 2), len(digest("AP"))
    (True, False, 32)
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def file_digest(path: str | Path) -> str:
    """A key for what a file holds."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_of(measure: Measure) -> str:
    """The source text of the classes that make a metric: who changes one of them changes its key."""
    parts = [getattr(measure, name, None) for name in ("model", "aggregation")]
    classes = [type(part) for part in parts if part is not None] or [type(measure)]
    texts = []
    for each in classes:
        try:
            texts.append(inspect.getsource(each))
        except (OSError, TypeError):
            # Defined at a prompt: then it is new in every session.
            texts.append(secrets.token_hex(8))
    return "\n".join(texts)


class ScoreCache:
    """A folder of score files, one a run.

    Parameters
    ----------
    folder : Path
    policy : str
        A key for everything but the run and the metric: judgments, ties, versions.
    measures : list of Measure

    Attributes
    ----------
    computed : int
        How many scores lists (a run and a metric) were not there and had to be computed.
    """

    def __init__(self, folder: Path, policy: str, measures: list[Measure]) -> None:
        self.folder, self.policy, self.computed = folder, policy, 0
        self.keys = {measure.name: digest(measure.name, source_of(measure)) for measure in measures}

    def row(self, source: str, compute: Callable[[list[str]], Arrays]) -> Arrays:
        """One run's arrays by metric name, and what else ``compute`` gives; what is not there yet is computed."""
        path = self.folder / f"{digest(self.policy, file_digest(source))}.npz"
        kept, further = _read(path)
        missing = [name for name, key in self.keys.items() if key not in kept]
        if missing or not further:
            made = compute(missing)
            kept |= {self.keys[name]: made.pop(name) for name in missing}
            further = made
            _write(path, kept, further)
            self.computed += len(missing)
        return {name: kept[key] for name, key in self.keys.items()} | further


def _read(path: Path) -> tuple[Arrays, Arrays]:
    try:
        with np.load(path, allow_pickle=False) as file:
            found = dict(file.items())
            kept = dict(zip(found.pop("keys").tolist(), found.pop("values"), strict=True))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        # Not there, or damaged: then it is computed.
        return {}, {}
    return kept, found


def _write(path: Path, kept: Arrays, further: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{secrets.token_hex(6)}.npz")
    try:
        # Whoever is killed here leaves a draft; the name that is looked for has the whole file or none.
        arrays: dict[str, Any] = {"keys": np.array(list(kept)), "values": np.stack(list(kept.values())), **further}
        np.savez(draft, **arrays)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
