"""The notes below the tables of `fit`: what they rest on, and what must be kept in mind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from metameter.meta.caveats import few_units
from metameter.meta.fit.axis import Axis
from metameter.meta.fit.browsing import candidates
from metameter.stats.effective_users import effective_units, rows_of_users

if TYPE_CHECKING:
    from metameter.meta.fit.labels import How, LabelFit
    from metameter.meta.fit.views import ViewFit
    from metameter.stats.label_counts import LabelCounts

__all__ = ["label_notes", "view_notes"]

#: From fewer resamples the ends of an interval are those of a handful of draws.
_FEW_RESAMPLES = 100
#: Measured by benchmarks/coverage_fit.py --walk; the figures are on the page of fit.
_KIND = (
    "The interval is for labels that follow what users take away on average, with noise. Where each answer follows one "
    "walk down the page it holds the true value less often, and to which side it errs is not known."
)
#: Users who say less than this share of what as many users of equal size would are of unlike size.
_UNLIKE = 0.5


def label_notes(done: LabelFit, facts: dict[str, Any], how: How) -> list[str]:
    """What a reader must know of a metric that was fitted to labels."""
    units = "users" if facts["users"] else facts["rows"]
    number = facts["users"] or facts["size"]
    notes = [f"Fitted to {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."]
    if drawn := done.found.resamples:
        of = f"{drawn:,} resamples of {number:,} {units}"
        notes += [f"low, high: 95% for other {units}, from {of}, each of them searched.", _KIND]
    if 0 < drawn < _FEW_RESAMPLES:
        notes.append(f"Warning: ends of intervals from {drawn} resamples are rough. Raise resamples to 1,000, say.")
    if flat := done.flat:
        notes.append(f"On these pages {', '.join(flat)} makes no difference: any value orders them alike.")
    rows = {row["parameter"]: row for row in done.tables["fit"].iter_rows(named=True)}
    notes += _open_ended((name, rows[name], axis) for name, axis in zip(rows, done.found.axes, strict=True))
    if how.resamples:
        notes += [*few_units(number, units, f"other {units}"), *_unlike_users(done.counts, facts["rows"])]
    return notes


def _open_ended(rows: Iterable[tuple[str, dict[str, Any], Axis]]) -> list[str]:
    names = ", ".join(name for name, row, axis in rows if _is_open(row, axis))
    return [f"The interval of {names} reaches an end of what was searched: it is open there."] if names else []


def _is_open(row: dict[str, Any], axis: Axis) -> bool:
    """Whether an interval ends where the search did, and not where the values of the parameter do.

    Examples
    --------
    >>> whole, patience = {"low": 0.0, "high": 1.0}, {"low": 0.5, "high": 0.999}
    >>> _is_open(whole, Axis(0, 1, 0.01)), _is_open(patience, Axis(0, 0.999, 0.01, more=(False, True)))
    (False, True)
    """
    if row["low"] is None:
        return False
    below, above = axis.more
    return bool((below and row["low"] <= axis.low) or (above and row["high"] >= axis.high))


def _unlike_users(counts: LabelCounts, rows: str) -> list[str]:
    """A warning where a few users have most of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from metameter.stats.label_counts import LabelCounts
    >>> eleven = np.arange(11)
    >>> _unlike_users(LabelCounts(eleven, 0 * eleven, np.array([10] * 10 + [200]), eleven), "pages")
    ['Warning: one of 11 users has 200 of 300 pages. For intervals they count as 2.2 users of equal size.']
    """
    if counts.user is None or effective_units(counts) >= _UNLIKE * counts.units:
        return []
    most = f"one of {counts.units:,} users has {rows_of_users(counts).max():,.0f} of {counts.total:,} {rows}"
    return [f"Warning: {most}. For intervals they count as {effective_units(counts):,.2g} users of equal size."]


def view_notes(done: ViewFit, facts: dict[str, Any]) -> list[str]:
    """What a reader must know of browsing models that were held against the ranks viewed last."""
    worth = done.found.worth
    drawn = f"as {worth:,.3g} more viewers at each rank would draw it to the rate of all ranks" if worth else "none"
    drawn = "ranks differ no more than by chance: one rate for all" if done.found.one_rate else drawn
    units = "users" if facts["users"] else "pages"
    notes = [
        f"Ranks viewed last on {facts['size']:,} pages, {facts['distinct']:,} of them distinct; smoothing: {drawn}.",
        "p takes pages for independent; whoever would go on past the end of a page has viewed its last result last.",
    ]
    if not done.found.one_rate:
        notes.append(
            "Where more go on from later ranks, users may go on the more readily the further they have come; or each "
            "may go on at a rate of their own, and those who are left are the patient ones. The ranks viewed last look "
            "the same."
        )
    models = done.tables["fit_models"]
    if models["low"].is_not_null().any():
        notes.append(f"low, high of a model: 95% for other {units}, from how fast its likelihood falls.")
        notes.append(
            f"low, high of a rank: 95% for other {units}, of the share itself, whatever smoothing makes of it."
        )
    notes += _open_ended(_numbers(done))
    return notes + few_units(done.counts.units, units, f"other {units}") + _unlike_users(done.counts, "pages")


def _numbers(done: ViewFit) -> Iterable[tuple[str, dict[str, Any], Axis]]:
    """Models with a number: what it is called, its row, and where it was looked for."""
    known = {each.name: each.number for each in candidates() if each.number is not None}
    for row in done.tables["fit_models"].iter_rows(named=True):
        name = next((name for name in known if row["model"].startswith((f"{name}(", f"{name}@"))), None)
        if name is not None:
            yield f"{row['parameter']} of {name}", row, known[name].axis(done.ranks)
