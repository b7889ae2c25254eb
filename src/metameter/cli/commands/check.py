"""Check judgments and runs before scoring: every problem, coverage, ties."""

from __future__ import annotations

from collections.abc import Callable

from metameter.scoring.check import check
from metameter.view.result import Result

__all__ = ["command"]


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
    return check(qrels, runs, metric=metric, max_grade=max_grade, jobs=jobs, progress=progress)
