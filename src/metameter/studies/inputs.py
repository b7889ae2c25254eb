"""What a study was made from: the files of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.read.sources import find_files
from metameter.scoring.manifest import fingerprint

if TYPE_CHECKING:
    from metameter.studies.plan import CollectionPlan
    from metameter.types import Scores

__all__ = ["inputs_of"]


def inputs_of(scores: Scores, plan: CollectionPlan) -> dict[str, Any]:
    """Name, size and SHA-256 of the files that the scores were made from."""
    return dict(scores.manifest.get("inputs") or _fingerprinted(plan))


def _fingerprinted(plan: CollectionPlan) -> dict[str, Any]:
    runs = plan.runs if isinstance(plan.runs, list | tuple) else [plan.runs]
    paths = [each for each in runs if isinstance(each, str | Path)]
    return {"qrels": _files([plan.qrels]), "runs": _files(find_files(paths) if paths else [])}


def _files(files: list[Any]) -> list[dict[str, Any]]:
    return fingerprint(file for file in files if isinstance(file, str | Path) and Path(file).is_file())
