"""Groups of metrics that are compared with each other: all metrics, or those of one browsing model.

Browsing models are parsed from metric names, because `Scores` read from a file contain only the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, TypeAlias, get_args

from metameter.meta.framework.metric_names import aggregation_of, is_canonical, is_diagnostic, product_of
from metameter.metric.product import Product
from metameter.notation import Term
from metameter.stats.checks import check_choice

#: How metrics are grouped for comparison: by browsing model, all in one group, or by the rule of `groups`.
Grouping: TypeAlias = Literal["auto", "browse", "all"]
#: The group of metrics outside of a grid of browsing models and aggregations, with its canonical metrics.
BY_NAME = "by name"
#: The group of metrics that do not depend on relevance: they are compared with no metric.
DIAGNOSTIC = "diagnostic"
#: The description of the column ``group``.
GROUP_COLUMN = (
    "the metrics that are compared with each other: those of this browsing model (other: those without one), all, or "
    "by name: those outside of a grid of browsing models, and the canonical ones; diagnostic: metrics that do not "
    "depend on relevance, which are not compared"
)
#: A browsing model is part of a grid if it has its canonical metric and, with that, this many metrics or more.
_LEAST_OF_A_MODEL = 3


def group_of(name: str) -> str:
    """Return the browsing model of a metric, without its depth; ``other`` for a metric without one.

    Examples
    --------
    >>> group_of("RBP(p=0.8)@10*max"), group_of("nDCG@10"), group_of("somebody's metric")
    ('RBP(p=0.8)', 'other', 'other')
    """
    product = product_of(name)
    if product is None:
        return "other"
    term = product.model.term()
    return str(Term(term.name, term.arguments))


def short_names(names: list[str], group: str) -> list[str]:
    """Return the short names of the metrics of a group: their aggregations, if no two have the same one.

    Examples
    --------
    >>> short_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*PE(beta=0.5)"], "RBP(p=0.8)")
    ['ERG', 'PE(beta=0.5)']
    >>> short_names(["Prec@5*ERG", "Prec@10*ERG"], "Prec")
    ['Prec@5*ERG', 'Prec@10*ERG']
    """
    if group in ("all", "other", BY_NAME, DIAGNOSTIC):
        return names
    short = [aggregation_of(name) for name in names]
    return short if len(set(short)) == len(names) else names


def shared_short_names(names: list[str]) -> dict[str, str]:
    """Metric -> its short name, where all metrics have one browsing model; else its whole name.

    Examples
    --------
    >>> shared_short_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"]), shared_short_names(["AP", "RBP(p=0.8)*max"])
    ({'RBP(p=0.8)*ERG': 'ERG', 'RBP(p=0.8)*max': 'max'}, {'AP': 'AP', 'RBP(p=0.8)*max': 'RBP(p=0.8)*max'})
    """
    models = {group_of(name) for name in names}
    return dict(zip(names, short_names(names, models.pop() if len(models) == 1 else "all"), strict=True))


def groups(metrics: tuple[str, ...], by: str = "auto") -> dict[str, list[int]]:
    """Return group name -> positions of the metrics that are compared with each other, in the order given.

    With ``auto``, every metric is compared with every other. The exception is a grid, such as the presets
    chen-sakai-2023 and moffat-2022: two or more browsing models, each with its canonical metric and two or more other
    aggregations. Metrics of a grid are compared within their browsing model; metrics outside of the grid are compared
    with each other and with the grid's canonical metrics, in the group ``by name``. Metrics that do not depend on
    relevance are a group of their own, ``diagnostic``, which is not compared; the other groups are the same without it.

    Examples
    --------
    >>> groups(("AP", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max"))
    {'all': [0, 1, 2]}
    >>> groups(("AP", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), "browse")
    {'other': [0], 'RBP(p=0.8)': [1, 2]}
    >>> grid = tuple(f"{model}*{how}" for model in ("RBP(p=0.8)", "INST(T=2.25)") for how in ("ERG", "max", "fin"))
    >>> groups(grid)
    {'RBP(p=0.8)': [0, 1, 2], 'INST(T=2.25)': [3, 4, 5]}
    >>> groups((*grid, "AP"))
    {'by name': [0, 3, 6], 'RBP(p=0.8)': [0, 1, 2], 'INST(T=2.25)': [3, 4, 5]}
    >>> groups(("Judged@10", "AP", "RR"))
    {'all': [1, 2], 'diagnostic': [0]}
    """
    check_choice(by, "value of by", get_args(Grouping))
    diagnostics = [position for position, name in enumerate(metrics) if is_diagnostic(name)]
    if not diagnostics:
        return _groups(metrics, by)
    others = [position for position in range(len(metrics)) if position not in diagnostics]
    grouped = _groups(tuple(metrics[position] for position in others), by) if others else {}
    positions = {group: [others[member] for member in members] for group, members in grouped.items()}
    return {**positions, DIAGNOSTIC: diagnostics}


def _groups(metrics: tuple[str, ...], by: str) -> dict[str, list[int]]:
    if by == "all":
        return {"all": list(range(len(metrics)))}
    models: dict[str, list[int]] = {}
    for position, name in enumerate(metrics):
        models.setdefault(group_of(name), []).append(position)
    if by == "browse" or (len(models) == 1 and "other" not in models):
        return models
    canonical = {position for position, name in enumerate(metrics) if is_canonical(name)}
    grid = {
        model: members
        for model, members in models.items()
        if model != "other" and len(members) >= _LEAST_OF_A_MODEL and canonical & set(members)
    }
    if len(grid) < 2:
        return _groups(metrics, "all")
    if len(grid) == len(models):
        return grid
    outside = set(range(len(metrics))) - {member for members in grid.values() for member in members}
    return {BY_NAME: sorted(outside | canonical), **grid}


def rows_of_groups(grouped: dict[str, list[int]]) -> list[tuple[str, int]]:
    """Return group and position of every metric, each once: a metric of two groups is in that of its browsing model.

    Examples
    --------
    >>> rows_of_groups({"by name": [0, 2], "RBP(p=0.8)": [0, 1]})
    [('by name', 2), ('RBP(p=0.8)', 0), ('RBP(p=0.8)', 1)]
    """
    last = {member: group for group, members in grouped.items() for member in members}
    return [(group, member) for group, members in grouped.items() for member in members if last[member] == group]


def pairs_within(grouped: dict[str, list[int]]) -> list[tuple[str, int, int]]:
    """Return group and positions of every two metrics of one group; diagnostics are not compared.

    Examples
    --------
    >>> pairs_within({"other": [0], "RBP(p=0.8)": [1, 2, 3]})
    [('RBP(p=0.8)', 1, 2), ('RBP(p=0.8)', 1, 3), ('RBP(p=0.8)', 2, 3)]
    """
    return [
        (group, *pair) for group, members in grouped.items() if group != DIAGNOSTIC for pair in combinations(members, 2)
    ]


def canonical_positions(metrics: Sequence[str]) -> list[int | None]:
    """For each metric, the position of the canonical metric of its browsing model; its own if it is canonical.

    Among several canonical metrics of the model, take the one of the same model depth and cut, else the one of the same
    overall depth, else the first. None where there is none, and for metrics without a browsing model.

    Examples
    --------
    >>> canonical_positions(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.5)*max", "nDCG@10", "RBP(p=0.8)@10*ERG"])
    [0, 0, None, None, 4]
    """
    products = [product_of(name) for name in metrics]
    models = [None if product is None else group_of(name) for name, product in zip(metrics, products, strict=True)]
    canonical = [(i, product) for i, product in enumerate(products) if product is not None and product.canonical]
    positions: list[int | None] = []
    for i, product in enumerate(products):
        if product is None or product.canonical:
            positions.append(None if product is None else i)
            continue
        candidates = [(j, other) for j, other in canonical if models[j] == models[i]]
        nearest = max(candidates, key=lambda candidate: _alike(product, candidate[1]), default=None)
        positions.append(None if nearest is None else nearest[0])
    return positions


def _alike(one: Product, other: Product) -> tuple[bool, bool]:
    return (str(one.model), one.cut) == (str(other.model), other.cut), one.reach == other.reach
