"""What intervals are for (other topics, other systems, or both), and which systems are resampled together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_units
from metameter.scoring.line_files import RunName, read_system_groups
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.resampling.samples import Resample, resampled_units
from metameter.types import Scores
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    from metameter.stats.resampling.samples import Clusters


OTHERS = {"topics": "other topics", "systems": "other systems", "both": "other topics and other systems"}
_RESAMPLED = {"topics": "topics", "systems": "systems", "both": "topics and systems"}


@dataclass(frozen=True, eq=False)
class Sampling:
    """What is resampled for intervals.

    Attributes
    ----------
    resample : {"topics", "systems", "both"}
    clusters : ndarray of int, (systems,), or None
        Systems with the same number are resampled together.
    units : int
        How many topics, or groups of systems, are resampled; the smaller number if both are.
    groups : dict
        System -> group, as given.
    systems : int
        How many systems there are.
    """

    resample: Resample
    clusters: Clusters | None
    units: int
    groups: dict[str, str]
    systems: int

    @classmethod
    def of(cls, scores: Scores, resample: Resample = "topics", groups: Any = None) -> Sampling:
        """Return the sampling that a procedure's options ask for; refuse options that do not fit the scores.

        Parameters
        ----------
        scores : Scores
        resample : {"topics", "systems", "both"}
        groups : path or mapping, optional
            System -> group, or a file with a system and its group in each line.

        Examples
        --------
        >>> scores = Scores(("AP",), ("a", "b", "c"), ("1", "2"), np.zeros((1, 3, 2)))
        >>> Sampling.of(scores, "systems", {"a": "us", "c": "us"}).clusters
        array([0, 1, 0])
        >>> Sampling.of(scores, "systems", {"d": "us"})
        Traceback (most recent call last):
        metameter.errors.MetameterError: a group holds a system without scores (given 'd'). Known: a, b, c.
        """
        known = groups_given(groups)
        if groups is not None and resample == "topics":
            fix = "Set resample to systems or both (--resample both), or leave groups out."
            raise MetameterError("groups of systems have no effect when topics are resampled", fix=fix)
        known = groups_among(known, scores.systems, CommonAffixes.of_manifest(scores.manifest))
        clusters = None if groups is None else _clusters(scores.systems, known)
        units = resampled_units(len(scores.topics), len(scores.systems), resample, clusters)
        return cls(resample, clusters, units, dict(known), len(scores.systems))

    @property
    def enough(self) -> bool:
        """Whether there are enough topics or systems to resample, and enough systems to judge metrics by."""
        return self.units >= FEWEST_UNITS and self.systems >= FEWEST_SYSTEMS

    @property
    def others(self) -> str:
        """What the intervals are for: ``other topics``, for example."""
        return OTHERS[self.resample]

    @property
    def resampled(self) -> str:
        """What is resampled, such as ``the topics``."""
        grouped = " (those of a group together)" if self.clusters is not None else ""
        return f"the {_RESAMPLED[self.resample]}{grouped}"

    def caveats(self) -> list[str]:
        """A warning if there are few topics or systems to resample; otherwise nothing."""
        fewer = {"topics": "topics", "systems": "systems", "both": "topics or systems"}[self.resample]
        what = fewer if self.clusters is None else fewer.replace("systems", "groups of systems")
        return few_units(self.units, what, self.others)


def groups_given(groups: Any) -> Mapping[str, str]:
    """System -> group, from a mapping or from a file with a system and its group in each line.

    Examples
    --------
    >>> groups_given({"ok8alx": "Okapi"}), groups_given(None)
    ({'ok8alx': 'Okapi'}, {})
    """
    if groups is None:
        return {}
    if isinstance(groups, str | PathLike):
        return dict(read_system_groups(Path(groups)).items())
    if isinstance(groups, Mapping):
        return {str(system): str(group) for system, group in groups.items()}
    fix = "Give a mapping from systems to groups, or the path of a file with a system and its group in each line."
    raise MetameterError("groups are neither a mapping nor a file", given=type(groups).__name__, fix=fix)


def groups_among(groups: Mapping[str, str], systems: Sequence[str], ends: CommonAffixes) -> dict[str, str]:
    """The groups by the systems' names as in the scores, which may be shortened; refuse systems without scores.

    Examples
    --------
    >>> groups_among({"input.ok8alx.txt": "Okapi", "GE8": "GE"}, ["ok8alx", "GE8"], CommonAffixes("input.", ".txt"))
    {'ok8alx': 'Okapi', 'GE8': 'GE'}
    """
    for system in groups:
        if ends.known(system, systems) not in systems:
            where = system.where if isinstance(system, RunName) else None
            fix = did_you_mean(system, list(systems))
            raise MetameterError("a group holds a system without scores", where=where, given=system, fix=fix)
    return {ends.known(system, systems): group for system, group in groups.items()}


def _clusters(systems: tuple[str, ...], groups: Mapping[str, str]) -> Clusters:
    """The number of each system's group; a system without a group has its own."""
    number: dict[tuple[bool, str], int] = {}
    keys = ((True, groups[system]) if system in groups else (False, system) for system in systems)
    return np.array([number.setdefault(key, len(number)) for key in keys])
