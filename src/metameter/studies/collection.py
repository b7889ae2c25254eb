"""One collection of a study: its scores, facts about it, what its judgments cover, and the results of its stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.aggregate.total_gain import ERG
from metameter.browse.rbp import RBP
from metameter.meta.framework.declarations import declarations, in_table_order
from metameter.metric.base import Measure
from metameter.metric.product import Product
from metameter.metric.residual import bounds
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.read.qrels import read_qrels
from metameter.scoring.check.coverage import TOP, coverage_arrays, coverage_row
from metameter.scoring.engine import ScoredRun, score_runs
from metameter.scoring.judged_runs import JudgedRunArrays, JudgedRuns, judged_while_scored
from metameter.scoring.policy import Policy
from metameter.scoring.run_observers import RunObserver, RunObservers
from metameter.types.system_names import CommonAffixes
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.ranked import Ranked
    from metameter.scoring.cache import Arrays
    from metameter.studies.store import Store
    from metameter.types import Qrels, Scores


#: Its residual says how far scores could still rise through unjudged documents in the top ten.
_GAUGE = Product(RBP(p=0.8, k=TOP), ERG())


@dataclass(frozen=True, eq=False)
class ScoredCollection:
    """The scores of a collection, and what is known of its judgments.

    Attributes
    ----------
    scores : Scores
    coverage : polars.DataFrame
        One row per system.
    facts : dict
        Figures about the collection, for people.
    computed : int
        How many runs were scored; the scores of the others were cached.
    judged : JudgedRuns, optional
        The runs matched with the judgments, if `score_collection` was asked to keep them.
    """

    scores: Scores
    coverage: pl.DataFrame
    facts: dict[str, Any]
    computed: int
    judged: JudgedRuns | None = None


def score_collection(
    qrels: Any,
    runs: Any,
    measures: list[Measure],
    policy: Policy,
    *,
    judged: bool = False,
    cache: Path | None = None,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> ScoredCollection:
    """Score a collection and describe what its judgments cover; cached scores are not computed again.

    Parameters
    ----------
    qrels, runs, measures, policy, cache, jobs
        As in `score_runs`.
    judged : bool
        Keep the ranks of judged documents of every run, too, so that no stage reads the runs again.
    progress : callable, optional
        Called with the number of runs done and of all runs.
    """
    read = read_qrels(qrels, on_duplicate=policy.qrels_duplicates)
    observer: RunObserver = _CoverageArrays()
    if judged:
        observer = RunObservers((observer, JudgedRunArrays(with_costs=policy.costs is not None)))
    scores, rows, inputs = score_runs(
        read,
        runs,
        measures,
        policy,
        observer=observer,
        pool_matters=judged,
        cache=cache,
        jobs=jobs,
        progress=progress,
    )
    coverage = _coverage(rows)
    affixes = CommonAffixes.of_manifest(scores.manifest)
    return ScoredCollection(
        scores=scores,
        coverage=coverage,
        facts=_facts(read, scores, coverage),
        computed=sum(bool(row.computed) for row in rows),
        judged=judged_while_scored(rows, inputs, measures, policy, affixes) if judged else None,
    )


def collection_of_scores(scores: Scores) -> ScoredCollection:
    """A collection of scores alone, without facts about judgments."""
    import polars as pl

    names = (("topics", scores.topics), ("systems", scores.systems), ("metrics", scores.metrics))
    coverage = pl.DataFrame({"system": pl.Series(scores.systems, dtype=pl.String)}).clear()
    return ScoredCollection(scores, coverage, facts={what: len(each) for what, each in names}, computed=0)


class _CoverageArrays(RunObserver):
    """Computes the arrays of `coverage_row`, and the residual in the top ten."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays."""
        return "judged_at_10", "tied", "residual"

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The top ten."""
        return (TOP,)

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the arrays of one run, or of a block of its topics."""
        return {**coverage_arrays(ranked), "residual": bounds(_GAUGE, ranked).residual}


def _coverage(rows: list[ScoredRun]) -> pl.DataFrame:
    import polars as pl

    table = [{"system": row.system, **coverage_row(row.arrays)} for row in rows]
    residual = np.stack([row.arrays["residual"] for row in rows]).mean(axis=1)
    return pl.DataFrame(table).with_columns(residual=pl.Series(residual))


def _facts(qrels: Qrels, scores: Scores, coverage: pl.DataFrame) -> dict[str, Any]:
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


@dataclass(frozen=True, eq=False)
class FinishedCollection:
    """One collection with all its stages finished.

    Attributes
    ----------
    scores : Scores
    coverage : polars.DataFrame
        One row per system.
    facts : dict
        Figures about the collection, for people.
    results : dict of Result
        By the key of the procedure, in the order of the tables.
    digests : dict of str
        Stage -> the digest under which it is stored.
    """

    scores: Scores
    coverage: pl.DataFrame
    facts: dict[str, Any]
    results: dict[str, Result]
    digests: dict[str, str]

    def with_names(self, names: Mapping[str, str]) -> FinishedCollection:
        """The same with metrics under these names for people."""
        return replace(self, results={key: replace(each, names=names) for key, each in self.results.items()})

    @classmethod
    def restored(cls, store: Store, digests: Mapping[str, str]) -> FinishedCollection:
        """Read a collection back from the store; a result without its procedure is left out, with a notice."""
        about = store.read("collection", digests["collection"])
        known = declarations()
        for stage in digests:
            if stage != "collection" and stage not in known:
                notice(f"the procedure of the stage {stage} is not installed, so its results are left out")
        stored = {
            key: store.read(key, digests[key], each.study_result) for key, each in known.items() if key in digests
        }
        return cls(
            scores=scores_of_table(about.tables["scores"]),
            coverage=about.tables["coverage"],
            facts=about.manifest,
            results=in_table_order(stored),
            digests=dict(digests),
        )


def scores_of_table(table: pl.DataFrame) -> Scores:
    """Scores from their long table, whose rows are sorted by metric, system and topic.

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
