"""What the names of metrics say: their browsing models, which group them, and their aggregations."""

from __future__ import annotations

from itertools import combinations

from metameter.metric.product import Product
from metameter.notation import Term
from metameter.registry import metric_named
from metameter.stats.options import check_choice

__all__ = ["aggregation_of", "group_of", "groups", "is_canonical", "pairs_within", "product_of", "short_names"]


def product_of(name: str) -> Product | None:
    """The browsing model times aggregation that a name stands for; None if it stands for something else.

    Examples
    --------
    >>> product_of("RBP(p=0.8)").aggregation, product_of("nDCG@10"), product_of("somebody's metric")
    (ERG, None, None)
    """
    known = metric_named(name)  # scores may come from anywhere, under any name
    return known if isinstance(known, Product) else None


def group_of(name: str) -> str:
    """The browsing model of a metric, without its depth; ``other`` for a metric that has none.

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


def aggregation_of(name: str) -> str:
    """The aggregation of a metric; the whole name of a metric that has none.

    Examples
    --------
    >>> aggregation_of("RBP(p=0.8)*PE(beta=0.5)@10"), aggregation_of("nDCG@10")
    ('PE(beta=0.5)', 'nDCG@10')
    """
    product = product_of(name)
    return name if product is None else repr(product.aggregation)


def short_names(names: list[str], group: str) -> list[str]:
    """What tells the metrics of a group apart: their aggregations, if no two have the same one.

    Examples
    --------
    >>> short_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*PE(beta=0.5)"], "RBP(p=0.8)")
    ['ERG', 'PE(beta=0.5)']
    >>> short_names(["Prec@5*ERG", "Prec@10*ERG"], "Prec")
    ['Prec@5*ERG', 'Prec@10*ERG']
    """
    if group in ("all", "other"):
        return names
    short = [aggregation_of(name) for name in names]
    return short if len(set(short)) == len(names) else names


def is_canonical(name: str) -> bool:
    """Whether a metric is the one that its browsing model is known by.

    Examples
    --------
    >>> is_canonical("RBP(p=0.8)*ERG"), is_canonical("RBP(p=0.8)*max")
    (True, False)
    """
    product = product_of(name)
    return product is not None and product.canonical


def groups(metrics: tuple[str, ...], by: str) -> dict[str, list[int]]:
    """Group name -> positions of its metrics, in the order asked.

    Examples
    --------
    >>> groups(("AP", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), "browse")
    {'other': [0], 'RBP(p=0.8)': [1, 2]}
    """
    check_choice(by, "value of by", ("browse", "all"))
    if by == "all":
        return {"all": list(range(len(metrics)))}
    grouped: dict[str, list[int]] = {}
    for position, name in enumerate(metrics):
        grouped.setdefault(group_of(name), []).append(position)
    return grouped


def pairs_within(grouped: dict[str, list[int]]) -> list[tuple[str, int, int]]:
    """Group and positions of every two metrics of one group.

    Examples
    --------
    >>> pairs_within({"other": [0], "RBP(p=0.8)": [1, 2, 3]})
    [('RBP(p=0.8)', 1, 2), ('RBP(p=0.8)', 1, 3), ('RBP(p=0.8)', 2, 3)]
    """
    return [(group, *pair) for group, members in grouped.items() for pair in combinations(members, 2)]
