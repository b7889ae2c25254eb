"""What the table of metrics and labels says, in sentences: who agrees best, who is better than the canonical metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.sentence import figure

if TYPE_CHECKING:
    import polars as pl

__all__ = ["label_answer"]

_MOST_NAMES = 7


def label_answer(table: pl.DataFrame, what: str, facts: dict[str, Any]) -> list[str]:
    """Which metrics agree best with ``what`` people said, and which are shown to be better than their reference.

    Parameters
    ----------
    table : polars.DataFrame
        ``satisfaction`` or ``preference``.
    what : str
    facts : dict
        ``rows``, ``size``, ``users``, ``drawn``, ``resamples``, ``reference``.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"tau_b": 0.4, "low": 0.3, "high": 0.5, "beats": 0, "beaten_by": 0, "better": None, "difference": None}
    >>> table = pl.DataFrame([{"metric": "RR", **row}, {"metric": "AP", **row, "tau_b": 0.2}])
    >>> facts = {"rows": "pages", "size": 900, "users": None, "drawn": 1000, "resamples": 1000}
    >>> label_answer(table, "satisfaction", facts)
    ['Agreement with satisfaction: no metric is shown to agree better than another (highest: RR, tau_b .400, 95% \
interval .300 to .500).']
    """
    import polars as pl

    known = table.filter(pl.col("tau_b").is_not_null()).sort("tau_b", descending=True, maintain_order=True)
    first = f"Agreement with {what}:"
    if not known.height:
        return [f"{first} no metric could be correlated."]
    if not facts["drawn"]:
        return [f"{first} {_unknown(facts)} (highest: {_told(known)})."]
    if known.height == 1:
        return [f"{first} {_told(known)}.", *_better(known)]
    return [f"{first} {_leaders(known)}.", *_better(known)]


def _unknown(facts: dict[str, Any]) -> str:
    units = f"{facts['users']:,} users" if facts["users"] else f"{facts['size']:,} {facts['rows']}"
    from_these = f"from {units}" if facts["resamples"] else "without resamples"
    return f"{from_these}, nothing can be said of others"


def _told(known: pl.DataFrame) -> str:
    best = known.row(0, named=True)
    ends = f", 95% interval {figure(best['low'])} to {figure(best['high'])}" if best["low"] is not None else ""
    return f"{best['metric']}, tau_b {figure(best['tau_b'])}{ends}"


def _leaders(known: pl.DataFrame) -> str:
    import polars as pl

    leading = known.filter(pl.col("beaten_by") == 0)["metric"].to_list()
    if len(leading) == known.height:
        return f"no metric is shown to agree better than another (highest: {_told(known)})"
    best = known["metric"][0]
    level = [name for name in leading if name != best]
    if not level and known["beats"][0] == known.height - 1:
        others = f"each of the other {known.height - 1} metrics" if known.height > 2 else known["metric"][1]
        return f"{_told(known)}: shown to agree better than {others}"
    nor = f"; nor is any shown to exceed {_names(level)}" if level else ""
    below = known.height - len(leading)
    exceeded = f"{below} of {known.height} metrics {'is' if below == 1 else 'are'} shown to be exceeded by another"
    return f"highest for {_told(known)}; {exceeded}{nor}"


def _better(known: pl.DataFrame) -> list[str]:
    import polars as pl

    held = known.filter(pl.col("difference").is_not_null())
    if not held.height:
        return []
    shown = held.filter(pl.col("better")).sort("difference", descending=True, maintain_order=True)
    of = f"{held.height} metric{'s' * (held.height != 1)}"
    if not shown.height:
        return [f"Of {of} held against a canonical metric or the reference, none is shown to agree better."]
    first = shown.group_by("canonical", maintain_order=True).agg(pl.col("metric", "difference").first(), pl.len())
    listed = [
        f"{metric} ({figure(difference, sign=True)} on {reference}{f'; {count} such metrics' if count > 1 else ''})"
        for reference, metric, difference, count in first.iter_rows()
    ]
    verb = "is" if shown.height == 1 else "are"
    return [f"Of {of}, {shown.height} {verb} shown to agree better than the one held against: {_names(listed)}."]


def _names(names: list[str]) -> str:
    left = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")
