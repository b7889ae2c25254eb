"""One collection of a study: its scores, and what is to be known about it before they are trusted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.aggregate.erg import ERG
from metameter.browse.rbp import RBP
from metameter.judge.ranked import JUDGED
from metameter.metric.cwla import Product
from metameter.metric.residual import bounds
from metameter.read.frames import as_qrels
from metameter.scoring.engine import observed

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays
    from metameter.scoring.policy import Policy
    from metameter.types import Qrels, Scores

__all__ = ["Scored", "scored", "scores_of_table"]

_TOP = 10
#: The metric whose residual says how much is open because documents in the top ten are not judged.
_GAUGE = Product(RBP(p=0.8, k=_TOP), ERG())


@dataclass(frozen=True, eq=False)
class Scored:
    """A collection that has been scored.

    Attributes
    ----------
    scores : Scores
    coverage : polars.DataFrame
        A row a system.
    facts : dict
        What the collection is, ready to be printed.
    computed : int
        How many score lists were not there yet.
    """

    scores: Scores
    coverage: pl.DataFrame
    facts: dict[str, Any]
    computed: int


def scored(
    name: str,
    qrels: Any,
    runs: Any,
    measures: list[Measure],
    policy: Policy,
    *,
    cache: Path | None = None,
    jobs: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Scored:
    """Score a collection; what was scored before is found again."""
    counted = [0]

    def observe(ranked: Ranked) -> Arrays:
        counted[0] += 1
        return _observed(ranked)

    def told(done: int, of: int) -> None:
        if progress:
            progress(done, of, f"{name}: score")

    qrels = as_qrels(qrels, on_duplicate=policy.qrels_duplicates)
    scores, rows = observed(qrels, runs, measures, policy, observe=observe, cache=cache, jobs=jobs, progress=told)
    return Scored(scores, _coverage(scores, rows), _facts(qrels, scores, rows), counted[0])


def _observed(ranked: Ranked) -> Arrays:
    top = ranked.cut(_TOP)
    judged = (top.status == JUDGED).sum(axis=1)
    return {
        "judged": judged,
        "listed": np.minimum(ranked.length, _TOP),
        "tied": np.array(ranked.tied_documents),
        "residual": bounds(_GAUGE, ranked).residual,
    }


def _coverage(scores: Scores, rows: list[Arrays]) -> pl.DataFrame:
    import polars as pl

    retrieved = np.stack([row["retrieved"] for row in rows])
    judged, listed = (np.stack([row[name] for row in rows]).sum(axis=1) for name in ("judged", "listed"))
    return pl.DataFrame(
        {
            "system": list(scores.systems),
            "topics": retrieved.sum(axis=1),
            "missing": (~retrieved).sum(axis=1),
            "judged_at_10": judged / np.maximum(listed, 1),
            "tied": [int(row["tied"]) for row in rows],
            "residual": np.stack([row["residual"] for row in rows]).mean(axis=1),
        }
    )


def _facts(qrels: Qrels, scores: Scores, rows: list[Arrays]) -> dict[str, Any]:
    coverage = _coverage(scores, rows)
    grades = qrels.table["grade"]
    return {
        "topics": len(scores.topics),
        "systems": len(scores.systems),
        "metrics": len(scores.metrics),
        "judgments": qrels.table.height,
        "relevant judgments": int((grades > 0).sum()),
        "grades": ", ".join(f"{grade:g}" for grade in sorted(grades.unique().to_list())[:12]),
        "judged in the top 10": f"{float(coverage['judged_at_10'].to_numpy().mean()):.1%}",
        "missing lists": int(coverage["missing"].sum()),
        "documents with tied scores": int(coverage["tied"].sum()),
        f"residual of {_GAUGE}": f"{float(coverage['residual'].to_numpy().mean()):.3f}",
    }


def scores_of_table(table: pl.DataFrame) -> Scores:
    """Scores from their long table, whose rows stand in order.

    Examples
    --------
    >>> from metameter.types import Scores
    >>> scores = Scores(("AP",), ("a", "b"), ("1",), np.array([[[0.5], [0.4]]]))
    >>> scores_of_table(scores.table).systems
    ('a', 'b')
    """
    from metameter.types import Scores

    metrics, systems, topics = (
        tuple(table[name].unique(maintain_order=True).to_list()) for name in ("metric", "system", "topic")
    )
    values = table["score"].to_numpy().reshape(len(metrics), len(systems), len(topics))
    return Scores(metrics, systems, topics, values)
