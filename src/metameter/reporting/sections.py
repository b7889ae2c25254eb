"""The sections of a report, in reading order."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.declarations import declarations
from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.notices import notice
from metameter.reporting.bibliography import keys_of_result
from metameter.reporting.coverage import COLUMNS, extremes, hardly_judged, warnings
from metameter.reporting.figures import Figure, figure, figures
from metameter.reporting.report import spoken_for
from metameter.reporting.tables import ShownTable, differences_first, shown_table, shown_tables
from metameter.view.tables.cells import rounded
from metameter.view.tables.columns import label_of

if TYPE_CHECKING:
    from metameter.reporting.report import CollectionPart, Report
    from metameter.view.result import Result


@dataclass(frozen=True)
class CollectionResult:
    """The result of a procedure on one collection: charts, tables, and its sentences if they are not at the top."""

    collection: str
    key: str
    figures: list[Figure]
    tables: list[ShownTable]
    notes: tuple[str, ...]
    sentences: tuple[str, ...] = ()

    @property
    def opening(self) -> list[Figure | ShownTable]:
        """What is open at first: the first chart and the first table.

        If the first chart shows another table row by row, it precedes that one, and the first table follows its own
        chart.
        """
        first = self.tables[:1]
        others = [table for table in self.tables[1:] if self.figures and table.name == self.figures[0].name]
        if not others or not others[0].row_by_row:
            return [*self.figures[:1], *first]
        own = [each for each in self.figures[1:] if first and each.name == first[0].name]
        return [self.figures[0], others[0], *own, *first]


@dataclass(frozen=True)
class Section:
    """A procedure: its text, its papers and its result on each collection."""

    name: str
    words: Words
    references: list[str]
    results: list[CollectionResult]


@dataclass(frozen=True)
class CollectionSummary:
    """A collection: facts as (name, value), warnings and sentences on its coverage, and the table of its systems."""

    name: str
    key: str
    facts: list[tuple[str, str]]
    warnings: list[str]
    sentences: list[str]
    coverage: ShownTable | None


@dataclass(frozen=True)
class Tally:
    """How often a procedure gave each verdict on a collection, and how often as a close call."""

    collection: str
    section: str
    counts: list[tuple[str, int, int]]


def sections_of(report: Report) -> list[Section]:
    """A section for each procedure, with all collections in it for comparison.

    A result whose procedure is not installed has no text and is left out, with a notice.
    """
    known = declarations()
    keys = dict.fromkeys(key for part in report.collections for key in part.shown)
    for key in keys:
        if key not in known:
            notice(f"no procedure for the result {key} is installed, so the report leaves it out")
    return [_section(key, known[key].words, report) for key in keys if key in known]


def _section(key: str, words: Words, report: Report) -> Section:
    parts = [(number, part) for number, part in enumerate(report.collections) if key in part.shown]
    options = parts[0][1].results[key].manifest.get("options", {})
    results = [_result(key, words, part, number, report) for number, part in parts]
    return Section(key, words, keys_of_result(key, options), results)


def _result(key: str, words: Words, part: CollectionPart, number: int, report: Report) -> CollectionResult:
    result = part.results[key]
    tables = shown_tables(result, words.columns, _suffix(number, report))
    sentences = (*result.conclusion(), *(result.answer() if key in spoken_for(part.results) else ()))
    return CollectionResult(
        part.name, f"{key}-{number + 1}", figures(result, words.charts), tables, result.notes, sentences
    )


def _suffix(number: int, report: Report) -> str:
    """The suffix of the files of one collection, with a number where two names would be the same."""
    if len(report.collections) == 1:
        return ""
    safe = [re.sub(r"[^A-Za-z0-9.-]+", "_", each.name) for each in report.collections]
    return safe[number] if safe.count(safe[number]) == 1 else f"{safe[number]}-{number + 1}"


def across_of(report: Report) -> list[ShownTable]:
    """The tables of what the collections have in common."""
    known = declarations()
    return [
        shown_table(name, differences_first(frame), words=known[key].words.columns)
        for key, tables in report.across.items()
        if key in known
        for name, frame in tables.items()
    ]


def across_figures(report: Report) -> list[Figure]:
    """The charts that show the collections together."""
    return [figure(name, chart) for charts in report.charts.values() for name, chart in charts.items()]


def tallies_of(report: Report) -> list[Tally]:
    """How often each verdict was given, for the procedures that give verdicts."""
    counted = [
        Tally(part.name, key, _counts(result))
        for part in report.collections
        for key, result in part.shown.items()
        if key in declarations()
    ]
    return [tally for tally in counted if tally.counts]


def _counts(result: Result) -> list[tuple[str, int, int]]:
    counts = dict(result.tally())
    table = result.table
    has_close_calls = {"close_call", "verdict"} <= {*table.columns}
    narrow = Counter(table.filter(table["close_call"])["verdict"].to_list() if has_close_calls else [])
    return [(verdict, counts[verdict], narrow[verdict]) for verdict in VERDICT_COLUMN.in_order(counts)]


def collections_of(report: Report) -> list[CollectionSummary]:
    """The collections and their systems."""
    return [_summary(part, number, report) for number, part in enumerate(report.collections)]


def _summary(part: CollectionPart, number: int, report: Report) -> CollectionSummary:
    facts = [(label_of(name), _fact(value)) for name, value in part.facts.items()]
    coverage = None
    if part.coverage.height:
        suffix, marked = _suffix(number, report), hardly_judged(part.coverage)
        coverage = shown_table("coverage", part.coverage, words=COLUMNS, suffix=suffix, marked=marked)
    sentences = warnings(part.coverage), extremes(part.coverage)
    return CollectionSummary(part.name, f"collection-{number + 1}", facts, *sentences, coverage)


def _fact(value: Any) -> str:
    if isinstance(value, dict):
        return " · ".join(f"{name}: {_fact(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_fact, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else rounded(value, 3)
