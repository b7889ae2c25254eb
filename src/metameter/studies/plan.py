"""What a study is asked to do: which collections, which metrics, which options."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.meta.base import Procedure
from metameter.metric.compose import MetricLike, several
from metameter.read.line_files import read_system_groups
from metameter.scoring.policy import Policy
from metameter.studies.labels import (
    GIVEN_BY,
    SCALE,
    Labels,
    kinds_of,
    labels_apart,
    labels_of,
    refuse_scale,
    refuse_unlabelled,
)
from metameter.studies.study_options import (
    check_options,
    reading_options,
    refuse_unknown,
    stage_options,
    stage_values,
    study_stages,
)
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    from metameter.types.labelled_pages import Pages, Pairs


#: The options of reading that may differ from collection to collection.
PER_COLLECTION = ("max_grade", "costs", "contributing")
#: The metrics of a study that names none.
DEFAULT_PRESETS = ("everyday", "chen-sakai-2023")


@dataclass(frozen=True)
class CollectionPlan:
    """One collection: judgments and runs, and how they are read; or scores that are there already.

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
        What users said of result pages, where that is known.
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
        """Result pages with how satisfied people were."""
        return self.labels.pages

    @property
    def pairs(self) -> Pairs | None:
        """Pairs of pages with which one people prefer."""
        return self.labels.pairs


@dataclass(frozen=True)
class Plan:
    """A study: its collections, and what is the same for all of them.

    Attributes
    ----------
    collections : tuple of CollectionPlan
    metrics : tuple of str or metric objects
        The metrics to judge, those of the presets not included.
    presets : tuple of str
        Metrics of papers, taken together with `metrics`.
    options : dict
        The options of the stages that were given, and the seed.
    """

    collections: tuple[CollectionPlan, ...]
    metrics: tuple[MetricLike, ...] = ()
    presets: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, collections: tuple[CollectionPlan, ...], metrics: Any, preset: Any, options: Mapping[str, Any]) -> Plan:
        """A plan whose options have been checked; the usual presets where no metric is named."""
        options = checked(options, collections)
        named = several(metrics)
        presets = several(preset) or (() if named else DEFAULT_PRESETS)
        return cls(collections, named, presets, options)

    def options_of(self, stage: Procedure) -> dict[str, Any]:
        """The options with which a stage is done, the seed included where it takes one.

        Every stage has its own defaults: another procedure that is installed must not change them.
        """
        options = stage_values(stage, self.options)
        return options | ({"seed": self.seed} if "seed" in stage.stage_parameters else {})

    @property
    def stages(self) -> list[Procedure]:
        """The stages of any collection that the options ask for, each after those whose results it needs."""
        return wanted_stages(self.options, kinds_of(each.labels for each in self.collections))

    def stages_of(self, collection: CollectionPlan) -> list[Procedure]:
        """The stages of one collection: some may be for labels that only others have."""
        return wanted_stages(self.options, kinds_of([collection.labels]))

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
    about_labels, others = labels_apart(options)
    reading, further = parted(others)
    policy, labels = Policy(**reading), labels_of(about_labels, common=further.get(SCALE))
    collection = CollectionPlan(in_utf8(name or name_of(qrels)), qrels, runs, policy, labels=labels)
    return Plan.of((collection,), metrics, preset, further)


def checked(options: Mapping[str, Any], collections: Iterable[CollectionPlan]) -> Mapping[str, Any]:
    """The options of stages, with groups read; refused if no stage of these collections could use them."""
    options, labels = with_groups(options), [each.labels for each in collections]
    check_options(options)
    refuse_unlabelled(labels)
    refuse_idle(options, kinds_of(labels))
    refuse_scale(labels, options.get(SCALE))
    return options


def with_groups(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options with the groups of systems read from their file: stages are kept by what it says, not by its name."""
    groups = options.get("groups")
    return {**options, "groups": dict(read_system_groups(groups))} if isinstance(groups, str | Path) else options


def parted(options: Mapping[str, Any], where: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of reading and options of stages; what is neither is refused."""
    reading, further = reading_options(), stage_options()
    refuse_unknown(options, [*reading, *further], where)
    return (
        {name: reading[name].canonical(value) for name, value in options.items() if name in reading},
        {name: further[name].canonical(value) for name, value in options.items() if name in further},
    )


def name_of(qrels: Any) -> str:
    """A collection's name where none is given: that of its judgments.

    Examples
    --------
    >>> name_of("trec8/qrels.trec8.gz"), name_of({"1": {}})
    ('qrels.trec8', 'collection')
    """
    return Path(qrels).name.removesuffix(".gz").removesuffix(".txt") if isinstance(qrels, str | Path) else "collection"


def wanted_stages(given: Mapping[str, Any], labels: Collection[str] = ()) -> list[Procedure]:
    """The stages that a study with these options does, each after those whose results it needs.

    Parameters
    ----------
    given : mapping
        The options of the stages.
    labels : collection of str
        Which evidence of users there is: ``pages``, ``pairs``, and ``labels`` if either. Without it, what needs it is
        not done.

    Examples
    --------
    >>> [each.key for each in wanted_stages({}) if each.key in ("similarity", "unanimity")]
    ['similarity']
    """
    unwanted = {kind for kind in GIVEN_BY if kind not in labels}
    wanted: dict[str, Procedure] = {}
    for each in study_stages():
        asked = each.is_wanted(stage_values(each, given)) and not each.lacks_all(wanted)
        if unwanted & set(each.needs) or not asked:
            unwanted.add(each.key)
        else:
            wanted[each.key] = each
    return list(wanted.values())


def refuse_idle(given: Mapping[str, Any], labels: Collection[str] = ()) -> None:
    """Refuse an option that only stages take which the other options do not ask for: it would say nothing."""
    wanted = wanted_stages(given, labels)
    used = {"seed", *(option for stage in wanted for option in stage.options)}
    idle = [stage for stage in study_stages() if stage.key not in [each.key for each in wanted]]
    for stage in idle:
        for name in stage.options:
            if name not in used and _is_said(given.get(name), stage.default(name)):
                asked = _asking([stage], idle, labels)
                fix = f"Give {asked}, too, or leave {name} out." if asked else f"Leave {name} out."
                raise MetameterError(
                    f"the option {name} is for {stage.name}, which this study does not ask for",
                    given=given[name],
                    fix=fix,
                )


def _is_said(value: Any, default: Any) -> bool:
    """Whether a value says more than the default; an empty list says as much as None."""
    return bool(value or default) and value is not None and value != default


def _asking(stages: Iterable[Procedure], idle: list[Procedure], labels: Collection[str]) -> str | None:
    """The option that asks for these stages, or for those that they need; None where only a function knows."""
    for stage in stages:
        lacking = next((GIVEN_BY[need] for need in stage.needs if need in GIVEN_BY and need not in labels), None)
        needed = [each for each in idle if each.key in (*stage.needs, *stage.uses)]
        asking = lacking or (stage.wanted if isinstance(stage.wanted, str) else _asking(needed, idle, labels))
        if asking:
            return asking
    return None
