"""The answer first: what the table of recommendations says, in sentences; and how often each verdict was given."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.difference import Difference, indistinguishable
from metameter.meta.recommend.verdict import BETTER_DIFFERENT, BETTER_SIMILAR, NO_EVIDENCE, VERDICTS, WORSE, figure

if TYPE_CHECKING:
    import polars as pl

__all__ = ["across_sentence", "answer", "findings", "headline", "tally"]

SAME, DIFFERING = "same", "differing"
_MOST_NAMES, _MOST_SENTENCES = 8, 3
# What a sentence says of one metric, of several, and before their names.
_PHRASES = {
    BETTER_SIMILAR: ("is better and ranks systems alike", "are better and rank systems alike", ""),
    BETTER_DIFFERENT: (
        "is better but ranks systems otherwise",
        "are better but rank systems otherwise",
        "Better, but ranking otherwise",
    ),
    SAME: ("is the same as its canonical metric", "are the same as their canonical metric", "The same as {canonical}"),
    WORSE: ("is worse", "are worse", "Worse"),
    DIFFERING: ("fares differently from one to another", "fare differently from one to another", ""),
    NO_EVIDENCE: ("", "", "No evidence either way"),
}


def answer(table: pl.DataFrame) -> list[str]:
    r"""One sentence about all alternatives; then one paragraph per canonical metric.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a", "b"], "canonical": ["c"] * 2, "verdict": ["worse", "no-evidence"],
    ...                       "tau_to_canonical": [0.5, 0.95], "words": ["", ""]})
    >>> print("\n".join(answer(table)))
    Of 2 alternatives to 1 canonical metric, 1 is worse; for 1 there is no evidence either way.
    No evidence that any alternative to c is better. Worse: a. No evidence either way: b.
    """
    if not table.height:
        return ["No metric here can be compared with the canonical metric of its browsing model: nothing to recommend."]
    parts = table.partition_by("canonical", maintain_order=True)
    return [headline(Counter(findings(table)), len(parts)), *map(_summary, parts)]


def across_sentence(tables: list[pl.DataFrame]) -> str:
    """What holds in all of several collections; nothing if no pair of metrics was compared in all of them.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a", "b"], "canonical": ["c"] * 2, "verdict": ["worse", "no-evidence"],
    ...                       "tau_to_canonical": [0.5, 0.95]})
    >>> across_sentence([table, table.with_columns(verdict=pl.lit("worse"))])
    'In all 2 collections: of 2 alternatives to 1 canonical metric, 1 is worse and 1 fares differently from one to \
another.'
    """
    by_pair = [dict(zip(table.select("metric", "canonical").rows(), findings(table), strict=True)) for table in tables]
    shared = [pair for pair in by_pair[0] if all(pair in each for each in by_pair)]
    if not shared:
        return ""
    kinds = [{each[pair] for each in by_pair} for pair in shared]
    counts = Counter(next(iter(kind)) if len(kind) == 1 else DIFFERING for kind in kinds)
    sentence = headline(counts, len({canonical for _, canonical in shared}))
    return f"In all {len(tables)} collections: {sentence[0].lower()}{sentence[1:]}"


def findings(table: pl.DataFrame) -> list[str]:
    """The verdict of each row; ``same`` for a metric that is indistinguishable from its canonical one."""
    return [SAME if _is_indistinguishable(row) else str(row["verdict"]) for row in table.iter_rows(named=True)]


def tally(table: pl.DataFrame) -> list[tuple[str, int]]:
    """How many alternatives got each verdict, the best news first.

    Examples
    --------
    >>> import polars as pl
    >>> tally(pl.DataFrame({"verdict": ["worse", "no-evidence", "worse"]}))
    [('no-evidence', 1), ('worse', 2)]
    """
    counts = Counter(table["verdict"])
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


def headline(counts: Counter[str], canonical: int) -> str:
    """How many alternatives there are, and how many of them got which verdict.

    Examples
    --------
    >>> headline(Counter({"worse": 3, "same": 2}), 2)
    'Of 5 alternatives to 2 canonical metrics, 2 are the same as their canonical metric and 3 are worse.'
    >>> headline(Counter({"no-evidence": 1}), 1)
    'Of 1 alternative to 1 canonical metric: for 1 there is no evidence either way.'
    """
    known = [f"{counts[kind]} {one if counts[kind] == 1 else many}" for kind, (one, many, _) in _known(counts)]
    unknown = f"for {counts[NO_EVIDENCE]} there is no evidence either way" if counts[NO_EVIDENCE] else ""
    listed = ", ".join(known) if unknown or len(known) < 2 else f"{', '.join(known[:-1])} and {known[-1]}"
    verdicts = f", {listed}{'; ' * bool(unknown)}{unknown}" if known else f": {unknown}"
    return f"Of {_count(counts.total(), 'alternative')} to {_count(canonical, 'canonical metric')}{verdicts}."


def _known(counts: Counter[str]) -> list[tuple[str, tuple[str, str, str]]]:
    return [(kind, phrases) for kind, phrases in _PHRASES.items() if counts[kind] and kind != NO_EVIDENCE]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _is_indistinguishable(row: dict[str, Any]) -> bool:
    def difference(what: str) -> Difference:
        keys = (f"{what}_{end}" for end in ("difference", "low", "high", "difference_closed"))
        value, *rest = (row.get(key) for key in keys)
        return Difference(float("nan") if value is None else value, *rest)

    return indistinguishable(row["tau_to_canonical"], difference("consistency"), difference("power"))


def _summary(part: pl.DataFrame) -> str:
    canonical = str(part["canonical"][0])
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _PHRASES}
    for finding, row in zip(findings(part), part.iter_rows(named=True), strict=True):
        rows[finding].append(row)
    best = rows[BETTER_SIMILAR]
    if best:
        # A few are described with their numbers, the others only named.
        head = " ".join(row["words"] for row in best[:_MOST_SENTENCES])
        head += (
            f" Better and ranking alike too: {_names(best[_MOST_SENTENCES:], taus=True)}."
            if best[_MOST_SENTENCES:]
            else ""
        )
    elif rows[BETTER_DIFFERENT]:
        head = f"No alternative to {canonical} is both better and alike."
    else:
        head = f"No evidence that any alternative to {canonical} is better."
    rest = [
        f"{text.format(canonical=canonical)}: {_names(rows[kind], taus=kind == BETTER_DIFFERENT)}."
        for kind, (_, _, text) in _PHRASES.items()
        if text and rows[kind]
    ]
    return " ".join([head, *rest])


def _names(rows: list[dict[str, Any]], *, taus: bool) -> str:
    shown = [(str(row["metric"]), row["tau_to_canonical"]) for row in rows[:_MOST_NAMES]]
    named = [name + (f" (tau {figure(tau)})" if taus and tau is not None else "") for name, tau in shown]
    left = len(rows) - len(shown)
    return ", ".join(named) + (f" and {left} more" if left else "")
