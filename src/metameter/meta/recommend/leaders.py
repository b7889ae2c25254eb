"""Which metrics lead, as groups with ties: those that nothing is shown to exceed; and which rank alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.letters import cliques

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Leaders", "exceeds", "leaders", "ranked_alike"]


@dataclass(frozen=True)
class Leaders:
    """Who leads among some metrics.

    Attributes
    ----------
    metrics : list of str
        All that were looked at.
    consistent, powerful : list of str
        Those that are not shown to be below any other in consistency, in power; the highest first.
    both : list of str
        Those in both groups; those first that no other exceeds in both figures, and of them the most powerful.
    exceeded : dict
        Metric of both -> how many of the others it is shown to exceed in one of the two.
    """

    metrics: list[str]
    consistent: list[str]
    powerful: list[str]
    both: list[str]
    exceeded: dict[str, int]


def leaders(table: pl.DataFrame) -> Leaders | None:
    """Read the leaders off the letters of a table ``metrics``; None if it has no letters.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["AP", "RR", "P@10"], "consistency": [0.8, 0.5, 0.7], "power": [0.5, 0.2, 0.4],
    ...                       "consistency_group": ["a", "b", "a"], "power_group": ["a", "c", "b"]})
    >>> found = leaders(table)
    >>> found.consistent, found.powerful, found.both, found.exceeded
    (['AP', 'P@10'], ['AP'], ['AP'], {'AP': 2})
    """
    rows = table.rows(named=True)
    if not rows or any(row["consistency_group"] is None for row in rows):
        return None
    consistent, powerful = (_not_below_any(rows, what) for what in ("consistency", "power"))
    exceeded = {row["metric"]: sum(exceeds(row, other) for other in rows) for row in rows}
    power = {row["metric"]: row["power"] for row in rows}
    front = {row["metric"] for row in rows if not any(_above(other, row) for other in rows)}
    both = sorted(set(consistent) & set(powerful), key=lambda name: (name not in front, -power[name], name))
    return Leaders(list(power), consistent, powerful, both, {name: exceeded[name] for name in both})


def _not_below_any(rows: list[dict[str, Any]], what: str) -> list[str]:
    """Letters need not follow the order of the figures: a metric may be level with the first and below the second."""
    ordered = sorted(rows, key=lambda row: -row[what])
    return [
        row["metric"]
        for row in ordered
        if not any(other[what] > row[what] and not _level(row, other, what) for other in ordered)
    ]


def _above(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(one["consistency"] > other["consistency"] and one["power"] > other["power"])


def _level(one: dict[str, Any], other: dict[str, Any], what: str) -> bool:
    """Two metrics share a letter if and only if they are not shown to differ."""
    return bool(_letters(one[f"{what}_group"]) & _letters(other[f"{what}_group"]))


def _letters(group: str) -> set[str]:
    return set(group.split()) if " " in group else set(group)


def exceeds(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether one metric is shown to be above the other in one of the two, and not below it in the other."""
    signs = [
        0 if _level(one, other, what) else 1 if one[what] > other[what] else -1 for what in ("consistency", "power")
    ]
    return max(signs) > 0 and min(signs) >= 0


def ranked_alike(table: pl.DataFrame, similar: float) -> list[list[str]]:
    """Groups of metrics that surely rank the systems alike: every interval of tau between them is above ``similar``.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["b", "c", "c"], "canonical": ["a", "a", "b"],
    ...                       "tau_to_canonical": [0.97, 0.9, 0.9], "tau_low": [0.95, 0.8, 0.8]})
    >>> ranked_alike(table, 0.9)
    [['a', 'b']]
    """
    rows = table.select("metric", "canonical", "tau_to_canonical", "tau_low").rows()
    names = list(dict.fromkeys(name for metric, reference, *_ in rows for name in (reference, metric)))
    alike = np.eye(len(names), dtype=bool)
    for metric, reference, tau, low in rows:
        i, j = names.index(metric), names.index(reference)
        alike[i, j] = alike[j, i] = tau is not None and low is not None and low >= similar
    sets = ([name for place, name in enumerate(names) if group >> place & 1] for group in cliques(alike))
    return [group for group in sets if len(group) > 1]
