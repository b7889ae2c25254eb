"""A study's folder: tables, report, manifest; and how to rebuild them from what is kept."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.meta.base import declarations
from metameter.meta.recommend.answer import across
from metameter.meta.recommend.shared import shared_findings
from metameter.reporting.model import CollectionPart, Report
from metameter.studies.stages import Finished
from metameter.studies.store import Store
from metameter.view.files import write_whole
from metameter.view.latex import to_latex
from metameter.view.result import Result, when_and_where
from metameter.view.tables import to_csv

__all__ = ["Study", "keep", "kept_parts", "write_study"]


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """What a study found: every table of every procedure, with a ``collection`` column.

    Attributes
    ----------
    report : Report
    folder : Path
    made, kept : tuple of str
        Which stages were done now, and which had been done before.
    """

    report: Report | None = None
    folder: Path = Path()
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    results: dict[str, dict[str, Result]] = field(default_factory=dict)

    @property
    def remark(self) -> str:
        """The answer, and where the report is."""
        answer = self.report.answer if self.report else ()
        return "\n".join([*answer, f"Report: {self.folder / 'report.html'}"])

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for the eye: the columns that people read; which collection only where there are several."""
        chosen = name or next(iter(self.tables))
        frames = {
            collection: result.readable(chosen, digits)
            for collection, results in self.results.items()
            for result in results.values()
            if chosen in result.tables
        }
        if not frames:
            return self.tables[chosen]
        return _stacked(frames) if len(frames) > 1 else next(iter(frames.values()))

    def charts(self) -> dict[str, Any]:
        """All charts; with several collections a name says which."""
        return self._named(lambda result: result.charts())

    def latex(self) -> dict[str, str]:
        """All tables as LaTeX; with several collections a name says which."""
        return self._named(lambda result: result.latex())

    def _named(self, parts_of: Any) -> dict[str, Any]:
        suffixes = file_suffixes(list(self.results))
        return {
            f"{name}{suffixes[collection]}": part
            for collection, results in self.results.items()
            for result in results.values()
            for name, part in parts_of(result).items()
        }

    def chart(self) -> Any:
        """The chart that the report begins with; drawing those of all procedures would take long."""
        order = [key for key in declarations() if any(key in results for results in self.results.values())]
        every = (results[key] for key in order for results in self.results.values() if key in results)
        return next((chart for result in every if (chart := result.chart()) is not None), None)

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """A study writes its folder while it runs."""


def write_study(folder: Path, parts: dict[str, Finished], manifest: dict[str, Any], *, figures: bool = False) -> Study:
    """Write everything that people and programs read: tables (CSV, LaTeX), scores, report, manifest."""
    from metameter.reporting.html import render

    tables = _merged(parts)
    report = _report(parts, manifest)
    results = {name: part.results for name, part in parts.items()}
    result = Study(tables, manifest, report=report, folder=folder, results=results)
    for name, frame in tables.items():
        write_whole(folder / f"{name}.csv", to_csv(frame) + "\n")
    for name, text in {**result.latex(), "coverage": to_latex(tables["coverage"])}.items():
        write_whole(folder / f"{name}.tex", text + "\n")
    write_whole(folder / "scores.parquet", _parquet(_stacked({n: p.scores.table for n, p in parts.items()})))
    write_whole(folder / "report.html", render(report))
    write_whole(folder / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    write_whole(folder / "run.json", when_and_where())
    if figures:
        _draw(folder, result.charts())
    return result


def _merged(parts: dict[str, Finished]) -> dict[str, pl.DataFrame]:
    first = next(iter(parts.values()))
    # The verdict first: it is what a study is for.
    stages = sorted(first.results, key=lambda stage: stage != "recommendation")
    names = [name for stage in stages for name in first.results[stage].tables]
    every = {n: {t: f for r in p.results.values() for t, f in r.tables.items()} for n, p in parts.items()}
    merged = {name: _stacked({n: tables[name] for n, tables in every.items() if name in tables}) for name in names}
    merged["coverage"] = _stacked({name: part.coverage for name, part in parts.items()})
    if len(parts) > 1:
        verdicts = {name: part.results["recommendation"].table for name, part in parts.items()}
        merged["findings"] = shared_findings(verdicts)
    return merged


def _stacked(frames: dict[str, pl.DataFrame]) -> pl.DataFrame:
    labelled = [frame.select(pl.lit(name).alias("collection"), pl.all()) for name, frame in frames.items()]
    return pl.concat(labelled, how="diagonal_relaxed")


def _report(parts: dict[str, Finished], manifest: dict[str, Any]) -> Report:
    collections = tuple(
        CollectionPart(name, part.facts, part.coverage, {k: part.results[k] for k in _ORDER if k in part.results})
        for name, part in parts.items()
    )
    verdicts = {name: part.results["recommendation"].table for name, part in parts.items()}
    return Report(
        title=f"Which metric to trust: {', '.join(parts)}",
        answer=_answer(parts),
        collections=collections,
        shared=shared_findings(verdicts) if len(parts) > 1 else None,
        manifest=manifest,
    )


_ORDER = ("recommendation", "similarity", "consistency", "power")


def _answer(parts: dict[str, Finished]) -> tuple[str, ...]:
    said = {name: part.results["recommendation"].answer() for name, part in parts.items()}
    if len(parts) == 1:
        return tuple(sentence for sentences in said.values() for sentence in sentences)
    # What holds everywhere first; then what each collection says.
    everywhere = across([part.results["recommendation"].table for part in parts.values()])
    each = (f"{name}: {sentence}" for name, sentences in said.items() for sentence in sentences)
    return tuple(sentence for sentence in (everywhere, *each) if sentence)


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _draw(folder: Path, charts: dict[str, Any]) -> None:
    from metameter.view.charts.page import save_figures, save_html

    for name, chart in charts.items():
        save_html(chart, folder / f"{name}.html", name)
        save_figures(chart, folder / name)


def file_suffixes(collections: list[str]) -> dict[str, str]:
    """What tells the files of several collections apart; nothing where there is one.

    Examples
    --------
    >>> file_suffixes(["TREC 8"]), file_suffixes(["a b", "a/b"])
    ({'TREC 8': ''}, {'a b': '-a-b', 'a/b': '-a-b-2'})
    """
    if len(collections) == 1:
        return {collections[0]: ""}
    suffixes: dict[str, str] = {}
    for name in collections:
        # A collection's name is the user's; what is no part of a file name becomes a hyphen.
        plain = "-" + "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
        taken = sum(other == plain or other.startswith(f"{plain}-") for other in suffixes.values())
        suffixes[name] = f"{plain}-{taken + 1}" if plain in suffixes.values() else plain
    return suffixes


def keep(folder: Path, parts: dict[str, Finished], manifest: dict[str, Any]) -> None:
    """Note which kept stages make up the study, so that its report can be rebuilt without its inputs."""
    index = {"collections": {name: part.keys for name, part in parts.items()}, "manifest": manifest}
    write_whole(folder / ".stages" / "study.json", json.dumps(index, indent=1) + "\n")


def kept_parts(folder: Path) -> tuple[dict[str, Finished], dict[str, Any]]:
    """The collections of a finished study, from its folder alone."""
    file = folder / ".stages" / "study.json"
    try:
        index = json.loads(file.read_text())
        store = Store(folder / ".stages")
        parts = {name: Finished.restored(store, keys) for name, keys in index["collections"].items()}
    except (OSError, ValueError, KeyError) as error:
        raise MetameterError(
            f"this is no folder of a finished study: {error}", where=str(folder), fix="Run metameter study first."
        ) from None
    return parts, index["manifest"]
