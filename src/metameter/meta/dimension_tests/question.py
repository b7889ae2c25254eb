"""What intuitiveness, unanimity and their agreement ask: which metrics, against which sets of simple ones, where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.collections import collections_of
from metameter.meta.dimension_tests.rankings import Contest
from metameter.meta.dimension_tests.simple_sets import DimensionSets, complex_metrics, weights_of
from metameter.meta.framework.metric_names import find_metric, metric_of
from metameter.meta.framework.table_rows import ALL
from metameter.notices import notice
from metameter.scoring.number_lists import number_ranges, whole_numbers
from metameter.stats.checks import Floats
from metameter.stats.dimensions.simple_metrics import Dimensions
from metameter.types import Scores, counted


class Part(NamedTuple):
    """One collection, as statistics take it.

    Attributes
    ----------
    name : str
    iterations : tuple of int
        Those of the question that the collection has.
    values, simple : ndarray, (iterations, topics, metrics, systems)
        The metrics that are held against simple ones, and the simple ones.
    """

    name: str
    iterations: tuple[int, ...]
    values: Floats
    simple: Floats

    @property
    def topics(self) -> int:
        """How many topics the collection has."""
        return int(self.values.shape[1])

    def contest(self, counts: Mapping[str, NDArray[Any]], resampled: NDArray[np.int16] | None) -> Contest:
        """Who won how often in it."""
        return Contest(self.name, tuple(map(str, self.iterations)), counts, resampled)


@dataclass(frozen=True, eq=False)
class Question:
    """Which metrics are held against which sets of simple metrics.

    Attributes
    ----------
    complex : tuple of str
    sets : DimensionSets
    weights : tuple of float, or None
        Of the simple metrics, in the order of ``sets.metrics``.
    iterations : tuple of int
    parts : tuple of Part
        By collection.
    manifest : dict
        Of the scores, by collection.
    """

    complex: tuple[str, ...]
    sets: DimensionSets
    weights: tuple[float, ...] | None
    iterations: tuple[int, ...]
    parts: tuple[Part, ...]
    manifest: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Any, complex: Any, simple: Any, iterations: Any, weights: Any, *, least: int = 1) -> Question:  # noqa: A002
        """Read what a user asks; refuse what cannot be answered.

        Parameters
        ----------
        scores : object
            What `metameter.meta.collections.collections_of` takes.
        complex, simple, iterations, weights : object
            As in `metameter.intuitiveness`.
        least : int
            How many metrics there must be to hold against the simple ones.

        Examples
        --------
        >>> scores = Scores(("act", "nct", "p"), ("a", "b"), ("1",), np.zeros((3, 2, 1)))
        >>> question = Question.of(scores, None, "p", None, None)
        >>> question.complex, question.sets.labels, question.iterations, question.parts[0].values.shape
        (('act', 'nct'), ('p',), (1,), (1, 1, 2, 2))
        """
        collections = collections_of(scores)
        if ALL in collections and len(collections) > 1:
            fix = "Rename the collection."
            raise MetameterError("a collection has the name of the sums over all of them", given=ALL, fix=fix)
        first = next(iter(collections.values()))
        sets = DimensionSets.of(simple, first.metrics)
        held = _held(complex, collections, sets, least)
        known = sorted({number for each in collections.values() for number in each.iterations})
        wanted = iteration_list(iterations, known)
        parts = tuple(_part(name, each, held, sets, wanted) for name, each in collections.items())
        _tell_missing(parts, collections)
        manifest = {name: each.manifest for name, each in collections.items()}
        return cls(held, sets, weights_of(weights, sets), wanted, parts, manifest)

    @property
    def dimensions(self) -> Dimensions:
        """The sets as statistics take them."""
        return Dimensions(self.sets.positions, self.weights)

    @property
    def options(self) -> dict[str, Any]:
        """What it takes to ask the same again."""
        weights = None if self.weights is None else dict(zip(self.sets.metrics, self.weights, strict=True))
        sets = {label: list(members) for label, members in zip(self.sets.labels, self.sets.members, strict=True)}
        return {
            "complex": list(self.complex),
            "simple": sets,
            "iterations": list(self.iterations),
            "weights": weights,
            "topics": {part.name: part.topics for part in self.parts},
            "systems": {part.name: int(part.values.shape[-1]) for part in self.parts},
        }


def _held(asked: Any, collections: Mapping[str, Scores], sets: DimensionSets, least: int) -> tuple[str, ...]:
    """The metrics that are held against the simple ones, by the names of the first collection."""
    first, *others = collections.values()
    held = complex_metrics(asked, first.metrics, sets.metrics)
    if not asked:
        everywhere = [name for name in held if all(find_metric(name, each.metrics) for each in others)]
        if len(everywhere) < len(held):
            notice(f"not in all collections, so left out: {', '.join(name for name in held if name not in everywhere)}")
        held = tuple(everywhere)
    own = [name for name in held if name in sets.metrics]
    if own:
        notice(f"{', '.join(own)}: held against itself, so it agrees with itself wherever it can")
    if len(held) < least:
        fix = "Score more metrics, or name some with complex." if not asked else "Name more of them with complex."
        what = "too few metrics to hold against the simple ones"
        raise MetameterError(what, given=", ".join(held) or "none", allowed=f"at least {least}", fix=fix)
    return held


def _part(name: str, scores: Scores, held: tuple[str, ...], sets: DimensionSets, wanted: tuple[int, ...]) -> Part:
    if len(scores.systems) < 2:
        fix = "Give the scores of more systems."
        raise MetameterError("too few systems", where=name, given=len(scores.systems), allowed="at least 2", fix=fix)
    own = tuple(number for number in wanted if number in scores.iterations)
    at = [scores.iterations.index(number) for number in own]
    # metric x system x topic x iteration becomes iteration x topic x metric x system
    values = np.transpose(scores.values[..., at], (3, 2, 0, 1))
    picked = [_positions(name, scores, names) for names in (held, sets.metrics)]
    return Part(name, own, *(np.ascontiguousarray(values[:, :, places]) for places in picked))


def _tell_missing(parts: tuple[Part, ...], collections: Mapping[str, Scores]) -> None:
    """One notice of what is skipped because scores are missing."""
    for part in parts:
        lacking = np.isnan(part.values).any(axis=2) | np.isnan(part.simple).any(axis=2)
        if lacking.any():
            scores = collections[part.name]
            iteration, topic, system = (int(place[0]) for place in np.nonzero(lacking))
            first = f"system {scores.systems[system]!r} on topic {scores.topics[topic]!r}"
            at = f", iteration {part.iterations[iteration]}" if len(scores.iterations) > 1 else ""
            notice(
                f"{part.name}: {counted(int(lacking.sum()), 'list')} without some score, such as that of {first}{at}: "
                "cases that need it are skipped"
            )


def _positions(where: str, scores: Scores, names: tuple[str, ...]) -> list[int]:
    try:
        return [scores.metrics.index(metric_of(name, scores.metrics)) for name in names]
    except MetameterError as error:
        raise MetameterError(error.what, where=where, given=error.given, fix=error.fix) from None


def refuse_unscored(metrics: tuple[str, ...], options: Mapping[str, Any], *, least: int = 2) -> None:
    """Refuse options of a study whose metrics are not scored in it, before anything is scored.

    Parameters
    ----------
    metrics : tuple of str
        Those of the study.
    options : mapping
        ``simple``, ``complex``, ``weights``.
    least : int
        How many metrics there must be to hold against the simple ones.

    Examples
    --------
    >>> refuse_unscored(("AP", "RR"), {"simple": ["P@10"]})
    Traceback (most recent call last):
    metameter.errors.MetameterError: no such metric was scored (given 'P@10'). Known: AP, RR. Add it to the metrics.
    """
    try:
        sets = DimensionSets.of(options.get("simple"), metrics)
        held = complex_metrics(options.get("complex"), metrics, sets.metrics)
    except MetameterError as error:
        fix = f"{error.fix} Add it to the metrics."
        raise MetameterError(error.what, given=error.given, allowed=error.allowed, fix=fix) from None
    weights_of(options.get("weights"), sets)
    if len(held) < least:
        fix = "Add metrics to the study, besides the simple ones."
        what = "too few metrics to hold against the simple ones"
        raise MetameterError(what, given=", ".join(held) or "none", allowed=f"at least {least}", fix=fix)


def iteration_list(given: Any, known: Sequence[int]) -> tuple[int, ...]:
    """The iterations that are meant, rising, each once; by default all.

    Parameters
    ----------
    given : str, int, iterable of int, or None
        As text single numbers and ranges, with commas between them.
    known : sequence of int
        Those that there are.

    Examples
    --------
    >>> iteration_list("1-2, 10", [1, 2, 3, 10]), iteration_list("1-10", [1, 2]), iteration_list(None, [2, 1])
    ((1, 2, 10), (1, 2), (1, 2))
    >>> iteration_list(4, [1, 2])
    Traceback (most recent call last):
    metameter.errors.MetameterError: there is no such iteration (given 4, allowed: 1, 2). Choose from these.
    """
    if given is None or (isinstance(given, tuple) and not given):
        return tuple(sorted(known))
    listed = _of_text(given, known) if isinstance(given, str) else whole_numbers(given, "iterations", "iteration")
    if not listed:
        raise MetameterError(
            "iterations names no iteration", given=given, fix="Write iterations as 1-10, or as 1,3,10."
        )
    for number in listed:
        if number not in known:
            allowed = ", ".join(map(str, sorted(known)))
            raise MetameterError("there is no such iteration", given=number, allowed=allowed, fix="Choose from these.")
    return tuple(sorted(set(listed)))


def _of_text(text: str, known: Sequence[int]) -> list[int]:
    # Of a range what there is is meant; a single number must be there.
    ranges = number_ranges(text, "iterations", "iteration")
    parts = ([number for number in known if first <= number <= last] or [first] for first, last in ranges)
    return [number for part in parts for number in part]
