"""Which metric is held against which reference: the canonical one of its browsing model, one that was named, or all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from metameter.meta.framework.metric_groups import canonical_positions, groups
from metameter.meta.framework.metric_names import is_diagnostic, position_of
from metameter.metric.compose import several

#: The group of metrics that are held against each other.
BY_NAME = "by name"
#: The group of all metrics, held against references that were asked for.
REFERENCE = "reference"


class Comparison(NamedTuple):
    """A metric and its reference, as positions among the metrics; and the group that they are of."""

    metric: int
    reference: int
    group: str


def comparisons(metrics: tuple[str, ...], references: Sequence[str] = ()) -> list[Comparison]:
    """What is held against what, by metric in the order given.

    With references: every other metric against each of them. Without: a product against the canonical metric of its
    browsing model where that was scored; and metrics that go by a name of their own (classical ones, and canonical
    metrics of browsing models) against each other, each pair once, the first one as the reference. If all of these
    are there only as the references of products, they are not compared: the question then is that of Chen and Sakai.

    Examples
    --------
    >>> comparisons(("RBP(p=0.8)*max", "RBP(p=0.8)*ERG"))
    [Comparison(metric=0, reference=1, group='RBP(p=0.8)')]
    >>> [row[:2] for row in comparisons(("AP", "RR", "RBP(p=0.8)*ERG"))]
    [(1, 0), (2, 0), (2, 1)]
    >>> [row[:2] for row in comparisons(("AP", "RR", "RBP(p=0.8)*ERG"), ["RR"])]
    [(0, 1), (2, 1)]
    """
    asked = several(references)
    if asked:
        known = list(dict.fromkeys(position_of(name, metrics) for name in asked))
        rows = {frozenset((m, r)): Comparison(m, r, REFERENCE) for r in known[::-1] for m in range(len(metrics))}
        # Two references are compared once, and the one asked for first stays the reference.
        return sorted(row for row in rows.values() if row.metric != row.reference)
    held = _against_canonical(metrics)
    named = named_metrics(metrics)
    if not set(named) <= {row.reference for row in held}:
        held += [Comparison(later, first, BY_NAME) for first, later in combinations(named, 2)]
    return sorted(held)


def comparisons_of_candidates(
    metrics: tuple[str, ...], references: Sequence[str], constant: Sequence[bool]
) -> list[Comparison]:
    """The comparisons of candidates only: without diagnostics and without constant metrics.

    Parameters
    ----------
    metrics : tuple of str
    references : sequence of str
    constant : sequence of bool
        Which metrics give all systems the same scores.

    Examples
    --------
    >>> metrics = ("AP", "RR", "Judged@10", "mine")
    >>> [row[:2] for row in comparisons_of_candidates(metrics, ["Judged@10"], [False, False, False, True])]
    [(1, 0)]
    """
    out = [unvarying or is_diagnostic(name) for name, unvarying in zip(metrics, constant, strict=True)]
    known = [metrics[position_of(name, metrics)] for name in several(references)]
    rows = comparisons(metrics, [name for name in known if not out[metrics.index(name)]])
    return [row for row in rows if not out[row.metric] and not out[row.reference]]


def refuse_references(metrics: tuple[str, ...], options: Mapping[str, Any]) -> None:
    """Refuse references that are not among the metrics, before anything is scored."""
    for name in several(options.get("reference")):
        position_of(name, metrics)


def named_metrics(metrics: tuple[str, ...]) -> list[int]:
    """Positions of the metrics that go by a name of their own: all but products held against their canonical metric.

    Examples
    --------
    >>> named_metrics(("AP", "RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "INST(T=2.25)*max"))
    [0, 2, 3]
    """
    alternatives = {row.metric for row in _against_canonical(metrics)}
    return [place for place in range(len(metrics)) if place not in alternatives]


def _against_canonical(metrics: tuple[str, ...]) -> list[Comparison]:
    places = canonical_positions(metrics)
    return [
        Comparison(member, reference, group)
        for group, members in groups(metrics, "browse").items()
        for member in members
        if (reference := places[member]) not in (None, member) and reference is not None
    ]
