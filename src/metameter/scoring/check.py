"""Check judgments and runs before they are scored: every problem, and what the judgments cover."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.judge.index import Index, index_judgments
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike
from metameter.parallel import Workers
from metameter.read.runs import LazyRun, listed_runs
from metameter.read.sources import one_name
from metameter.scoring.checked import Checked
from metameter.scoring.checked_run import CheckedRun, check_run, known_ranks
from metameter.scoring.coverage import coverage_row
from metameter.scoring.grades import check_grades
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measure_of
from metameter.scoring.policy import Policy
from metameter.scoring.prepared import contributing_runs, needs_pool, pooled, with_costs
from metameter.scoring.problems import Inspected, file_of, inspect_qrels, line_of
from metameter.scoring.run_notices import notice_order
from metameter.scoring.takes_policy import takes_policy
from metameter.types import Qrels
from metameter.types.shared_ends import SharedEnds
from metameter.utf8 import in_utf8

__all__ = ["check"]

_MOST = 1000  # problems listed per file; a file with more is probably of the wrong kind
_FEW = 5  # topics that are named
#: Ties are a problem if their order can change the mean by more than this, and only names decide it.
_MOST_CHANGE, _BY_NAME = 0.01, ("docid-desc", "docid-asc")
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


@takes_policy
def check(
    qrels: Any,
    runs: Any,
    *,
    metric: MetricLike = "nDCG@10",
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> Checked:
    r"""Check judgments and runs: every problem with its line, what the judgments cover, what ties may change.

    The table ``coverage`` says for each run how many judged topics it has and lacks, which share of its first ten
    documents is judged, how many documents are tied, and the lowest and the highest mean of a metric that the order of
    tied documents can give. A run that lacks judged topics is a problem, and so is one without a judged document, or
    one whose ties can change the mean by more than .01.

    Parameters
    ----------
    qrels : path, folder, glob, dict, data frame or Qrels
        The judgments; lines that are wrong are reported and left out.
    runs : path, folder, glob, dict, data frame, Run, or several of them
        The systems' ranked lists; lines that are wrong are reported and left out.
    metric : str or metric
        The metric whose range over the orders of tied documents is reported: a name, or an object such as
        ``mm.nDCG @ 10``.
    jobs : int, optional
        How many runs are read at the same time; by default the number of cores.
    progress : callable, optional
        Called after each run with the number of runs done and the number of all runs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels").write_text("1 0 a 1\n")
    >>> _ = (folder / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n")
    >>> checked = check(folder / "qrels", folder / "run")
    >>> checked.problems["line"].to_list(), checked.coverage["judged_at_10"].to_list()
    ([2], [1.0])
    """
    measure = measure_of(metric, condensed=policy.condensed)
    sources = listed_runs(runs, **policy.reading)
    judged = inspect_qrels(qrels, max_grade=policy.max_grade, on_duplicate=policy.qrels_duplicates)
    index, further = _index(judged, measure, sources, policy, jobs)
    rows: list[CheckedRun] = []
    work: dict[str, Any] = {"index": index, "measure": measure, "policy": policy.without_inputs()}
    for row in Workers.of(jobs).map(check_run, sources, **work):
        rows.append(row)
        if progress:
            progress(len(rows), len(sources))
    covered = [row for row in rows if row.arrays]
    topics, uncommon = _topics(covered, policy)
    problems = _listed(judged.source, [*judged.problems, *further, *uncommon, *_same_names(rows, policy.name_by)])
    found = {id(row): _of_scores(row, _row(row, measure, topics), index, policy) for row in covered}
    problems += [listed for row in rows for listed in _listed(row.source, [*row.problems, *found.get(id(row), ())])]
    ends = SharedEnds.of(row.system for row in rows) if policy.strip_names else SharedEnds()
    covered = [replace(row, system=ends.short(row.system)) for row in covered]
    if covered:
        notice_order([(row.system, row.arrays) for row in covered], policy, measure.reach)
    tables = {
        "problems": pl.DataFrame(problems, schema=_PROBLEMS, orient="row"),
        "coverage": pl.DataFrame([_row(row, measure, topics) for row in covered], schema=_COVERAGE, orient="row"),
    }
    options = {each.name: getattr(policy, each.name) for each in fields(policy) if each.name not in _INPUTS}
    return Checked(tables, {**manifest_of(procedure="check", metric=measure.name, **options), **ends.entry()})


_INPUTS = ("contributing", "costs")


def _index(
    judged: Inspected, measure: Measure, sources: list[LazyRun], policy: Policy, jobs: int | Workers | None
) -> tuple[Index | None, list[MetameterError]]:
    """The judgments that could be read, with costs and pool; and what is wrong with these."""
    if judged.table is None:
        return None, []
    qrels = Qrels(judged.table, judged.source)
    # A grade above the scale has been reported already; here the scale is raised to it, so that the run can be checked.
    top = None if policy.max_grade is None else max(policy.max_grade, qrels.max_grade)
    index = index_judgments(qrels, max_grade=top)
    check_grades([measure], qrels, index.judgments.max_grade)
    try:
        index, _ = with_costs(index, policy.costs)
        if not needs_pool([measure], policy):
            return index, []
        pool = contributing_runs(policy.contributing, sources, policy)
        work = {"index": index, "policy": policy.without_inputs()}
        ranks = [each for each in Workers.of(jobs).map(known_ranks, pool, **work) if each is not None]
        return (pooled(index, ranks, policy.pool_depth) if ranks else None), []
    except MetameterError as problem:
        return index, [problem]


def _topics(rows: list[CheckedRun], policy: Policy) -> tuple[Any, list[MetameterError]]:
    """Which topics the metric is averaged over: all, or those that every run has."""
    if policy.topics == "qrels" or not rows:
        return slice(None), []
    shared = np.all([row.arrays["retrieved"] for row in rows], axis=0)
    if shared.any():
        return shared, []
    problem = MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    return slice(None), [problem]


def _row(row: CheckedRun, measure: Measure, topics: Any) -> dict[str, Any]:
    ends = [float(measure.summarise(row.arrays[end][topics])) for end in ("worst", "best")]
    counted = {name: int(row.arrays[name]) for name in ("documents", "unjudged", "extra_topics")}
    ties = {"metric": measure.name, "tied_low": min(ends), "tied_high": max(ends)}
    return {"system": row.system, **coverage_row(row.arrays), **ties, **counted}


def _of_scores(row: CheckedRun, covered: dict[str, Any], index: Index | None, policy: Policy) -> list[MetameterError]:
    """What makes the scores of a run misleading: topics it lacks, no judged document, ties that change the mean."""
    problems = []
    if covered["documents"] and covered["documents"] == covered["unjudged"]:
        what = f"0 of {covered['documents']:,} retrieved documents are judged"
        fix = "Check that the run and the qrels name documents alike; without judged documents all scores are 0."
        problems.append(MetameterError(what, where=row.source, fix=fix))
    lacked = np.flatnonzero(~row.arrays["retrieved"])
    if lacked.size and policy.topics == "qrels" and index is not None:
        names = ", ".join(index.topics[at] for at in lacked[:_FEW]) + (", ..." if lacked.size > _FEW else "")
        what = f"the run lacks {lacked.size:,} of {len(index.topics):,} topics, which count as 0: {names}"
        fix = "Add lists for these topics, or set topics to common (--topics common) to leave them out."
        problems.append(MetameterError(what, where=row.source, fix=fix))
    low, high, metric = (covered[name] for name in ("tied_low", "tied_high", "metric"))
    if policy.ties in _BY_NAME and high - low > _MOST_CHANGE * max(1.0, abs(high)):
        what = f"{covered['tied']:,} of {covered['documents']:,} documents are tied, and their order decides the score"
        what += f": {metric} is between {low:.4f} and {high:.4f}"
        fix = "Give every document its own score, or set ties to mean (--ties mean), rank or input."
        problems.append(MetameterError(what, where=row.source, fix=fix))
    return problems


def _same_names(rows: list[CheckedRun], name_by: str) -> list[MetameterError]:
    seen: dict[str, CheckedRun] = {}
    problems = []
    for row in rows:
        first = seen.setdefault(row.system, row)
        if first is not row:
            refusal = one_name(row.system, first.source, row.source, name_by=name_by)
            problems.append(MetameterError(refusal.what, where=row.source, fix=refusal.fix))
    return problems


def _listed(source: str, problems: list[MetameterError]) -> list[tuple[Any, ...]]:
    source = in_utf8(source)
    rows = [(in_utf8(file_of(each) or source), line_of(each), each.statement, each.fix) for each in problems[:_MOST]]
    if len(problems) > _MOST:
        rows.append((source, None, f"{len(problems) - _MOST:,} more problems", "Check that this is the right file."))
    return rows
