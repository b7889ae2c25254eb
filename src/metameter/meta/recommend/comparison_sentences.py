"""Sentences on comparisons of metrics with references: the reasons of one verdict, and the verdicts of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.references import BY_NAME
from metameter.meta.recommend.verdict import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    ROUNDING,
    SAME,
    VERDICTS,
    WORSE,
    Assessment,
    Difference,
    Tau,
)
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


DIFFERING = "differing"
_MOST_NAMES, _MOST_SENTENCES = 8, 3
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
    shown = [difference.up or difference.down for difference, _ in order]
    if not shown[0]:
        return f"{metric} {ranks}; {first}; {second}.{close}"
    if not shown[1]:
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
    shown = f"tau {figure(tau.value, apart=(similar, 1.0))}{ends}"
    limit = figure(similar, digits=1, apart=(1.0,))
    alike = tau.alike(similar)
    if alike:
        return f"ranks the systems much as {reference} does ({shown})"
    if alike is None:
        sides = f": on both sides of {limit}" if known else ""
        return f"may rank the systems as {reference} does ({shown}{sides})"
    return f"ranks the systems differently from {reference} ({shown}, below {limit})"


def _clause(difference: Difference, up: str, down: str, what: str, level: str) -> str:
    shown = f"({figure(difference.value, sign=True)}, {_interval(difference, level)})"
    if difference.up or difference.down:
        return f"{up if difference.up else down} {shown}"
    return f"no evidence of a difference in {what} {shown}"


def _interval(difference: Difference, level: str) -> str:
    if difference.low is None or difference.high is None:
        return "no interval"
    return f"{level} interval {figure(difference.low)} to {figure(difference.high)}"


def summaries(table: pl.DataFrame) -> list[str]:
    """Return one paragraph for each reference with evidence, then one for all others.

    Metrics that are compared with each other by name are described as groups elsewhere.

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


def headline(table: pl.DataFrame, unjudged: Mapping[str, float] | None = None) -> str:
    """Say of named references whether any metric is shown to be better.

    Parameters
    ----------
    table : polars.DataFrame
    unjudged : mapping, optional
        Metric -> the share of the ranks it looks at that is judged, of those where it is less than half.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a"], "canonical": ["c"], "verdict": ["worse"]})
    >>> print(headline(table))
    c, which you use today, is not shown to be below the other metric: nothing here is a reason to change.
    >>> print(headline(table, {"c": 0.3}))
    c, which you use today, is not shown to be below the other metric, but only 30.0% of the ranks it looks at are
    judged, so its scores may be far off: judge more documents first.
    """
    unjudged = unjudged or {}
    rows = table.select("metric", "canonical", "verdict").rows()
    sentences = []
    for reference in dict.fromkeys(row[1] for row in rows):
        # Two references are compared once: that one is worse means that the other is better.
        alike = [m for m, c, v in rows if c == reference and v == BETTER_SIMILAR]
        better = [m for m, c, v in rows if c == reference and v == BETTER_DIFFERENT]
        better += [c for m, c, v in rows if m == reference and v == WORSE]
        mixed = [m for m, c, v in rows if c == reference and v == MIXED]
        mixed += [c for m, c, v in rows if m == reference and v == MIXED]
        count = sum(reference in (m, c) for m, c, _ in rows)
        doubt = (
            f"only {unjudged[reference]:.1%} of the ranks it looks at are judged, so its scores may be far off: judge "
            "more documents first"
            if reference in unjudged
            else ""
        )
        if alike or better:
            above = [
                f"{name} ({unjudged[name]:.1%} judged)" if name in unjudged else name for name in [*alike, *better]
            ]
            also = f"; of these rank the systems alike: {listed(alike)}" if alike else ""
            sentences.append(
                f"{reference}, which you use today, is shown to be below: {listed(above)}{also}."
                f"{' But ' + doubt + '.' if doubt else ''}"
            )
        else:
            others = "the other metric" if count == 1 else f"any of the {count} other metrics"
            rest = f", but {doubt}" if doubt else ": nothing here is a reason to change"
            sentences.append(f"{reference}, which you use today, is not shown to be below {others}{rest}.")
        if mixed:
            sentences.append(f"Better than {reference} in one respect and worse in the other: {listed(mixed)}.")
    return " ".join(sentences)


def listed(names: list[str]) -> str:
    """Join names with commas; of many only the first few.

    Examples
    --------
    >>> listed(["a", "b"]), listed([str(number) for number in range(11)])
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7 and 3 more')
    """
    left = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")


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
    where = "both" if len(tables) == 2 else f"all {len(tables)}"
    return f"In {where} collections: of {counted(counts)}."


def counted(counts: Counter[str]) -> str:
    """Say how many comparisons there are, and how many got which verdict.

    Examples
    --------
    >>> counted(Counter({"worse": 3, "identical": 2}))
    '5 comparisons, 3 are worse and 2 are identical'
    >>> counted(Counter({"no-evidence": 1}))
    '1 comparison: for 1 there is no evidence either way'
    """
    known = [
        f"{counts[kind]} {one if counts[kind] == 1 else many}"
        for kind, (one, many, _) in _PHRASES.items()
        if counts[kind] and kind != NO_EVIDENCE
    ]
    unknown = f"for {counts[NO_EVIDENCE]} there is no evidence either way" if counts[NO_EVIDENCE] else ""
    listed = ", ".join(known) if unknown or len(known) < 2 else f"{', '.join(known[:-1])} and {known[-1]}"
    verdicts = f", {listed}{'; ' * bool(unknown)}{unknown}" if known else f": {unknown}"
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
    named = [_name(row, taus=taus) for row in rows[:_MOST_NAMES]]
    left = len(rows) - len(named)
    return ", ".join(named) + (f" and {left} more" if left else "")


def _name(row: dict[str, Any], *, taus: bool) -> str:
    tau = row["tau_to_canonical"]
    remarks = [f"tau {figure(tau)}"] if taus and tau is not None else []
    remarks += ["close call"] if row["close_call"] else []
    return f"{row['metric']} ({', '.join(remarks)})" if remarks else str(row["metric"])
