"""Score runs: each is read, scored by all metrics, and dropped; metrics share intermediate arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.parallel import Workers
from metameter.read.runs import LazyRun
from metameter.read.sources import distinct
from metameter.scoring.coverage import judged_by_metric, judged_shares
from metameter.scoring.evaluator import Evaluator
from metameter.scoring.manifest import manifest_of
from metameter.scoring.policy import Policy
from metameter.scoring.run_notices import NOTICED, notice_runs, with_missing_topics
from metameter.scoring.run_observers import NOTHING, Observation, Observations, deepest
from metameter.scoring.scoring_inputs import ScoringInputs, prepare
from metameter.types import Fingerprint, Scores
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    from metameter.judge.index import Index
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
        One array per metric and per observation, by name; and those of `noticed`.
    computed : tuple of str
        The names of the arrays that were not in the cache.
    """

    system: str
    fingerprint: Fingerprint
    arrays: Arrays
    computed: tuple[str, ...]


def score_runs(
    qrels: Any,
    runs: Any,
    measures: list[Measure],
    policy: Policy,
    *,
    observation: Observation | Observations = NOTHING,
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
    observation : Observation or Observations, optional
        What is computed of each run besides its scores.
    pool_matters : bool
        Whether the contributing runs matter even if no score depends on them.
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
    prepared = prepare(qrels, runs, measures, policy, jobs=jobs, pool_matters=pool_matters)
    observation = judged_shares(measures, observation)
    kept = None if cache is None else _cache(cache, prepared, measures, policy, observation)
    evaluator = Evaluator.of(prepared, measures, policy)
    workers, rows = Workers.of(jobs), []
    spare = max(workers.count // len(prepared.sources), 1)
    shared: dict[str, Any] = {"evaluator": evaluator, "observation": observation, "cache": kept, "spare": spare}
    for row in workers.map(_score_run, prepared.sources, **shared):
        if kept is not None and row.computed and row.fingerprint.sha256 is not None:
            kept.write(row.fingerprint.sha256, {name: row.arrays[name] for name in row.computed})
        rows.append(row)
        if progress:
            progress(len(rows), len(prepared.sources))
    # If runs are named by tag, names are known only now that all runs are read.
    distinct(
        ((row.system, source.source) for row, source in zip(rows, prepared.sources, strict=True)),
        name_by=policy.name_by,
    )
    ends = CommonAffixes.of(row.system for row in rows) if policy.strip_names else CommonAffixes()
    rows = [replace(row, system=ends.short(row.system)) for row in rows]
    reach = deepest(measure.reach for measure in measures)
    notice_runs([(row.system, row.arrays) for row in rows], policy, reach)
    scores = _assembled(rows, prepared, measures, policy)
    scores.manifest.update(ends.entry(), judged=judged_by_metric(rows, measures))
    return scores, rows, prepared


def _score_run(
    source: LazyRun,
    *,
    evaluator: Evaluator,
    observation: Observation | Observations,
    cache: ScoreCache | None,
    spare: int = 1,
) -> ScoredRun:
    """Score one run; cached arrays are not computed again, and nothing is written."""
    content = source.load()
    known = None if cache is None or content is None else content.fingerprint
    kept = {} if cache is None or known is None else cache.read(str(known.sha256))
    missing = {name: measure for name, measure in evaluator.measures.items() if name not in kept}
    noted = all(name in kept for name in (*NOTICED, *observation.names))
    if content is not None and not missing and noted:
        return ScoredRun(source.named(content), content.fingerprint, kept, ())
    depth = deepest([*(measure.reach for measure in evaluator.measures.values()), *observation.reaches])
    aligned = evaluator.align(source, content, depth=depth, workers=Workers(spare))
    if known is not None and aligned.fingerprint != known:
        raise MetameterError("the file changed while it was read", where=source.source, fix="Score it again.")
    made = evaluator.arrays(aligned, missing, observation=None if noted else observation)
    return ScoredRun(aligned.system, aligned.fingerprint, kept | made, tuple(made))


def _cache(
    folder: Path,
    prepared: ScoringInputs,
    measures: list[Measure],
    policy: Policy,
    observation: Observation | Observations,
) -> ScoreCache:
    from metameter.scoring.cache import ScoreCache, digest, key_of_measure

    index = prepared.index
    ranks = np.zeros(0, np.int64) if index.pool_rank is None else index.pool_rank
    judged = hashlib.sha256(prepared.qrels.table.write_csv().encode() + ranks.tobytes()).hexdigest()
    options = [policy.ties, policy.precision, policy.pool_depth, policy.reading, index.judgments.max_grade]
    keys = {measure.name: key_of_measure(measure) for measure in measures} | observation.keys
    keys |= {name: digest(name) for name in NOTICED}
    return ScoreCache(folder, digest(judged, _costs_key(index), options, manifest_of()["metameter"]), keys)


def _costs_key(index: Index) -> str | None:
    if index.costs is None:
        return None
    from metameter.scoring.cache import digest

    return digest(index.costs.table.write_csv())


def _assembled(rows: list[ScoredRun], prepared: ScoringInputs, measures: list[Measure], policy: Policy) -> Scores:
    systems = tuple(row.system for row in rows)
    metrics, topics = tuple(measure.name for measure in measures), prepared.index.topics
    values = np.stack([np.stack([row.arrays[name] for name in metrics]) for row in rows], axis=1)
    manifest = _manifest(rows, prepared, measures, policy)
    if policy.topics == "common":
        return _common(Scores(metrics, systems, topics, values, manifest), common_topics(rows))
    has = [(row.system, row.arrays["retrieved"]) for row in rows]
    return Scores(metrics, systems, topics, values, with_missing_topics(manifest, has, topics))


def common_topics(rows: Sequence[ScoredRun]) -> NDArray[np.bool_]:
    """Return which topics every run has."""
    return np.asarray(np.all([row.arrays["retrieved"] for row in rows], axis=0))


def _manifest(
    rows: list[ScoredRun], prepared: ScoringInputs, measures: list[Measure], policy: Policy
) -> dict[str, Any]:
    """Return everything that the numbers depend on, so that they can be reproduced."""
    options = {each.name: getattr(policy, each.name) for each in fields(policy)}
    options |= {
        "max_grade": prepared.index.judgments.max_grade,
        "metrics": [measure.name for measure in measures],
        "contributing": None if prepared.pool is None else list(prepared.pool),
        "costs": _costs_key(prepared.index),
    }
    inputs = prepared.inputs | {"runs": [row.fingerprint for row in rows]}
    entries = {kind: [each.entry() for each in read] for kind, read in inputs.items()}
    return {**manifest_of(**options), "inputs": entries}


def _common(scores: Scores, shared: NDArray[np.bool_]) -> Scores:
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    kept = tuple(topic for topic, has in zip(scores.topics, shared, strict=True) if has)
    # In one piece: sums over topics do not depend on how they came to be chosen.
    return replace(scores, topics=kept, values=np.ascontiguousarray(scores.values[:, :, shared]))
