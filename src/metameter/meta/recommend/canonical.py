"""Which canonical metric each alternative is compared with: one of its browsing model, if possible of its depth."""

from __future__ import annotations

from metameter.meta.groups import groups, is_canonical, product_of

__all__ = ["alternatives"]

# The model with its cut, and the depth.
Traits = tuple[tuple[str, int | None], int | None]


def alternatives(metrics: tuple[str, ...]) -> tuple[dict[str, list[tuple[int, int]]], list[str]]:
    """Group -> (alternative, its canonical metric) as positions; and the groups that have no canonical metric.

    Examples
    --------
    >>> alternatives(("RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "AP", "Prec@5*max"))
    ({'RBP(p=0.8)': [(0, 1)]}, ['other', 'Prec'])
    """
    pairs: dict[str, list[tuple[int, int]]] = {}
    without = []
    for group, members in groups(metrics, "browse").items():
        known = [member for member in members if is_canonical(metrics[member])]
        if known:
            rest = (member for member in members if member not in known)
            pairs[group] = [(member, _nearest(member, known, metrics)) for member in rest]
        else:
            without.append(group)
    return pairs, without


def _nearest(member: int, known: list[int], metrics: tuple[str, ...]) -> int:
    """The canonical metric of the same model and cut, else of the same depth, else the first."""
    own = _traits(metrics[member])
    return max(known, key=lambda other: _alike(own, _traits(metrics[other])))


def _traits(name: str) -> Traits:
    product = product_of(name)
    if product is None:  # groups puts only products into the groups of a model
        raise TypeError(name)
    return (str(product.model), product.cut), product.reach


def _alike(one: Traits, other: Traits) -> tuple[bool, bool]:
    return one[0] == other[0], one[1] == other[1]
