"""Which metric to use: whether one serves better than the canonical metric, and still ranks the systems alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.consistency.procedure import consistency
from metameter.meta.options import LEVEL, RESAMPLES
from metameter.meta.power.procedure import power
from metameter.meta.recommend.answer import answer, tally
from metameter.meta.recommend.canonical import alternatives
from metameter.meta.recommend.inputs import FEWEST_TOPICS, check_resamples, check_similar, powers_of, tukey_test_of
from metameter.meta.recommend.latex import paper_table, readable_columns
from metameter.meta.recommend.shared import across
from metameter.meta.recommend.tables import recommendation_rows
from metameter.meta.recommend.thirds import tercile_rows
from metameter.meta.recommend.words import WORDS, notes
from metameter.meta.requirements import require_complete
from metameter.meta.similarity.procedure import similarity
from metameter.parallel import Workers
from metameter.parameters import Bounds
from metameter.scoring.manifest import manifest_of
from metameter.stats.options import check_seed
from metameter.stats.tukey_power import power_differences
from metameter.types import Scores
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Recommendation", "recommend", "recommendation_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Alternatives compared with canonical metrics: tables ``recommendation`` and ``recommendation_terciles``."""

    def answer(self) -> list[str]:
        """The sentences that a report begins with: they say what the table says, and no more."""
        return answer(self.table)

    def tally(self) -> list[tuple[str, int]]:
        """How many alternatives got each verdict, the best news first."""
        return tally(self.table)

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for the eye: without the words, which the answer gives, and without Monte-Carlo errors."""
        chosen = self.table_name(name)
        return self.tables[chosen].select(readable_columns(chosen))

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, in the columns that people read."""
        return {name: paper_table(name, frame) for name, frame in self.tables.items()}

    def charts(self) -> dict[str, Any]:
        """``recommendation``: gains in consistency and power; ``recommendation_terciles``: hard to easy topics."""
        from metameter.meta.recommend.charts import recommendation_charts

        return recommendation_charts(self.table, self.tables["recommendation_terciles"])


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
    """The recommendation from results that were computed already, of the same scores.

    Metrics whose browsing model has no canonical metric among the scores get no row, but a note.

    Parameters
    ----------
    scores : Scores
    similarity, consistency, power : Result
        By `similarity` (tau_b), `consistency` and `power` (a Tukey test).
    similar, alpha, resamples, seed, jobs
        As for `recommend`.
    """
    similar, resamples, seed = check_similar(similar), check_resamples(resamples), check_seed(seed)
    scores = require_complete(scores)
    test = tukey_test_of(similarity, power)
    pairs, without = alternatives(scores.metrics)
    # From fewer topics consistency has no intervals either.
    drawn = resamples if len(scores.topics) >= FEWEST_TOPICS else 0
    common: dict[str, Any] = {"alpha": alpha, "seed": seed, "jobs": Workers.of(jobs)}
    places = sorted(place for members in pairs.values() for place in members)
    differences = power_differences(scores.matrix, powers_of(power, scores.metrics), places, resamples=drawn, **common)
    consistent = consistency.tables["consistency_pairs"]
    table = recommendation_rows(scores.metrics, pairs, similarity.table, consistent, differences, similar)
    terciles = tercile_rows(scores.metrics, scores.matrix, pairs, **common)
    options = {"similar": similar, "alpha": alpha, "resamples": drawn, "seed": seed, "topics": len(scores.topics)}
    manifest = {**manifest_of(procedure="recommend", **options), "scores": scores.manifest}
    sentences = notes(table, pairs, without, scores, options, test)
    return Recommendation({"recommendation": table, "recommendation_terciles": terciles}, manifest, sentences)


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

    Each metric is compared with the canonical metric of its browsing model: how alike they rank the systems (tau), and
    the differences in consistency and in discriminative power, with 95% intervals for other topics. It is better if
    the whole interval of one of the two differences is above zero and that of the other is not wholly below; worse
    the other way round; otherwise there is no evidence.

    Parameters
    ----------
    scores : Scores, path or data frame
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
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> values = np.linspace(0, 1, 8)[:, None] + np.stack([rng.normal(0, noise, (8, 20)) for noise in (2.0, 0.2)])
    >>> names = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max")
    >>> scores = Scores(names, tuple("abcdefgh"), tuple(map(str, range(20))), values)
    >>> result = recommend(scores, splits=100, trials=200, resamples=100)
    >>> result.table["metric", "canonical", "verdict"].row(0)
    ('RBP(p=0.8)*max', 'RBP(p=0.8)*ERG', 'better-but-different')
    """
    similar, resamples = check_similar(similar), check_resamples(resamples)
    scores = require_complete(scores)
    if not any(alternatives(scores.metrics)[0].values()):
        raise MetameterError(
            "no metric can be compared with the canonical metric of its browsing model",
            given=", ".join(scores.metrics),
            fix="Score a canonical metric and others of its model, such as RBP(p=0.8)*ERG and RBP(p=0.8)*max.",
        )
    common: dict[str, Any] = {"seed": seed, "jobs": jobs}
    drawn: dict[str, Any] = {"trials": trials, "alpha": alpha, "progress": progress, **common}
    parts = (
        similarity(scores, **common),
        consistency(scores, splits=splits, resamples=resamples, **drawn),
        power(scores, **drawn),
    )
    return recommendation_of(scores, *parts, similar=similar, alpha=alpha, resamples=resamples, **common)
