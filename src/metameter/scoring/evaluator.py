"""`Evaluator`: scores any number of runs against judgments that are read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError, did_you_mean, refuse_after_fork
from metameter.judge.faceted import Faceted
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike
from metameter.read.runs import LazyRun, as_runs
from metameter.registry import metric_named
from metameter.scoring.engine import RunScorer
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy, takes_policy
from metameter.scoring.run_notices import NoticeArrays, notice_runs
from metameter.scoring.scoring_inputs import (
    contributing_runs,
    needs_pool,
    notice_scale,
    read_judgments,
    with_contributing,
)
from metameter.types.provenance import counted

if TYPE_CHECKING:
    from metameter.scoring.cache import Arrays

V = TypeVar("V")


class ByMetric(dict[str, V]):
    """A dictionary by the names of metrics; ``[...]`` accepts every spelling of a name.

    Examples
    --------
    >>> ByMetric({"RBP(p=0.8)*ERG": 0.5})["RBP(p=0.80)"]
    0.5
    """

    def __missing__(self, metric: Any) -> V:
        known = metric_named(str(metric), typed=True)
        name = str(metric) if known is None else repr(known)
        if name not in self:
            raise MetameterError("no such metric was scored", given=name, fix=did_you_mean(name, list(self)))
        return self[name]


class Evaluator:
    """Scores one run after another by the same metrics against the same judgments.

    For a training loop, a grid search or a notebook: judgments are read once, and a run that is in memory is scored in
    milliseconds. The scores are those of `score`. It can be pickled, and used by several threads at a time.

    Examples
    --------
    >>> evaluator = Evaluator({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, ["P@1", "RR"])
    >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    >>> evaluator.score(run)
    {'P@1': 0.5, 'RR': 0.75}
    >>> evaluator.per_topic(run)["RR"]
    {'1': 1.0, '2': 0.5}
    >>> evaluator
    <Evaluator of 2 metrics, 2 topics>
    """

    @takes_policy
    def __init__(
        self,
        qrels: Any,
        metrics: MetricLike | Sequence[MetricLike] = (),
        *,
        preset: str | Sequence[str] | None = None,
        policy: Policy,
    ) -> None:
        """Read the judgments.

        Parameters
        ----------
        qrels : path, folder, glob, dict, data frame or Qrels
            The judgments; for metrics of diversity (alpha_nDCG, ...) by subtopic: topic, subtopic, document, grade.
        metrics : str, metric, or list of them
            Metrics: names, such as ``"nDCG@10"`` or ``"RBP(p=0.8)*max"``, or objects, such as ``mm.nDCG @ 10``.
        preset : str or list of str, optional
            The metrics of a paper, such as ``chen-sakai-2023``.
        """
        measures = measures_of(metrics, preset, condensed=policy.condensed, evidence=Faceted)
        inputs = read_judgments(qrels, measures, policy)
        if needs_pool(measures, policy):
            _refuse_unknown_pool(measures, policy)
            inputs = with_contributing(inputs, contributing_runs(policy.contributing, [], policy), policy)
        notice_scale(metrics, inputs, policy)
        self._scorer = RunScorer.of(inputs, measures, policy)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self._scorer.measures)

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics."""
        return self._scorer.index.topics

    def score(self, run: Any) -> ByMetric[float]:
        """Return one figure for each metric: for most the mean over topics.

        Parameters
        ----------
        run : dict, Run, data frame or path
            A system's ranked lists: {topic: {doc: score}}, {topic: [doc, ...]}, or anything else that `read_run` reads.

        Returns
        -------
        dict
            Metric -> figure. Judged topics that the run lacks count as 0, unless ``topics`` is ``common``.
        """
        arrays, counted_topics = self._arrays(run)
        measures = self._scorer.measures.items()
        return ByMetric((name, float(each.summarise(arrays[name][counted_topics]))) for name, each in measures)

    def per_topic(self, run: Any) -> ByMetric[dict[str, float]]:
        """Return the score of each metric on each topic.

        Parameters
        ----------
        run : dict, Run, data frame or path
            As in `score`.

        Returns
        -------
        dict
            Metric -> topic -> score: ``pandas.DataFrame`` of it has a row a topic and a column a metric.
        """
        arrays, counted_topics = self._arrays(run)
        topics = [topic for topic, counts in zip(self.topics, counted_topics.tolist(), strict=True) if counts]
        columns = ((name, arrays[name][counted_topics].tolist()) for name in self.metrics)
        return ByMetric((name, dict(zip(topics, values, strict=True))) for name, values in columns)

    def _arrays(self, run: Any) -> tuple[Arrays, NDArray[np.bool_]]:
        """Return the arrays of a run, and which topics count."""
        refuse_after_fork()
        scorer = self._scorer
        source = self._one_run(run)
        aligned = scorer.align(source, source.load(), depth=scorer.reach)
        arrays = scorer.arrays(aligned, scorer.measures, NoticeArrays())
        notice_runs([(aligned.system, arrays)], scorer.policy, scorer.reach)
        retrieved = arrays["retrieved"]
        return arrays, retrieved if scorer.policy.topics == "common" else np.ones_like(retrieved)

    def _one_run(self, run: Any) -> LazyRun:
        runs = as_runs(run, **self._scorer.policy.reading)
        if len(runs) > 1:
            names = ", ".join(each.name for each in runs[:3]) + (", ..." if len(runs) > 3 else "")
            fix = "Score one at a time, or all of them with metameter.score."
            raise MetameterError("several runs are given", given=names, allowed="one run", fix=fix)
        return runs[0]

    def __repr__(self) -> str:
        return f"<Evaluator of {counted(len(self.metrics), 'metric')}, {counted(len(self.topics), 'topic')}>"


def _refuse_unknown_pool(measures: Sequence[Measure], policy: Policy) -> None:
    """Raise an error if a metric or ``pool_depth`` needs the contributing runs and none are named.

    The run that is scored must not replace them.
    """
    if policy.contributing is None:
        names = [measure.name for measure in measures if "pool" in measure.needs]
        what = "pool_depth depends" if policy.pool_depth is not None else f"{names[0]} depends"
        fix = "Name them in contributing."
        raise MetameterError(f"{what} on the runs that made the pool, which are not given", fix=fix)
