"""Which metric of a list another one is held against: the canonical one of its browsing model, or one that is named."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.groups import group_of, product_of
from metameter.metric.product import Product
from metameter.registry import metric_named

__all__ = ["canonical_places", "position_of"]


def canonical_places(metrics: Sequence[str]) -> list[int | None]:
    """For each metric, the place of the canonical metric of its browsing model; its own if it is that one.

    Where there are several, that of the same model and cut, else of the same depth, else the first; None where there is
    none, and for metrics without a browsing model.

    Examples
    --------
    >>> canonical_places(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.5)*max", "nDCG@10", "RBP(p=0.8)@10*ERG"])
    [0, 0, None, None, 4]
    """
    products = [product_of(name) for name in metrics]
    known = [(place, each) for place, each in enumerate(products) if each is not None and each.canonical]
    groups = {place: group_of(metrics[place]) for place, each in enumerate(products) if each is not None}
    places: list[int | None] = []
    for place, product in enumerate(products):
        if product is None or product.canonical:
            places.append(None if product is None else place)
            continue
        mine = [(other, each) for other, each in known if groups[other] == groups[place]]
        nearest = max(mine, key=lambda other: _alike(product, other[1]), default=None)
        places.append(None if nearest is None else nearest[0])
    return places


def position_of(name: str, metrics: tuple[str, ...]) -> int:
    """The place of a metric, however it is spelled; refused if it is not among them.

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


def _alike(one: Product, other: Product) -> tuple[bool, bool]:
    return (str(one.model), one.cut) == (str(other.model), other.cut), one.reach == other.reach
