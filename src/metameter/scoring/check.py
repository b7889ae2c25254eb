"""Look at judgments and runs before anyone scores them: every problem, and what the judgments cover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from metameter.errors import MetameterError
from metameter.judge.index import Index, judgments_of
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.parallel import Workers
from metameter.read.check import Inspected, inspect_qrels, inspect_run, line_of
from metameter.read.sources import find_files
from metameter.read.trec import system_name
from metameter.scoring.coverage import coverage
from metameter.types import Qrels, Run
from metameter.view.html import html_table, paragraphs
from metameter.view.result import Result

__all__ = ["Checked", "check"]

_MOST = 1000  # problems of one file; with so many it is the wrong kind of file
_PROBLEMS = {"file": pl.String, "line": pl.Int64, "what": pl.String, "fix": pl.String}
_COVERAGE = {
    "system": pl.String,
    "topics": pl.Int64,
    "missing": pl.Int64,
    "judged_at_10": pl.Float64,
    "tied": pl.Int64,
    "metric": pl.String,
    "tied_low": pl.Float64,
    "tied_high": pl.Float64,
    "documents": pl.Int64,
    "unjudged": pl.Int64,
    "extra_topics": pl.Int64,
}


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Result):
    """What was found: the tables ``problems`` (file, line, what, fix) and ``coverage`` (a row a run)."""

    remark_is_table: ClassVar[bool] = True

    @property
    def problems(self) -> pl.DataFrame:
        """A row a problem: file, line, what, fix."""
        return self.tables["problems"]

    @property
    def coverage(self) -> pl.DataFrame:
        """A row a run."""
        return self.tables["coverage"]

    @property
    def remark(self) -> str:
        """What a person wants to see besides the problems."""
        from metameter.view.tables import render

        found = "" if self.problems.height else "No problems.\n"
        return f"{found}coverage\n" + render(self.tables, "coverage", "table")

    @property
    def complaint(self) -> MetameterError | None:
        """The table lists the problems; this, and the exit status, say that there are some."""
        count = self.problems.height
        if not count:
            return None
        files = self.problems["file"].n_unique()
        found = f"{count} problem{'s' if count > 1 else ''} in {files} file{'s' if files > 1 else ''}"
        return MetameterError(found, fix="The table of problems says where, and how to mend them.")

    def _repr_html_(self) -> str:
        count = self.problems.height
        found = f"{count:,} problem{'s' * (count != 1)}:" if count else "No problems."
        listed = html_table(self.problems) if count else ""
        return paragraphs([found]) + listed + paragraphs(["What the judgments cover:"]) + html_table(self.coverage)


def check(
    qrels: str | Path,
    runs: str | Path | Sequence[str | Path],
    *,
    metric: str = "nDCG@10",
    max_grade: float | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Checked:
    r"""Find all problems of the files, and how well the judgments cover the runs.

    Parameters
    ----------
    qrels, runs : path
        As for `score`; lines that are wrong are reported and left out.
    metric : str
        The metric whose range over the orders of tied documents is reported.
    max_grade : float, optional
        The top of the grade scale; higher grades are a problem.
    jobs : int, optional
        How many runs are read at a time.
    progress : callable, optional
        Is told after each run how many are done, and of how many.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels").write_text("1 0 a 1\n")
    >>> _ = (folder / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n")
    >>> found = check(folder / "qrels", folder / "run")
    >>> found.problems["line"].to_list(), found.coverage["judged_at_10"].to_list()
    ([2], [1.0])
    """
    measure = parse_metric(metric)
    files = find_files([runs] if isinstance(runs, str | Path) else runs)
    judged = inspect_qrels(qrels, max_grade=max_grade)
    index = _index(judged, max_grade)
    problems, rows = _listed(judged.source, [*judged.problems, *_same_names(files)]), list[dict[str, Any]]()
    for found, row in Workers.of(jobs).map(lambda file: _run(file, index, measure), files):
        problems += _listed(found.source, found.problems)
        rows.append(row)
        if progress:
            progress(len(rows), len(files))
    known = [row for row in rows if row]
    tables = {
        "problems": pl.DataFrame(problems, schema=_PROBLEMS, orient="row"),
        "coverage": pl.DataFrame(known, schema=_COVERAGE, orient="row"),
    }
    return Checked(tables, {"metric": metric, "max_grade": max_grade})


def _index(judged: Inspected, max_grade: float | None) -> Index | None:
    if judged.table is None:
        return None
    qrels = Qrels(judged.table, judged.source)
    # A grade above the scale has been reported; here the scale is as high as it must be.
    return judgments_of(qrels, max_grade=None if max_grade is None else max(max_grade, qrels.max_grade))


def _run(file: str, index: Index | None, measure: Measure) -> tuple[Inspected, dict[str, Any]]:
    found = inspect_run(file)
    if found.table is None or index is None:
        return found, {}
    try:
        return found, coverage(Run(system_name(file), found.table, file), index, measure)
    except MetameterError as problem:  # it has no topic in common with the qrels
        return found.with_problems([problem]), {}


def _same_names(files: list[str]) -> list[MetameterError]:
    seen: dict[str, str] = {}
    problems = []
    for file in files:
        first = seen.setdefault(system_name(file), file)
        if first is not file:
            what = f"two runs have the name {system_name(file)!r}, the other is {first}"
            problems.append(MetameterError(what, where=file, fix="Rename one of the files."))
    return problems


def _listed(source: str, problems: list[MetameterError]) -> list[tuple[Any, ...]]:
    rows = [_row(source, problem) for problem in problems[:_MOST]]
    if len(problems) > _MOST:
        rows.append((source, None, f"{len(problems) - _MOST:,} more problems", "Check that this is the right file."))
    return rows


def _row(source: str, problem: MetameterError) -> tuple[Any, ...]:
    line = line_of(problem)
    file = source if line is not None else problem.where or source
    return file, line, problem.statement, problem.fix or "Correct it."
