"""One run, checked: its problems, and what the judgments cover of what could be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.align import align_blocks
from metameter.judge.pool import best_ranks
from metameter.metric.classic.judged import Judged
from metameter.read.files.limits import unpacking
from metameter.read.runs import LazyRun, RunInMemory
from metameter.scoring.coverage import TOP, best_and_worst, coverage_arrays
from metameter.scoring.observation import by_topic
from metameter.scoring.policy import Policy
from metameter.scoring.problems import Inspected, inspect_run
from metameter.scoring.run_notices import noticed
from metameter.types import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays

__all__ = ["CheckedRun", "check_run", "known_ranks"]


@dataclass(frozen=True, eq=False)
class CheckedRun:
    """What `check_run` gives back.

    Attributes
    ----------
    source, system : str
    problems : list of MetameterError
    arrays : dict
        What `coverage_arrays` and `noticed` give; ``worst`` and ``best``, the metric's scores with tied documents in
        these orders; ``documents`` retrieved for judged topics, and how many of them are ``unjudged``; ``extra_topics``
        that only the run has. Empty if the run could not be read, or has no topic in common with the judgments.
    """

    source: str
    system: str
    problems: list[MetameterError] = field(default_factory=list)
    arrays: Arrays = field(default_factory=dict)


def check_run(source: LazyRun, *, index: Index | None, measure: Measure, policy: Policy) -> CheckedRun:
    """Check one run: a piece of work without side effects."""
    inspected = _inspected(source, policy)
    run = _run(source, inspected)
    if run is None or index is None:
        return CheckedRun(source.source, inspected.tag or source.name, inspected.problems)
    try:
        arrays = _arrays(run, index, measure, policy)
    except MetameterError as problem:  # it has no topic in common with the qrels
        return CheckedRun(source.source, run.name, inspected.with_problems([problem]).problems)
    return CheckedRun(source.source, run.name, inspected.problems, arrays)


def known_ranks(source: LazyRun, *, index: Index, policy: Policy) -> NDArray[np.int64] | None:
    """The ranks of judged documents in a contributing run, as far as it can be read."""
    run = _run(source, _inspected(source, policy))
    try:
        return None if run is None else best_ranks(run, index, ties=policy.ties, precision=policy.precision)
    except MetameterError:  # it has no topic in common with the qrels, which is reported when the run is checked
        return None


def _inspected(source: LazyRun, policy: Policy) -> Inspected:
    if isinstance(source, RunInMemory):
        try:
            return Inspected(source.name, rows=source.read().table)
        except MetameterError as problem:
            return Inspected(source.name, [problem])
    with unpacking(source.limit):
        return inspect_run(
            source.source, tags=source.by_tag, on_duplicate=policy.on_duplicate, need_rank=policy.ties == "rank"
        )


def _run(source: LazyRun, inspected: Inspected) -> Run | None:
    table = inspected.table
    return None if table is None else Run(inspected.tag or source.name, table, source.source)


def _arrays(run: Run, index: Index, measure: Measure, policy: Policy) -> Arrays:
    # What stands in the first ten depends on the order of ties; only the range of the metric is over all orders.
    asked: dict[str, Any] = {"ties": policy.ties, "depth": None if policy.ties == "mean" else TOP}
    aligned = align_blocks(run, index, precision=policy.precision, **asked)
    covered = [coverage_arrays(part) | noticed(part) for _, part in aligned]
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
    """The scores with ties in their worst and best order; how many documents there are, and how many are judged."""
    worst, best = (measure.score(each) for each in best_and_worst(ranked))
    return {"worst": worst, "best": best}, (int(ranked.length.sum()), int(Judged().parts(ranked)[0].sum()))
