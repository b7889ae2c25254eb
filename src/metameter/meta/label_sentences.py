"""What the table of metrics and labels says, in sentences: who agrees best, who is better than the canonical metric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metameter.meta.caveats import few_units
from metameter.meta.label_evidence import CANONICAL_SHARE

if TYPE_CHECKING:
    import polars as pl

__all__ = ["label_answer", "label_notes"]

_MOST_NAMES = 7


def label_answer(table: pl.DataFrame, what: str, options: dict[str, Any]) -> list[str]:
    """Which metrics agree best with ``what`` people said, and which are shown to be better than their reference.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"tau_b": 0.4, "low": 0.3, "high": 0.5, "beats": 0, "beaten_by": 0, "better": False, "difference": None}
    >>> table = pl.DataFrame([{"metric": "RR", **row}, {"metric": "AP", **row, "tau_b": 0.2}])
    >>> label_answer(table, "satisfaction", {"resamples": 1000})[0]
    'Agreement with satisfaction: no metric is shown to agree better than another (highest: RR, tau_b 0.400).'
    """
    import polars as pl

    known = table.filter(pl.col("tau_b").is_not_null()).sort("tau_b", descending=True, maintain_order=True)
    if not known.height:
        return [f"Agreement with {what}: no metric could be correlated."]
    if not options["resamples"]:
        why = "from so few" if options.get("asked") else "without resamples"
        return [f"Agreement with {what}: {why}, nothing can be said of other pages ({_top(known)})."]
    return [*_leaders(known, what), *_better(known)]


def _top(known: pl.DataFrame) -> str:
    best = known.row(0, named=True)
    return f"highest: {best['metric']}, tau_b {best['tau_b']:.3f}"


def _leaders(known: pl.DataFrame, what: str) -> list[str]:
    import polars as pl

    best = known.row(0, named=True)
    leading = known.filter(pl.col("beaten_by") == 0)
    below = known.height - leading.height
    if not below:
        return [f"Agreement with {what}: no metric is shown to agree better than another ({_top(known)})."]
    interval = f"tau_b {best['tau_b']:.3f}, 95% interval {best['low']:.3f} to {best['high']:.3f}"
    others = [name for name in leading["metric"] if name != best["metric"]]
    level = f"; not shown to be below it: {_names(others)}" if others else ""
    beaten = f"{below} of the other {known.height - 1} metrics are shown to agree less than some other"
    first = f"Agreement with {what}: highest for {best['metric']} ({interval}){level}; {beaten}."
    weak = " All of them agree little with it." if best["high"] < 0.1 else ""
    return [f"{first}{weak}"]


def _better(known: pl.DataFrame) -> list[str]:
    import polars as pl

    held = known.filter(pl.col("difference").is_not_null())
    if not held.height:
        return []
    shown = held.filter("better").sort("difference", descending=True)
    if not shown.height:
        return [f"Of {held.height} comparisons with a canonical metric or reference, none is shown to be better."]
    by_reference = shown.group_by("canonical", maintain_order=True).agg(
        pl.col("metric", "difference").first(), pl.len()
    )
    listed = [
        f"{metric} (+{difference:.3f} on {reference}{f'; {count} such metrics' if count > 1 else ''})"
        for reference, metric, difference, count in by_reference.iter_rows()
    ]
    many = f"{shown.height} of {held.height} metrics are shown to agree better than the one they are held against"
    return [f"{many}, most of all {_names(listed)}."]


def _names(names: list[str]) -> str:
    left = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")


def label_notes(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """What the figures are, what is drawn anew, which marks hold together, and how often they are false."""
    rows, users = options["rows"], options["users"]
    drawn = f"{users:,} users" if users else f"{options['size']:,} {rows}"
    notes = [f"tau_b of scores and labels over {options['size']:,} {rows}, {options['distinct']:,} of them distinct."]
    if options["resamples"]:
        level = f"{options['alpha'] / options['collections']:g}"
        notes.append(
            f"low, high: 95% for other {'users' if users else rows}, each for itself, from {options['resamples']:,} "
            f"resamples of {drawn}. better: the interval of the difference, which holds together with those of all "
            "comparisons, is above zero. beats, beaten_by: likewise, over all pairs of metrics. The chance that "
            f"any of these marks is false is at most about {level}."
        )
        needed = math.ceil(1.0 / ((1.0 - CANONICAL_SHARE) * options["alpha"] / options["collections"]) - 1e-9)
        if options["resamples"] < needed:
            notes.append(f"Too few resamples to show anything at this level: it takes {needed:,} or more.")
        close = int(table["close_call"].sum())
        if close:
            notes.append(f"Close calls: {close}; another seed may decide them otherwise.")
    if table["p_vs_canonical"].drop_nulls().len():
        notes.append(_test(options))
    others = "other users" if users else f"other {rows}"
    return (
        *notes,
        *(few_units(users or options["size"], "users" if users else rows, others) if options["asked"] else ()),
    )


def _test(options: dict[str, Any]) -> str:
    by = {
        "bootstrap": "the paired bootstrap",
        "steiger": "Steiger's Z",
        "williams": "Williams' t",
        "zou": "Zou's interval",
        "fisher": "Fisher's z for independent samples, which ignores that metrics share their labels",
    }[options["test"]]
    about = (
        ", made for Pearson's r: an approximation on the safe side"
        if options["test"] in ("steiger", "williams", "zou")
        else ""
    )
    alone = (
        " It takes the labels of one user as independent."
        if options["users"] and options["test"] != "bootstrap"
        else ""
    )
    adjusted = (
        "" if options["correction"] == "none" else f", adjusted within each row of the table ({options['correction']})"
    )
    return f"p_vs_canonical and better_row: {by}{about}{adjusted}.{alone}"
