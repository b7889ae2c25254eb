"""Score runs: each is read, scored by all metrics, and dropped; metrics share intermediate arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.metric.base import Measure
from metameter.parallel import Workers
from metameter.read.runs import LazyRun
from metameter.read.sources import distinct
from metameter.scoring.alignment import ALONE, Alignment, align_source
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import in_numbers
from metameter.scoring.policy import Policy
from metameter.scoring.run_notices import NoticeArrays, notice_runs, with_missing_topics
from metameter.scoring.run_observers import NO_OBSERVER, JudgedShare, RunObserver, RunObservers, by_topic, deepest
from metameter.scoring.scoring_inputs import ScoringInputs, read_inputs
from metameter.types import Fingerprint, Scores
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    from metameter.judge.facets import Facets
    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked
    from metameter.read.files.content import Content
    from metameter.scoring.cache import Arrays, ScoreCache


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """The scores of one run.

    Attributes
    ----------
    system : str
    fingerprint : Fingerprint
        What the run was read from.
    arrays : dict
        One array per metric, and those of the observers, by name.
    computed : tuple of str
        The names of the arrays that were not in the cache.
    """

    system: str
    fingerprint: Fingerprint
    arrays: Arrays
    computed: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RunScorer:
    """Scores one run after another against the same judgments; it can be pickled and shared by threads.

    The common part of `score` and `Evaluator`: `score` adds a cache, threads and what it records of all runs together,
    `Evaluator` the figures of one run.

    Attributes
    ----------
    index : Index
        The judgments.
    facets : Facets, optional
        The judgments by subtopic, where a metric sees them.
    measures : dict of Measure
        The metrics by name.
    policy : Policy
        The options without ``contributing`` and ``costs`` (`Policy.without_inputs`).
    """

    index: Index
    facets: Facets | None
    measures: dict[str, Measure]
    policy: Policy

    @classmethod
    def of(cls, inputs: ScoringInputs, measures: Iterable[Measure], policy: Policy) -> RunScorer:
        """Return the scorer for inputs that have been read."""
        by_name = {measure.name: measure for measure in measures}
        return cls(inputs.index, inputs.facets, by_name, policy.without_inputs())

    @property
    def reach(self) -> int | None:
        """The deepest rank that a metric looks at; None for all."""
        return deepest(measure.reach for measure in self.measures.values())

    def align(
        self, source: LazyRun, content: Content | None, *, depth: int | None, workers: Workers = ALONE
    ) -> Alignment:
        """Read a run, and align it with the judgments, as `align_source` does."""
        return align_source(source, content, self.index, self.policy, depth=depth, workers=workers)

    def arrays(self, aligned: Alignment, measures: Mapping[str, Measure], observer: RunObserver) -> Arrays:
        """Return the scores of a run by some of the metrics, and the arrays of an observer."""
        if self.facets is None:
            blocks: Iterable[Ranked] = aligned.ranked_blocks()
        else:
            blocks = [Faceted.on(aligned.ranked(), self.facets)]
        value = _score
        if self.policy.ties == "mean":
            from metameter.scoring.tie_expectation import expected as value
        scores: list[Arrays] = []
        observed: list[Arrays] = []
        for ranked in blocks:
            scores.append({name: in_numbers(each, partial(value, each, ranked)) for name, each in measures.items()})
            observed.append(observer.arrays(ranked))
        return by_topic(scores) | observer.join_blocks(observed)


def _score(measure: Measure, ranked: Ranked) -> NDArray[np.float64]:
    return measure.score(ranked)


def score_runs(
    qrels: Any,
    runs: Any,
    measures: list[Measure],
    policy: Policy,
    *,
    observer: RunObserver = NO_OBSERVER,
    pool_matters: bool = False,
    cache: Path | None = None,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scores, list[ScoredRun], ScoringInputs]:
    """Score runs, and compute further arrays of each run while it is in memory.

    Parameters
    ----------
    qrels, runs, measures, jobs, progress
        As in `score`.
    policy : Policy
    observer : RunObserver, optional
        Computes arrays of each run besides its scores.
    pool_matters : bool
        Whether the caller uses the contributing runs itself. Then there is no notice that ``contributing`` has no
        effect on the scores.
    cache : Path, optional
        A folder of arrays, which are used again when the same run is scored in the same way.

    Returns
    -------
    Scores
    list of ScoredRun
        One per run, in the order of the systems.
    ScoringInputs
        The judgments and what else was read before the runs.
    """
    workers = Workers.of(jobs)
    inputs = read_inputs(qrels, runs, measures, policy, jobs=workers, pool_matters=pool_matters)
    shares = [JudgedShare(measure) for measure in measures]
    every = RunObservers((NoticeArrays(), observer, *shares))
    store = None if cache is None else _score_cache(cache, inputs, measures, policy, every)
    scorer = RunScorer.of(inputs, measures, policy)
    rows = _scored_runs(inputs.sources, scorer, every, store, workers, progress)
    # If runs are named by tag, names are known only now that all runs are read.
    distinct(
        ((row.system, source.source) for row, source in zip(rows, inputs.sources, strict=True)),
        name_by=policy.name_by,
    )
    affixes = CommonAffixes.of(row.system for row in rows) if policy.strip_names else CommonAffixes()
    rows = [replace(row, system=affixes.short(row.system)) for row in rows]
    notice_runs([(row.system, row.arrays) for row in rows], policy, scorer.reach)
    scores = _assembled(rows, inputs, measures, policy)
    scores.manifest.update(affixes.entry(), judged=_mean_shares(shares, rows))
    return scores, rows, inputs


def _scored_runs(
    sources: list[LazyRun],
    scorer: RunScorer,
    observer: RunObserver,
    cache: ScoreCache | None,
    workers: Workers,
    progress: Callable[[int, int], None] | None,
) -> list[ScoredRun]:
    """Score all runs; only this process writes to the cache."""
    rows = []
    # With fewer runs than threads, several threads read the blocks of one large run.
    share = max(workers.count // len(sources), 1)
    for row in workers.map(_scored_run, sources, scorer=scorer, observer=observer, cache=cache, share=share):
        if cache is not None and row.computed and row.fingerprint.sha256 is not None:
            cache.write(row.fingerprint.sha256, {name: row.arrays[name] for name in row.computed})
        rows.append(row)
        if progress:
            progress(len(rows), len(sources))
    return rows


def _scored_run(
    source: LazyRun, *, scorer: RunScorer, observer: RunObserver, cache: ScoreCache | None, share: int
) -> ScoredRun:
    """Score one run with ``share`` threads; cached arrays are not computed again, and nothing is written."""
    content = source.load()
    known = None if cache is None or content is None else content.fingerprint
    cached = {} if cache is None or known is None else cache.read(str(known.sha256))
    missing = {name: measure for name, measure in scorer.measures.items() if name not in cached}
    depth = deepest([scorer.reach, *observer.reaches])
    if all(name in cached for name in observer.names):
        if content is not None and not missing:
            return ScoredRun(source.named(content), content.fingerprint, cached, ())
        observer = NO_OBSERVER
    aligned = scorer.align(source, content, depth=depth, workers=Workers(share))
    if known is not None and aligned.fingerprint != known:
        raise MetameterError("the file changed while it was read", where=source.source, fix="Score it again.")
    computed = scorer.arrays(aligned, missing, observer)
    return ScoredRun(aligned.system, aligned.fingerprint, cached | computed, tuple(computed))


def _mean_shares(shares: list[JudgedShare], rows: list[ScoredRun]) -> dict[str, float]:
    """Metric -> the share of the ranks it looks at that is judged: the mean over systems and the topics they have."""
    runs = [row.arrays for row in rows if row.arrays["retrieved"].any()]
    return {share.measure.name: share.mean(runs) for share in shares} if runs else {}


def _score_cache(
    folder: Path, inputs: ScoringInputs, measures: list[Measure], policy: Policy, observer: RunObserver
) -> ScoreCache:
    from metameter.scoring.cache import ScoreCache, digest, key_of_measure

    index = inputs.index
    ranks = np.zeros(0, np.int64) if index.pool_rank is None else index.pool_rank
    judged = hashlib.sha256(inputs.qrels.table.write_csv().encode() + ranks.tobytes()).hexdigest()
    options = [policy.ties, policy.precision, policy.pool_depth, policy.reading, index.judgments.max_grade]
    keys = {measure.name: key_of_measure(measure) for measure in measures} | observer.keys
    return ScoreCache(folder, digest(judged, _costs_key(index), options, manifest_of()["metameter"]), keys)


def _costs_key(index: Index) -> str | None:
    if index.costs is None:
        return None
    from metameter.scoring.cache import digest

    return digest(index.costs.table.write_csv())


def _assembled(rows: list[ScoredRun], inputs: ScoringInputs, measures: list[Measure], policy: Policy) -> Scores:
    systems = tuple(row.system for row in rows)
    metrics, topics = tuple(measure.name for measure in measures), inputs.index.topics
    values = np.stack([np.stack([row.arrays[name] for name in metrics]) for row in rows], axis=1)
    manifest = _manifest(rows, inputs, measures, policy)
    if policy.topics == "common":
        return _of_topics(Scores(metrics, systems, topics, values, manifest), common_topics(rows))
    has = [(row.system, row.arrays["retrieved"]) for row in rows]
    return Scores(metrics, systems, topics, values, with_missing_topics(manifest, has, topics))


def common_topics(rows: Sequence[ScoredRun]) -> NDArray[np.bool_]:
    """Return which topics every run has."""
    return np.asarray(np.all([row.arrays["retrieved"] for row in rows], axis=0))


def _manifest(rows: list[ScoredRun], inputs: ScoringInputs, measures: list[Measure], policy: Policy) -> dict[str, Any]:
    """Return everything that the numbers depend on, so that they can be reproduced."""
    options = {each.name: getattr(policy, each.name) for each in fields(policy)}
    options |= {
        "max_grade": inputs.index.judgments.max_grade,
        "metrics": [measure.name for measure in measures],
        "contributing": None if inputs.pool is None else list(inputs.pool),
        "costs": _costs_key(inputs.index),
    }
    files = inputs.files | {"runs": [row.fingerprint for row in rows]}
    entries = {kind: [each.entry() for each in of_kind] for kind, of_kind in files.items()}
    return {**manifest_of(**options), "inputs": entries}


def _of_topics(scores: Scores, common: NDArray[np.bool_]) -> Scores:
    if not common.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    topics = tuple(topic for topic, has in zip(scores.topics, common, strict=True) if has)
    # A contiguous copy, so that sums over topics do not depend on how they were selected.
    return replace(scores, topics=topics, values=np.ascontiguousarray(scores.values[:, :, common]))
