"""`score`: score runs against judgments, the public function, and the residual bounds of its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike, several
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.read.sources import refuse_one_stream_twice
from metameter.scoring.engine import ScoredRun, common_topics, score_runs
from metameter.scoring.measures import measures_of, or_default
from metameter.scoring.policy import Policy, takes_policy
from metameter.scoring.run_observers import NO_OBSERVER, RunObserver, by_topic
from metameter.scoring.scoring_inputs import notice_scale
from metameter.types import Scores
from metameter.types.display_names import typed_names

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.scoring.cache import Arrays


@takes_policy
def score(
    qrels: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike] = (),
    *,
    preset: str | Sequence[str] | None = None,
    residual: bool = False,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> Scores:
    """Score runs against judgments, per topic.

    Parameters
    ----------
    qrels : path, folder, glob, dict, data frame or Qrels
        The judgments; for metrics of diversity (alpha_nDCG, ...) by subtopic: topic, subtopic, document, grade.
    runs : path, folder, glob, dict, data frame, Run, or several of them
        The systems' ranked lists.
    metrics : str, metric, or list of them
        Metrics: names, such as ``"nDCG@10"`` or ``"RBP(p=0.8)*max,AP"``, or objects, such as ``mm.nDCG @ 10``; by
        default nDCG@10.
    preset : str or list of str, optional
        The metrics of a paper, such as ``chen-sakai-2023``.
    residual : bool
        Add what each score would be if all unjudged documents were worthless (low), or perfect (high).
    jobs : int, optional
        How many runs are read at the same time; by default the number of cores.
    progress : callable, optional
        Called after each run with the number of runs done and the number of all runs.

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
    workers = Workers.of(jobs)
    refuse_one_stream_twice(qrels, runs, policy.costs)
    if residual and policy.ties == "mean":
        raise MetameterError("there are no residuals of a mean over ties", fix="Choose another order of ties.")
    metrics = or_default(metrics, preset)
    measures = measures_of(metrics, preset, condensed=policy.condensed, evidence=Faceted)
    _refuse_residuals([measure for measure in measures if residual and measure.evidence is Faceted])
    observer = ResidualBounds(tuple(measures)) if residual else NO_OBSERVER
    scores, rows, inputs = score_runs(qrels, runs, measures, policy, observer=observer, jobs=workers, progress=progress)
    notice_scale(metrics, inputs, policy)
    scores.manifest["options"]["residual"] = residual
    scores = replace(scores, typed=typed_names(several(metrics)))
    return _with_bounds(scores, rows, policy) if residual else scores


def _refuse_residuals(measures: list[Measure]) -> None:
    """Refuse residuals of metrics by subtopic: the possible subtopics of an unjudged document are unknown."""
    if measures:
        fix = f"Leave residual out, or {measures[0]}."
        raise MetameterError("there are no residuals of metrics that see subtopics", given=measures[0].name, fix=fix)


@dataclass(frozen=True, eq=False)
class ResidualBounds(RunObserver):
    """Computes the lowest and the highest score of every metric over all possible grades of unjudged documents."""

    measures: tuple[Measure, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names: ``low`` and ``high``, metrics x topics, and ``bounds``, their kind for each metric."""
        return "low", "high", "bounds"

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The reach of every metric."""
        return tuple(measure.reach for measure in self.measures)

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the bounds of one run, or of a block of its topics."""
        from metameter.metric.residual import bounds  # not needed to score runs

        residuals = [bounds(measure, ranked) for measure in self.measures]
        return {
            "low": np.stack([each.low for each in residuals]),
            "high": np.stack([each.high for each in residuals]),
            "bounds": np.array([each.kind for each in residuals]),
        }

    def join_blocks(self, blocks: Sequence[Arrays]) -> Arrays:
        """Join the blocks; the kind of bounds depends on the metric alone, and is the same in all of them."""
        ends = by_topic([{name: block[name] for name in ("low", "high")} for block in blocks])
        return {**ends, "bounds": blocks[0]["bounds"]}


def _with_bounds(scores: Scores, rows: list[ScoredRun], policy: Policy) -> Scores:
    """Return the scores with their bounds; give a notice where residuals exceed the differences between systems."""
    low, high = (np.stack([row.arrays[side] for row in rows], axis=1) for side in ("low", "high"))
    if policy.topics == "common":
        common = common_topics(rows)
        low, high = low[:, :, common], high[:, :, common]
    _notice_open_pairs(scores, high - low)
    return replace(scores, low=low, high=high, bounds=tuple(rows[0].arrays["bounds"].tolist()))


def _notice_open_pairs(scores: Scores, residuals: np.ndarray) -> None:
    """Give a notice of pairs of systems whose order the judgment of unjudged documents could reverse."""
    if len(scores.systems) < 2:
        return
    residual, means = residuals.mean(axis=2), scores.values.mean(axis=2)
    first, second = np.triu_indices(len(scores.systems), 1)
    difference = np.abs(means[:, first] - means[:, second])
    open_pairs = (np.maximum(residual[:, first], residual[:, second]) > difference).sum(axis=1)
    if not open_pairs.any():
        return
    worst, others = int(open_pairs.argmax()), int((open_pairs > 0).sum()) - 1
    further = f", and in some pairs by {others} other metric{'s' * (others > 1)}" if others else ""
    notice(
        f"unjudged documents could turn the order of systems: by {scores.metrics[worst]} the residual is larger than "
        f"the difference in {open_pairs[worst]} of {first.size} pairs{further}"
    )
