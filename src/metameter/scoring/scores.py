"""`score`: score runs against judgments, the public function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike
from metameter.parallel import Workers
from metameter.read.sources import refuse_one_stream_twice
from metameter.scoring.engine import common_topics, score_runs
from metameter.scoring.evaluator import tell_scale
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy, takes_policy
from metameter.scoring.run_observers import NOTHING
from metameter.types import Scores


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
        Metrics: names, such as ``"nDCG@10"`` or ``"RBP(p=0.8)*max"``, or objects, such as ``mm.nDCG @ 10``.
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
    measures = measures_of(metrics, preset, condensed=policy.condensed, evidence=Faceted)
    _refuse_residuals([measure for measure in measures if residual and measure.evidence is Faceted])
    work: dict[str, Any] = {"jobs": workers, "progress": progress}
    if not residual:
        scores, _, prepared = score_runs(qrels, runs, measures, policy, observation=NOTHING, **work)
        tell_scale(metrics, prepared, policy)
        scores.manifest["options"]["residual"] = False
        return scores
    from metameter.scoring.residual_bounds import bounds_of, with_bounds  # which know how every metric is bounded

    scores, rows, prepared = score_runs(qrels, runs, measures, policy, observation=bounds_of(measures), **work)
    tell_scale(metrics, prepared, policy)
    scores.manifest["options"]["residual"] = True
    return with_bounds(scores, rows, common_topics(rows) if policy.topics == "common" else None)


def _refuse_residuals(measures: list[Measure]) -> None:
    """Refuse residuals of metrics by subtopic: the possible subtopics of an unjudged document are unknown."""
    if measures:
        fix = f"Leave residual out, or {measures[0]}."
        raise MetameterError("there are no residuals of metrics that see subtopics", given=measures[0].name, fix=fix)
