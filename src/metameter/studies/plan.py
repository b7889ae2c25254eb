"""The plan of a study: its collections, metrics and checked options; and the manifest from which it can be repeated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError, in_utf8
from metameter.meta.base import Procedure
from metameter.metric.compose import MetricLike, metrics_named, several
from metameter.scoring.line_files import read_system_groups
from metameter.scoring.manifest import manifest_of
from metameter.scoring.policy import Policy
from metameter.studies.labels import (
    LABEL_OPTIONS,
    SCALE,
    LabelReader,
    Labels,
    kinds_of,
    refuse_scale,
    refuse_unlabelled,
    split_label_options,
)
from metameter.studies.study_options import (
    check_options,
    reading_options,
    refuse_unknown,
    stage_options,
    stage_values,
    study_stages,
)
from metameter.types.display_names import typed_names

if TYPE_CHECKING:
    from metameter.studies.collection import FinishedCollection
    from metameter.types import Scores
    from metameter.types.labelled_pages import Pages, Pairs


#: The options of reading that may differ from collection to collection.
PER_COLLECTION = ("max_grade", "costs", "contributing")
#: The metrics of a study that names none.
DEFAULT_PRESETS = ("everyday",)


@dataclass(frozen=True)
class CollectionPlan:
    """One collection: judgments and runs with the options of reading them, or scores.

    Attributes
    ----------
    name : str
    qrels, runs : object
        As in `metameter.score`.
    policy : Policy
    scores : Scores, optional
        Instead of judgments and runs.
    sessions : Scores, optional
        With scores: the same with an axis of all iterations, where cells may be missing.
    labels : Labels
        The labels of result pages, if there are any.
    """

    name: str
    qrels: Any
    runs: Any
    policy: Policy = field(default_factory=Policy)
    scores: Any = None
    sessions: Any = None
    labels: Labels = field(default_factory=Labels)

    @property
    def pages(self) -> Pages | None:
        """Result pages with labels of satisfaction."""
        return self.labels.pages

    @property
    def pairs(self) -> Pairs | None:
        """Pairs of pages with labels of preference."""
        return self.labels.pairs


@dataclass(frozen=True)
class Plan:
    """A study: its collections, and what is the same for all of them.

    Attributes
    ----------
    collections : tuple of CollectionPlan
    metrics : tuple of str or metric objects
        The metrics to judge, without those of the presets.
    presets : tuple of str
        Names of sets of metrics, which are judged together with `metrics`.
    options : dict
        The options of stages that the user gave, and the seed.
    """

    collections: tuple[CollectionPlan, ...]
    metrics: tuple[MetricLike, ...] = ()
    presets: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, collections: tuple[CollectionPlan, ...], metrics: Any, preset: Any, options: Mapping[str, Any]) -> Plan:
        """A plan with checked options; with the default presets where no metric is named."""
        options = checked_options(options, collections)
        named = metrics_named(metrics)
        presets = several(preset) or (() if named else DEFAULT_PRESETS)
        return cls(collections, named, presets, options)

    def options_of(self, stage: Procedure) -> dict[str, Any]:
        """The values of all options of a stage, with the seed if it takes one.

        Every stage has its own defaults: a plug-in that is installed does not change them.
        """
        options = stage_values(stage, self.options)
        return options | ({"seed": self.seed} if "seed" in stage.stage_parameters else {})

    @property
    def stages(self) -> list[Procedure]:
        """The stages that any of the collections has, each after those whose results it needs."""
        return wanted_stages(self.options, kinds_of(each.labels for each in self.collections))

    def stages_of(self, collection: CollectionPlan) -> list[Procedure]:
        """The stages of one collection, which may lack labels that others have."""
        return wanted_stages(self.options, kinds_of([collection.labels]))

    @property
    def typed(self) -> dict[str, str]:
        """Metric -> its name as the user typed it."""
        of_scores = (each.scores.typed for each in self.collections if each.scores is not None)
        return {**{name: text for typed in of_scores for name, text in typed.items()}, **typed_names(self.metrics)}

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return int(self.options.get("seed", 0))

    @property
    def preset(self) -> str | list[str] | None:
        """The presets as the manifest lists them: one name, or a list of names."""
        return list(self.presets) if len(self.presets) > 1 else next(iter(self.presets), None)


def plan_of(qrels: Any, runs: Any, metrics: Any, preset: Any, name: str | None, options: Mapping[str, Any]) -> Plan:
    """The plan of a study of one collection.

    Examples
    --------
    >>> plan = plan_of("q.txt", "runs", ["AP", "RR"], None, None, {"ties": "rank", "seed": 7})
    >>> plan.collections[0].policy.ties, plan.options
    ('rank', {'seed': 7})
    """
    label_options, others = split_label_options(options)
    reading, own = split_options(others)
    labels = LabelReader(own.get(SCALE)).labels(label_options)
    collection = CollectionPlan(in_utf8(name or name_of(qrels)), qrels, runs, Policy(**reading), labels=labels)
    return Plan.of((collection,), metrics, preset, own)


def checked_options(options: Mapping[str, Any], collections: Iterable[CollectionPlan]) -> Mapping[str, Any]:
    """The checked options of stages, with groups read; an option that no stage of these collections uses is refused."""
    options, labels = with_groups(options), [each.labels for each in collections]
    check_options(options)
    refuse_unlabelled(labels)
    refuse_idle(options, kinds_of(labels))
    refuse_scale(labels, options.get(SCALE))
    return options


def with_groups(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options with the groups of systems read from their file: the key of a stage depends on its content."""
    groups = options.get("groups")
    return {**options, "groups": dict(read_system_groups(groups))} if isinstance(groups, str | Path) else options


def split_options(options: Mapping[str, Any], where: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of reading and those of stages; refuse any other."""
    reading, stages = reading_options(), stage_options()
    refuse_unknown(options, [*reading, *stages], where)
    return (
        {name: reading[name].canonical(value) for name, value in options.items() if name in reading},
        {name: stages[name].canonical(value) for name, value in options.items() if name in stages},
    )


def name_of(qrels: Any) -> str:
    """The default name of a collection: that of the file of its judgments.

    Examples
    --------
    >>> name_of("trec8/qrels.trec8.gz"), name_of({"1": {}})
    ('qrels.trec8', 'collection')
    """
    return Path(qrels).name.removesuffix(".gz").removesuffix(".txt") if isinstance(qrels, str | Path) else "collection"


def wanted_stages(options: Mapping[str, Any], labels: Collection[str] = ()) -> list[Procedure]:
    """The stages of a study with these options, each after those whose results it needs.

    Parameters
    ----------
    options : mapping
        The options of the stages.
    labels : collection of str
        The kinds of labels that there are: ``pages``, ``pairs``, and ``labels`` if either. Stages that need another
        kind are left out.

    Examples
    --------
    >>> [each.key for each in wanted_stages({}) if each.key in ("similarity", "unanimity")]
    ['similarity']
    """
    missing = {kind for kind in LABEL_OPTIONS if kind not in labels}
    stages: dict[str, Procedure] = {}
    for each in study_stages():
        is_wanted = each.is_wanted(stage_values(each, options)) and not each.lacks_all(stages)
        if missing & set(each.needs) or not is_wanted:
            missing.add(each.key)
        else:
            stages[each.key] = each
    return list(stages.values())


def refuse_idle(options: Mapping[str, Any], labels: Collection[str] = ()) -> None:
    """Refuse an option of stages that this study leaves out: it would have no effect."""
    stages = wanted_stages(options, labels)
    used = {"seed", *(option for stage in stages for option in stage.options)}
    idle = [stage for stage in study_stages() if stage.key not in [each.key for each in stages]]
    for stage in idle:
        for name in stage.options:
            if name not in used and _differs(options.get(name), stage.default(name)):
                adding = _option_that_adds([stage], idle, labels)
                what = f"the option {name} is for {stage.name}, which this study does not ask for"
                fix = f"Give {adding}, too, or leave {name} out." if adding else f"Leave {name} out."
                raise MetameterError(what, given=options[name], fix=fix)


def _differs(value: Any, default: Any) -> bool:
    """Whether a value differs from the default; an empty list is the same as None."""
    return bool(value or default) and value is not None and value != default


def _option_that_adds(stages: Iterable[Procedure], idle: list[Procedure], labels: Collection[str]) -> str | None:
    """The option that adds these stages, or those that they need; None if that depends on several options."""
    for stage in stages:
        for need in stage.needs:
            if need in LABEL_OPTIONS and need not in labels:
                return LABEL_OPTIONS[need]
        needed = [each for each in idle if each.key in (*stage.needs, *stage.uses)]
        adding = stage.wanted if isinstance(stage.wanted, str) else _option_that_adds(needed, idle, labels)
        if adding:
            return adding
    return None


def manifest_of_study(plan: Plan, parts: Mapping[str, FinishedCollection]) -> dict[str, Any]:
    """Versions, all options with their defaults, the options of each stage, and the inputs of each collection."""
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
