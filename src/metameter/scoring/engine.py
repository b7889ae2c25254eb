"""Runs x topics x metrics -> Scores: runs are streamed through, and what metrics share is computed once a run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.align import align
from metameter.judge.costs import Costs
from metameter.judge.index import judgments_of
from metameter.judge.pool import best_ranks, restrict, with_pool_ranks
from metameter.metric.base import Measure
from metameter.parallel import Workers
from metameter.read.costs import as_costs
from metameter.read.frames import as_qrels
from metameter.read.runs import LazyRun, as_runs
from metameter.read.sources import RunFile, distinct
from metameter.scoring.cache import Arrays, ScoreCache, digest
from metameter.scoring.manifest import manifest_of
from metameter.scoring.mean_ties import expected
from metameter.scoring.policy import Policy
from metameter.types import Qrels, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked

__all__ = ["Policy", "observed"]


def observed(
    qrels: Any,
    runs: Any,
    measures: list[Measure],
    policy: Policy,
    *,
    observe: Callable[[Ranked], Arrays] | None = None,
    contributing: Any = None,
    costs: Any = None,
    cache: Path | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scores, list[Arrays]]:
    """Score runs, and note what else is to be seen of each while it is at hand.

    Parameters
    ----------
    qrels, runs, measures, policy, contributing, costs, jobs, progress
        As in `score`.
    observe : callable, optional
        Is shown each run's evidence; what it returns is handed back, a dictionary of arrays a run.
    cache : Path, optional
        A folder where scores of run files are kept and found again.
    """
    judged = as_qrels(qrels, on_duplicate=policy.qrels_duplicates)
    scaled = any(measure.scaled for measure in measures)
    index = judgments_of(judged, max_grade=policy.max_grade, warn=scaled)
    if costs is not None:
        index = replace(index, costs=Costs.of(as_costs(costs), index.topics))
    reading = {"name_by": policy.name_by, "on_duplicate": policy.on_duplicate, "need_rank": policy.ties == "rank"}
    sources = as_runs(runs, **reading)
    pool: Sequence[LazyRun] | None = None
    if policy.pool_depth is not None or any("pool" in measure.needs for measure in measures):
        pool = sources if contributing is None else as_runs(contributing, **reading)
        index = _pooled(index, pool, policy, jobs)
    work = _work(index, measures, policy, observe)
    if cache is not None:
        work = _cached(work, ScoreCache(cache, _policy_key(judged, index, policy), measures), measures)
    rows = []
    for row in Workers.of(jobs).map(work, sources):
        rows.append(row)
        if progress:
            progress(len(rows), len(sources))
    return _assembled(rows, sources, index, measures, _options(policy, index, measures, pool)), rows


def _options(policy: Policy, index: Index, measures: list[Measure], pool: Sequence[LazyRun] | None) -> dict[str, Any]:
    """Everything but the inputs that the numbers depend on, for whoever wants to make them again."""
    return {
        **asdict(policy),
        "max_grade": index.judgments.max_grade,
        "metrics": [measure.name for measure in measures],
        "contributing": None if pool is None else [run.name for run in pool],
        "costs": None if index.costs is None else digest(index.costs.table.write_csv()),
    }


def _work(
    index: Index, measures: list[Measure], policy: Policy, observe: Callable[[Ranked], Arrays] | None
) -> Callable[[LazyRun], Arrays]:
    by_name = {measure.name: measure for measure in measures}
    depth = _deepest(measures)

    def work(source: LazyRun, names: Sequence[str] | None = None) -> Arrays:
        ranked = align(source.read(), index, ties=policy.ties, precision=policy.precision, depth=depth)
        score = expected if policy.ties == "mean" else _score
        row: Arrays = {name: score(by_name[name], ranked) for name in (by_name if names is None else names)}
        row |= {} if observe is None else observe(ranked)
        return row | {"system": np.array(ranked.system), "retrieved": ranked.length > 0}

    return work


def _score(measure: Measure, ranked: Ranked) -> NDArray[np.float64]:
    return measure.score(ranked)


def _cached(work: Callable[..., Arrays], cache: ScoreCache, measures: list[Measure]) -> Callable[[LazyRun], Arrays]:
    def kept(source: LazyRun) -> Arrays:
        # What is only in memory, or comes through a pipe, has no file to know it again by.
        if not isinstance(source, RunFile) or not Path(source.source).is_file():
            return work(source)
        return cache.row(source.source, lambda names: work(source, names))

    return kept


def _policy_key(judged: Qrels, index: Index, policy: Policy) -> str:
    pool = b"" if index.pool_rank is None else index.pool_rank.tobytes()
    contents = hashlib.sha256(judged.table.write_csv().encode() + pool).hexdigest()
    costs = "" if index.costs is None else index.costs.table.write_csv()
    return digest(contents, costs, asdict(policy), index.judgments.max_grade, manifest_of()["metameter"])


def _deepest(measures: list[Measure]) -> int | None:
    """The deepest rank that any metric looks at: nothing below needs to be found in the qrels."""
    reaches = [measure.reach for measure in measures]
    return None if None in reaches else max(k for k in reaches if k is not None)


def _assembled(
    rows: list[Arrays], sources: Sequence[LazyRun], index: Index, measures: list[Measure], options: dict[str, Any]
) -> Scores:
    names = tuple(str(row["system"]) for row in rows)
    # Named by tag, only the run that was read knows its name.
    distinct((name, source.source) for name, source in zip(names, sources, strict=True))
    values = np.stack([np.stack([row[measure.name] for measure in measures]) for row in rows], axis=1)
    names_of = tuple(measure.name for measure in measures)
    scores = Scores(names_of, names, index.topics, values, manifest_of(**options))
    if options["topics"] == "qrels":
        return scores
    return _common(scores, np.all([row["retrieved"] for row in rows], axis=0))


def _pooled(index: Index, pool: Sequence[LazyRun], policy: Policy, jobs: int | None) -> Index:
    def work(source: LazyRun) -> NDArray[np.int64]:
        return best_ranks(source.read(), index, ties=policy.ties, precision=policy.precision)

    pooled = with_pool_ranks(index, np.minimum.reduce(list(Workers.of(jobs).map(work, pool))))
    return pooled if policy.pool_depth is None else restrict(pooled, policy.pool_depth)


def _common(scores: Scores, shared: NDArray[np.bool_]) -> Scores:
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Use --topics qrels.")
    kept = tuple(topic for topic, has in zip(scores.topics, shared, strict=True) if has)
    return replace(scores, topics=kept, values=scores.values[:, :, shared])
