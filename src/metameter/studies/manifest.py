"""The manifest of a study: everything that it takes to make the same study again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.scoring.manifest import manifest_of
from metameter.studies.plan import PER_COLLECTION
from metameter.studies.study_options import reading_options, stage_options

if TYPE_CHECKING:
    from metameter.studies.finished import Finished
    from metameter.studies.plan import Plan
    from metameter.types import Scores


def manifest_of_study(plan: Plan, parts: Mapping[str, Finished]) -> dict[str, Any]:
    """Versions, options with the defaults spelled out, those of each stage, and the inputs of each collection."""
    first = next(iter(parts.values())).scores
    read = first.manifest["options"]
    alike = {key: read[key] for key in reading_options() if key not in PER_COLLECTION and key in read}
    used = {"seed", *(name for stage in plan.stages for name in stage.options)}
    defaults = {key: option.default for key, option in stage_options().items() if key in used}
    options = {**alike, **defaults, **plan.options, "preset": plan.preset, "metrics": list(first.metrics)}
    inputs = {
        each.name: {**_of_collection(parts[each.name].scores), **each.labels.inputs()} for each in plan.collections
    }
    stages = {stage.key: plan.options_of(stage) for stage in plan.stages}
    return {**manifest_of(**options), "stages": stages, "inputs": inputs}


def _of_collection(scores: Scores) -> dict[str, Any]:
    """The files of a collection, and those options that may differ from collection to collection."""
    own = {key: scores.manifest["options"].get(key) for key in PER_COLLECTION}
    return {**own, **inputs_of(scores)}


def inputs_of(scores: Scores) -> dict[str, Any]:
    """Name, size and SHA-256 of the files that the scores were made from; hashed while they were read."""
    return dict(scores.manifest["inputs"])
