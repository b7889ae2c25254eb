"""The notes below the tables of `fit`: what they rest on, and what must be kept in mind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.caveats import few_units
from metameter.meta.fit.sentences import ALIKE

if TYPE_CHECKING:
    from metameter.meta.fit.labels import How, LabelFit
    from metameter.meta.fit.views import ViewFit

__all__ = ["label_notes", "view_notes"]


def label_notes(done: LabelFit, facts: dict[str, Any], how: How) -> list[str]:
    """What a reader must know of a metric that was fitted to labels."""
    units = "users" if facts["users"] else facts["rows"]
    number = facts["users"] or facts["size"]
    notes = [f"Fitted to {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."]
    if drawn := done.found.resamples:
        of = f"{drawn:,} resamples of {number:,} {units}"
        notes.append(f"low, high: 95% for other {units}, from {of}, each of them searched.")
    if flat := done.flat:
        notes.append(f"On these pages {', '.join(flat)} makes no difference: any value orders them alike.")
    if open_ended := [row["parameter"] for row in done.tables["fit"].iter_rows(named=True) if _is_open(row)]:
        notes.append(f"The interval of {', '.join(open_ended)} reaches an end of what was searched: it is open there.")
    if how.resamples:
        notes += few_units(number, units, f"other {units}")
    return notes


def _is_open(row: dict[str, Any]) -> bool:
    return row["low"] is not None and (row["low"] <= row["searched_low"] or row["high"] >= row["searched_high"])


def view_notes(done: ViewFit, facts: dict[str, Any]) -> list[str]:
    """What a reader must know of browsing models that were held against the ranks viewed last."""
    worth = f"as {done.smoothing:,.3g} more viewers at each rank would draw it to the rate of all ranks"
    drawn = "ranks differ no more than by chance: one rate for all" if done.smoothing >= ALIKE else worth
    drawn = drawn if done.smoothing else "none"
    return [
        f"Ranks viewed last on {facts['size']:,} pages, {facts['distinct']:,} of them distinct; smoothing: {drawn}.",
        "p takes pages for independent; whoever would go on past the end of a page has viewed its last result last.",
    ]
