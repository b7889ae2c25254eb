"""Check judgments and runs before scoring: every problem, coverage, ties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from metameter.errors import MetameterError
from metameter.scoring.check import check
from metameter.view.result import Result

__all__ = ["command"]


@dataclass(frozen=True, eq=False, repr=False)
class _Findings(Result):
    remark_is_table: ClassVar[bool] = True

    @property
    def remark(self) -> str:
        """What a person wants to see besides the problems."""
        from metameter.view.tables import render

        found = "" if self.table.height else "No problems.\n"
        return f"{found}coverage\n" + render(self.tables, "coverage", "table")

    @property
    def complaint(self) -> MetameterError | None:
        """The table lists the problems; the status of the program, and this, say that there are some."""
        count = self.table.height
        if not count:
            return None
        files = self.table["file"].n_unique()
        found = f"{count} problem{'s' if count > 1 else ''} in {files} file{'s' if files > 1 else ''}"
        return MetameterError(found, fix="The table of problems says where, and how to mend them.")


def command(
    qrels: str,
    runs: list[str],
    *,
    metric: str = "nDCG@10",
    max_grade: float | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Check judgments and runs: every problem with its line, what the judgments cover, what ties may change.

    The status is 2 if there are problems. The table coverage tells, for each run, how many judged topics it has and
    lacks, how many of the first ten documents are judged, how many documents are tied, and between which means of a
    metric the order of these decides.

    Parameters
    ----------
    qrels : str
        Judgments: topic, iteration, document, grade. Plain, compressed, Parquet, or - for standard input.
    runs : list of str
        Runs: files, folders or quoted globs.
    metric : str
        The metric for the range that ties can cause.
    max_grade : float
        The top of the grade scale; higher grades are a problem.
    jobs : int
        How many runs are read at a time; by default as many as there are cores.
    """
    found = check(qrels, runs, metric=metric, max_grade=max_grade, jobs=jobs, progress=progress)
    manifest: dict[str, Any] = {"metric": metric, "max_grade": max_grade}
    return _Findings({"problems": found.problems, "coverage": found.coverage}, manifest)
