"""The share of a run that is judged, and the range of its score over orders of ties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.judged import Judged
from metameter.scoring.tie_expectation import expected

if TYPE_CHECKING:
    from metameter.scoring.cache import Arrays


#: The depth at which coverage is reported: most users see no more documents than these.
TOP = 10


def coverage_arrays(ranked: Ranked) -> Arrays:
    """What `coverage_row` needs of one run: ``retrieved`` and ``judged_at_10``, one value per topic each, and ``tied``.

    Of a run that was aligned with ``ties="mean"``, ``judged_at_10`` is the expectation over the orders of ties.
    """
    judged = Judged(k=TOP)
    return {
        "retrieved": ranked.length > 0,
        "judged_at_10": judged.score(ranked) if ranked.tied is None else expected(judged, ranked),
        "tied": np.array(ranked.tied_documents),
    }


def coverage_row(arrays: Arrays) -> dict[str, Any]:
    """Return the coverage of a run, for one row of a table.

    Returns
    -------
    dict
        ``topics`` that are judged and retrieved, ``missing`` ones that are judged only; ``judged_at_10``, the mean of
        the metric Judged@10 over the topics retrieved; ``tied``, how many documents share their score with another
        one of the topic.

    Examples
    --------
    Of two documents that are retrieved for one of two topics, one is judged.

    >>> import polars as pl
    >>> from metameter.judge.align import align
    >>> from metameter.judge.index import index_judgments
    >>> from metameter.types import Qrels, Run
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "grade": [1.0, 1.0]}))
    >>> run = Run("s", pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, 1.0]}))
    >>> coverage_row(coverage_arrays(align(run, index_judgments(qrels))))
    {'topics': 1, 'missing': 1, 'judged_at_10': 0.5, 'tied': 2}
    """
    retrieved = arrays["retrieved"]
    return {
        "topics": int(retrieved.sum()),
        "missing": int((~retrieved).sum()),
        "judged_at_10": float(arrays["judged_at_10"][retrieved].mean()),
        "tied": int(arrays["tied"]),
    }


def best_and_worst(ranked: Ranked) -> tuple[Ranked, Ranked]:
    """Return the lists with the worst and with the best of tied documents first.

    For a metric that never falls when a better document moves up these give the least and the highest score.
    """
    return _sorted(ranked, ranked.grade), _sorted(ranked, -ranked.grade)


def _sorted(ranked: Ranked, by: NDArray[np.float64]) -> Ranked:
    """Return the list with the documents of each group of ties in rising order of ``by``."""
    order = np.lexsort((by, np.asarray(ranked.tied)))

    def moved(values: NDArray[Any] | None) -> Any:
        return None if values is None else np.take_along_axis(values, order, axis=1)

    return replace(
        ranked,
        grade=moved(ranked.grade),
        status=moved(ranked.status),
        pool_rank=moved(ranked.pool_rank),
        costs=moved(ranked.costs),
        documents=None,
    )
