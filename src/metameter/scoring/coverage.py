"""How much of a run the judgments cover, and how much of its score is a matter of chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.align import align
from metameter.judge.ranked import BEYOND, Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.judged import Judged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.index import Index
    from metameter.types import Run

__all__ = ["best_and_worst", "coverage"]


def coverage(run: Run, index: Index, measure: Measure) -> dict[str, Any]:
    """What anyone should know of a run before scoring it.

    Returns
    -------
    dict
        ``system``; ``topics`` that are judged and retrieved, ``missing`` ones that are judged only; ``judged_at_10``,
        the share of the first ten documents that is judged, on average over the topics retrieved; ``tied``, how many
        documents share their score with another one of the topic; ``metric`` and its mean with the worst and the best
        order of these, ``tied_low`` and ``tied_high``; ``documents`` retrieved for judged topics, and how many of them
        are ``unjudged``; ``extra_topics`` that only the run has.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.judge.index import judgments_of
    >>> from metameter.metric.compose import parse_metric
    >>> from metameter.types import Qrels, Run
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "grade": [1.0, 1.0]}))
    >>> run = Run("s", pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, 1.0]}))
    >>> row = coverage(run, judgments_of(qrels), parse_metric("RR"))
    >>> [row[name] for name in ("topics", "missing", "judged_at_10", "tied", "tied_low", "tied_high")]
    [1, 1, 0.5, 2, 0.25, 0.5]
    """
    ranked = align(run, index, ties="mean")
    retrieved = ranked.length > 0
    worst, best = (float(measure.score(each).mean()) for each in best_and_worst(ranked))
    known = index.number
    return {
        "system": run.name,
        "topics": int(retrieved.sum()),
        "missing": int((~retrieved).sum()),
        "judged_at_10": float(Judged(k=10).score(ranked)[retrieved].mean()),
        "tied": _tied(ranked),
        "metric": measure.name,
        "tied_low": min(worst, best),
        "tied_high": max(worst, best),
        "documents": int(ranked.length.sum()),
        "unjudged": int(ranked.length.sum() - Judged().parts(ranked)[0].sum()),
        "extra_topics": sum(topic not in known for topic in run.table["topic"].unique()),
    }


def best_and_worst(ranked: Ranked) -> tuple[Ranked, Ranked]:
    """The lists with the worst, and with the best, of the documents with equal scores first.

    For a metric that never falls when a better document moves up these give the least and the highest score.
    """
    return _sorted(ranked, ranked.grade), _sorted(ranked, -ranked.grade)


def _sorted(ranked: Ranked, by: NDArray[np.float64]) -> Ranked:
    order = np.lexsort((by, np.asarray(ranked.tied)))
    grade = np.take_along_axis(ranked.grade, order, axis=1)
    status = np.take_along_axis(ranked.status, order, axis=1)
    return replace(ranked, grade=grade, status=status, pool_rank=None, memo={})


def _tied(ranked: Ranked) -> int:
    tied = np.asarray(ranked.tied)
    # A document that does not begin its group is tied, and so is the one that does.
    further = (tied != np.arange(ranked.depth)) & (ranked.status != BEYOND)
    begun = [np.unique(row[more]).size for row, more in zip(tied, further, strict=True)]
    return int(further.sum()) + sum(begun)
