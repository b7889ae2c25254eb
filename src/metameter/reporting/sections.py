"""The parts of a report in the order in which they are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.answer import across
from metameter.reporting.figures import Figure, figures, summary
from metameter.reporting.glossary import label_of
from metameter.reporting.methods import Method, method_of
from metameter.reporting.tables import Sheet, sheet, sheets
from metameter.view.cells import rounded

if TYPE_CHECKING:
    import polars as pl

    from metameter.reporting.model import CollectionPart, Report

__all__ = ["Finding", "Section", "Surveyed", "answer_of", "collections_of", "sections_of", "verdicts_of"]

_COVERED = ("judged_at_10", "missing", "tied", "residual")
# The best news first.
_VERDICTS = ("better-and-similar", "better-but-different", "no-evidence", "worse")


@dataclass(frozen=True)
class Finding:
    """What a procedure found on one collection."""

    collection: str
    key: str
    figures: list[Figure]
    sheets: list[Sheet]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A procedure with what it found on each collection."""

    name: str
    method: Method
    options: dict[str, Any]
    findings: list[Finding]


@dataclass(frozen=True)
class Surveyed:
    """A collection: its facts as (name, value), what stands out, and the table of its systems."""

    name: str
    key: str
    facts: list[tuple[str, str]]
    told: list[str]
    coverage: Sheet | None


def sections_of(report: Report) -> list[Section]:
    """A section a procedure, each with all collections: what is to be compared stands together."""
    names = dict.fromkeys(name for part in report.collections for name in part.results)
    return [_section(name, report) for name in names]


def _section(name: str, report: Report) -> Section:
    held = [(number, part) for number, part in enumerate(report.collections) if name in part.results]
    options = held[0][1].results[name].manifest.get("options", {})
    return Section(name, method_of(name), options, [_finding(name, part, number, report) for number, part in held])


def _finding(name: str, part: CollectionPart, number: int, report: Report) -> Finding:
    result = part.results[name]
    suffix = _suffix(part, number, report)
    return Finding(part.name, f"{name}-{number + 1}", figures(result), sheets(result, suffix), result.notes)


def _suffix(part: CollectionPart, number: int, report: Report) -> str:
    """What tells the files of one collection from those of another; a number where names could be taken alike."""
    if len(report.collections) == 1:
        return ""
    safe = [re.sub(r"[^A-Za-z0-9.-]+", "_", each.name) for each in report.collections]
    return safe[number] if safe.count(safe[number]) == 1 else f"{safe[number]}-{number + 1}"


def collections_of(report: Report) -> list[Surveyed]:
    """The collections and their systems."""
    return [
        Surveyed(
            part.name,
            f"collection-{number + 1}",
            [(label_of(name), _fact(value)) for name, value in part.facts.items()],
            _told(part.coverage),
            sheet("coverage", part.coverage, suffix=_suffix(part, number, report)) if part.coverage.height else None,
        )
        for number, part in enumerate(report.collections)
    ]


def _told(coverage: pl.DataFrame) -> list[str]:
    """The ends of each column, but for those in which nobody has anything."""
    known = [name for name in _COVERED if name in coverage.columns and (coverage[name] != 0).any()]
    return [summary(coverage, column) for column in known]


def _fact(value: Any) -> str:
    if isinstance(value, dict):
        return " · ".join(f"{name}: {_fact(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_fact, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else rounded(value, 3)


def verdicts_of(report: Report) -> list[tuple[str, list[tuple[str, int]]]]:
    """Collection -> how many metrics got each verdict."""
    found = []
    for part in report.collections:
        result = part.results.get("recommendation")
        if result is not None and "verdict" in result.table.columns:
            counts = dict(result.table["verdict"].value_counts().iter_rows())
            order = [*_VERDICTS, *sorted(set(map(str, counts)) - set(_VERDICTS))]
            found.append((part.name, [(verdict, counts[verdict]) for verdict in order if verdict in counts]))
    return found


def answer_of(report: Report) -> list[str]:
    """The sentences that the report begins with; of several collections first what holds in all."""
    given = [sentence for sentence in report.answer if sentence]
    found = [part.results["recommendation"].table for part in report.collections if "recommendation" in part.results]
    if len(found) < 2 or len(found) < len(report.collections):
        return given
    lead = across(found)
    return given if lead in ("", *given) else [lead, *given]
