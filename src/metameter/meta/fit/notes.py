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
    notes += _open_ended({row["parameter"]: row for row in done.tables["fit"].iter_rows(named=True)})
    if how.resamples:
        notes += few_units(number, units, f"other {units}")
    return notes


def _open_ended(rows: dict[str, dict[str, Any]]) -> list[str]:
    names = ", ".join(name for name, row in rows.items() if _is_open(row))
    return [f"The interval of {names} reaches an end of what was searched: it is open there."] if names else []


def _is_open(row: dict[str, Any]) -> bool:
    if row["low"] is None:
        return False
    # Nothing lies below 0: an interval that begins there is closed.
    return bool(0 < row["searched_low"] >= row["low"] or row["high"] >= row["searched_high"])


def view_notes(done: ViewFit, facts: dict[str, Any]) -> list[str]:
    """What a reader must know of browsing models that were held against the ranks viewed last."""
    worth = f"as {done.smoothing:,.3g} more viewers at each rank would draw it to the rate of all ranks"
    drawn = "ranks differ no more than by chance: one rate for all" if done.smoothing >= ALIKE else worth
    drawn = drawn if done.smoothing else "none"
    notes = [
        f"Ranks viewed last on {facts['size']:,} pages, {facts['distinct']:,} of them distinct; smoothing: {drawn}.",
        "p takes pages for independent; whoever would go on past the end of a page has viewed its last result last.",
    ]
    models = done.tables["fit_models"]
    if models["low"].is_not_null().any():
        units = "users" if facts["users"] else "pages"
        notes.append(f"low, high of a model: 95% for other {units}, from how fast its likelihood falls.")
    # A whole number has nothing beyond its ends: the first rank, and the last of the longest page.
    smooth = models.filter(models["parameter"] != "k").iter_rows(named=True)
    return notes + _open_ended({f"{row['parameter']} of {row['model'].partition('(')[0]}": row for row in smooth})
