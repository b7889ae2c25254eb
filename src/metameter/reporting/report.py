"""A report: its collections, and the answer at its top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.caveats import few_systems
from metameter.meta.framework.declarations import declarations
from metameter.reporting.coverage import incomplete
from metameter.view.charts.specification import specifications

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import polars as pl

    from metameter.meta.base import Across
    from metameter.view.result import Result


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
    def shown(self) -> dict[str, Result]:
        """The results that have sections; those that need more systems are left out."""
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


def report_of(title: str, collections: Sequence[CollectionPart], manifest: dict[str, Any]) -> Report:
    """Build the report on some collections: the answers of all results, and what the collections have in common.

    Examples
    --------
    >>> report_of("Nothing yet", [], {}).answer
    ()
    """
    across = _across(collections)
    tables = {key: common.tables for key, common in across.items() if common.tables}
    charts = {key: common.charts for key, common in across.items() if common.charts}
    return Report(title, _answer(collections, across), tuple(collections), tables, manifest, charts)


def _across(collections: Sequence[CollectionPart]) -> dict[str, Across]:
    """What the results of one procedure have in common on several collections, for the procedures that say so."""
    every: dict[str, Across] = {}
    for key, declared in declarations().items():
        results = {part.name: part.results[key] for part in collections if key in part.results}
        if declared.across is not None and len(results) > 1:
            with specifications():
                every[key] = declared.across(results)
    return every


def _answer(collections: Sequence[CollectionPart], across: dict[str, Across]) -> tuple[str, ...]:
    # What holds everywhere first; then what each collection says.
    sentences = [
        sentence for key in _top_results(across) for sentence in _introduced(key, across[key].sentences, across)
    ]
    for part in collections:
        label = f"{part.name}: " if len(collections) > 1 else ""
        results = part.results
        part_sentences = [
            sentence for key in _top_results(results) for sentence in _introduced(key, results[key].answer(), results)
        ]
        # In place of the sections that are left out, after what can be said.
        few = few_systems(part.facts["systems"]) if len(part.shown) < len(results) else []
        part_sentences = [*(sentence for sentence in part_sentences if sentence not in few), *few]
        part_sentences += incomplete(part.coverage, part.facts.get("topics", 0))
        # Two procedures may give the same warning.
        sentences += [f"{label}{sentence}" for sentence in dict.fromkeys(part_sentences)]
    return tuple(sentence for sentence in sentences if sentence)


def _introduced(key: str, sentences: Sequence[str], keys: Collection[str]) -> list[str]:
    """The sentences of a result; if another result summarises it, the first names what they are about."""
    known = declarations()
    alone = known[key].words.alone if any(key in known[each].needs for each in _summary_results(keys)) else ""
    return [f"{alone}: {each}" if alone and each and not at else each for at, each in enumerate(sentences)]


def spoken_for(keys: Collection[str]) -> set[str]:
    """The results whose answers stand only in their own sections, since another result summarises them at the top.

    Examples
    --------
    >>> sorted(spoken_for(["recommendation", "tradeoff", "satisfaction", "preference"]))
    ['preference', 'satisfaction']
    >>> spoken_for(["satisfaction"])
    set()
    """
    return {use for key in _summary_results(keys) for use in declarations()[key].uses}


def _top_results(keys: Collection[str]) -> list[str]:
    """The results whose answers stand at the top, those that summarise others first."""
    first, silent = _summary_results(keys), spoken_for(keys)
    return [*first, *(key for key in keys if key not in (*first, *silent))]


def _summary_results(keys: Collection[str]) -> list[str]:
    known = declarations()
    return [key for key in keys if key in known and known[key].needs_one]
