"""The question of intuitiveness, unanimity and agreement: metrics, sets of simple metrics, iterations, collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from metameter.types.display_names import display_names


class CollectionScores(NamedTuple):
    """The scores of one collection as arrays.

    Attributes
    ----------
    name : str
    iterations : tuple of int
        The iterations of the question that the collection has.
    values, simple : ndarray, (iterations, topics, metrics, systems)
        The scores of the metrics under test, and of the simple metrics.
    """

    name: str
    iterations: tuple[int, ...]
    values: Floats
    simple: Floats

    @property
    def topics(self) -> int:
        """The number of topics of the collection."""
        return int(self.values.shape[1])

    def contest(self, counts: Mapping[str, NDArray[Any]], resampled: NDArray[np.int16] | None) -> Contest:
        """The wins in this collection."""
        return Contest(self.name, tuple(map(str, self.iterations)), counts, resampled)


@dataclass(frozen=True, eq=False)
class Question:
    """Metrics under test, the sets of simple metrics, and the scores of both.

    Attributes
    ----------
    complex : tuple of str
    sets : DimensionSets
    weights : tuple of float, or None
        The weights of the simple metrics, in the order of ``sets.metrics``.
    iterations : tuple of int
    parts : tuple of CollectionScores
        One for each collection.
    manifest : dict
        The manifest of the scores of each collection.
    names : dict
        Metric -> the name that people see, for the metrics of all collections.
    """

    complex: tuple[str, ...]
    sets: DimensionSets
    weights: tuple[float, ...] | None
    iterations: tuple[int, ...]
    parts: tuple[CollectionScores, ...]
    manifest: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Any, complex: Any, simple: Any, iterations: Any, weights: Any, *, least: int = 1) -> Question:  # noqa: A002
        """Read the options of a user; refuse those that cannot be answered.

        Parameters
        ----------
        scores : object
            As `metameter.meta.collections.collections_of` takes them.
        complex, simple, iterations, weights : object
            As in `metameter.intuitiveness`.
        least : int
            The smallest number of metrics under test.

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
        metrics = _metrics_under_test(complex, collections, sets, least)
        known = sorted({number for each in collections.values() for number in each.iterations})
        numbers = iteration_list(iterations, known)
        parts = tuple(_arrays(name, each, metrics, sets, numbers) for name, each in collections.items())
        _notice_missing(parts, collections)
        manifest = {name: each.manifest for name, each in collections.items()}
        return cls(metrics, sets, weights_of(weights, sets), numbers, parts, manifest, _names(collections.values()))

    @property
    def dimensions(self) -> Dimensions:
        """The sets as positions of their metrics, with the weights."""
        return Dimensions(self.sets.positions, self.weights)

    @property
    def options(self) -> dict[str, Any]:
        """The options that reproduce the question."""
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


def _names(collections: Iterable[Scores]) -> dict[str, str]:
    every = list(collections)
    typed = {name: shown for scores in every for name, shown in scores.typed.items()}
    return display_names([name for scores in every for name in scores.metrics], typed)


def _metrics_under_test(
    requested: Any, collections: Mapping[str, Scores], sets: DimensionSets, least: int
) -> tuple[str, ...]:
    """The metrics under test, by the names of the first collection."""
    first, *others = collections.values()
    metrics = complex_metrics(requested, first.metrics, sets.metrics)
    if not requested:
        everywhere = tuple(name for name in metrics if all(find_metric(name, each.metrics) for each in others))
        if len(everywhere) < len(metrics):
            missing = ", ".join(name for name in metrics if name not in everywhere)
            notice(f"not in all collections, so left out: {missing}")
        metrics = everywhere
    own = [name for name in metrics if name in sets.metrics]
    if own:
        notice(f"{', '.join(own)}: compared with itself, so it agrees wherever possible")
    fix = "Name more of them with complex." if requested else "Score more metrics, or name some with complex."
    _refuse_few(metrics, least, fix)
    return metrics


def _refuse_few(metrics: tuple[str, ...], least: int, fix: str) -> None:
    if len(metrics) < least:
        what = "too few metrics to compare with the simple ones"
        raise MetameterError(what, given=", ".join(metrics) or "none", allowed=f"at least {least}", fix=fix)


def _arrays(
    name: str, scores: Scores, metrics: tuple[str, ...], sets: DimensionSets, iterations: tuple[int, ...]
) -> CollectionScores:
    if len(scores.systems) < 2:
        fix = "Give the scores of more systems."
        raise MetameterError("too few systems", where=name, given=len(scores.systems), allowed="at least 2", fix=fix)
    own = tuple(number for number in iterations if number in scores.iterations)
    at = [scores.iterations.index(number) for number in own]
    # metric x system x topic x iteration becomes iteration x topic x metric x system
    values = np.transpose(scores.values[..., at], (3, 2, 0, 1))
    positions = [_positions(name, scores, names) for names in (metrics, sets.metrics)]
    return CollectionScores(name, own, *(np.ascontiguousarray(values[:, :, each]) for each in positions))


def _notice_missing(parts: tuple[CollectionScores, ...], collections: Mapping[str, Scores]) -> None:
    """Give one notice of the cases that are skipped because scores are missing."""
    for part in parts:
        lacking = np.isnan(part.values).any(axis=2) | np.isnan(part.simple).any(axis=2)
        if lacking.any():
            scores = collections[part.name]
            iteration, topic, system = (int(positions[0]) for positions in np.nonzero(lacking))
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
    """Refuse options that name metrics which the study does not score, before anything is scored.

    Parameters
    ----------
    metrics : tuple of str
        The metrics of the study.
    options : mapping
        ``simple``, ``complex``, ``weights``.
    least : int
        The smallest number of metrics under test.

    Examples
    --------
    >>> refuse_unscored(("AP", "RR"), {"simple": ["P@10"]})
    Traceback (most recent call last):
    metameter.errors.MetameterError: no such metric was scored (given 'P@10'). Known: AP, RR. Add it to the metrics.
    """
    try:
        sets = DimensionSets.of(options.get("simple"), metrics)
        under_test = complex_metrics(options.get("complex"), metrics, sets.metrics)
    except MetameterError as error:
        fix = f"{error.fix} Add it to the metrics."
        raise MetameterError(error.what, given=error.given, allowed=error.allowed, fix=fix) from None
    weights_of(options.get("weights"), sets)
    _refuse_few(under_test, least, "Add metrics to the study, besides the simple ones.")


def iteration_list(requested: Any, known: Sequence[int]) -> tuple[int, ...]:
    """The requested iterations in ascending order, each once; by default all.

    Parameters
    ----------
    requested : str, int, iterable of int, or None
        Text holds single numbers and ranges, separated by commas.
    known : sequence of int
        The iterations that were scored.

    Examples
    --------
    >>> iteration_list("1-2, 10", [1, 2, 3, 10]), iteration_list("1-10", [1, 2]), iteration_list(None, [2, 1])
    ((1, 2, 10), (1, 2), (1, 2))
    >>> iteration_list(4, [1, 2])
    Traceback (most recent call last):
    metameter.errors.MetameterError: there is no such iteration (given 4, allowed: 1, 2). Choose from these.
    """
    if requested is None or (isinstance(requested, tuple) and not requested):
        return tuple(sorted(known))
    if isinstance(requested, str):
        listed = _numbers_of_text(requested, known)
    else:
        listed = list(whole_numbers(requested, "iterations", "iteration"))
    if not listed:
        fix = "Write iterations as 1-10, or as 1,3,10."
        raise MetameterError("iterations names no iteration", given=requested, fix=fix)
    for number in listed:
        if number not in known:
            allowed = ", ".join(map(str, sorted(known)))
            raise MetameterError("there is no such iteration", given=number, allowed=allowed, fix="Choose from these.")
    return tuple(sorted(set(listed)))


def _numbers_of_text(text: str, known: Sequence[int]) -> list[int]:
    # A range selects the iterations that exist; a single number must exist.
    ranges = number_ranges(text, "iterations", "iteration")
    parts = ([number for number in known if first <= number <= last] or [first] for first, last in ranges)
    return [number for part in parts for number in part]
