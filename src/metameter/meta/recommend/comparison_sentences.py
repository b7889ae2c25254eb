"""Sentences on comparisons of metrics with references: the reasons of one verdict, and the verdicts of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import name_list
from metameter.meta.framework.verdicts import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    SAME,
    WORSE,
)
from metameter.meta.recommend.verdict import ROUNDING, VERDICTS, Assessment, Difference, Tau
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl


UNCHANGED = "nothing here is a reason to change"
DIFFERING = "differing"
_MOST_SENTENCES = 3
# The predicate for one metric, for several, and the heading before their names.
_PHRASES = {
    BETTER_SIMILAR: ("is better and ranks systems alike", "are better and rank systems alike", ""),
    BETTER_DIFFERENT: (
        "is better, but is not shown to rank systems alike",
        "are better, but are not shown to rank systems alike",
        "Better, but not shown to rank systems alike",
    ),
    MIXED: (
        "is better in one respect and worse in the other",
        "are better in one respect and worse in the other",
        "Mixed",
    ),
    WORSE: ("is worse", "are worse", "Worse"),
    SAME: ("is the same within the margin", "are the same within the margin", "The same within the margin"),
    IDENTICAL: ("is identical", "are identical", "Identical to it"),
    DIFFERING: ("has different verdicts", "have different verdicts", ""),
    NO_EVIDENCE: ("", "", "No evidence either way"),
}


def verdict_sentence(metric: str, reference: str, assessment: Assessment, level: str = "95%") -> str:
    """Return the sentence on one comparison, from its numbers.

    Parameters
    ----------
    metric, reference : str
    assessment : Assessment
    level : str
        The name of the intervals.

    Examples
    --------
    >>> assessment = Assessment(Tau(0.93, 0.91, 0.95), Difference(0.01, -0.01, 0.03), Difference(0.12, 0.07, 0.16))
    >>> print(verdict_sentence("ERR@10*ERG", "ERR*ERR@10", assessment))
    ERR@10*ERG ranks the systems much as ERR*ERR@10 does (tau .930, from .910 to .950) and separates more pairs \
(+.120, 95% interval .070 to .160); no evidence of a difference in consistency (+.010, 95% interval -.010 to .030).
    """
    verdict = assessment.verdict()
    if verdict == IDENTICAL:
        return f"{metric} is identical to {reference}: its scores are a multiple of the same scores."
    ranks = _ranking(reference, assessment.tau, assessment.similar)
    clauses = [
        _clause(assessment.power, "separates more pairs", "separates fewer pairs", "power", level),
        _clause(assessment.consistency, "is more consistent", "is less consistent", "consistency", level),
    ]
    # Differences with evidence come first, gains before losses.
    differences = (assessment.power, assessment.consistency)
    order = sorted(zip(differences, clauses, strict=True), key=lambda pair: (not pair[0].up, not pair[0].down))
    first, second = (clause for _, clause in order)
    close = " Close call: another seed might change the verdict." if assessment.close_call() else ""
    if verdict == SAME:
        margin = f"within {figure(assessment.margin, digits=2)} in both"
        return f"{metric} {ranks}; it is equally consistent and discriminating, {margin}: {first}; {second}.{close}"
    differs = [difference.up or difference.down for difference, _ in order]
    if not differs[0]:
        return f"{metric} {ranks}; {first}; {second}.{close}"
    if not differs[1]:
        return f"{metric} {ranks} and {first}; {second}.{close}"
    mixed = order[0][0].up != order[1][0].up
    return f"{metric} {ranks}; it {first}, {'but' if mixed else 'and'} {second}.{close}"


def _ranking(reference: str, tau: Tau, similar: float) -> str:
    if tau.value is None:
        return f"cannot be compared with {reference} in how it ranks the systems (tau is undefined)"
    if tau.value >= 1 - ROUNDING:
        return f"ranks the systems exactly as {reference} does (tau 1)"
    known = tau.low is not None and tau.high is not None
    ends = f", from {figure(tau.low or 0.0)} to {figure(tau.high or 0.0)}" if known else ", no interval"
    value = f"tau {figure(tau.value, apart=(similar, 1.0))}{ends}"
    limit = figure(similar, digits=1, apart=(1.0,))
    alike = tau.alike(similar)
    if alike:
        return f"ranks the systems much as {reference} does ({value})"
    if alike is None:
        sides = f": on both sides of {limit}" if known else ""
        return f"may rank the systems as {reference} does ({value}{sides})"
    return f"ranks the systems differently from {reference} ({value}, below {limit})"


def _clause(difference: Difference, up: str, down: str, what: str, level: str) -> str:
    numbers = f"({figure(difference.value, sign=True)}, {_interval(difference, level)})"
    if difference.up or difference.down:
        return f"{up if difference.up else down} {numbers}"
    return f"no evidence of a difference in {what} {numbers}"


def _interval(difference: Difference, level: str) -> str:
    if difference.low is None or difference.high is None:
        return "no interval"
    return f"{level} interval {figure(difference.low)} to {figure(difference.high)}"


def summaries(table: pl.DataFrame) -> list[str]:
    """Return one paragraph for each reference with evidence, then a sentence on all others.

    Metrics with a name of their own, which are compared with each other, are described by `Groups` instead.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a", "b"], "canonical": ["c", "d"], "verdict": ["worse", "no-evidence"],
    ...                       "tau_to_canonical": [0.5, 0.95], "words": ["", ""], "close_call": [False] * 2,
    ...                       "group": ["C", "D"]})
    >>> summaries(table)
    ['Alternatives to c: none is shown to be better. Worse: a.', 'No evidence about any alternative to d.']
    """
    import polars as pl

    parts = table.filter(pl.col("group") != BY_NAME).partition_by("canonical", maintain_order=True)
    silent = [part for part in parts if set(part["verdict"]) <= {NO_EVIDENCE}]
    with_evidence = [
        _summary(part) for part in sorted(parts, key=_best_verdict) if set(part["verdict"]) - {NO_EVIDENCE}
    ]
    names = ", ".join(str(part["canonical"][0]) for part in silent)
    return [*with_evidence, *([f"No evidence about any alternative to {names}."] if silent else [])]


def _best_verdict(part: pl.DataFrame) -> int:
    """The rank of the best verdict about a reference, from 0."""
    return min(VERDICTS.index(verdict) for verdict in part["verdict"])


def todays_metrics(table: pl.DataFrame, unjudged: Mapping[str, float] | None = None) -> str:
    """Say whether any metric is shown to be better than the named references.

    Parameters
    ----------
    table : polars.DataFrame
    unjudged : mapping, optional
        Metric -> the share of its ranks that is judged, for metrics with less than half.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a"], "canonical": ["c"], "verdict": ["worse"]})
    >>> print(todays_metrics(table))
    c, which you use today, is not shown to be below the other metric: nothing here is a reason to change.
    >>> print(todays_metrics(table, {"c": 0.3}))
    c, which you use today, is not shown to be below the other metric, but only 30.0% of the ranks it looks at are
    judged, so its scores may be far off: judge more documents first.
    """
    rows = table.select("metric", "canonical", "verdict").rows()
    references = dict.fromkeys(reference for _, reference, _ in rows)
    return " ".join(_todays_metric(reference, rows, unjudged or {}) for reference in references)


def _todays_metric(reference: str, rows: list[tuple[str, str, str]], unjudged: Mapping[str, float]) -> str:
    doubt = ""
    if reference in unjudged:
        share = f"only {unjudged[reference]:.1%} of the ranks it looks at are judged"
        doubt = f"{share}, so its scores may be far off: judge more documents first"
    alike, better, mixed = better_metrics(reference, rows)
    below = [f"{name} ({unjudged[name]:.1%} judged)" if name in unjudged else name for name in [*alike, *better]]
    also = f"; of these rank the systems alike: {name_list(alike)}" if alike else ""
    count = sum(reference in (metric, other) for metric, other, _ in rows)
    others = "the other metric" if count == 1 else f"any of the {count} other metrics"
    sentence = below_or_not(reference, f": {name_list(below)}{also}" if below else "", others, doubt)
    if not mixed:
        return sentence
    return f"{sentence} Better than {reference} in one respect and worse in the other: {name_list(mixed)}."


def better_metrics(reference: str, rows: Iterable[tuple[str, str, str]]) -> tuple[list[str], list[str], list[str]]:
    """Metrics better than a reference that rank the systems alike; other better ones; those better in one respect.

    Parameters
    ----------
    reference : str
    rows : iterable of (metric, reference, verdict)
        Two references are compared once: if one is worse, the other is better.

    Examples
    --------
    >>> better_metrics("c", [("a", "c", "better-and-similar"), ("c", "b", "worse"), ("d", "c", "mixed")])
    (['a'], ['b'], ['d'])
    """
    rows = list(rows)
    below = [(metric, verdict) for metric, other, verdict in rows if other == reference]
    above = [(other, verdict) for metric, other, verdict in rows if metric == reference]
    alike = [name for name, verdict in below if verdict == BETTER_SIMILAR]
    better = [name for name, verdict in below if verdict == BETTER_DIFFERENT]
    better += [name for name, verdict in above if verdict == WORSE]
    return alike, better, [name for name, verdict in [*below, *above] if verdict == MIXED]


def below_or_not(reference: str, below: str, others: str, doubt: str) -> str:
    """Say whether a reference is shown to be below another metric, and whether its scores can be trusted.

    Parameters
    ----------
    reference : str
    below : str
        The text after ``is shown to be below``; empty if that is not shown.
    others : str
        The metrics that it is not shown to be below.
    doubt : str
        Why its scores may be wrong; empty if they are not in doubt.
    """
    if below:
        return f"{reference}, which you use today, is shown to be below{below}.{f' But {doubt}.' if doubt else ''}"
    rest = f", but {doubt}" if doubt else f": {UNCHANGED}"
    return f"{reference}, which you use today, is not shown to be below {others}{rest}."


def across_sentence(tables: list[pl.DataFrame]) -> str:
    """Count the verdicts that hold in all collections; nothing if no pair of metrics was compared in all.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a", "b"], "canonical": ["c"] * 2, "verdict": ["worse", "no-evidence"]})
    >>> across_sentence([table, table.with_columns(verdict=pl.lit("worse"))])
    'In both collections: of 2 comparisons, 1 is worse and 1 has different verdicts.'
    """
    by_pair = [{(m, c): v for m, c, v in table["metric", "canonical", "verdict"].iter_rows()} for table in tables]
    shared = [pair for pair in by_pair[0] if all(pair in each for each in by_pair)]
    if not shared:
        return ""
    kinds = [{each[pair] for each in by_pair} for pair in shared]
    counts = Counter(next(iter(kind)) if len(kind) == 1 else DIFFERING for kind in kinds)
    return f"In {both_or_all(len(tables))} collections: of {verdict_counts(counts)}."


def both_or_all(count: int) -> str:
    """Say for all of two or more: ``both``, ``all 3``."""
    return "both" if count == 2 else f"all {count}"


def verdict_counts(counts: Counter[str]) -> str:
    """Say how many comparisons there are, and how many have each verdict.

    Examples
    --------
    >>> verdict_counts(Counter({"worse": 3, "identical": 2}))
    '5 comparisons, 3 are worse and 2 are identical'
    >>> verdict_counts(Counter({"no-evidence": 1}))
    '1 comparison: for 1 there is no evidence either way'
    """
    known = [
        f"{counts[kind]} {one if counts[kind] == 1 else many}"
        for kind, (one, many, _) in _PHRASES.items()
        if counts[kind] and kind != NO_EVIDENCE
    ]
    unknown = f"for {counts[NO_EVIDENCE]} there is no evidence either way" if counts[NO_EVIDENCE] else ""
    names = ", ".join(known) if unknown or len(known) < 2 else f"{', '.join(known[:-1])} and {known[-1]}"
    verdicts = f", {names}{'; ' * bool(unknown)}{unknown}" if known else f": {unknown}"
    return f"{counts.total()} comparison{'s' * (counts.total() != 1)}{verdicts}"


def _summary(part: pl.DataFrame) -> str:
    reference = str(part["canonical"][0])
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _PHRASES}
    for row in part.iter_rows(named=True):
        rows[row["verdict"]].append(row)
    best = rows[BETTER_SIMILAR]
    if best:
        # The first few are described with their numbers, the others only named.
        head = " ".join(row["words"] for row in best[:_MOST_SENTENCES])
        more = best[_MOST_SENTENCES:]
        head += f" Also better with a similar ranking: {_names(more, taus=True)}." if more else ""
    elif rows[BETTER_DIFFERENT]:
        head = f"Alternatives to {reference}: none is shown to be better and to rank systems alike."
    else:
        head = f"Alternatives to {reference}: none is shown to be better."
    rest = [
        f"{text}: {_names(rows[kind], taus=kind == BETTER_DIFFERENT)}."
        for kind, (_, _, text) in _PHRASES.items()
        if text and rows[kind]
    ]
    return " ".join([head, *rest])


def _names(rows: list[dict[str, Any]], *, taus: bool) -> str:
    return name_list([_name(row, taus=taus) for row in rows])


def _name(row: dict[str, Any], *, taus: bool) -> str:
    tau = row["tau_to_canonical"]
    remarks = [f"tau {figure(tau)}"] if taus and tau is not None else []
    remarks += ["close call"] if row["close_call"] else []
    return f"{row['metric']} ({', '.join(remarks)})" if remarks else str(row["metric"])
