"""The content of a report: its collections, the answer at its top, and its sections in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.caveats import few_systems
from metameter.meta.framework.declarations import declarations
from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.meta.recommend.summary import Summary, summary_of
from metameter.notices import notice
from metameter.reporting.bibliography import keys_of_result
from metameter.reporting.coverage import COLUMNS, extremes, hardly_judged, incomplete, warnings
from metameter.reporting.figures import Figure, figure, figures
from metameter.reporting.tables import ShownTable, differences_first, shown_table, shown_tables
from metameter.view.charts.specification import display_names, specifications
from metameter.view.metric_names import in_words
from metameter.view.tables.cells import rounded
from metameter.view.tables.columns import label_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import polars as pl

    from metameter.meta.base import Across
    from metameter.view.result import Result


#: The results whose figures are in the picture at the top of a report with a recommendation.
_AT_TOP = ("recommendation", "consistency", "power")


@dataclass(frozen=True, eq=False)
class CollectionPart:
    """One collection of a study.

    Attributes
    ----------
    name : str
    facts : dict
        Facts as printed: ``topics``, ``systems``, ``judgments``, ``grades`` and so on.
    coverage : polars.DataFrame
        One row per system: topics, missing, judged_at_10, tied.
    results : dict of Result
        By the key of the procedure, in the order of the report.
    """

    name: str
    facts: dict[str, Any]
    coverage: pl.DataFrame
    results: Mapping[str, Result]

    @property
    def section_results(self) -> dict[str, Result]:
        """The results that have sections; results that need more systems are left out."""
        known, systems = declarations(), self.facts.get("systems")
        few = {key for key, each in known.items() if systems is not None and systems < each.fewest_systems}
        return {key: result for key, result in self.results.items() if key not in few}


@dataclass(frozen=True, eq=False)
class Report:
    """The content of a report.

    Attributes
    ----------
    title : str
    answer : tuple of str
        The sentences that the report begins with; they say only what the numbers say.
    collections : tuple of CollectionPart
    across : dict of dict of polars.DataFrame
        With several collections: procedure -> the tables, by name, of what the collections have in common.
    manifest : dict
    charts : dict of dict of charts
        With several collections: procedure -> the charts, by name, that show them together.
    """

    title: str
    answer: tuple[str, ...]
    collections: tuple[CollectionPart, ...]
    across: Mapping[str, Mapping[str, pl.DataFrame]] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Metric -> the name that people see."""
        return _names(self.collections)

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The summary of each collection with a recommendation."""
        every = (_summary_of(part) for part in self.collections)
        return tuple(summary for summary in every if summary is not None)

    @property
    def together(self) -> tuple[str, ...]:
        """With several collections: the first sentence on all of them."""
        return self.answer[:1] if len(self.collections) > 1 else ()


def _names(collections: Sequence[CollectionPart]) -> dict[str, str]:
    results = (result for part in collections for result in part.results.values())
    return {name: shown for result in results for name, shown in result.names.items()}


def _summary_of(part: CollectionPart) -> Summary | None:
    """The summary of the recommendation on a collection; other answers add their first sentences."""
    if "recommendation" not in part.results:
        return None
    result = part.results["recommendation"]
    volatility = part.results.get("volatility")
    others = [key for key in _top_results(part.results) if key not in ("recommendation", "volatility")]
    sentences = [sentence for key in others for sentence in part.results[key].answer()[:1]]
    summary = summary_of(
        result.tables,
        result.manifest["options"],
        collection=part.name,
        settled=None if volatility is None else volatility.tables.get("volatility_settled"),
        warnings=[*sentences, *incomplete(part.coverage, part.facts.get("topics", 0))],
    )
    return summary.named(_names([part]))


def report_of(title: str, collections: Sequence[CollectionPart], manifest: dict[str, Any]) -> Report:
    """Build the report on some collections: the answers of all results, and what the collections have in common.

    Examples
    --------
    >>> report_of("Nothing yet", [], {}).answer
    ()
    """
    across = _across(collections)
    return Report(
        title=title,
        answer=_answer(collections, across),
        collections=tuple(collections),
        across={key: common.tables for key, common in across.items() if common.tables},
        manifest=manifest,
        charts={key: common.charts for key, common in across.items() if common.charts},
    )


def _across(collections: Sequence[CollectionPart]) -> dict[str, Across]:
    """Procedure -> what its results on several collections have in common, for the procedures that say so."""
    every: dict[str, Across] = {}
    for key, declared in declarations().items():
        results = {part.name: part.results[key] for part in collections if key in part.results}
        if declared.across is not None and len(results) > 1:
            with specifications(), display_names(_names(collections)):
                every[key] = declared.across(results)
    return every


def _answer(collections: Sequence[CollectionPart], across: dict[str, Across]) -> tuple[str, ...]:
    # What holds for all collections comes first, then the sentences of each collection.
    sentences = [
        sentence for key in _top_results(across) for sentence in _introduced(key, across[key].sentences, across)
    ]
    for part in collections:
        label = f"{part.name}: " if len(collections) > 1 else ""
        results = part.results
        part_sentences = [
            sentence for key in _top_results(results) for sentence in _introduced(key, results[key].answer(), results)
        ]
        # The sentence in place of the sections that are left out comes last.
        few = few_systems(part.facts["systems"]) if len(part.section_results) < len(results) else []
        part_sentences = [*(sentence for sentence in part_sentences if sentence not in few), *few]
        part_sentences += incomplete(part.coverage, part.facts.get("topics", 0))
        # Two procedures may give the same warning.
        sentences += [f"{label}{sentence}" for sentence in dict.fromkeys(part_sentences)]
    names = _names(collections)
    return tuple(in_words(sentence, names) for sentence in sentences if sentence)


def _introduced(key: str, sentences: Sequence[str], keys: Collection[str]) -> list[str]:
    """The sentences of a result; if another result summarises it, the first begins with their subject."""
    known = declarations()
    alone = known[key].words.alone if any(key in known[each].needs for each in _summary_results(keys)) else ""
    return [f"{alone}: {each}" if alone and each and not at else each for at, each in enumerate(sentences)]


def summarised(keys: Collection[str]) -> set[str]:
    """The results whose answers stand in their own sections only, since another result summarises them at the top.

    Examples
    --------
    >>> sorted(summarised(["recommendation", "tradeoff", "satisfaction", "preference"]))
    ['preference', 'satisfaction']
    >>> summarised(["satisfaction"])
    set()
    """
    return {use for key in _summary_results(keys) for use in declarations()[key].uses}


def _top_results(keys: Collection[str]) -> list[str]:
    """The results whose answers stand at the top, those that summarise others first."""
    first, others = _summary_results(keys), summarised(keys)
    return [*first, *(key for key in keys if key not in (*first, *others))]


def _summary_results(keys: Collection[str]) -> list[str]:
    known = declarations()
    return [key for key in keys if key in known and known[key].needs_one]


@dataclass(frozen=True)
class CollectionResult:
    """The result of a procedure on one collection: charts, tables, and its sentences if they are not at the top.

    Attributes
    ----------
    at_top : bool
        Whether the first screen of the report shows its figures.
    chart_alone : bool
        Whether its first chart says all that its first table says.
    """

    collection: str
    key: str
    figures: list[Figure]
    tables: list[ShownTable]
    notes: tuple[str, ...]
    sentences: tuple[str, ...] = ()
    at_top: bool = False
    chart_alone: bool = False

    @property
    def opening(self) -> list[Figure | ShownTable]:
        """The figures and tables that a page shows before anything is unfolded.

        A matrix of verdicts stands alone. What the top of the report shows is folded away. Otherwise the first table
        and its chart open a section, or the first chart if the table has none. If the first chart shows another table
        row by row, that table follows it, and then come the chart of the first table and the first table.
        """
        matrix = [table for table in self.tables if any(column.kind == "cell" for column in table.columns)]
        if matrix or self.at_top:
            return [*matrix]
        first = [] if self.figures and self.chart_alone else self.tables[:1]
        others = [table for table in self.tables[1:] if self.figures and table.name == self.figures[0].name]
        if not others or not others[0].row_by_row:
            own = [each for each in self.figures if self.tables and each.name == self.tables[0].name]
            return [*(own or self.figures)[:1], *first]
        own = [each for each in self.figures[1:] if first and each.name == first[0].name]
        return [self.figures[0], others[0], *own, *first]


@dataclass(frozen=True)
class Section:
    """A procedure: its text, its papers and its result on each collection."""

    name: str
    text: Words
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
    keys = dict.fromkeys(key for part in report.collections for key in part.section_results)
    for key in keys:
        if key not in known:
            notice(f"no procedure for the result {key} is installed, so the report leaves it out")
    return [_section(key, each.words, report) for key, each in known.items() if key in keys]


def _section(key: str, text: Words, report: Report) -> Section:
    parts = [(number, part) for number, part in enumerate(report.collections) if key in part.section_results]
    options = parts[0][1].results[key].manifest.get("options", {})
    results = [_result(key, text, part, number, report) for number, part in parts]
    return Section(key, text, keys_of_result(key, options), results)


def _result(key: str, text: Words, part: CollectionPart, number: int, report: Report) -> CollectionResult:
    result = part.results[key]
    sentences = (*result.conclusion(), *(result.answer() if key in summarised(part.results) else ()))
    return CollectionResult(
        collection=part.name,
        key=f"{key}-{number + 1}",
        figures=figures(result, text.charts),
        tables=shown_tables(result, text.columns, _suffix(number, report)),
        notes=tuple(in_words(note, result.names) for note in result.notes),
        sentences=sentences,
        at_top=key in _AT_TOP and bool(report.summaries),
        chart_alone=key == "similarity",
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
        shown_table(name, differences_first(frame), meanings=known[key].words.columns, names=report.names)
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
        for key, result in part.section_results.items()
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
        coverage = shown_table("coverage", part.coverage, meanings=COLUMNS, suffix=suffix, marked=marked)
    return CollectionSummary(
        name=part.name,
        key=f"collection-{number + 1}",
        facts=facts,
        warnings=warnings(part.coverage),
        sentences=extremes(part.coverage),
        coverage=coverage,
    )


def _fact(value: Any) -> str:
    if isinstance(value, dict):
        return " · ".join(f"{name}: {_fact(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_fact, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else rounded(value, 3)
