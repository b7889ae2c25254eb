"""What one metric adds to another: pairs of systems that it tells apart and the other does not, and how many hold."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.groups import groups, is_canonical, product_of

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["added_table", "comparisons"]

_SHARES = ("added", "agreement_a", "agreement_b", "shared", "shared_agreement_a", "shared_agreement_b")


def comparisons(metrics: tuple[str, ...]) -> list[tuple[int, int]]:
    """Positions (A, B) of metrics that are compared: each with the canonical metric of its browsing model, both ways.

    Where there is no canonical metric, and for metrics without a model, each with each.

    Examples
    --------
    >>> comparisons(("RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "RBP(p=0.8)*fin", "AP", "RR"))
    [(0, 1), (1, 0), (2, 1), (1, 2), (3, 4), (4, 3)]
    """
    pairs: list[tuple[int, int]] = []
    for members in groups(metrics, "browse").values():
        known = [member for member in members if is_canonical(metrics[member])]
        rest = [member for member in members if member not in known]
        pairs += [(member, _nearest(metrics, member, known)) for member in rest] if known else combinations(members, 2)
    return [way for a, b in pairs for way in ((a, b), (b, a))]


def _nearest(metrics: tuple[str, ...], member: int, known: list[int]) -> int:
    """Of the canonical metrics of a model, the one of the same depth and cut, else of the same reach, or the first."""
    own = product_of(metrics[member])
    others = {other: product_of(metrics[other]) for other in known}

    def alike(other: int) -> tuple[bool, ...]:
        canonical = others[other]
        if own is None or canonical is None:
            return (False,)
        return (own.model, own.cut) == (canonical.model, canonical.cut), own.reach == canonical.reach

    return max(known, key=alike)


def added_table(
    metrics: tuple[str, ...], pairs: list[tuple[int, int]], splits: int, shares: Floats, errors: Floats
) -> pl.DataFrame:
    """The shares and their errors, (6, comparisons), labelled."""
    import polars as pl

    columns: dict[str, Any] = {
        f"metric_{side}": pl.Series([metrics[pair[place]] for pair in pairs], dtype=pl.String)
        for place, side in enumerate("ab")
    }
    columns |= dict(zip(_SHARES, shares, strict=True))
    columns |= {f"{name}_error": error for name, error in zip(_SHARES, errors, strict=True)}
    columns["splits"] = np.full(len(pairs), splits)
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
