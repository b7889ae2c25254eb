"""Which metric to use: whether one serves better than the canonical metric, and still ranks the systems alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.base import Across, procedure
from metameter.meta.consistency.procedure import consistency
from metameter.meta.groups import complete
from metameter.meta.options import LEVEL, RESAMPLES
from metameter.meta.power.procedure import power
from metameter.meta.recommend.answer import across as across_sentence
from metameter.meta.recommend.answer import answer
from metameter.meta.recommend.canonical import alternatives
from metameter.meta.recommend.shared import shared_findings
from metameter.meta.recommend.tables import power_differences, recommendation_rows
from metameter.meta.recommend.thirds import tercile_rows
from metameter.meta.recommend.verdict import VERDICTS
from metameter.meta.recommend.words import WORDS, notes
from metameter.meta.similarity.procedure import similarity
from metameter.parallel import Workers
from metameter.parameters import Bounds
from metameter.scoring.manifest import manifest_of
from metameter.stats.pairs import TUKEY
from metameter.types import Scores
from metameter.view.latex import to_latex
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["Recommendation", "recommend", "recommendation_of"]

FEWEST_TOPICS = 5
_SHOWN = {
    "recommendation": {
        "metric": "metric",
        "verdict": "verdict",
        "canonical": "canonical",
        "tau_to_canonical": "tau",
        "consistency_difference": "consistency",
        "consistency_low": "low",
        "consistency_high": "high",
        "power_difference": "power",
        "power_low": "low",
        "power_high": "high",
    },
    "recommendation_terciles": {name: name for name in ("metric", "tercile", "topics", "mean_tau", "power")},
}


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Alternatives held against canonical metrics: tables ``recommendation`` and ``recommendation_terciles``."""

    def answer(self) -> list[str]:
        """The sentences that a report begins with: they say what the table says, and no more."""
        return answer(self.table)

    def tally(self) -> list[tuple[str, int]]:
        """How many metrics got each verdict, the best news first."""
        counts = dict(self.table["verdict"].value_counts().iter_rows())
        return [(verdict, counts[verdict]) for verdict in VERDICTS if verdict in counts]

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for the eye: without the words, which the answer gives, and without Monte-Carlo errors."""
        chosen = name or next(iter(self.tables))
        return self.tables[chosen].select(list(_SHOWN[chosen]))

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, in the columns that people read."""
        return {name: to_latex(self.readable(name), columns=_SHOWN[name], digits=3) for name in self.tables}

    def charts(self) -> dict[str, Any]:
        """``recommendation``: gains in consistency and power; ``recommendation_terciles``: hard to easy topics."""
        from metameter.meta.recommend.pareto_chart import pareto_chart
        from metameter.meta.recommend.thirds_chart import tercile_chart

        terciles = self.tables["recommendation_terciles"]
        drawn = {"recommendation": pareto_chart(self.table)} if self.table.height else {}
        return drawn | ({"recommendation_terciles": tercile_chart(terciles)} if terciles.height else {})


def recommendation_of(
    scores: Scores,
    similarity: Result,
    consistency: Result,
    power: Result,
    *,
    similar: float = 0.9,
    alpha: float = 0.05,
    resamples: int = 400,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Recommendation:
    """The recommendation that follows from results already there, for the same scores.

    Metrics whose browsing model has no canonical metric among the scores get no row, but a note.

    Parameters
    ----------
    scores : Scores
    similarity, consistency, power : Result
        By `similarity` (tau_b), `consistency` and `power` (a Tukey test).
    similar, alpha, resamples, seed, jobs
        As for `recommend`.
    """
    _check(similar, resamples)
    complete(scores)
    test = _test(similarity, power)
    matrix = np.ascontiguousarray(np.moveaxis(scores.values, 1, 2))
    topics = matrix.shape[1]
    pairs, without = alternatives(scores.metrics)
    # Consistency has no intervals either from so few topics.
    drawn = resamples if topics >= FEWEST_TOPICS else 0
    common: dict[str, Any] = {"alpha": alpha, "seed": seed, "jobs": Workers.of(jobs)}
    apart = power_differences(matrix, _powers(power, scores.metrics), pairs, resamples=drawn, **common)
    tables = {
        "recommendation": recommendation_rows(
            *(scores.metrics, pairs, similarity.table, consistency.tables["consistency_pairs"], apart, similar)
        ),
        "recommendation_terciles": tercile_rows(scores.metrics, matrix, pairs, **common),
    }
    options = {"similar": similar, "alpha": alpha, "resamples": drawn, "seed": seed, "topics": topics}
    manifest = {**manifest_of(procedure="recommend", **options), "scores": scores.manifest}
    return Recommendation(tables, manifest, notes(tables["recommendation"], pairs, without, scores, options, test))


def across(results: Mapping[str, Any]) -> Across:
    """What holds in all collections, in one sentence; and which finding holds where."""
    tables = {name: result.table for name, result in results.items()}
    sentence = across_sentence(list(tables.values()))
    return Across((sentence,) if sentence else (), {"findings": shared_findings(tables)})


@procedure(
    WORDS,
    result=Recommendation,
    key="recommendation",
    needs=("scores", "similarity", "consistency", "power"),
    options={"similar": Bounds(0, 1, low_open=True), "alpha": LEVEL, "resamples": RESAMPLES},
    place=10,
    stage=recommendation_of,
    across=across,
)
def recommend(
    scores: Scores,
    *,
    similar: float = 0.9,
    alpha: float = 0.05,
    splits: int = 1000,
    trials: int = 2000,
    resamples: int = 400,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Recommendation:
    """Ask whether another aggregation serves better than the canonical one, and still ranks the systems alike.

    Each metric is held against the canonical metric of its browsing model: how alike they rank the systems (tau), and
    the differences in consistency and in discriminative power, with 95% intervals for other topics. It is better if
    one of the two differences is above zero with its whole interval and the other is not below zero with its own;
    worse the other way round; and else there is no evidence.

    Parameters
    ----------
    scores : Scores
        Without missing cells; two systems and two topics or more; the canonical metrics among them.
    similar : float
        From this tau on, a metric ranks the systems like the canonical one.
    alpha : float
        Pairs of systems with p below it count as told apart.
    splits : int
        How many times the topics are split in half for consistency.
    trials : int
        Shuffles of the randomised Tukey HSD tests.
    resamples : int
        How many times the topics are resampled for the intervals; 0 leaves them out, and with them all evidence.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Told how far the work is.

    References
    ----------
    chen2023

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = np.linspace(0, 1, 8)[:, None] + np.stack([rng.normal(0, noise, (8, 20)) for noise in (2.0, 0.2)])
    >>> names = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max")
    >>> scores = Scores(names, tuple("abcdefgh"), tuple(map(str, range(20))), values)
    >>> result = recommend(scores, splits=100, trials=200, resamples=100)
    >>> result.table["metric", "canonical", "verdict"].row(0)
    ('RBP(p=0.8)*max', 'RBP(p=0.8)*ERG', 'better-but-different')
    """
    _check(similar, resamples)
    complete(scores)
    if not any(alternatives(scores.metrics)[0].values()):
        raise MetameterError(
            "no metric can be held against the canonical metric of its browsing model",
            given=", ".join(scores.metrics),
            fix="Score a canonical metric and others of its model, such as RBP(p=0.8)*ERG and RBP(p=0.8)*max.",
        )
    common: dict[str, Any] = {"seed": seed, "jobs": jobs}
    found = (
        similarity(scores, **common),
        consistency(
            scores, splits=splits, trials=trials, alpha=alpha, resamples=resamples, progress=progress, **common
        ),
        power(scores, trials=trials, alpha=alpha, progress=progress, **common),
    )
    return recommendation_of(scores, *found, similar=similar, alpha=alpha, resamples=resamples, **common)


def _check(similar: float, resamples: int) -> None:
    if not -1.0 <= similar <= 1.0:
        raise MetameterError("similar is not a tau", given=similar, allowed="-1 to 1")
    if resamples < 0 or resamples == 1:
        raise MetameterError("too few resamples", given=resamples, allowed="2 or more, or 0 for no intervals")


def _test(similarity: Result, power: Result) -> str:
    """The test behind the power; the resampled one is a Tukey test, which says nothing about others."""
    table = similarity.table
    if table.height and table["coefficient"][0] != "tau_b":
        raise MetameterError("similarity is not by tau_b", given=table["coefficient"][0])
    test = str(power.manifest.get("options", {}).get("test", TUKEY[0]))
    if test not in TUKEY:
        raise MetameterError("power is not by a Tukey test", given=test, allowed=", ".join(TUKEY))
    return test


def _powers(power: Result, metrics: tuple[str, ...]) -> Floats:
    found = dict(power.tables["power"]["metric", "power"].iter_rows())
    return np.array([found[name] for name in metrics])
