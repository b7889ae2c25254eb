"""Metrics by their names: what a name stands for, which metric of a table it means, and lists of names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metameter.errors import MetameterError, did_you_mean
from metameter.metric.product import Product
from metameter.registry import metric_named

_NOISE = re.compile(r"[-_\s]")


def product_of(name: str) -> Product | None:
    """Return the product of browsing model and aggregation that a name stands for; None for other metrics.

    Examples
    --------
    >>> product_of("RBP(p=0.8)").aggregation, product_of("nDCG@10"), product_of("somebody's metric")
    (ERG, None, None)
    """
    known = metric_named(name)  # scores from other tools have any names
    return known if isinstance(known, Product) else None


def aggregation_of(name: str) -> str:
    """The aggregation of a metric; the whole name of a metric that has none.

    Examples
    --------
    >>> aggregation_of("RBP(p=0.8)*PE(beta=0.5)@10"), aggregation_of("nDCG@10")
    ('PE(beta=0.5)', 'nDCG@10')
    """
    product = product_of(name)
    return name if product is None else repr(product.aggregation)


def is_canonical(name: str) -> bool:
    """Whether a metric is the one that its browsing model is known by.

    Examples
    --------
    >>> is_canonical("RBP(p=0.8)*ERG"), is_canonical("RBP(p=0.8)*max")
    (True, False)
    """
    product = product_of(name)
    return product is not None and product.canonical


def is_diagnostic(name: str) -> bool:
    """Whether a metric does not depend on relevance, such as Judged@10 or num_ret.

    Examples
    --------
    >>> is_diagnostic("Judged@100"), is_diagnostic("num_ret"), is_diagnostic("AP"), is_diagnostic("mine")
    (True, True, False, False)
    """
    return bool(getattr(metric_named(name, typed=True), "diagnostic", False))


def name_list(names: Sequence[str], most: int = 8) -> str:
    """Join names with commas; of many only the first few.

    Examples
    --------
    >>> name_list(["a", "b"]), name_list([str(number) for number in range(11)])
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7 and 3 more')
    """
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def same_name(first: str, second: str) -> bool:
    """Whether two names differ at most in hyphens, underscores and capitals.

    Examples
    --------
    >>> same_name("st-rec", "strec"), same_name("alpha_nDCG", "alpha-ndcg"), same_name("AP", "RR")
    (True, True, False)
    """
    return _folded(first) == _folded(second)


def _folded(name: str) -> str:
    return _NOISE.sub("", name).casefold()


def find_metric(name: str, metrics: Sequence[str]) -> str | None:
    """Return the metric of a table that a name means; None if there is none, or more than one.

    A name may be spelled with hyphens or underscores, without the parameters, or as the notation allows.

    Examples
    --------
    >>> table = ["RBP(p=0.8)*ERG", "alpha-nDCG", "RBU(p=0.99,e=0.05)"]
    >>> [find_metric(name, table) for name in ("RBP(p=0.80)", "alpha_nDCG", "RBU", "AP")]
    ['RBP(p=0.8)*ERG', 'alpha-nDCG', 'RBU(p=0.99,e=0.05)', None]
    """
    if name in metrics:
        return name
    known = metric_named(name, typed=True)
    if known is not None and repr(known) in metrics:
        return repr(known)
    spelled = [each for each in metrics if same_name(each, name)]
    short = [each for each in metrics if same_name(re.split(r"[(@]", each)[0], name)]
    return next((matches[0] for matches in (spelled, short) if len(matches) == 1), None)


def metric_of(name: str, metrics: Sequence[str]) -> str:
    """Return the metric of a table that a name means; refuse a name without one.

    Examples
    --------
    >>> metric_of("PA", ["AP", "RR"])
    Traceback (most recent call last):
    metameter.errors.MetameterError: no such metric was scored (given 'PA'). Known: AP, RR.
    """
    metric = find_metric(name, metrics)
    if metric is None:
        raise MetameterError("no such metric was scored", given=name, fix=did_you_mean(name, list(metrics)))
    return metric


def position_of(name: str, metrics: tuple[str, ...]) -> int:
    """Return the position of a metric, however it is spelled; refuse a metric that is not there.

    Examples
    --------
    >>> position_of("RBP(p=0.8)", ("AP", "RBP(p=0.8)*ERG"))
    1
    """
    if name in metrics:
        return metrics.index(name)
    spelled = str(metric_named(name, typed=True) or name)
    if spelled not in metrics:
        fix = f"Score it too. {did_you_mean(name, list(metrics))}"
        raise MetameterError("the reference is not among the metrics", given=name, fix=fix)
    return metrics.index(spelled)
