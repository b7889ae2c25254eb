"""Check judgments and runs before they are scored: every problem, and what the judgments cover."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import MetameterError, in_utf8
from metameter.judge.align import align_blocks
from metameter.judge.index import Index, index_judgments
from metameter.judge.pool import best_ranks
from metameter.metric.base import Measure
from metameter.metric.classic.judged import Judged
from metameter.metric.compose import MetricLike
from metameter.parallel import Workers
from metameter.read.files.limits import unpacking
from metameter.read.runs import LazyRun, RunInMemory, listed_runs
from metameter.read.sources import one_name
from metameter.scoring.check.coverage import TOP, best_and_worst, coverage_arrays, coverage_row
from metameter.scoring.check.problems import Inspection, file_of, inspect_qrels, inspect_run, line_of
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measure_of, measures_of, notice_uncounted_grades, refuse_judged_grades
from metameter.scoring.policy import Policy, takes_policy
from metameter.scoring.run_notices import NoticeArrays, notice_order
from metameter.scoring.run_observers import by_topic
from metameter.scoring.scoring_inputs import contributing_runs, needs_pool, pooled, with_costs
from metameter.types import Qrels, Run
from metameter.types.system_names import CommonAffixes
from metameter.view.result import CommandOutput, Result
from metameter.view.tables.html import html_table, paragraphs

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.scoring.cache import Arrays


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Result):
    """The tables ``problems`` (file, line, what, fix) and ``coverage`` (one row per run)."""

    table_names: ClassVar[tuple[str, ...]] = ("problems", "coverage")

    first_columns: ClassVar[tuple[str, ...]] = ("file", "line", "what", "fix", "system", "topics", "missing")

    @property
    def problems(self) -> pl.DataFrame:
        """One row per problem: file, line, what, fix."""
        return self.tables["problems"]

    @property
    def coverage(self) -> pl.DataFrame:
        """One row per run."""
        return self.tables["coverage"]

    @property
    def remark(self) -> str:
        """The coverage, for a person who reads the problems."""
        return "\n".join([*([] if self.problems.height else ["No problems."]), "coverage", self.text("coverage")])

    @property
    def command_output(self) -> CommandOutput:
        """An error, which sets the exit status, if there are problems; a remark if there are none."""
        count = self.problems.height
        if not count:
            return CommandOutput(remark_is_table=True, short_remark="No problems.")
        files = self.problems["file"].n_unique()
        what = f"{count} problem{'s' if count > 1 else ''} in {files} file{'s' if files > 1 else ''}"
        error = MetameterError(what, fix="The table of problems says where, and how to fix them.")
        return CommandOutput(remark_is_table=True, error=error)

    def _repr_html_(self) -> str:
        count = self.problems.height
        verdict = f"{count:,} problem{'s' * (count != 1)}:" if count else "No problems."
        listed = html_table(self.problems) if count else ""
        return paragraphs([verdict]) + listed + paragraphs(["What the judgments cover:"]) + html_table(self.coverage)


_MOST = 1000  # problems listed per file; a file with more is probably of the wrong kind
_FEW = 5  # missing topics named in a problem
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
    index, input_problems = _index(judged, measure, sources, policy, jobs)
    rows: list[CheckedRun] = []
    checks = Workers.of(jobs).map(check_run, sources, index=index, measure=measure, policy=policy.without_inputs())
    for row in checks:
        rows.append(row)
        if progress:
            progress(len(rows), len(sources))
    covered = [row for row in rows if row.arrays]
    topics, no_common_topic = _topics(covered, policy)
    same_names = _same_names(rows, policy.name_by)
    problems = _problem_rows(judged.source, [*judged.problems, *input_problems, *no_common_topic, *same_names])
    for row in rows:
        of_scores = _score_problems(row, _coverage(row, measure, topics), index, policy) if row.arrays else []
        problems += _problem_rows(row.source, [*row.problems, *of_scores])
    affixes = CommonAffixes.of(row.system for row in rows) if policy.strip_names else CommonAffixes()
    covered = [replace(row, system=affixes.short(row.system)) for row in covered]
    if covered:
        notice_order([(row.system, row.arrays) for row in covered], policy, measure.reach)
    coverage = [_coverage(row, measure, topics) for row in covered]
    tables = {
        "problems": pl.DataFrame(problems, schema=_PROBLEMS, orient="row"),
        "coverage": pl.DataFrame(coverage, schema=_COVERAGE, orient="row"),
    }
    options = {each.name: getattr(policy, each.name) for each in fields(policy) if each.name not in _INPUTS}
    return Checked(tables, {**manifest_of(procedure="check", metric=measure.name, **options), **affixes.entry()})


_INPUTS = ("contributing", "costs")


def _index(
    judged: Inspection, measure: Measure, sources: list[LazyRun], policy: Policy, jobs: int | Workers | None
) -> tuple[Index | None, list[MetameterError]]:
    """Return the judgments that could be read, with costs and pool; and the problems of costs and pool."""
    if judged.table is None:
        return None, []
    qrels = Qrels(judged.table, judged.source)
    # Grades above the scale are reported already; here the scale is raised to them, so that runs can be checked.
    top = None if policy.max_grade is None else max(policy.max_grade, qrels.max_grade)
    index = index_judgments(qrels, max_grade=top)
    refuse_judged_grades([measure], qrels, index.judgments.max_grade)
    # The judgments are checked for other metrics, too: binary ones are among the everyday ones.
    notice_uncounted_grades(measures_of(measure, "everyday", condensed=policy.condensed), qrels)
    try:
        index, _ = with_costs(index, policy.costs)
        if not needs_pool([measure], policy):
            return index, []
        pool = contributing_runs(policy.contributing, sources, policy)
        maybe_ranks = Workers.of(jobs).map(known_ranks, pool, index=index, policy=policy.without_inputs())
        ranks = [each for each in maybe_ranks if each is not None]
        return (pooled(index, ranks, policy.pool_depth) if ranks else None), []
    except MetameterError as problem:
        return index, [problem]


def _topics(rows: list[CheckedRun], policy: Policy) -> tuple[Any, list[MetameterError]]:
    """Return the topics that the metric is averaged over: all, or those that every run has."""
    if policy.topics == "qrels" or not rows:
        return slice(None), []
    common = np.all([row.arrays["retrieved"] for row in rows], axis=0)
    if common.any():
        return common, []
    problem = MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    return slice(None), [problem]


def _coverage(row: CheckedRun, measure: Measure, topics: Any) -> dict[str, Any]:
    """Return a row of the table ``coverage``."""
    ends = [float(measure.summarise(row.arrays[order][topics])) for order in ("worst", "best")]
    counts = {name: int(row.arrays[name]) for name in ("documents", "unjudged", "extra_topics")}
    ties = {"metric": measure.name, "tied_low": min(ends), "tied_high": max(ends)}
    return {"system": row.system, **coverage_row(row.arrays), **ties, **counts}


def _score_problems(
    row: CheckedRun, coverage: dict[str, Any], index: Index | None, policy: Policy
) -> list[MetameterError]:
    """Return what makes a run's scores misleading: missing topics, no judged document, ties that change the mean."""
    problems = []
    if coverage["documents"] and coverage["documents"] == coverage["unjudged"]:
        what = f"0 of {coverage['documents']:,} retrieved documents are judged"
        fix = "Check that the run and the qrels name documents alike; without judged documents all scores are 0."
        problems.append(MetameterError(what, where=row.source, fix=fix))
    missing = np.flatnonzero(~row.arrays["retrieved"])
    if missing.size and policy.topics == "qrels" and index is not None:
        names = ", ".join(index.topics[at] for at in missing[:_FEW]) + (", ..." if missing.size > _FEW else "")
        what = f"the run lacks {missing.size:,} of {len(index.topics):,} topics, which count as 0: {names}"
        fix = "Add lists for these topics, or set topics to common (--topics common) to leave them out."
        problems.append(MetameterError(what, where=row.source, fix=fix))
    low, high, metric = (coverage[name] for name in ("tied_low", "tied_high", "metric"))
    if policy.ties in _BY_NAME and high - low > _MOST_CHANGE * max(1.0, abs(high)):
        what = (
            f"{coverage['tied']:,} of {coverage['documents']:,} documents are tied, and their order decides the score"
        )
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


def _problem_rows(source: str, problems: list[MetameterError]) -> list[tuple[Any, ...]]:
    """Return rows of the table ``problems``, for one file."""
    source = in_utf8(source)
    rows = [(in_utf8(file_of(each) or source), line_of(each), each.statement, each.fix) for each in problems[:_MOST]]
    if len(problems) > _MOST:
        rows.append((source, None, f"{len(problems) - _MOST:,} more problems", "Check that this is the right file."))
    return rows


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """The result of `check_run`.

    Attributes
    ----------
    source, system : str
    problems : list of MetameterError
    arrays : dict
        The `coverage_arrays` and `NoticeArrays`; ``worst`` and ``best``, the metric's scores with tied documents in
        these orders; ``documents`` retrieved for judged topics, and how many of them are ``unjudged``; ``extra_topics``
        that only the run has. Empty if the run could not be read, or has no topic in common with the judgments.
    """

    source: str
    system: str
    problems: list[MetameterError] = field(default_factory=list)
    arrays: Arrays = field(default_factory=dict)


def check_run(source: LazyRun, *, index: Index | None, measure: Measure, policy: Policy) -> CheckedRun:
    """Check one run."""
    inspection = _inspection(source, policy)
    run = _run(source, inspection)
    if run is None or index is None:
        return CheckedRun(source.source, inspection.tag or source.name, inspection.problems)
    try:
        arrays = _arrays(run, index, measure, policy)
    except MetameterError as problem:  # it has no topic in common with the qrels
        return CheckedRun(source.source, run.name, inspection.with_problems([problem]).problems)
    return CheckedRun(source.source, run.name, inspection.problems, arrays)


def known_ranks(source: LazyRun, *, index: Index, policy: Policy) -> NDArray[np.int64] | None:
    """Return the ranks of judged documents in a contributing run, as far as it can be read."""
    run = _run(source, _inspection(source, policy))
    try:
        return None if run is None else best_ranks(run, index, ties=policy.ties, precision=policy.precision)
    except MetameterError:  # it has no topic in common with the qrels, which is reported when the run is checked
        return None


def _inspection(source: LazyRun, policy: Policy) -> Inspection:
    if isinstance(source, RunInMemory):
        try:
            return Inspection(source.name, rows=source.read().table)
        except MetameterError as problem:
            return Inspection(source.name, [problem])
    with unpacking(source.limit):
        return inspect_run(
            source.source, tags=source.by_tag, on_duplicate=policy.on_duplicate, need_rank=policy.ties == "rank"
        )


def _run(source: LazyRun, inspection: Inspection) -> Run | None:
    table = inspection.table
    return None if table is None else Run(inspection.tag or source.name, table, source.source)


def _arrays(run: Run, index: Index, measure: Measure, policy: Policy) -> Arrays:
    # The first ten depend on the rule for ties; only the range of the metric is over all orders.
    depth = None if policy.ties == "mean" else TOP
    aligned = align_blocks(run, index, precision=policy.precision, ties=policy.ties, depth=depth)
    covered = [coverage_arrays(part) | NoticeArrays().arrays(part) for _, part in aligned]
    every = align_blocks(run, index, ties="mean", precision=policy.precision)
    ranges, counted = zip(*(_range_and_counts(part, measure) for _, part in every), strict=True)
    documents, judged = np.sum(counted, axis=0)
    extra = sum(topic not in index.number for topic in set(run.rows.topics))
    counts = {"documents": documents, "unjudged": documents - judged, "extra_topics": extra}
    counts["tied"] = sum(int(part.pop("tied")) for part in covered)
    return {
        **by_topic(covered),
        **by_topic(ranges),
        **{name: np.array(count, dtype=np.int64) for name, count in counts.items()},
    }


def _range_and_counts(ranked: Ranked, measure: Measure) -> tuple[Arrays, tuple[int, int]]:
    """Return the scores with ties in worst and best order; and how many documents there are, and are judged."""
    worst, best = (measure.score(each) for each in best_and_worst(ranked))
    return {"worst": worst, "best": best}, (int(ranked.length.sum()), int(Judged().parts(ranked)[0].sum()))
