"""Metrics compared with a reference: how consistently they rank the systems, and how many pairs they separate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.compare.procedure import compare
from metameter.meta.compare.text import few_topics
from metameter.meta.consistency.procedure import Consistency
from metameter.meta.consistency.procedure import consistency as ask_consistency
from metameter.meta.dimension_tests.simple_sets import yardsticks
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.framework.options import RESAMPLES, check_result
from metameter.meta.framework.requirements import require_complete
from metameter.meta.framework.sampling import Sampling
from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.meta.power.procedure import Power
from metameter.meta.power.procedure import power as ask_power
from metameter.meta.recommend.across_collections import across
from metameter.meta.recommend.alternatives import alternatives, readable_alternatives
from metameter.meta.recommend.answer import answer, tally
from metameter.meta.recommend.candidate_groups import in_conventional_order
from metameter.meta.recommend.evidence import ComparisonIntervals, Design, comparison_intervals
from metameter.meta.recommend.overview import all_rows, overview_lines
from metameter.meta.recommend.references import comparisons, comparisons_of_candidates, refuse_references
from metameter.meta.recommend.standings import system_resamples
from metameter.meta.recommend.summary import Summary, summary_of
from metameter.meta.recommend.tables import metric_rows, recommendation_rows
from metameter.meta.recommend.terciles import tercile_rows
from metameter.meta.recommend.text import WORDS, interval_name, notes
from metameter.meta.recommend.verdict import Criteria
from metameter.metric.compose import several
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_count, check_level, check_number, check_seed
from metameter.stats.consistency.resampled_metrics import ResampledTaus
from metameter.stats.intervals.metric_pairs import MetricResamples
from metameter.stats.proportional_metrics import constant_metrics
from metameter.stats.resampling.samples import Resample
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn

__all__ = ["Recommendation", "recommend"]

# Table -> column -> its heading in a paper. The sentences are in the answer; Monte-Carlo errors are for programs.
_HEADINGS = {
    "recommendation": {
        "metric": "metric",
        "verdict": "verdict",
        "close_call": "close call",
        "canonical": "compared with",
        "tau_to_canonical": "tau",
        "consistency_difference": "consistency",
        "consistency_low": "low",
        "consistency_high": "high",
        "power_difference": "power",
        "power_low": "low",
        "power_high": "high",
    },
    "metrics": {
        "metric": "metric",
        "standing": "standing",
        "top_share": "top share",
        "consistency": "consistency",
        "consistency_low": "low",
        "consistency_high": "high",
        "consistency_group": "group",
        "power": "power",
        "power_low": "low",
        "power_high": "high",
        "power_group": "group",
        "front": "front",
        "beats": "beats",
        "beaten_by": "beaten by",
        "judged": "judged",
    },
    "recommendation_terciles": {name: name for name in ("metric", "tercile", "topics", "mean_tau", "power")},
}


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Metrics compared with references: tables ``recommendation``, ``metrics`` and ``recommendation_terciles``.

    With alternatives to canonical metrics also ``alternatives``: a row a browsing model, a column an aggregation.
    """

    table_names: ClassVar[tuple[str, ...]] = (
        "recommendation",
        "metrics",
        "recommendation_terciles",
        "alternatives",
    )
    first_columns: ClassVar[tuple[str, ...]] = (
        "metric",
        "verdict",
        "canonical",
        "consistency_difference",
        "power_difference",
    )
    marked_column: ClassVar[MarkedColumn | None] = VERDICT_COLUMN

    def answer(self) -> list[str]:
        """The sentences that a report begins with; they say no more than the tables."""
        return answer(self.table, self.tables["metrics"], self.manifest["options"])

    def summary(self) -> Summary:
        """What a reader needs first, with the names that people see."""
        return summary_of(self.tables, self.manifest["options"]).named(self.names)

    def overview(self, width: int) -> list[str]:
        """The summary as lines, and how to see all rows."""
        return [*overview_lines(self.summary(), width), all_rows("recommendation")]

    def tally(self) -> list[tuple[str, int]]:
        """How many comparisons got each verdict, the best news first."""
        return tally(self.table)

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for people: without the sentences, which the answer gives, and without Monte-Carlo errors."""
        chosen = self.table_name(name)
        if chosen == "alternatives":
            return readable_alternatives(self.tables[chosen])
        return self._deciding()[chosen].select(*_HEADINGS[chosen])

    def important(self, name: str) -> tuple[str, ...]:
        """The columns that a terminal keeps longest; of the metrics, ``judged`` before letters and counts."""
        if name == "metrics":
            return "metric", "standing", "top_share", "judged", "consistency", "power"
        return super().important(name)

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, in the columns that people read, with three decimals."""
        return {
            name: to_latex(readable_alternatives(frame))
            if name == "alternatives"
            else to_latex(frame, columns=_HEADINGS[name], digits=3)
            for name, frame in self._deciding().items()
        }

    def _deciding(self) -> dict[str, pl.DataFrame]:
        """The tables with the deciding intervals as low and high: with level ``row``, those of each row alone."""
        import polars as pl

        if self.manifest["options"]["level"] != "row":
            return dict(self.tables)
        ends = [f"{what}_{end}" for what in ("consistency", "power") for end in ("low", "high")]
        alone = self.table.with_columns(pl.col(f"{name}_row").alias(name) for name in ends)
        return {**self.tables, "recommendation": alone}

    def charts(self) -> dict[str, Any]:
        """``metrics``: all side by side; ``recommendation``: gains; ``recommendation_terciles``: by difficulty."""
        from metameter.meta.recommend.charts import recommendation_charts

        return recommendation_charts(self._deciding())


def _check_similar(similar: float) -> None:
    fix = "Give a tau, such as 0.9."
    if not 0.0 < check_number(similar, "similar", fix) <= 1.0:
        raise MetameterError("similar is not a tau", given=similar, allowed="above 0, up to 1", fix=fix)


def _check_margin(margin: float) -> None:
    fix = "Give the largest difference that does not matter, such as 0.01."
    if not 0.0 <= check_number(margin, "margin", fix) <= 1.0:
        raise MetameterError("margin is out of range", given=margin, allowed="0 to 1", fix=fix)


#: By default resamples are added for close calls until there are this many times as many.
_MOST = 2
#: The number of metrics by which systems are compared where they are too few to judge metrics.
_COMPARED = 3


@procedure(
    WORDS,
    result=Recommendation,
    key="recommendation",
    needs=("scores", "consistency", "power"),
    options={
        "reference": None,
        "simple": None,
        "similar": None,
        "margin": None,
        "alpha": None,
        "level": None,
        "resamples": RESAMPLES,
        "most_resamples": RESAMPLES,
        "resample": None,
        "groups": None,
    },
    place=10,
    fewest_systems=FEWEST_SYSTEMS,
    shows_judged=True,
    across=across,
    before=refuse_references,
    checks={
        "similar": _check_similar,
        "margin": _check_margin,
        "collections": partial(check_count, what="collections"),
        "consistency": partial(check_result, kind=Consistency, name="consistency"),
        "power": partial(check_result, kind=Power, name="power"),
    },
)
def recommend(
    scores: Scores,
    *,
    reference: list[str] = (),  # type: ignore[assignment]
    simple: str | Sequence[str] = (),
    similar: float = 0.9,
    margin: float = 0.01,
    alpha: float = 0.05,
    level: Literal["study", "row"] = "study",
    splits: int = 1000,
    trials: int = 2000,
    resamples: int = 1000,
    most_resamples: int | None = None,
    resample: Resample = "topics",
    groups: Any = None,
    consistency: Consistency | None = None,
    power: Power | None = None,
    collections: int = 1,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Recommendation:
    """Report which metrics are stable: those that no other metric is shown to exceed.

    Each metric is compared with a reference: how alike they rank the systems (tau), and the differences in consistency
    and in discriminative power, with intervals for other topics that hold all at once. The metric is better if the
    whole interval of one of the two differences is above zero and that of the other is not wholly below; worse in the
    opposite case; mixed if one interval is wholly above zero and the other wholly below; the same if both intervals lie
    within the margin.

    Parameters
    ----------
    scores : Scores, path or data frame
        Without missing cells; two systems and two topics or more.
    reference : list of str
        Compare every other metric with this one; may be repeated. By default a product is compared with the canonical
        metric of its browsing model, and metrics with names of their own with each other.
    simple : list of str
        Metrics that measure one dimension of quality only, such as precision: they are compared like the others but
        not recommended. Those of sessions (prec, st_rec, tot_time, r_it, neg_it) need not be named.
    similar : float
        A metric ranks the systems like its reference if the whole interval of tau is at or above this.
    margin : float
        Two metrics are the same if the intervals of both differences lie within plus or minus this.
    alpha : float
        The chance that any verdict of the whole table is false, if no metrics differ; and the level of the tests of
        systems behind power.
    level : {"study", "row"}
        Base verdicts on the intervals that hold all at once (study), or on those of each row alone (row).
    splits : int
        How many times the topics are split in half for consistency.
    trials : int
        Shuffles of the randomised Tukey HSD tests.
    resamples : int
        How many times the topics are resampled for the intervals; 0 leaves them out, and with them all evidence.
    most_resamples : int
        While a verdict is a close call, half as many splits and resamples again are drawn, up to this many resamples;
        by default twice ``resamples``.
    resample : {"topics", "systems", "both"}
        What the intervals are for: other topics, other systems, or both.
    groups : path or mapping
        Systems that are resampled together, such as the runs of one team: a file with a system and its group on each
        line.
    consistency, power : Consistency, Power, optional
        The results of these procedures on the same scores, with the same options and seed: they are not computed again.
    collections : int
        The number of collections that are studied one by one and share the level ``alpha``.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Called with the progress of the work.

    References
    ----------
    chen2023, sakai2021, romano2005, westfall1993, schuirmann1987

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
    resamples = check_count(resamples, "resamples", 2, zero="for no intervals")
    scores = require_complete(scores)
    if (consistency is None or power is None) and not comparisons(scores.metrics, reference):
        names, fix = ", ".join(scores.metrics), "Score two metrics or more."
        raise MetameterError("there are no two metrics to compare", given=names, fix=fix)
    # `consistency` comes first: it reads the file of groups, and a mistake there is reported before the work.
    if consistency is None:
        consistency = ask_consistency(
            scores,
            splits=splits,
            trials=trials,
            alpha=alpha,
            resamples=resamples,
            resample=resample,
            groups=groups,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    if power is None:
        power = ask_power(
            scores,
            trials=trials,
            alpha=alpha,
            resamples=resamples,
            resample=resample,
            groups=groups,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    alpha = check_level(alpha)
    design = Design(
        Criteria(similar, margin, by_row=level == "row"),
        Sampling.of(scores, resample, groups),
        alpha=alpha,
        study_alpha=alpha / collections,
        seed=check_seed(seed),
        jobs=Workers.of(jobs),
    )
    most = _MOST * resamples if most_resamples is None else most_resamples
    compared = _compare(scores, reference, consistency, power, design, most=most, progress=progress)
    simple_metrics = yardsticks(simple, scores.metrics)
    tables = _tables(scores, compared, consistency, power, design, simple_metrics)
    manifest = _manifest(
        scores,
        compared,
        design,
        reference,
        simple_metrics,
        requested=len(consistency.resampled),
        collections=collections,
    )
    sentences = notes(tables["recommendation"], design.sampling, manifest["options"])
    return Recommendation(tables, {**manifest, "scores": scores.manifest}, sentences, names=scores.names)


def _manifest(
    scores: Scores,
    compared: ComparisonIntervals,
    design: Design,
    reference: Sequence[str],
    simple: Sequence[str],
    *,
    requested: int,
    collections: int,
) -> dict[str, Any]:
    """The versions, options and facts about the scores; close calls may have raised the ``requested`` resamples."""
    few = len(scores.systems) < FEWEST_SYSTEMS
    return manifest_of(
        procedure="recommend",
        reference=list(several(reference)),
        simple=simple,
        similar=design.criteria.similar,
        margin=design.criteria.margin,
        alpha=design.alpha,
        level=design.level,
        seed=design.seed,
        resamples=len(compared.draws.power),
        asked=requested,
        splits=len(compared.draws.split_taus),
        collections=collections,
        units=design.sampling.units,
        topics=len(scores.topics),
        systems=len(scores.systems),
        comparison=_comparison(scores, design.alpha, design.seed) if few else [],
        separates_most=_most_separating(scores, compared.draws.observed_power),
        zero=[name for name, values in zip(scores.metrics, scores.matrix, strict=True) if not values.any()],
        resample=design.sampling.resample,
        groups=design.sampling.groups or None,
    )


def _compare(
    scores: Scores,
    reference: Sequence[str],
    consistency: Consistency,
    power: Power,
    design: Design,
    *,
    most: int,
    progress: Callable[..., None] | None,
) -> ComparisonIntervals:
    """The differences of all comparisons; with too few systems nothing is compared."""
    matrix = scores.matrix
    draws = MetricResamples.of(
        matrix,
        consistency.split_taus,
        ResampledTaus(consistency.resampled, consistency.noise),
        alpha=design.alpha,
        seed=design.seed,
        power=power.resampled,
        jobs=design.jobs,
        resample=design.sampling.resample,
        clusters=design.sampling.clusters,
    )
    pairs = []
    if len(scores.systems) >= FEWEST_SYSTEMS:
        pairs = comparisons_of_candidates(scores.metrics, reference, constant_metrics(matrix).tolist())
    return comparison_intervals(matrix, pairs, draws, design, most=most, progress=progress)


def _tables(
    scores: Scores,
    compared: ComparisonIntervals,
    consistency: Consistency,
    power: Power,
    design: Design,
    simple: Sequence[str],
) -> dict[str, pl.DataFrame]:
    matrix, metrics, alpha, seed = scores.matrix, scores.metrics, design.alpha, design.seed
    randomised = _randomised_power(power)
    observed = np.array([randomised[name] for name in metrics]) if randomised else compared.draws.observed_power
    systems = None
    if compared.comparisons and design.sampling.resample == "topics" and len(compared.draws.power):
        systems = system_resamples(matrix, alpha=alpha, seed=seed, jobs=design.jobs)
    interval = interval_name(alpha, design.level)
    verdicts = recommendation_rows(metrics, compared, design, randomised, interval)
    by_model = alternatives(verdicts)
    return {
        "recommendation": verdicts,
        "metrics": metric_rows(
            metrics,
            matrix,
            compared,
            (consistency.split_taus.mean(axis=0), observed),
            design,
            ends=_ends_of_intervals(metrics, consistency, power),
            simple=simple,
            judged=scores.manifest.get("judged"),
            systems=systems,
        ),
        "recommendation_terciles": tercile_rows(
            metrics, matrix, compared.comparisons, alpha=alpha, seed=seed, jobs=design.jobs
        ),
        **({} if by_model is None else {"alternatives": by_model}),
    }


def _ends_of_intervals(metrics: Sequence[str], consistency: Consistency, power: Power) -> dict[str, list[float | None]]:
    """The intervals of the consistency and the power of each metric alone."""
    ends: dict[str, list[float | None]] = {}
    for what, table in (("consistency", consistency.table), ("power", power.table)):
        rows = {name: (low, high) for name, low, high in table["metric", "low", "high"].iter_rows()}
        for at, end in enumerate(("low", "high")):
            ends[f"{what}_{end}"] = [rows[name][at] for name in metrics]
    return ends


def _randomised_power(power: Power) -> dict[str, float]:
    """The power of each metric by the randomised test, if it was done."""
    if power.manifest.get("options", {}).get("test", "tukey-randomised") != "tukey-randomised":
        return {}
    return dict(power.tables["power"]["metric", "power"].iter_rows())


def _most_separating(scores: Scores, power: NDArray[np.float64]) -> tuple[str, float]:
    """The candidate that separates the most pairs of systems, and their share.

    The share is by the approximation of the test, which does not depend on the seed.
    """
    shares = dict(zip(scores.metrics, power.tolist(), strict=True))
    varying = zip(scores.metrics, ~constant_metrics(scores.matrix), strict=True)
    candidates = in_conventional_order(name for name, varies in varying if varies and not is_diagnostic(name))
    best = max(candidates, key=shares.__getitem__, default="")
    return best, shares.get(best, 0.0)


def _comparison(scores: Scores, alpha: float, seed: int) -> list[str]:
    """For systems too few to judge metrics: how the systems compare, by the first conventional metrics."""
    every = in_conventional_order(name for name in scores.metrics if not is_diagnostic(name))
    names, left = every[:_COMPARED], len(every[_COMPARED:])
    warning = list(few_topics(len(scores.topics)))
    sentences = []
    for name in names:
        alone = replace(scores, metrics=(name,), values=scores.values[[scores.position(name)]])
        sentences.append(compare(alone, alpha=alpha, seed=seed).answer()[len(warning)])
    if left:
        others = "1 other metric is" if left == 1 else f"{left} other metrics are"
        sentences.append(f"{others} left out here: metameter compare compares the systems by all.")
    return [*warning, *sentences]
