"""The notes below a table of metrics and labels: what figures are, what is drawn anew, how often marks are false."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.caveats import few_units
from metameter.meta.label_agreement.text import TESTS
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_agreement.analysis import Studied
    from metameter.meta.label_agreement.options import Asked
    from metameter.meta.label_agreement.question import LabelQuestion


#: Beyond this share of preferences for one side, which page is called a is no accident.
_LOPSIDED = 0.8


def label_notes(table: pl.DataFrame, done: Studied) -> tuple[str, ...]:
    """What a reader must know to understand the table."""
    facts, asked = done.labels, done.asked
    units = "users" if facts["users"] else facts["rows"]
    notes = [_what(facts), *_recall(done.question), *_added(done)]
    if facts["drawn"] and table["tau_b"].drop_nulls().len():
        notes += [*_intervals(table, facts, asked), *_shown(table, asked, facts["drawn"])]
    if table["p_vs_canonical"].drop_nulls().len():
        notes.append(_test(asked, done.question, facts))
    if asked.resamples:
        notes += few_units(facts["users"] or facts["size"], units, f"other {units}")
    return (*notes, *_lopsided(done.question))


def _what(facts: dict[str, Any]) -> str:
    of = "the pairs of pages with different labels" if facts["rows"] == "pages" else "the pairs with a preference"
    return (
        f"concordance: of {of}, the share that a metric orders as users do, ties counting half; .5 is chance. tau_b, "
        "the figure of the paper, makes up for ties: a coarse metric can have the higher tau_b and the lower "
        f"concordance. Over {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."
    )


def _recall(question: LabelQuestion) -> list[str]:
    leaning = question.leaning_on_recall
    if not leaning:
        return []
    many = f"{', '.join(leaning[:5])}{' and others' if len(leaning) > 5 else ''}"
    return [
        f"{many}: normalised by the page, as if nothing were relevant but its own results (normalised_by_page). Over "
        "a collection, metrics of these names are normalised by all that was judged: they are other metrics."
    ]


def _added(done: Studied) -> list[str]:
    found, measures = done.found, done.question.measures
    told = [
        f"{measures[place].name} (concordance {figure(float(found.concordance[place]))}, "
        f"tau_b {figure(float(found.tau[place]))})"
        for place in done.question.added
        if not np.isnan(found.tau[place])
    ]
    return [f"Held against, though not asked for: {', '.join(told)}."] if told else []


def _intervals(table: pl.DataFrame, facts: dict[str, Any], asked: Asked) -> list[str]:
    drawn = f"{facts['users']:,} users" if facts["users"] else f"{facts['size']:,} {facts['rows']}"
    others = "users" if facts["users"] else facts["rows"]
    note = (
        f"concordance_low, concordance_high (and low, high of tau_b): 95% for other {others}, each for itself, from "
        f"{facts['drawn']:,} resamples of {drawn}."
    )
    if table["tau_b"].drop_nulls().len() < 2:
        return [note]
    return [
        f"{note} concordance_better: the interval of the difference in concordance, which holds together with those of "
        "all comparisons, is above zero. beats, beaten_by: likewise, over all pairs of metrics; another seed moved "
        "them by up to ten of 56 where much was uncertain. The chance that any of these marks is false is at most "
        f"about {asked.level:g}. better: the same of tau_b, at the same level."
    ]


def _shown(table: pl.DataFrame, asked: Asked, drawn: int) -> list[str]:
    """Whether there are enough resamples to show anything, and which marks hang on them."""
    compared, all_pairs = asked.needed
    if drawn < compared:
        return [f"Too few resamples to show anything at this level: it takes {compared:,} or more."]
    notes = []
    if drawn < all_pairs and table["tau_b"].drop_nulls().len() > 1:
        notes.append(f"Too few resamples for beats and beaten_by of all pairs: it takes {all_pairs:,} or more.")
    close = int(table["concordance_close_call"].sum())
    if close:
        notes.append(f"Close calls: {close} of the marks concordance_better; another seed may decide them otherwise.")
    return notes


def _test(asked: Asked, question: LabelQuestion, facts: dict[str, Any]) -> str:
    formula = asked.test in ("steiger", "williams", "zou")
    about = ", made for Pearson's r: with few levels of labels or grades it marks far too much" if formula else ""
    about = ", which ignores that metrics share their labels" if asked.test == "fisher" else about
    alone = " It takes the labels of one user as independent." if facts["users"] and asked.test != "bootstrap" else ""
    over = "each row of the table" if question.reference is None else "all comparisons with the reference"
    adjusted = "" if asked.adjusted_by == "none" else f", adjusted within {over} ({asked.adjusted_by})"
    rate = "" if question.reference is not None else f" Each row has its own {asked.alpha:g}, so some marks are chance."
    return f"p_vs_canonical, better_row (of tau_b): {TESTS[asked.test]}{about}{adjusted}.{rate}{alone}"


def _lopsided(question: LabelQuestion) -> list[str]:
    """Of pairs: whether one side is preferred so often that tau_b, which counts pairs of pairs, loses by it."""
    if question.labelled.label != "preference":
        return []
    tally = question.labelled.tally
    signs = np.sign(question.labelled.levels)[tally.code("preference")]
    share = float(tally.count[signs < 0].sum()) / max(int(tally.count[signs != 0].sum()), 1)
    if max(share, 1 - share) <= _LOPSIDED:
        return []
    return [
        f"Page a is preferred in {share:.0%} of the pairs with a preference. tau_b depends on which page is called a, "
        "and is lower the more lopsided they are; concordance does not: put the pages of each pair in random order."
    ]
