"""The columns, answer and notes that satisfaction and preference share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.caveats import few_units
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_agreement.estimates import LabelEstimates
    from metameter.meta.label_agreement.question import LabelOptions, LabelQuestion


_MOST_NAMES = 7

#: Test -> its name in a sentence.
TESTS = {
    "bootstrap": "the paired bootstrap",
    "steiger": "Steiger's Z",
    "williams": "Williams' t",
    "zou": "Zou's interval",
    "fisher": "Fisher's z for independent samples",
}

COLUMNS = {
    "metric": "the metric",
    "browse": "its browsing model: how the user goes down the page; empty for metrics without one",
    "aggregate": "its aggregation: what the user takes away; empty for metrics without one",
    "class": "of products, by the taxonomy: X: the same score for every page; XX: the order of results does not matter",
    "concordance_low": "lower end of the 95% interval of concordance, for other pages (or users, where known)",
    "concordance_high": "upper end of the 95% interval of concordance, for other pages (or users, where known)",
    "low": "lower end of the 95% interval of tau_b, for other pages (or users, where they are known)",
    "high": "upper end of the 95% interval of tau_b, for other pages (or users, where they are known)",
    "p": "p of no association at all, of this metric alone",
    "canonical": "the metric that it is compared with: the canonical one of its browsing model, or the reference",
    "p_vs_canonical": "p of no difference in tau_b from that metric, adjusted within the row of the table",
    "better": "whether its tau_b is shown to be higher than that one's, with one error rate for the whole table; empty "
    "where nothing was compared",
    "difference": "tau_b less that of the metric it is compared with",
    "difference_low": "lower end of the simultaneous interval of the difference",
    "difference_high": "upper end of the simultaneous interval of the difference",
    "difference_low_row": "lower end of the 95% interval of this difference alone",
    "difference_high_row": "upper end of the 95% interval of this difference alone",
    "p_table": "p of no difference, adjusted over the whole table",
    "better_row": "whether p_vs_canonical is below alpha and the difference above zero: the mark b of the paper",
    "close_call": "whether better depends on less than two Monte-Carlo errors",
    "concordance_difference": "concordance less that of the metric it is compared with",
    "concordance_difference_low": "lower end of its simultaneous interval",
    "concordance_difference_high": "upper end of its simultaneous interval",
    "concordance_better": "whether its concordance is shown to be higher than that one's, with one error rate for the "
    "whole table; empty where nothing was compared",
    "concordance_close_call": "whether concordance_better depends on less than two Monte-Carlo errors",
    "beats": "how many metrics of the table it is shown to exceed in concordance",
    "beaten_by": "how many metrics of the table are shown to exceed it in concordance",
    "normalised_by_page": "whether the score would change if a relevant document outside the page were judged: then it "
    "differs from the metric of the same name over a collection",
}

#: A note is given when a larger share of the preferences is for one side.
_LOPSIDED = 0.8


@dataclass(frozen=True)
class ReferenceTest:
    """What the metrics are compared with, and the test behind p.

    Attributes
    ----------
    reference : str, optional
        None: each is compared with the canonical metric of its browsing model.
    test, correction : str
        As the options of `satisfaction` name them.
    """

    reference: str | None = None
    test: str = "bootstrap"
    correction: str = "holm"

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ReferenceTest:
        """Read the options of a manifest."""
        return cls(options["reference"], options["test"], options["correction"])

    def column_meanings(self, columns: Sequence[str]) -> list[str]:
        r"""The meanings of those columns that compare metrics, as LaTeX.

        Examples
        --------
        >>> print(*ReferenceTest("n_DCG").column_meanings(["metric", "difference", "p_vs_canonical"]), sep="\n")
        difference: $\tau_b$ less that of n\_DCG
        $p$: of no difference from it, by the paired bootstrap (adjusted: holm)
        """
        canonical = "the canonical metric of its browsing model"
        against = canonical if self.reference is None else escape_latex(self.reference)
        adjusted = "" if self.correction == "none" else f" (adjusted: {escape_latex(self.correction)})"
        texts = {
            "difference": rf"difference: $\tau_b$ less that of {against}",
            "p_vs_canonical": f"$p$: of no difference from it, by {TESTS[self.test]}{adjusted}",
        }
        return [text for name, text in texts.items() if name in columns]


#: Each metric is compared with the canonical one of its row, as in the paper.
CANONICAL_TEST = ReferenceTest()


def label_answer(table: pl.DataFrame, what: str, facts: dict[str, Any]) -> list[str]:
    """The metrics that agree best with ``what`` people said, and those significantly better than their reference.

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
    >>> row = {"tau_b": 0.4, "concordance": 0.7, "concordance_low": 0.65, "concordance_high": 0.75, "ties": 0.1}
    >>> row |= {"beats": 0, "beaten_by": 0, "concordance_better": None, "concordance_difference": None}
    >>> row |= {"normalised_by_page": False}
    >>> table = pl.DataFrame([{"metric": "RR", **row}, {"metric": "AP", **row, "concordance": 0.6}])
    >>> facts = {"rows": "pages", "size": 900, "users": None, "drawn": 1000, "resamples": 1000}
    >>> label_answer(table, "satisfaction", facts)
    ['Agreement with satisfaction: no metric is shown to agree better than another (highest: RR, which orders 70.0% of \
the pairs of pages as users do, ties counting half; 95% interval 65.0% to 75.0%; it ties 10%; tau_b .400).']
    """
    import polars as pl

    known = table.filter(pl.col("concordance").is_not_null())
    known = known.sort("concordance", descending=True, maintain_order=True)
    first = f"Agreement with {what}:"
    if not known.height:
        return [f"{first} no metric could be correlated."]
    if not facts["drawn"]:
        return [f"{first} {_unknown(facts)} (highest: {_best(known, facts)})."]
    if known.height == 1:
        return [f"{first} {_best(known, facts)}.", *_better(known)]
    return [f"{first} {_leaders(known, facts)}.", *_better(known)]


def _unknown(facts: dict[str, Any]) -> str:
    units = f"{facts['users']:,} users" if facts["users"] else f"{facts['size']:,} {facts['rows']}"
    from_these = f"from {units}" if facts["resamples"] else "without resamples"
    return f"{from_these}, nothing can be inferred about others"


def _best(known: pl.DataFrame, facts: dict[str, Any]) -> str:
    best = known.row(0, named=True)
    low, high = best["concordance_low"], best["concordance_high"]
    ends = "" if low is None else f"; 95% interval {low:.1%} to {high:.1%}"
    pairs = "pairs of pages" if facts["rows"] == "pages" else "preferences"
    page = " (normalised by the page)" if best["normalised_by_page"] else ""
    return (
        f"{best['metric']}{page}, which orders {best['concordance']:.1%} of the {pairs} as users do, ties counting "
        f"half{ends}; it ties {best['ties']:.0%}; tau_b {figure(best['tau_b'])}"
    )


def _leaders(known: pl.DataFrame, facts: dict[str, Any]) -> str:
    import polars as pl

    leading = known.filter(pl.col("beaten_by") == 0)["metric"].to_list()
    if len(leading) == known.height:
        return f"no metric is shown to agree better than another (highest: {_best(known, facts)})"
    best = known["metric"][0]
    level = [name for name in leading if name != best]
    if not level and known["beats"][0] == known.height - 1:
        others = f"each of the other {known.height - 1} metrics" if known.height > 2 else known["metric"][1]
        return f"{_best(known, facts)}. It is shown to agree better than {others}"
    below = known.height - len(leading)
    exceeded = f"{below} of {known.height} metrics {'is' if below == 1 else 'are'} shown to be exceeded by another"
    verb = "is" if len(level) == 1 else "are"
    nor = f"; {_names(level)} {verb} not shown to be exceeded either" if level and best in leading else ""
    leads = "" if best in leading else f"; not shown to be exceeded: {_names(level)}"
    return f"highest for {_best(known, facts)}. {exceeded}{nor}{leads}"


def _better(known: pl.DataFrame) -> list[str]:
    import polars as pl

    compared = known.filter(pl.col("concordance_difference").is_not_null())
    if not compared.height:
        return []
    better = compared.filter(pl.col("concordance_better"))
    better = better.sort("concordance_difference", descending=True, maintain_order=True)
    if compared.height == 1:
        metric, reference, difference = compared.select("metric", "canonical", "concordance_difference").row(0)
        negation = "" if better.height else "not "
        return [f"{metric} is {negation}shown to agree better than {reference} ({100 * difference:+.1f} points)."]
    of = f"{compared.height} metrics"
    if not better.height:
        return [f"None of {of} compared with a canonical metric or the reference is shown to agree better."]
    best = pl.col("metric", "concordance_difference").first()
    listed = [
        f"{metric} ({100 * difference:+.1f} points on {reference}{f'; {count} such metrics' if count > 1 else ''})"
        for reference, metric, difference, count in better.group_by("canonical", maintain_order=True)
        .agg(best, pl.len())
        .iter_rows()
    ]
    shown, its = ("is shown", "its reference") if better.height == 1 else ("are shown", "their references")
    return [f"{better.height} of {of} {shown} to agree better than {its}: {_names(listed)}."]


def _names(names: list[str]) -> str:
    left = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")


def label_notes(
    table: pl.DataFrame,
    question: LabelQuestion,
    estimates: LabelEstimates,
    options: LabelOptions,
    facts: dict[str, Any],
) -> tuple[str, ...]:
    """The notes that explain the table; ``facts`` are those of `label_answer`, and ``distinct``."""
    units = "users" if facts["users"] else facts["rows"]
    notes = [_what(facts), *_recall(question), *_added(question, estimates)]
    if facts["drawn"] and table["tau_b"].drop_nulls().len():
        notes += [*_intervals(table, facts, options), *_resamples(table, options, facts["drawn"])]
    if table["p_vs_canonical"].drop_nulls().len():
        notes.append(_test(options, question, facts))
    if options.resamples:
        notes += few_units(facts["users"] or facts["size"], units, f"other {units}")
    return (*notes, *_lopsided(question))


def _what(facts: dict[str, Any]) -> str:
    of = "the pairs of pages with different labels" if facts["rows"] == "pages" else "the pairs with a preference"
    return (
        f"concordance: of {of}, the share that a metric orders as users do, ties counting half; .5 is chance. tau_b, "
        "which the paper reports, corrects for ties: a coarse metric can have the higher tau_b and the lower "
        f"concordance. Over {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."
    )


def _recall(question: LabelQuestion) -> list[str]:
    leaning = question.leaning_on_recall
    if not leaning:
        return []
    many = f"{', '.join(leaning[:5])}{' and others' if len(leaning) > 5 else ''}"
    return [
        f"{many}: normalised by the page, as if only its own results were relevant (normalised_by_page). Over a "
        "collection, metrics of these names are normalised by all judged documents: they are different metrics."
    ]


def _added(question: LabelQuestion, estimates: LabelEstimates) -> list[str]:
    references = [
        f"{question.measures[position].name} (concordance {figure(float(estimates.concordance[position]))}, "
        f"tau_b {figure(float(estimates.tau[position]))})"
        for position in question.added
        if not np.isnan(estimates.tau[position])
    ]
    return [f"Also computed, as canonical metrics to compare with: {', '.join(references)}."] if references else []


def _intervals(table: pl.DataFrame, facts: dict[str, Any], options: LabelOptions) -> list[str]:
    units = f"{facts['users']:,} users" if facts["users"] else f"{facts['size']:,} {facts['rows']}"
    others = "users" if facts["users"] else facts["rows"]
    note = (
        f"concordance_low, concordance_high (and low, high of tau_b): separate 95% intervals for other {others}, from "
        f"{facts['drawn']:,} resamples of {units}."
    )
    if table["tau_b"].drop_nulls().len() < 2:
        return [note]
    return [
        f"{note} concordance_better: the interval of the difference in concordance, simultaneous over all comparisons, "
        "is above zero. beats, beaten_by: the same over all pairs of metrics; another seed changed these counts by up "
        "to ten of 56 when many pairs were uncertain. The probability that any of these marks is false is at most "
        f"about {options.level:g}. better: the same for tau_b, at the same level."
    ]


def _resamples(table: pl.DataFrame, options: LabelOptions, resamples: int) -> list[str]:
    """Whether the resamples suffice to show anything, and how many marks are close calls."""
    compared, all_pairs = options.needed
    if resamples < compared:
        return [f"Warning: too few resamples to show anything at this level: it takes {compared:,} or more."]
    notes = []
    if resamples < all_pairs and table["tau_b"].drop_nulls().len() > 1:
        notes.append(
            f"Warning: too few resamples for beats and beaten_by of all pairs: {all_pairs:,} or more are needed."
        )
    close = int(table["concordance_close_call"].sum())
    if close:
        notes.append(f"Close calls: {close} of the marks concordance_better; another seed may change them.")
    return notes


def _test(options: LabelOptions, question: LabelQuestion, facts: dict[str, Any]) -> str:
    formula = options.test in ("steiger", "williams", "zou")
    about = ", derived for Pearson's r: with few levels of labels or grades it marks far too much" if formula else ""
    about = ", which ignores that metrics share their labels" if options.test == "fisher" else about
    alone = " It assumes independent labels of a user." if facts["users"] and options.test != "bootstrap" else ""
    over = "each row of the table" if question.reference is None else "all comparisons with the reference"
    adjusted = "" if options.adjusted_by == "none" else f", adjusted within {over} ({options.adjusted_by})"
    rate = f" Each row has its own {options.alpha:g}, so some marks are chance." if question.reference is None else ""
    return f"p_vs_canonical, better_row (of tau_b): {TESTS[options.test]}{about}{adjusted}.{rate}{alone}"


def _lopsided(question: LabelQuestion) -> list[str]:
    """For preferences: a note if one side is preferred so often that tau_b, which counts pairs of pairs, is lowered."""
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
