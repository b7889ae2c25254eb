"""Which metrics are compared with which: those of one browsing model, or all."""

from __future__ import annotations

from itertools import combinations

from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric
from metameter.metric.cwla import Product
from metameter.notation import Term
from metameter.types import Scores

__all__ = ["complete", "group_of", "groups", "is_canonical", "pairs_within", "product_of"]


def product_of(name: str) -> Product | None:
    """The browsing model times aggregation that a name stands for; None if it stands for something else.

    Examples
    --------
    >>> product_of("RBP(p=0.8)").aggregation, product_of("nDCG@10"), product_of("somebody's metric")
    (ERG, None, None)
    """
    try:
        known = parse_metric(name)
    except MetameterError:
        # Scores may come from anywhere, under any name.
        return None
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
    if by == "all":
        return {"all": list(range(len(metrics)))}
    found: dict[str, list[int]] = {}
    for position, name in enumerate(metrics):
        found.setdefault(group_of(name), []).append(position)
    return found


def pairs_within(found: dict[str, list[int]]) -> list[tuple[str, int, int]]:
    """Group and positions of every two metrics of one group.

    Examples
    --------
    >>> pairs_within({"other": [0], "RBP(p=0.8)": [1, 2, 3]})
    [('RBP(p=0.8)', 1, 2), ('RBP(p=0.8)', 1, 3), ('RBP(p=0.8)', 2, 3)]
    """
    return [(group, *pair) for group, members in found.items() for pair in combinations(members, 2)]


def complete(scores: Scores, *, systems: int = 2, topics: int = 2) -> Scores:
    """The scores, if there are enough of them and no cell is missing.

    Examples
    --------
    >>> import numpy as np
    >>> complete(Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, np.nan], [0.4, 0.2]]])))
    Traceback (most recent call last):
    metameter.errors.MetameterError: AP has no score for system 'a' on topic '2', one of 1 missing cells. \
Fill them with --missing zero, or leave such topics out with --missing drop-topic.
    """
    missing = scores.missing
    if missing.any():
        m, s, t = (int(i[0]) for i in missing.nonzero())
        raise MetameterError(
            f"{scores.metrics[m]} has no score for system {scores.systems[s]!r} on topic {scores.topics[t]!r}, "
            f"one of {int(missing.sum())} missing cells",
            fix="Fill them with --missing zero, or leave such topics out with --missing drop-topic.",
        )
    for what, have, need in (("system", scores.systems, systems), ("topic", scores.topics, topics)):
        if len(have) < need:
            raise MetameterError(f"too few {what}s", given=len(have), allowed=f"at least {need}")
    return scores
