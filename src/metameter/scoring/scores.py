"""Score runs against judgments: the public door to the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.scoring.asked import measures_of
from metameter.scoring.engine import observed
from metameter.scoring.policy import Policy, whole
from metameter.scoring.residuals import observe_bounds, with_bounds
from metameter.types import Scores

__all__ = ["score"]

#: The order of documents with equal scores.
Ties = Literal["docid-desc", "docid-asc", "rank", "input", "mean"]


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
    costs: Any = None,
    topics: Literal["qrels", "common"] = "qrels",
    residual: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    name_by: Literal["file", "tag"] = "file",
    on_duplicate: Literal["error", "first"] = "error",
    qrels_duplicates: Literal["error", "first", "last", "max"] = "error",
) -> Scores:
    """Score runs against judgments, per topic.

    Parameters
    ----------
    qrels : path, folder, glob, dict, data frame or Qrels
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
    costs : path, dict or data frame, optional
        What it costs to look at documents (topic, doc, cost, or doc, cost), for users who care; else 1 each.
    topics : str
        Score all judged topics, a missing one as an empty list (``qrels``), or those that every run has.
    residual : bool
        Say too what each score would be if all unjudged documents were worthless, or perfect.
    jobs : int, optional
        How many runs are read at a time; by default as many as there are cores.
    progress : callable, optional
        Is told after each run how many are done, and of how many.
    name_by : str
        A system is named after its file, or after its run tag.
    on_duplicate : str
        What to do when a run lists a document twice: refuse it, or keep the best-ranked (``first``).
    qrels_duplicates : str
        What to do when a document is judged twice: refuse it, or keep the ``first``, the ``last`` or the highest
        (``max``) grade.

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
    policy = Policy(ties, precision, unjudged, pool_depth, topics, max_grade, name_by, on_duplicate, qrels_duplicates)
    whole("jobs", jobs)
    _read_once(qrels, runs, costs)
    if residual and ties == "mean":
        raise MetameterError("there are no residuals of a mean over ties", fix="Choose another order of ties.")
    measures = measures_of(metrics, preset, condensed=unjudged == "condense")
    scores, rows = observed(
        qrels,
        runs,
        measures,
        policy,
        observe=observe_bounds(measures) if residual else None,
        contributing=contributing,
        costs=costs,
        jobs=jobs,
        progress=progress,
    )
    scores.manifest["options"]["residual"] = residual
    if not residual:
        return scores
    common = np.all([row["retrieved"] for row in rows], axis=0) if topics == "common" else None
    return with_bounds(scores, rows, common)


def _read_once(*inputs: Any) -> None:
    """Standard input is one thing: the judgments, a run or the costs."""
    each = [one for given in inputs for one in (given if isinstance(given, list | tuple) else [given])]
    if sum(isinstance(one, str) and one == "-" for one in each) > 1:
        raise MetameterError("standard input (-) is named twice", fix="Name it once, and files for the rest.")
