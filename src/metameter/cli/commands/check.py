"""Check judgments and runs before scoring: every problem, coverage, ties."""

from __future__ import annotations

from collections.abc import Callable

from metameter.arguments import unchecked
from metameter.parallel import Workers
from metameter.scoring.check import Checked, check
from metameter.scoring.policy import Policy


def command(
    qrels: str,
    runs: list[str],
    *,
    metric: str = "nDCG@10",
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> Checked:
    """Check judgments and runs: every problem with its line, what the judgments cover, what ties may change.

    The status is 2 if there are problems. The table coverage tells, for each run, how many judged topics it has and
    lacks, how many of the first ten documents are judged, how many documents are tied, and the lowest and the highest
    mean of a metric that the order of tied documents can give.

    Parameters
    ----------
    qrels : str
        Judgments: topic, iteration, document, grade. Plain, compressed, Parquet, or - for standard input; a folder or
        a quoted glob stands for all the files in it.
    runs : list of str
        Runs: files, folders or quoted globs.
    metric : str
        The metric for the range that ties can cause.
    """
    checked: Checked = unchecked(check)(qrels, runs, metric=metric, jobs=jobs, progress=progress, policy=policy)
    return checked
