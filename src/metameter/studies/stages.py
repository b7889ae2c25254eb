"""The stages of a study on one collection: each is computed once, and kept under a key of all it depends on."""

from __future__ import annotations

import hashlib
import secrets
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.meta.base import COLLECTIONS, Procedure, Runs
from metameter.meta.framework.declarations import declarations
from metameter.meta.framework.validation import origin_of
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.parallel import stage as told_stage
from metameter.scoring.cache import digest
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import scale_of
from metameter.studies.collection import Scored, given, scored
from metameter.studies.finished import Finished
from metameter.studies.labels import GIVEN_BY, SCALE
from metameter.studies.manifest import inputs_of
from metameter.studies.store import Store, made_room, refuse_link
from metameter.studies.study_options import study_stages
from metameter.types.scores import as_sessions
from metameter.types.system_names import CommonAffixes
from metameter.view.result import Result

if TYPE_CHECKING:
    from metameter.meta.base import Procedure
    from metameter.metric.base import Measure
    from metameter.studies.plan import CollectionPlan, Plan
    from metameter.types import Scores


_CODE = (".py", ".so", ".pyd")

_FEWEST = 2


@dataclass
class Stages:
    """Computes the stages of one collection after another, or reads them from the store.

    Attributes
    ----------
    store : Store
    plan : Plan
    made, kept : list of str
        Which stages had to be computed, and which were in the store, as ``collection/stage``.
    used : set
        The stages in use, as (stage, digest): others that studies made in this folder can be removed.
    """

    store: Store
    plan: Plan
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None
    made: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)

    def run(self, collection: CollectionPlan) -> Finished:
        """All stages of a collection, each after those whose results it needs."""
        self._foresee(collection)
        done = self._scored(collection)
        about = Result({"coverage": done.coverage, "scores": done.scores.table}, done.facts)
        sessions = as_sessions(done.scores) if collection.sessions is None else collection.sessions
        digests = {"scores": _digest_of_scores(done.scores), "runs": _digest_of_runs(done.scores, collection)}
        digests |= {"judged": digests["runs"], "sessions": _digest_of_scores(sessions), **collection.labels.digests()}
        # What the judgments cover is no matter of the scores: two runs may score alike, and be judged unlike.
        kept_as = {"collection": digest(digests["scores"], done.facts, done.coverage.write_csv())}
        self._stage(collection.name, "collection", kept_as["collection"], Result, lambda _: about)
        available: dict[str, Any] = {"scores": done.scores, "sessions": sessions, **collection.labels.evidence}
        if collection.scores is None:
            available["runs"] = Runs(collection.qrels, collection.runs, collection.policy)
        if done.judged is not None:
            available["judged"] = done.judged
        results = self._results(collection, available, digests)
        kept_as |= {key: digests[key] for key in results}
        in_order = {key: results[key] for key in declarations() if key in results}
        return Finished(done.scores, done.coverage, done.facts, in_order, kept_as)

    def _foresee(self, collection: CollectionPlan) -> None:
        """Refuse before scoring what a stage would refuse after it."""
        if collection.scores is not None:
            names = collection.scores.metrics
        else:
            names = tuple(measure.name for measure in self._measures(collection))
        for stage in self.plan.stages_of(collection):
            if stage.before is not None:
                stage.before(names, self.plan.options_of(stage))

    def _scored(self, collection: CollectionPlan) -> Scored:
        if collection.scores is not None:
            return given(collection.scores)
        cache = self.store.folder / "score"
        made_room(cache, for_folder=True)
        refuse_link(cache)
        reading = (collection.qrels, collection.runs, self._measures(collection), collection.policy)
        # Of documents in no one order it cannot be said which rank has which judgment.
        judged = collection.policy.ties != "mean" and any("judged" in stage.needs for stage in self.plan.stages)
        with self._told(collection.name, "scoring") as told:
            done = scored(*reading, judged=judged, cache=cache, jobs=self.jobs, progress=told)
        (self.made if done.computed else self.kept).append(f"{collection.name}/score")
        return done

    def _measures(self, collection: CollectionPlan) -> list[Measure]:
        measures = measures_of(self.plan.metrics, self.plan.presets, condensed=collection.policy.condensed)
        if len(measures) < _FEWEST:
            given = ", ".join(measure.name for measure in measures)
            raise MetameterError("a study compares two metrics or more", given=given, fix="Add a metric, or a preset.")
        return measures

    def _results(
        self, collection: CollectionPlan, available: dict[str, Any], digests: dict[str, str]
    ) -> dict[str, Result]:
        results: dict[str, Result] = {}
        name = collection.name
        for stage in self.plan.stages_of(collection):
            if not set(stage.needs) <= {*available, *results}:
                notice(f"the procedure {stage.name} is left out for {name}: {_lacking(stage, available)}")
                continue
            if stage.lacks_all(results):
                continue
            asked = self._asked(stage, collection)
            make = partial(self._made, stage, name, {**available, **results}, asked)
            # Two runs may score alike and be judged unlike.
            judged = {"judged_shares": available["scores"].manifest.get("judged")} if stage.shows_judged else {}
            digests[stage.key] = self._digest(stage, digests, {**asked, **judged})
            results[stage.key] = self._stage(name, stage.key, digests[stage.key], stage.result, make)
        return results

    def _made(
        self, stage: Procedure, name: str, available: Mapping[str, Any], asked: dict[str, Any], told: Progress | None
    ) -> Result:
        """The result of a stage from what it needs, its options, and what its function takes besides."""
        besides = {"jobs": self.jobs, "progress": told}
        arguments = {
            **{need: available[need] for need in stage.needs},
            **{use: available.get(use) for use in stage.uses},
            **self._with_scale(stage, self._with_groups(asked, available["scores"]), available),
            **{name: value for name, value in besides.items() if name in stage.stage_parameters},
        }
        return _made(stage, name, arguments)

    def _with_groups(self, asked: dict[str, Any], scores: Scores) -> dict[str, Any]:
        """The options of a stage; of groups of systems, where there are several collections, those of this one."""
        groups = asked.get("groups")
        if not groups or len(self.plan.collections) == 1:
            return asked
        ends = CommonAffixes.of_manifest(scores.manifest)
        own = {name: group for name, group in groups.items() if ends.known(name, scores.systems) in scores.systems}
        return {**asked, "groups": own}

    def _with_scale(self, stage: Procedure, asked: dict[str, Any], available: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a stage; the scale of labels, which its function has another name for, by the study's name."""
        if stage.parameter(SCALE) == SCALE:
            return asked
        labelled = next(available[need] for need in stage.needs if need in GIVEN_BY)
        return {**asked, SCALE: scale_of(labelled, asked[SCALE], SCALE)}

    def _asked(self, stage: Procedure, collection: CollectionPlan) -> dict[str, Any]:
        """The options of a stage for one collection: with its own scale of labels, where it has one.

        A stage that takes ``collections`` also gets the number of collections that it is done for: their verdicts share
        its level.
        """
        asked = self.plan.options_of(stage)
        if SCALE in asked and collection.labels.max_grade is not None:
            asked[SCALE] = collection.labels.max_grade
        if COLLECTIONS in stage.stage_parameters:
            asked[COLLECTIONS] = sum(
                stage.key in [own.key for own in self.plan.stages_of(each)] for each in self.plan.collections
            )
        return asked

    def _digest(self, stage: Procedure, digests: Mapping[str, str], asked: dict[str, Any]) -> str:
        needed = {need: digests[need] for need in stage.needs}
        needed |= {use: digests.get(use, "") for use in stage.uses}
        return digest(needed, self.plan.seed, asked, source_of_plugin(stage))

    def _stage(self, collection: str, stage: str, key: str, kind: type[Result], make: Callable[..., Any]) -> Any:
        self.used.add((stage, key))
        with self._told(collection, stage) as told:
            kept = self.store.get(stage, key, kind)
            (self.made if kept is None else self.kept).append(f"{collection}/{stage}")
            if kept is not None:
                return kept
            result = make(told)
            self.store.put(stage, key, result)
        return result

    def _told(self, collection: str, stage: str) -> AbstractContextManager[Progress | None]:
        """A stage as progress shows it; of which collection only where there are several."""
        return told_stage(self.progress, f"{collection}: {stage}" if len(self.plan.collections) > 1 else stage)


def _lacking(stage: Procedure, available: Mapping[str, Any]) -> str:
    if "runs" not in available:
        return "there are scores only, no runs"
    if "judged" in stage.needs and "judged" not in available:
        return "ties = mean gives no one order of documents"
    return f"there is no {', '.join(need for need in stage.needs if need not in available)}"


def _digest_of_scores(scores: Scores) -> str:
    """A key for the scores themselves, and for the versions that compute with them."""
    values = hashlib.sha256(scores.values.tobytes()).hexdigest()
    made_by = manifest_of()
    labels = (scores.metrics, scores.systems, scores.topics, *((scores.iterations,) if scores.iterations else ()))
    return digest(*labels, values, made_by["metameter"], made_by["versions"])


def _digest_of_runs(scores: Scores, collection: CollectionPlan) -> str:
    """A key for the runs themselves and how they are read, where a stage needs more of them than their scores."""
    if not any({"runs", "judged"} & set(stage.needs) for stage in study_stages()) or collection.scores is not None:
        return ""
    inputs = inputs_of(scores)
    if not all(each.get("sha256") for read in inputs.values() for each in read):
        # What is only in memory cannot be known again.
        return secrets.token_hex(16)
    return digest(inputs, scores.manifest["options"])


def _made(stage: Procedure, collection: str, arguments: Mapping[str, Any]) -> Result:
    """The result of a stage, checked; an unexpected error gets a note that names the stage."""
    try:
        result = stage.compute(arguments)
    except MetameterError:
        raise
    except Exception as error:
        error.add_note(f"in the stage {stage.key} ({origin_of(stage.function)}) of the study of {collection}")
        raise
    what = f"the procedure {stage.name} of {origin_of(stage.function)}"
    fix = "Report it to its authors, or uninstall it."
    if not isinstance(result, stage.result):
        what += f" gave no {stage.result.__name__}, which it declares as its result"
        raise MetameterError(what, given=type(result).__name__, fix=fix)
    for name, table in result.tables.items():
        if "collection" in table.columns:
            what += f" has a column collection in the table {name}, which a study adds itself"
            raise MetameterError(what, fix=fix)
    return result


def source_of_plugin(stage: Procedure) -> str:
    """A key for the code behind a stage; empty for ours, whose version stands for it."""
    modules = {stage.function.__module__, stage.stage.__module__}
    packages = sorted({str(module).partition(".")[0] for module in modules} - {"metameter"})
    return ",".join(map(_source, packages))


@lru_cache(maxsize=64)
def _source(package: str) -> str:
    """A digest of all code files of a package or module; what was defined at a prompt has a key for this session only.

    Examples
    --------
    >>> _source("json") == _source("json"), len(_source("no such module"))
    (True, 64)
    """
    files = _files(package)
    if not files:
        return secrets.token_hex(32)
    parts = [f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in sorted(files.items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _files(package: str) -> dict[str, Path]:
    """Name within the package -> code file."""
    module = sys.modules.get(package)
    folders = [Path(folder) for folder in getattr(module, "__path__", [])]
    if not folders:
        file = Path(getattr(module, "__file__", None) or "")
        return {file.name: file} if file.is_file() else {}
    return {
        file.relative_to(folder).as_posix(): file
        for folder in folders
        for file in folder.rglob("*")
        if file.suffix in _CODE and file.is_file()
    }
