"""The stages of a study on one collection, in order; each is made once, and found again by what it depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metameter.meta.consistency.procedure import consistency
from metameter.meta.power.procedure import power
from metameter.meta.recommend.procedure import recommendation_of
from metameter.meta.similarity.procedure import similarity
from metameter.scoring.cache import digest
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.studies.collection import Scored, preset_of, scored, scores_of_table
from metameter.studies.plan import CollectionPlan, Options
from metameter.studies.store import Store
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

    from metameter.types import Scores

__all__ = ["Finished", "Stages"]

Progress = Callable[..., None]


@dataclass(frozen=True, eq=False)
class Finished:
    """One collection with all its stages done.

    Attributes
    ----------
    scores : Scores
    coverage : polars.DataFrame
    facts : dict
    results : dict of Result
        By stage.
    keys : dict of str
        Under which each stage is kept.
    """

    scores: Scores
    coverage: pl.DataFrame
    facts: dict[str, Any]
    results: dict[str, Result]
    keys: dict[str, str]

    @property
    def max_grade(self) -> float | None:
        """The top of the grade scale, as it was given or found."""
        grade = self.scores.manifest.get("options", {}).get("max_grade")
        return None if grade is None else float(grade)

    @classmethod
    def restored(cls, store: Store, keys: dict[str, str]) -> Finished:
        """The same, from what is kept."""
        found = {stage: store.get(stage, key) for stage, key in keys.items()}
        missing = [stage for stage, result in found.items() if result is None]
        if missing:
            raise KeyError(f"the stage {missing[0]} is missing")
        about: Any = found.pop("collection")
        results = {stage: result for stage, result in found.items() if result is not None}
        return cls(scores_of_table(about.tables["scores"]), about.tables["coverage"], about.manifest, results, keys)


@dataclass
class Stages:
    """Does the stages of one collection, or finds them done.

    Attributes
    ----------
    store : Store
    options : Options
    made, kept : list of str
        Which stages had to be made, and which were there, as ``collection/stage``.
    used : set
        The keys in use: what else is in the store can go.
    """

    store: Store
    options: Options
    jobs: int | None = None
    progress: Progress | None = None
    made: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)

    def run(self, collection: CollectionPlan) -> Finished:
        """All stages of a collection, in order."""
        o, plan = self.options, collection
        measures = measures_of(o.metrics, preset_of(o), condensed=o.unjudged == "condense")
        reading: dict[str, Any] = {"ties": o.ties, "precision": o.precision, "unjudged": o.unjudged}
        policy = Policy(**reading, max_grade=plan.max_grade)
        doing: dict[str, Any] = {"cache": self.store.folder / "score", "jobs": self.jobs, "progress": self.progress}
        found = scored(plan.name, plan.qrels, plan.runs, measures, policy, **doing)
        (self.made if found.computed else self.kept).append(f"{collection.name}/score")
        contents = _contents(found)
        about = Result({"coverage": found.coverage, "scores": found.scores.table}, found.facts)
        keys = {"collection": digest(contents, found.facts)}
        self._stage(collection.name, "collection", keys["collection"], lambda: about)
        results: dict[str, Result] = {}
        for stage, (given, make) in self._steps(found.scores, results).items():
            keys[stage] = digest(contents, self.options.seed, given)
            results[stage] = self._stage(collection.name, stage, keys[stage], make)
        return Finished(found.scores, found.coverage, found.facts, results, keys)

    def _steps(self, scores: Scores, results: dict[str, Result]) -> dict[str, tuple[dict[str, Any], Callable[[], Any]]]:
        """Stage -> the options that its result depends on, and how to make it."""
        o = self.options
        common: dict[str, Any] = {"seed": o.seed, "jobs": self.jobs}
        halves: dict[str, Any] = {"splits": o.splits, "trials": o.trials, "alpha": o.alpha, "resamples": o.resamples}
        tests: dict[str, Any] = {"trials": o.trials, "alpha": o.alpha}
        verdict: dict[str, Any] = {"similar": o.similar, "alpha": o.alpha, "resamples": o.resamples}
        return {
            "similarity": ({}, lambda: similarity(scores, **common)),
            "consistency": (halves, lambda: consistency(scores, progress=self.progress, **halves, **common)),
            "power": (tests, lambda: power(scores, progress=self.progress, **tests, **common)),
            "recommendation": (
                {**halves, **verdict},
                lambda: recommendation_of(
                    scores, results["similarity"], results["consistency"], results["power"], **verdict, **common
                ),
            ),
        }

    def _stage(self, collection: str, stage: str, key: str, make: Callable[[], Any]) -> Any:
        self.used.add((stage, key))
        kept = self.store.get(stage, key)
        (self.made if kept is None else self.kept).append(f"{collection}/{stage}")
        if kept is not None:
            return kept
        result = make()
        self.store.put(stage, key, result)
        return result


def _contents(found: Scored) -> str:
    """A key for the scores themselves: what follows depends on nothing else but its own options."""
    scores = found.scores
    values = hashlib.sha256(scores.values.tobytes()).hexdigest()
    made_by = manifest_of()
    return digest(scores.metrics, scores.systems, scores.topics, values, made_by["metameter"], made_by["versions"])
