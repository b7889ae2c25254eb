"""Which metric of a list another one is held against: the canonical one of its browsing model, or one that is named."""

from __future__ import annotations

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.groups import group_of, is_canonical, product_of
from metameter.registry import metric_named

__all__ = ["canonical_of", "position_of"]

# The model with its cut, and the depth.
Traits = tuple[tuple[str, int | None], int | None]


def canonical_of(member: int, metrics: tuple[str, ...]) -> int | None:
    """The place of the canonical metric of a metric's browsing model, if it is there; its own if it is that one.

    Where there are several, that of the same model and cut, else of the same depth, else the first.

    Examples
    --------
    >>> metrics = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.5)*max", "nDCG@10", "RBP(p=0.8)@10*ERG")
    >>> [canonical_of(member, metrics) for member in range(5)]
    [0, 0, None, None, 4]
    """
    group = group_of(metrics[member])
    if product_of(metrics[member]) is None:
        return None
    if is_canonical(metrics[member]):
        return member
    known = [place for place, name in enumerate(metrics) if is_canonical(name) and group_of(name) == group]
    own = _traits(metrics[member])
    return max(known, key=lambda other: _alike(own, _traits(metrics[other])), default=None)


def position_of(name: str, metrics: tuple[str, ...]) -> int:
    """The place of a metric, however it is spelled; refused if it is not among them.

    Examples
    --------
    >>> position_of("RBP(p=0.8)", ("AP", "RBP(p=0.8)*ERG"))
    1
    """
    if name in metrics:
        return metrics.index(name)
    spelled = str(metric_named(name) or name)
    if spelled not in metrics:
        fix = f"Score it too. {did_you_mean(name, list(metrics))}"
        raise MetameterError("the reference is not among the metrics", given=name, fix=fix)
    return metrics.index(spelled)


def _traits(name: str) -> Traits:
    product = product_of(name)
    if product is None:  # only products have a canonical metric
        raise TypeError(name)
    return (str(product.model), product.cut), product.reach


def _alike(one: Traits, other: Traits) -> tuple[bool, bool]:
    return one[0] == other[0], one[1] == other[1]
