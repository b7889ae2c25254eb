"""What the metrics of a group are called along the sides of a matrix."""

from __future__ import annotations

from metameter.meta.groups import is_canonical, short_names

__all__ = ["marked_names"]


def marked_names(names: list[str], group: str) -> list[str]:
    """What tells the metrics of a group apart; canonical ones are marked with a star.

    What stands above the matrix, the name of the group, is not repeated in each name.

    Examples
    --------
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"], "RBP(p=0.8)")
    ['ERG*', 'max']
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max"], "RBP(p=0.8)")
    ['ERG*', '@10 ERG*', '@10 max']
    >>> marked_names(["RBP(p=0.8)*ERG", "AP"], "all")  # a star within a name is not the mark
    ['RBP(p=0.8)*ERG *', 'AP']
    """
    shorter = short_names(names, group)
    if shorter == names and all(name.startswith(group) for name in names):
        without = [name[len(group) :].replace("*", " ").strip() for name in names]
        shorter = without if len(set(without)) == len(names) else names
    marks = [" *" if "*" in short else "*" for short in shorter]
    shown = zip(names, shorter, marks, strict=True)
    return [short + mark * is_canonical(name) for name, short, mark in shown]
