"""The inputs that are read before the first run is scored: judgments, costs and the pool."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.judge.faceted import Faceted
from metameter.judge.index import Index, index_judgments
from metameter.metric.base import Measure
from metameter.metric.ir_measures import notice_different_scale
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.read.qrels import read_qrels
from metameter.read.runs import LazyRun, as_runs
from metameter.scoring.alignment import align_source
from metameter.scoring.line_files import RunName
from metameter.scoring.measures import check_grades
from metameter.scoring.policy import Policy
from metameter.types import Fingerprint, Qrels
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


@dataclass(frozen=True, eq=False)
class PoolRanks:
    """The ranks of the judged documents in one contributing run; with its file if it is not among the scored runs."""

    system: str
    ranks: NDArray[np.int64]
    fingerprint: Fingerprint | None = None


@dataclass(frozen=True, eq=False)
class ScoringInputs:
    """The judgments of a scoring, and the runs that will be scored with them.

    Attributes
    ----------
    qrels : Qrels
    index : Index
        The judgments, restricted to the pool, with costs.
    sources : list of LazyRun
        The runs; they are read later, one by one.
    pool : tuple of str, optional
        The names of the contributing runs, where the numbers depend on them.
    files : dict
        Kind of input -> the files read so far.
    facets : Facets, optional
        The judgments by subtopic, where a metric sees them.
    """

    qrels: Qrels
    index: Index
    sources: list[LazyRun] = field(default_factory=list)
    pool: tuple[str, ...] | None = None
    files: dict[str, list[Fingerprint]] = field(default_factory=dict)
    facets: Facets | None = None


def read_inputs(
    qrels: Any,
    runs: Any,
    measures: Sequence[Measure],
    policy: Policy,
    *,
    jobs: int | Workers | None = None,
    warn: bool = True,
    pool_matters: bool = False,
) -> ScoringInputs:
    """Read the judgments, find the runs, and read the contributing ones where metrics or options need them.

    Parameters
    ----------
    qrels, runs, measures, policy, jobs
        As in `score_runs`.
    warn : bool
        Give a notice when the top of the scale is taken from the data and some metric depends on it.
    pool_matters : bool
        As in `score_runs`.
    """
    sources = as_runs(runs, **policy.reading)
    inputs = replace(read_judgments(qrels, measures, policy, warn=warn), sources=sources)
    if not needs_pool(measures, policy, warn=not pool_matters):
        return inputs
    return with_contributing(inputs, contributing_runs(policy.contributing, sources, policy), policy, jobs=jobs)


def read_judgments(qrels: Any, measures: Sequence[Measure], policy: Policy, *, warn: bool = True) -> ScoringInputs:
    """Read the judgments, and costs if there are any; the parameters are those of `read_inputs`."""
    judged, facets = _judged(qrels, measures, policy)
    warn = warn and any(measure.scaled for measure in measures)
    index, costs = with_costs(index_judgments(judged, max_grade=policy.max_grade, warn=warn), policy.costs)
    check_grades(measures, judged, index.judgments.max_grade)
    files = {"qrels": list(judged.fingerprints) or [Fingerprint(judged.source)], "runs": [], "costs": costs}
    return ScoringInputs(judged, index, files=files, facets=facets)


def with_contributing(
    inputs: ScoringInputs, pool: list[LazyRun], policy: Policy, *, jobs: int | Workers | None = None
) -> ScoringInputs:
    """Return the inputs with the pool of these runs: the best rank of each document, cut at the pool depth if set.

    This is a first pass over those runs, before the one that scores them: the recall base of a metric may depend on
    all of them. Only runs that are not scored, which are not read again, are hashed here.
    """
    scored = {id(source) for source in inputs.sources}
    items = [(source, id(source) not in scored) for source in pool]
    workers, index = Workers.of(jobs), inputs.index
    parts = list(workers.map(_pool_ranks, items, index=index, policy=policy.without_inputs()))
    others = [part.fingerprint for part in parts if part.fingerprint is not None]
    files = inputs.files | ({"contributing": others} if others else {})
    index = pooled(index, [part.ranks for part in parts], policy.pool_depth)
    return replace(inputs, index=index, pool=tuple(part.system for part in parts), files=files)


def _judged(qrels: Any, measures: Sequence[Measure], policy: Policy) -> tuple[Qrels, Facets | None]:
    """Return the judgments and, where a metric needs them, those by subtopic, from the second column of the qrels."""
    by_subtopic = next((measure.name for measure in measures if issubclass(measure.evidence, Faceted)), None)
    if by_subtopic is None:
        return read_qrels(qrels, on_duplicate=policy.qrels_duplicates), None
    for name in ("pool_depth", "qrels_duplicates"):
        if name in policy.changed():
            fix = f"Leave {name} out, or {by_subtopic}."
            raise MetameterError(f"{name} does not apply to judgments by subtopic", given=by_subtopic, fix=fix)
    if policy.ties == "mean":
        fix = "Choose another order of ties."
        raise MetameterError("there is no mean over ties of metrics that see subtopics", given=by_subtopic, fix=fix)
    # Imported here because most collections have no subtopics.
    from metameter.judge.facets import document_qrels, facets_of
    from metameter.read.sessions.truth import read_truth

    truth = read_truth(qrels)
    documents = document_qrels(truth)
    return documents, facets_of(truth, documents)


def needs_pool(measures: Iterable[Measure], policy: Policy, *, warn: bool = True) -> bool:
    """Whether any number depends on the contributing runs; give a notice if they are named and none does."""
    if policy.pool_depth is not None or any("pool" in measure.needs for measure in measures):
        return True
    if policy.contributing is not None and warn:
        notice("contributing has no effect: pool_depth is not set, and no metric depends on the contributing runs")
    return False


def with_costs(index: Index, costs: Any) -> tuple[Index, list[Fingerprint]]:
    """Return the index with the costs of documents, if any are given; and the files they were read from."""
    if costs is None:
        return index, []
    from metameter.judge.costs import Costs
    from metameter.read.document_tables import read_costs

    read = read_costs(costs)
    return replace(index, costs=Costs.of(read.table, index.topics)), [read.fingerprint]


def notice_scale(metrics: Any, inputs: ScoringInputs, policy: Policy) -> None:
    """Give a notice of the scale of metrics of other libraries, if it was taken from the judgments."""
    if policy.max_grade is None:
        notice_different_scale(metrics, inputs.index.judgments.max_grade)


def contributing_runs(contributing: Any, sources: list[LazyRun], policy: Policy) -> list[LazyRun]:
    """Return the runs that made the pool: by default all runs; otherwise runs by name, or other runs."""
    if contributing is None:
        return sources
    parts = list(contributing) if isinstance(contributing, list | tuple) else [contributing]
    by_name: dict[str, LazyRun] = {}
    if any(isinstance(part, str) for part in parts):
        # If runs are named by tag, only the content of a run tells its name.
        by_name = {source.named(None): source for source in sources}
        affixes = CommonAffixes.of(by_name) if policy.strip_names else CommonAffixes()
        by_name |= {affixes.short(name): source for name, source in by_name.items()}
    runs = [run for part in parts for run in _contributing(part, by_name, policy)]
    if not runs:
        raise MetameterError("no contributing run is given", fix="Name at least one, or leave contributing out.")
    return runs


def _contributing(part: Any, by_name: dict[str, LazyRun], policy: Policy) -> Iterable[LazyRun]:
    if isinstance(part, str) and part in by_name:
        return [by_name[part]]
    if isinstance(part, str) and not glob.has_magic(part) and not Path(part).exists():
        where = part.where if isinstance(part, RunName) else None
        what, name = "a contributing run is neither a run given nor a file", str(part)
        raise MetameterError(what, where=where, given=name, fix=did_you_mean(name, list(by_name)))
    return as_runs(part, **policy.reading)


def pooled(index: Index, ranks: Sequence[NDArray[np.int64]], pool_depth: int | None) -> Index:
    """Return the index with the best of the ranks in all runs, cut at the pool depth if given."""
    from metameter.judge.pool import restrict, with_pool_ranks

    whole = with_pool_ranks(index, np.minimum.reduce(list(ranks)))
    return whole if pool_depth is None else restrict(whole, pool_depth)


def _pool_ranks(item: tuple[LazyRun, bool], *, index: Index, policy: Policy) -> PoolRanks:
    from metameter.judge.pool import ranks_of_judged

    source, hashed = item
    aligned = align_source(source, source.load(), index, policy)
    ranks = ranks_of_judged(aligned.ranks, index)
    return PoolRanks(aligned.system, ranks, aligned.fingerprint if hashed else None)
