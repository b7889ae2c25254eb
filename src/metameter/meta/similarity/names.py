"""What the metrics of a group are called along the sides of a matrix."""

from __future__ import annotations

from metameter.meta.groups import is_canonical, short_names

__all__ = ["marked_names"]


def marked_names(names: list[str], group: str) -> list[str]:
    """What tells the metrics of a group apart; canonical ones are marked with a star.

    Examples
    --------
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"], "RBP(p=0.8)")
    ['ERG*', 'max']
    >>> marked_names(["RBP(p=0.8)*ERG", "AP"], "all")  # a star within a name is not the mark
    ['RBP(p=0.8)*ERG *', 'AP']
    """
    marks = [" *" if "*" in short else "*" for short in short_names(names, group)]
    shown = zip(names, short_names(names, group), marks, strict=True)
    return [short + mark * is_canonical(name) for name, short, mark in shown]
