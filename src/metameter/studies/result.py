"""The result of a study: every table of every procedure, and the folder that holds them with the report."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from metameter.errors import MetameterError, refuse_after_fork
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.declarations import stages
from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.meta.recommend.overview import all_rows, overview_lines
from metameter.meta.volatility.families import family_names
from metameter.parallel import Progress, stage
from metameter.registry import metric_named
from metameter.reporting.report import CollectionPart, Report, report_of
from metameter.studies.collection import FinishedCollection
from metameter.studies.store import refuse_link, write_here
from metameter.types.display_names import display_names
from metameter.view.atomic_files import all_or_nothing
from metameter.view.paths import output_path
from metameter.view.presentation import when_and_where
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.csv import csv_bytes
from metameter.view.tables.latex import latex_file, to_latex

if TYPE_CHECKING:
    from metameter.view.mark_styles import MarkedColumn


#: The tables about several collections together, of `Across`.
_TOGETHER = ("findings", "agreement_all", "intuitiveness_ranking_all", "unanimity_ranking_all")


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """The result of a study: every table of every procedure, with a ``collection`` column.

    Attributes
    ----------
    report : Report
    folder : Path
        The folder of the study.
    made, kept : tuple of str
        The stages that were computed now, and those that were read from the folder.
    parts : dict of FinishedCollection
        The collections by name: scores, coverage, and the results of the procedures.
    """

    marked_column: ClassVar[MarkedColumn | None] = VERDICT_COLUMN

    report: Report = field(default_factory=lambda: Report("", (), ()))
    folder: Path = Path()
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    parts: Mapping[str, FinishedCollection] = field(default_factory=dict)

    @classmethod
    def known_tables(cls) -> tuple[str, ...]:
        """The names of the tables of all stages and of several collections together; empty if a plug-in names none."""
        every = [stage.study_result.known_tables() for stage in stages()]
        if not all(every):
            return ()
        return (*(name for names in every for name in names), "coverage", *_TOGETHER)

    @property
    def results(self) -> dict[str, dict[str, Result]]:
        """Collection -> procedure -> its result, also of too few systems, where its tables are left out."""
        return {name: part.results for name, part in self.parts.items()}

    @property
    def remark(self) -> str:
        """The answer, and the path of the report."""
        return "\n".join([*self.report.answer, f"Report: {self.folder / 'report.html'}"])

    def overview(self, width: int) -> list[str]:
        """The summary of each collection as lines, the path of the report, and how to see all rows."""
        summaries = self.report.summaries
        if not summaries:
            return []
        lines = [*self.report.together, *(line for each in summaries for line in ["", *overview_lines(each, width)])]
        return [
            *(lines if self.report.together else lines[1:]),
            f"Report: {self.folder / 'report.html'}",
            all_rows(self.table_name()),
        ]

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for people, with a column for the collection if there are several."""
        table = self.table_name(name)
        frames = {
            collection: result.readable(table, digits)
            for collection, results in self._report_results.items()
            for result in results.values()
            if table in result.tables
        }
        if not frames:
            return self.tables[table]
        return stack_tables(frames) if len(frames) > 1 else next(iter(frames.values()))

    def important(self, name: str) -> tuple[str, ...]:
        """The important columns by the procedure of the table; with several collections, ``collection`` first."""
        results = (each for results in self._report_results.values() for each in results.values())
        first = next((each.first_columns for each in results if name in each.tables), ())
        return ("collection", *first) if first and len(self.parts) > 1 else first

    @property
    def _report_results(self) -> dict[str, Mapping[str, Result]]:
        """The results with sections and tables: procedures that need more systems have none."""
        return {part.name: part.section_results for part in self.report.collections}

    def charts(self) -> dict[str, Any]:
        """The charts of the report; with several collections, each name ends in one, and common charts come last."""
        together = {name: chart for charts in self.report.charts.values() for name, chart in charts.items()}
        return {**self._named(self._report_results, lambda result: result.charts()), **together}

    def latex(self) -> dict[str, str]:
        """All tables as LaTeX; with several collections their names end in the collection."""
        tables: dict[str, str] = self._named(self._report_results, lambda result: result.latex())
        common = ["coverage", *(name for across in self.report.across.values() for name in across)]
        return {**tables, **{name: to_latex(printed(name, self.tables[name])) for name in common}}

    def _named(
        self, every: Mapping[str, Mapping[str, Result]], parts_of: Callable[[Result], dict[str, Any]]
    ) -> dict[str, Any]:
        suffixes = file_suffixes(list(self.parts))
        return {
            f"{name}{suffixes[collection]}": part
            for collection, results in every.items()
            for result in results.values()
            for name, part in parts_of(result).items()
        }

    def chart(self, *, title: str | None = None, width: int | None = None) -> Any:
        """The first chart of the report; the charts of the other procedures are not drawn, which would be slow."""
        keys = dict.fromkeys(key for results in self._report_results.values() for key in results)
        every = (results[key] for key in keys for results in self._report_results.values() if key in results)
        charts = (result.chart(title=title, width=width) for result in every)
        return next((chart for chart in charts if chart is not None), None)

    def write(self, folder: str | Path, *, figures: bool = False, progress: Progress | None = None) -> None:
        """Write tables (CSV, LaTeX), scores, report, manifest, and with ``figures`` charts."""
        from metameter.reporting.html import render

        refuse_after_fork()
        path = output_path(folder)
        manifest = json.dumps(self.manifest, indent=1, sort_keys=True) + "\n"
        with all_or_nothing():
            with stage(progress, "tables"):
                for name, frame in self.tables.items():
                    write_here(path / f"{name}.csv", csv_bytes(frame))
                for name, text in self.latex().items():
                    write_here(path / f"{name}.tex", latex_file(text))
                scores = stack_tables({name: part.scores.table for name, part in self.parts.items()})
                write_here(path / "scores.parquet", _parquet(scores))
                write_here(path / "manifest.json", manifest)
                write_here(path / "run.json", when_and_where())
            with stage(progress, "report"):
                write_here(path / "report.html", render(self.report))
            if figures:
                with stage(progress, "figures") as drawing_progress:
                    _draw(path, self.charts(), drawing_progress)


def study_of(
    folder: Path,
    parts: Mapping[str, FinishedCollection],
    manifest: dict[str, Any],
    typed: Mapping[str, str] | None = None,
) -> Study:
    """The study of finished collections, with its report; ``typed`` are the names of metrics that the user typed."""
    names = _names((name for part in parts.values() for name in part.scores.metrics), typed or {})
    parts = {name: part.with_names(names) for name, part in parts.items()}
    collections = [CollectionPart(name, part.facts, part.coverage, part.results) for name, part in parts.items()]
    few = all(len(part.scores.systems) < FEWEST_SYSTEMS for part in parts.values())
    question = "How the systems compare" if few else "Which metrics are stable here"
    report = report_of(f"{question}: {', '.join(parts)}", collections, manifest)
    return Study(merge_tables(report), manifest, report=report, folder=folder, parts=parts, names=names)


def _names(metrics: Iterable[str], typed: Mapping[str, str]) -> dict[str, str]:
    """Metric, and metric without its depth as in tables by depth -> the name that people see."""
    metrics = list(dict.fromkeys(metrics))
    measures = [measure for measure in map(metric_named, metrics) if measure is not None]
    return {**family_names(measures, typed), **display_names(metrics, typed)}


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _draw(folder: Path, charts: dict[str, Any], progress: Progress | None) -> None:
    from metameter.view.charts.export import save_figures, save_html
    from metameter.view.charts.sizing import styled

    for done, (name, own_chart) in enumerate(charts.items(), start=1):
        chart = styled(own_chart)
        for suffix in ("html", "svg", "pdf"):
            refuse_link(folder / f"{name}.{suffix}")
        save_html(chart, folder / f"{name}.html", name)
        save_figures(chart, folder / name)
        if progress is not None:
            progress(done, len(charts), "charts")


def merge_tables(report: Report) -> dict[str, pl.DataFrame]:
    """Name -> the table of all collections, in the order of the report; coverage and common tables last."""
    merged: dict[str, pl.DataFrame] = {}
    parts = {part.name: part.section_results for part in report.collections}
    for key in dict.fromkeys(key for results in parts.values() for key in results):
        results = {name: every[key] for name, every in parts.items() if key in every}
        for table in dict.fromkeys(table for result in results.values() for table in result.tables):
            frames = {name: result.tables[table] for name, result in results.items() if table in result.tables}
            _add(merged, table, stack_tables(frames))
    _add(merged, "coverage", stack_tables({part.name: part.coverage for part in report.collections}))
    for tables in report.across.values():
        for table, frame in tables.items():
            _add(merged, table, frame)
    return merged


def _add(tables: dict[str, pl.DataFrame], name: str, frame: pl.DataFrame) -> None:
    if name in tables:
        fix = "Uninstall the plug-in of one of them."
        raise MetameterError("two procedures have a table of the same name", given=name, fix=fix)
    tables[name] = frame


def stack_tables(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The tables of several collections as one, with a column ``collection``.

    Examples
    --------
    >>> stack_tables({"a": pl.DataFrame({"x": [1]}), "b": pl.DataFrame({"x": [2]})}).rows()
    [('a', 1), ('b', 2)]
    """
    labelled = [frame.select(pl.lit(name).alias("collection"), pl.all()) for name, frame in frames.items()]
    return pl.concat(labelled, how="diagonal_relaxed")


def file_suffixes(collections: list[str]) -> dict[str, str]:
    """Collection -> the suffix of its file names; empty if there is only one collection.

    Examples
    --------
    >>> file_suffixes(["TREC 8"]), file_suffixes(["a b", "a/b"])
    ({'TREC 8': ''}, {'a b': '-a-b', 'a/b': '-a-b-2'})
    """
    if len(collections) == 1:
        return {collections[0]: ""}
    suffixes: dict[str, str] = {}
    for name in collections:
        # The user chooses the name of a collection; characters that a file name should not have become hyphens.
        plain = "-" + "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
        taken = sum(other == plain or other.startswith(f"{plain}-") for other in suffixes.values())
        suffixes[name] = f"{plain}-{taken + 1}" if plain in suffixes.values() else plain
    return suffixes
