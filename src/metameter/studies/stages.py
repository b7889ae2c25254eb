"""The stages of a study on one collection: each is computed once, and stored under a key of everything it uses."""

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
from metameter.meta.framework.declarations import in_table_order
from metameter.meta.framework.validation import origin_of
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.parallel import stage as stage_progress
from metameter.scoring.cache import digest
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import scale_of
from metameter.studies.collection import (
    FinishedCollection,
    ScoredCollection,
    collection_of_scores,
    score_collection,
)
from metameter.studies.labels import LABEL_OPTIONS, SCALE
from metameter.studies.plan import inputs_of
from metameter.studies.store import Store, make_room, refuse_link
from metameter.studies.study_options import study_stages
from metameter.types.scores import as_sessions
from metameter.types.system_names import CommonAffixes
from metameter.view.result import Result

if TYPE_CHECKING:
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
    computed, restored : list of str
        The stages that were computed, and those that were read from the store, as ``collection/stage``.
    used : set
        The stages of this study, as (stage, digest); all others of this folder can be removed.
    systems : dict
        Collection -> how many systems it has, once all are scored.
    """

    store: Store
    plan: Plan
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None
    computed: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    systems: dict[str, int] = field(default_factory=dict)

    def run(self) -> dict[str, FinishedCollection]:
        """Return every collection with the results of all its stages."""
        for each in self.plan.collections:
            self._refuse_before_scoring(each)
        # Score all first: only collections with enough systems for a procedure share its significance level.
        scored = {each.name: self._scored(each) for each in self.plan.collections}
        self.systems = {name: len(each.scores.systems) for name, each in scored.items()}
        return {each.name: self._finished(each, scored.pop(each.name)) for each in self.plan.collections}

    def _finished(self, collection: CollectionPlan, scored: ScoredCollection) -> FinishedCollection:
        """A collection with the results of all its stages, each computed after those whose results it needs."""
        sessions = as_sessions(scored.scores) if collection.sessions is None else collection.sessions
        digests = {"scores": _digest_of_scores(scored.scores), "runs": _digest_of_runs(scored.scores, collection)}
        digests |= {"judged": digests["runs"], "sessions": _digest_of_scores(sessions), **collection.labels.digests()}
        # Two runs may have equal scores and unequal coverage, so the key depends on both.
        keys = {"collection": digest(digests["scores"], scored.facts, scored.coverage.write_csv())}
        overview = Result({"coverage": scored.coverage, "scores": scored.scores.table}, scored.facts)
        self._stage(collection.name, "collection", keys["collection"], Result, lambda _: overview)
        available: dict[str, Any] = {"scores": scored.scores, "sessions": sessions, **collection.labels.evidence}
        if collection.scores is None:
            available["runs"] = Runs(collection.qrels, collection.runs, collection.policy)
        if scored.judged is not None:
            available["judged"] = scored.judged
        results = self._results(collection, available, digests)
        return FinishedCollection(
            scores=scored.scores,
            coverage=scored.coverage,
            facts=scored.facts,
            results=in_table_order(results),
            digests=keys | {key: digests[key] for key in results},
        )

    def _refuse_before_scoring(self, collection: CollectionPlan) -> None:
        """Let the stages refuse their options before anything is scored."""
        if collection.scores is not None:
            names = collection.scores.metrics
        else:
            names = tuple(measure.name for measure in self._measures(collection))
        for stage in self.plan.stages_of(collection):
            if stage.before is not None:
                stage.before(names, self.plan.options_of(stage))

    def _scored(self, collection: CollectionPlan) -> ScoredCollection:
        if collection.scores is not None:
            return collection_of_scores(collection.scores)
        cache = self.store.folder / "score"
        make_room(cache, for_folder=True)
        refuse_link(cache)
        measures, policy = self._measures(collection), collection.policy
        # With ``ties="mean"`` a rank has no single document, so there is no `JudgedRun`.
        judged = policy.ties != "mean" and any("judged" in stage.needs for stage in self.plan.stages)
        with self._progress(collection.name, "scoring") as progress:
            scored = score_collection(
                collection.qrels,
                collection.runs,
                measures,
                policy,
                judged=judged,
                cache=cache,
                jobs=self.jobs,
                progress=progress,
            )
        (self.computed if scored.computed else self.restored).append(f"{collection.name}/score")
        return scored

    def _measures(self, collection: CollectionPlan) -> list[Measure]:
        measures = measures_of(self.plan.metrics, self.plan.presets, condensed=collection.policy.condensed)
        if len(measures) < _FEWEST:
            names = ", ".join(measure.name for measure in measures)
            raise MetameterError("a study compares two metrics or more", given=names, fix="Add a metric, or a preset.")
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
            options = self._options_of(stage, collection)
            compute = partial(self._computed, stage, name, {**available, **results}, options)
            # Two runs may have equal scores and unequal judged shares.
            judged = {"judged_shares": available["scores"].manifest.get("judged")} if stage.shows_judged else {}
            digests[stage.key] = self._digest(stage, digests, {**options, **judged})
            results[stage.key] = self._stage(name, stage.key, digests[stage.key], stage.study_result, compute)
        return results

    def _computed(
        self,
        stage: Procedure,
        name: str,
        available: Mapping[str, Any],
        options: dict[str, Any],
        progress: Progress | None,
    ) -> Result:
        """The result of a stage, from its evidence, its options, and ``jobs`` and ``progress`` if it takes them."""
        execution = {"jobs": self.jobs, "progress": progress}
        arguments = {
            **{need: available[need] for need in stage.needs},
            **{use: available.get(use) for use in stage.uses},
            **self._with_scale(stage, self._with_groups(options, available["scores"]), available),
            **{name: value for name, value in execution.items() if name in stage.stage_parameters},
        }
        return _checked_result(stage, name, arguments)

    def _with_groups(self, options: dict[str, Any], scores: Scores) -> dict[str, Any]:
        """The options of a stage, with the groups of systems restricted to those of this collection."""
        groups = options.get("groups")
        if not groups or len(self.plan.collections) == 1:
            return options
        ends = CommonAffixes.of_manifest(scores.manifest)
        own = {name: group for name, group in groups.items() if ends.known(name, scores.systems) in scores.systems}
        return {**options, "groups": own}

    def _with_scale(self, stage: Procedure, options: dict[str, Any], available: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a stage, with the scale of the labels.

        It is determined here for stages that call it ``max_grade``, so that errors use the name of the study's option.
        """
        if stage.parameter(SCALE) == SCALE:
            return options
        labelled = next(available[need] for need in stage.needs if need in LABEL_OPTIONS)
        return {**options, SCALE: scale_of(labelled, options[SCALE], SCALE)}

    def _options_of(self, stage: Procedure, collection: CollectionPlan) -> dict[str, Any]:
        """The options of a stage for one collection, which may have a scale of labels of its own.

        A stage that takes ``collections`` also gets the number of collections that it can say something about, since
        their verdicts share its level: those with too few systems for it do not count.
        """
        options = self.plan.options_of(stage)
        if SCALE in options and collection.labels.max_grade is not None:
            options[SCALE] = collection.labels.max_grade
        if COLLECTIONS in stage.stage_parameters:
            sharing = [
                each.name
                for each in self.plan.collections
                if stage.key in [own.key for own in self.plan.stages_of(each)]
                and self.systems[each.name] >= stage.fewest_systems
            ]
            options[COLLECTIONS] = max(1, len(sharing))
        return options

    def _digest(self, stage: Procedure, digests: Mapping[str, str], options: dict[str, Any]) -> str:
        needed = {need: digests[need] for need in stage.needs}
        needed |= {use: digests.get(use, "") for use in stage.uses}
        return digest(needed, self.plan.seed, options, source_of_plugin(stage))

    def _stage(self, collection: str, stage: str, key: str, kind: type[Result], compute: Callable[..., Any]) -> Any:
        self.used.add((stage, key))
        with self._progress(collection, stage) as progress:
            stored = self.store.get(stage, key, kind)
            (self.computed if stored is None else self.restored).append(f"{collection}/{stage}")
            if stored is not None:
                return stored
            result = compute(progress)
            self.store.put(stage, key, result)
        return result

    def _progress(self, collection: str, stage: str) -> AbstractContextManager[Progress | None]:
        """Within the block: the progress of a stage, whose name begins with the collection if there are several."""
        return stage_progress(self.progress, f"{collection}: {stage}" if len(self.plan.collections) > 1 else stage)


def _lacking(stage: Procedure, available: Mapping[str, Any]) -> str:
    if "runs" not in available:
        return "there are scores only, no runs"
    if "judged" in stage.needs and "judged" not in available:
        return "ties = mean gives no one order of documents"
    return f"there is no {', '.join(need for need in stage.needs if need not in available)}"


def _digest_of_scores(scores: Scores) -> str:
    """A key of the scores and of the versions of the libraries."""
    values = hashlib.sha256(scores.values.tobytes()).hexdigest()
    software = manifest_of()
    labels = (scores.metrics, scores.systems, scores.topics, *((scores.iterations,) if scores.iterations else ()))
    return digest(*labels, values, software["metameter"], software["versions"])


def _digest_of_runs(scores: Scores, collection: CollectionPlan) -> str:
    """A key of the runs and of the options of reading, if a stage needs more than the scores; otherwise empty."""
    if not any({"runs", "judged"} & set(stage.needs) for stage in study_stages()) or collection.scores is not None:
        return ""
    inputs = inputs_of(scores)
    if not all(each.get("sha256") for read in inputs.values() for each in read):
        # Runs in memory cannot be recognised in another session.
        return secrets.token_hex(16)
    return digest(inputs, scores.manifest["options"])


def _checked_result(stage: Procedure, collection: str, arguments: Mapping[str, Any]) -> Result:
    """The result of a stage, of the declared type; an unexpected error gets a note that names the stage."""
    try:
        result = stage.compute(arguments)
    except MetameterError:
        raise
    except Exception as error:
        error.add_note(f"in the stage {stage.key} ({origin_of(stage.function)}) of the study of {collection}")
        raise
    what = f"the procedure {stage.name} of {origin_of(stage.function)}"
    fix = "Report it to its authors, or uninstall it."
    if not isinstance(result, stage.study_result):
        what += f" gave no {stage.study_result.__name__}, which it declares as its result"
        raise MetameterError(what, given=type(result).__name__, fix=fix)
    for name, table in result.tables.items():
        if "collection" in table.columns:
            what += f" has a column collection in the table {name}, which a study adds itself"
            raise MetameterError(what, fix=fix)
    return result


def source_of_plugin(stage: Procedure) -> str:
    """A key of the code of a plug-in's stage; empty for ours, which the version identifies."""
    modules = {stage.function.__module__, stage.stage.__module__}
    packages = sorted({str(module).partition(".")[0] for module in modules} - {"metameter"})
    return ",".join(map(_source, packages))


@lru_cache(maxsize=64)
def _source(package: str) -> str:
    """A digest of all code files of a package or module; code from a prompt has a digest for this session only.

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
