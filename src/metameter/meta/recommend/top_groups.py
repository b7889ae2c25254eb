"""The leading metrics in consistency and in power: those that are not shown to be below any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Leaders:
    """The leaders among some metrics.

    Attributes
    ----------
    metrics : list of str
        All metrics of the table.
    consistent, powerful : list of str
        Those that are not shown to be below any other in consistency, in power; the highest first.
    """

    metrics: list[str]
    consistent: list[str]
    powerful: list[str]


def leaders(table: pl.DataFrame) -> Leaders | None:
    """Return the leaders by the letters of a table ``metrics``; None if it has no letters.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["AP", "RR", "P@10"], "consistency": [0.8, 0.5, 0.7], "power": [0.5, 0.2, 0.4],
    ...                       "consistency_group": ["a", "b", "a"], "power_group": ["a", "c", "b"]})
    >>> leading = leaders(table)
    >>> leading.consistent, leading.powerful
    (['AP', 'P@10'], ['AP'])
    """
    rows = table.rows(named=True)
    if not rows or any(row["consistency_group"] is None for row in rows):
        return None
    consistent, powerful = (_not_below_any(rows, what) for what in ("consistency", "power"))
    return Leaders([row["metric"] for row in rows], consistent, powerful)


def _not_below_any(rows: list[dict[str, Any]], what: str) -> list[str]:
    """Letters need not follow the order of the figures: a metric can tie with the first and be below the second."""
    ordered = sorted(rows, key=lambda row: -row[what])
    return [
        row["metric"]
        for row in ordered
        if not any(other[what] > row[what] and not _share_a_letter(row, other, what) for other in ordered)
    ]


def _share_a_letter(one: dict[str, Any], other: dict[str, Any], what: str) -> bool:
    """Two metrics share a letter if and only if they are not shown to differ."""
    return bool(_letters(one[f"{what}_group"]) & _letters(other[f"{what}_group"]))


def _letters(group: str) -> set[str]:
    return set(group.split()) if " " in group else set(group)
