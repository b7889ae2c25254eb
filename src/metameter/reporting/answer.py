"""The answer that a report begins with: what the results of its procedures say, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.declarations import declarations
from metameter.reporting.model import Report
from metameter.view.charts.drawing import specifications

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metameter.meta.base import Across
    from metameter.reporting.model import CollectionPart

__all__ = ["report_of"]


def report_of(title: str, collections: Sequence[CollectionPart], manifest: dict[str, Any]) -> Report:
    """The report on these collections: the answers of all results, and what the collections have in common.

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
    sentences = [sentence for common in across.values() for sentence in common.sentences]
    for part in collections:
        label = f"{part.name}: " if len(collections) > 1 else ""
        sentences += [f"{label}{sentence}" for result in part.results.values() for sentence in result.answer()]
    return tuple(sentence for sentence in sentences if sentence)
