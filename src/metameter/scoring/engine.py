"""Runs x topics x metrics -> Scores: runs are streamed through, and what metrics share is computed once a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.align import align
from metameter.judge.index import judgments_of
from metameter.judge.pool import best_ranks, restrict, with_pool_ranks
from metameter.metric.base import Measure
from metameter.metric.compose import metric
from metameter.metric.presets import preset as metrics_of
from metameter.read.frames import as_qrels
from metameter.read.runs import LazyRun, as_runs
from metameter.read.sources import distinct
from metameter.scoring.executor import in_order
from metameter.scoring.manifest import manifest_of
from metameter.types import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked

__all__ = ["measures_of", "score"]

#: The order of documents with equal scores.
Ties = Literal["docid-desc", "docid-asc", "rank", "input"]


def measures_of(metrics: str | Measure | Iterable[str | Measure], preset: str | None = None) -> list[Measure]:
    """The metrics asked for, each once, in the order asked.

    Examples
    --------
    >>> measures_of(["nDCG@10", "RBP(p=0.8)", "nDCG@10"])
    [nDCG@10, RBP(p=0.8)*ERG]
    """
    asked = [metrics] if isinstance(metrics, str | Measure) else list(metrics)
    asked += metrics_of(preset) if preset else ()
    if not asked:
        raise MetameterError("no metric was asked for", fix="Name one, such as -m nDCG@10, or take a preset.")
    unique = {}
    for each in asked:
        measure = metric(each) if isinstance(each, str) else each
        unique.setdefault(measure.name, measure)
    return list(unique.values())


def score(
    qrels: Any,
    runs: Any,
    metrics: str | Measure | Sequence[str | Measure] = (),
    *,
    preset: str | None = None,
    max_grade: float | None = None,
    ties: Ties = "docid-desc",
    precision: Literal["double", "single"] = "double",
    unjudged: Literal["zero", "condense"] = "zero",
    pool_depth: int | None = None,
    contributing: Any = None,
    topics: Literal["qrels", "common"] = "qrels",
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> Scores:
    """Score runs against judgments, per topic.

    Parameters
    ----------
    qrels : path, dict, data frame or Qrels
        The judgments.
    runs : path, folder, glob, dict, data frame, Run, or several of them
        The systems' ranked lists.
    metrics : str or list of str
        Names of metrics, such as ``"nDCG@10"`` or ``"RBP(p=0.8)*max"``.
    preset : str, optional
        The metrics of a paper, such as ``chen-sakai-2023``.
    max_grade : float, optional
        The top of the grade scale; by default the highest grade of the qrels.
    ties : str
        The order of documents with equal scores.
    precision : str
        How scores are compared; ``single`` as trec_eval 9 does.
    unjudged : str
        Documents without judgment count as not relevant (``zero``) or are removed first (``condense``).
    pool_depth : int, optional
        Keep only judgments of documents in the top so many of the contributing runs.
    contributing : like runs, optional
        The runs that made the pool; by default all given runs.
    topics : str
        Score all judged topics, a missing one as an empty list (``qrels``), or those that every run has.
    jobs : int, optional
        How many runs are read at a time; by default as many as there are cores.
    progress : callable, optional
        Is told after each run how many are done, and of how many.
    **reading
        How run files are read: ``name_by``, ``on_duplicate``.

    Returns
    -------
    Scores
        Metric x system x topic.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    >>> runs = {"mine": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}}
    >>> score(qrels, runs, ["P@1", "RR"]).values.tolist()
    [[[1.0, 0.0]], [[1.0, 0.5]]]
    """
    measures = measures_of(metrics, preset)
    if unjudged == "condense":
        measures = measures_of([measure.condensed() for measure in measures])
    index = judgments_of(as_qrels(qrels), max_grade=max_grade, warn=any(measure.scaled for measure in measures))
    meeting = Meeting(ties, precision, _deepest(measures))
    sources = as_runs(runs, need_rank=ties == "rank", **reading)
    if pool_depth is not None or any("pool" in measure.needs for measure in measures):
        pool = sources if contributing is None else as_runs(contributing, need_rank=ties == "rank", **reading)
        index = _pooled(index, pool, meeting, pool_depth, jobs)
    rows = _scored(sources, index, measures, meeting, jobs, progress)
    options = {"ties": ties, "precision": precision, "unjudged": unjudged, "pool_depth": pool_depth, "topics": topics}
    result = Scores(
        tuple(measure.name for measure in measures),
        _names(sources, rows),
        index.topics,
        np.stack([row.scores for row in rows], axis=1),
        manifest_of(**options, max_grade=index.judgments.max_grade),
    )
    return result if topics == "qrels" else _common(result, np.all([row.retrieved for row in rows], axis=0))


@dataclass(frozen=True)
class Meeting:
    """How a run meets the judgments."""

    ties: str
    precision: str
    depth: int | None

    def ranked(self, source: LazyRun, index: Index) -> Ranked:
        """Read a run and find its documents in the qrels."""
        return align(source.read(), index, ties=self.ties, precision=self.precision, depth=self.depth)


@dataclass(frozen=True, eq=False)
class _Row:
    system: str
    scores: NDArray[np.float64]
    retrieved: NDArray[np.bool_]


def _deepest(measures: list[Measure]) -> int | None:
    """The deepest rank that any metric looks at: nothing below needs to be found in the qrels."""
    reaches = [measure.reach for measure in measures]
    return None if None in reaches else max(k for k in reaches if k is not None)


def _scored(
    sources: Sequence[LazyRun],
    index: Index,
    measures: list[Measure],
    meeting: Meeting,
    jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> list[_Row]:
    def work(source: LazyRun) -> _Row:
        ranked = meeting.ranked(source, index)
        return _Row(ranked.system, np.stack([m.score(ranked) for m in measures]), ranked.length > 0)

    rows = []
    for row in in_order(work, sources, jobs):
        rows.append(row)
        if progress:
            progress(len(rows), len(sources))
    return rows


def _pooled(index: Index, pool: Sequence[LazyRun], meeting: Meeting, depth: int | None, jobs: int | None) -> Index:
    def work(source: LazyRun) -> NDArray[np.int64]:
        return best_ranks(source.read(), index, ties=meeting.ties, precision=meeting.precision)

    ranks = np.minimum.reduce(list(in_order(work, pool, jobs)))
    pooled = with_pool_ranks(index, ranks)
    return pooled if depth is None else restrict(pooled, depth)


def _names(sources: Sequence[LazyRun], rows: list[_Row]) -> tuple[str, ...]:
    # Named by tag, only the run that was read knows its name.
    distinct((row.system, source.source) for row, source in zip(rows, sources, strict=True))
    return tuple(row.system for row in rows)


def _common(scores: Scores, shared: NDArray[np.bool_]) -> Scores:
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Use --topics qrels.")
    kept = tuple(topic for topic, has in zip(scores.topics, shared, strict=True) if has)
    return replace(scores, topics=kept, values=scores.values[:, :, shared])
