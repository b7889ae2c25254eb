"""Which metric is compared with which reference: the canonical one of its browsing model, a named one, or all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from metameter.meta.framework.metric_groups import BY_NAME, canonical_positions, groups
from metameter.meta.framework.metric_names import is_diagnostic, position_of
from metameter.metric.compose import several

#: The group of all metrics, compared with named references.
REFERENCE = "reference"


class Comparison(NamedTuple):
    """A metric and its reference, as positions among the metrics, and their group."""

    metric: int
    reference: int
    group: str


def comparisons(metrics: tuple[str, ...], references: Sequence[str] = ()) -> list[Comparison]:
    """Return the comparisons, in the order of the metrics.

    With references, every other metric is compared with each of them. Without, a product is compared with the canonical
    metric of its browsing model if that was scored, and metrics that have names of their own (classical ones, and
    canonical metrics of browsing models) are compared with each other, each pair once, the first as the reference. If
    all of the latter serve as references of products, they are not compared: that is the question of Chen and Sakai.

    Examples
    --------
    >>> comparisons(("RBP(p=0.8)*max", "RBP(p=0.8)*ERG"))
    [Comparison(metric=0, reference=1, group='RBP(p=0.8)')]
    >>> [row[:2] for row in comparisons(("AP", "RR", "RBP(p=0.8)*ERG"))]
    [(1, 0), (2, 0), (2, 1)]
    >>> [row[:2] for row in comparisons(("AP", "RR", "RBP(p=0.8)*ERG"), ["RR"])]
    [(0, 1), (2, 1)]
    """
    named_references = several(references)
    if named_references:
        known = list(dict.fromkeys(position_of(name, metrics) for name in named_references))
        rows = {frozenset((m, r)): Comparison(m, r, REFERENCE) for r in known[::-1] for m in range(len(metrics))}
        # Two references are compared once, and the one named first stays the reference.
        return sorted(row for row in rows.values() if row.metric != row.reference)
    pairs = _against_canonical(metrics)
    named = named_metrics(metrics)
    if not set(named) <= {pair.reference for pair in pairs}:
        pairs += [Comparison(later, first, BY_NAME) for first, later in combinations(named, 2)]
    return sorted(pairs)


def comparisons_of_candidates(
    metrics: tuple[str, ...], references: Sequence[str], constant: Sequence[bool]
) -> list[Comparison]:
    """Return the comparisons without diagnostics and without constant metrics.

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
    """Positions of the metrics with names of their own: all but products compared with their canonical metric.

    Examples
    --------
    >>> named_metrics(("AP", "RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "INST(T=2.25)*max"))
    [0, 2, 3]
    """
    alternatives = {row.metric for row in _against_canonical(metrics)}
    return [i for i in range(len(metrics)) if i not in alternatives]


def _against_canonical(metrics: tuple[str, ...]) -> list[Comparison]:
    canonical = canonical_positions(metrics)
    return [
        Comparison(member, reference, group)
        for group, members in groups(metrics, "browse").items()
        for member in members
        if (reference := canonical[member]) not in (None, member) and reference is not None
    ]
