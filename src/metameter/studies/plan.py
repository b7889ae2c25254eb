"""What a study is asked to do: which collections, which metrics, which options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metameter.meta.base import Procedure
from metameter.metric.compose import MetricLike, several
from metameter.read.system_groups import read_system_groups
from metameter.scoring.policy import Policy
from metameter.studies.declared import check_options, reading_options, refuse_unknown, stage_options, stage_values
from metameter.studies.wanted import refuse_idle, wanted_stages

__all__ = [
    "DEFAULT_PRESETS",
    "PER_COLLECTION",
    "CollectionPlan",
    "Plan",
    "name_of",
    "parted",
    "plan_of",
    "with_groups",
]

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
    """

    name: str
    qrels: Any
    runs: Any
    policy: Policy = field(default_factory=Policy)
    scores: Any = None
    sessions: Any = None


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
        options = with_groups(options)
        check_options(options)
        refuse_idle(options)
        named = several(metrics)
        presets = several(preset) or (() if named else DEFAULT_PRESETS)
        return cls(collections, named, presets, options)

    def options_of(self, stage: Procedure) -> dict[str, Any]:
        """The options with which a stage is done, the seed included where it takes one.

        Every stage has its own defaults: another procedure that is installed must not change them.
        """
        options = stage_values(stage, self.options)
        return options | ({"seed": self.seed} if "seed" in inspect.signature(stage.stage).parameters else {})

    @property
    def stages(self) -> list[Procedure]:
        """The stages that the options ask for, each after those whose results it needs."""
        return wanted_stages(self.options)

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
    reading, further = parted(options)
    return Plan.of((CollectionPlan(name or name_of(qrels), qrels, runs, Policy(**reading)),), metrics, preset, further)


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
