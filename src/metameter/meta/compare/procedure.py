"""Which systems really differ: means with intervals, all pairs or against baselines, groups, per-topic differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.base import procedure
from metameter.meta.compare.charts import convergence_chart, metric_charts
from metameter.meta.compare.latex import paper_table
from metameter.meta.compare.leaderboard import Leaderboard, leaderboard_of
from metameter.meta.compare.missing_topics import missing_topic_sentences
from metameter.meta.compare.tables import (
    BASELINE_NAMES,
    OUTCOMES,
    mean_of,
    mean_table,
    means_first,
    means_with_intervals,
    most_different_first,
    pair_table,
    readable_differences,
    readable_means,
    topic_table,
)
from metameter.meta.compare.text import FEWEST_TOPICS, WORDS, answer_of, baseline_notes, few_topics, notes
from metameter.meta.framework.monte_carlo_result import MonteCarloResult, convergence_table, with_p_as_text
from metameter.meta.framework.requirements import pairs_of, require_complete, require_few_pairs
from metameter.notation import spell_value
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import Floats, SystemPairs, check_count, check_level, check_seed
from metameter.stats.intervals.means import pair_widths, width_is_required_difference
from metameter.stats.resampling.monte_carlo_error import check_precision, trials_for
from metameter.stats.significance.baselines import against_baselines
from metameter.stats.significance.pair_tests import run_test
from metameter.stats.significance.pairs import (
    MONTE_CARLO,
    Correction,
    PairTests,
    Test,
    check_test,
    compared_pairs,
    corrected_pvalues,
)
from metameter.types import Scores
from metameter.types.system_names import CommonAffixes
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


# Memory per pair of systems and metric, measured with 50 topics: 241, 210, 208 and 211 bytes with 500, 1,000, 2,000
# and 3,000 systems; the same with a baseline (500 and 1,000).
_BYTES = 210
#: With baselines, all pairs are compared as well, unless they are more than this: these take about 0.2 GB.
_PAIRS_BESIDE_BASELINES = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(MonteCarloResult):
    """Result of `compare`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        With baselines first ``compare_baseline``; ``compare``, ``compare_pairs``, ``compare_topics`` and, for a test
        that draws at random, ``compare_convergence``. With baselines and very many systems all pairs are not compared:
        then there are no ``compare_pairs``, no ``compare_convergence`` and no groups.
    baseline : tuple of str
        The baselines that were named, or of two systems the first.
    alpha : float
    required : bool
        Whether half the width of an interval is the difference that the test requires.
    missing_topics : tuple of str
        Sentences on systems that lack topics.
    """

    table_names: ClassVar[tuple[str, ...]] = (
        "compare_baseline",
        "compare",
        "compare_pairs",
        "compare_topics",
        "compare_convergence",
    )
    first_columns: ClassVar[tuple[str, ...]] = (
        *("metric", "rank", "system", "system_a", "system_b", "mean", "baseline_mean", "difference", "low", "high"),
        *("group", "not_different_from", "p", "wins", "ties", "losses"),
    )
    unnamed_columns: ClassVar[frozenset[str]] = frozenset({"group", "rank", "not_different_from"})

    baseline: tuple[str, ...] = ()
    alpha: float = 0.05
    required: bool = True
    missing_topics: tuple[str, ...] = ()

    def important(self, name: str) -> tuple[str, ...]:
        """The columns that a terminal keeps longest; with several baselines, also which baseline it is."""
        if name != "compare_baseline":
            return self.first_columns
        names = self.tables[name].select("baseline", "system").unique().row(0)
        means = ("baseline", "mean", "baseline_mean") if len(self.baseline) > 1 else ("mean", *map(mean_of, names))
        return ("metric", "system", *means, "difference", "low", "high", "p", OUTCOMES)

    def answer(self) -> list[str]:
        """Which system beats which, and by how much."""
        topics = self.tables["compare_topics"]["topic"].n_unique()
        verdicts = answer_of(self.tables, self.alpha, required=self.required)
        return [*few_topics(topics), *verdicts, *self.missing_topics]

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for terminal, Markdown and LaTeX; CSV and JSON keep the numbers of ``tables``."""
        chosen = self.table_name(name)
        table = self.tables[chosen]
        if chosen == "compare_topics":
            table = most_different_first(table)
        if chosen == "compare_baseline":
            table = readable_differences(table)
        if chosen == "compare":
            table = readable_means(table)
        return with_p_as_text(table, digits).drop("width_error", strict=False)

    def charts(self) -> dict[str, Any]:
        """Differences (``compare_baseline``), means with their groups (``compare``), per-topic differences, ...

        One of each for the first twelve metrics: ``compare``, ``compare_2``, ...
        """
        charts = metric_charts(self.tables, self.baseline, self.alpha)
        if "compare_convergence" in self.tables:
            charts["compare_convergence"] = convergence_chart(self.tables["compare_convergence"])
        return charts

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; ``compare`` is the table of a paper: a row a system, a column a metric, with marks."""
        means, against = self.tables["compare"], self.tables.get("compare_baseline")
        papers = {
            "compare": paper_table(means, against, self.baseline, self.alpha, self.notes[0]),
            "compare_topics": self._latex("compare_topics", most_different_first(self.tables["compare_topics"])),
        }
        if against is not None:
            papers["compare_baseline"] = self._latex("compare_baseline", means_first(against))
        return {**super().latex(), **papers}

    def to_latex(self, table: str | None = None) -> str:
        """Return one table as LaTeX; by default ``compare``, which is the table for a paper."""
        return super().to_latex(table or "compare")


@procedure(
    WORDS,
    result=Comparison,
    options={"alpha": None},
    place=5,
    stage=leaderboard_of,
    stage_result=Leaderboard,
    tables_last=True,
    default_metric=True,
    checks={"resamples": partial(check_count, what="resamples", least=2), "until": check_precision},
)
def compare(
    scores: Scores,
    *,
    baseline: list[str] = (),  # type: ignore[assignment]
    test: Test = "max-t",
    trials: int = 2000,
    alpha: float = 0.05,
    correction: Correction = "none",
    resamples: int = 1000,
    until: float | None = None,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Comparison:
    """Say which systems really differ, by how much, and on which topics.

    Parameters
    ----------
    scores : Scores, path or data frame
        At least two systems and two topics, no cell missing.
    baseline : list of str
        Test every system against this one, with one error rate for these comparisons only; may be repeated. By default
        all pairs are compared; of two systems, the first is the baseline.
    test : {"max-t", "tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"}
        Which test: max-t, which bootstraps the largest difference in standard errors and has one error rate for all
        pairs; the randomised or the classical Tukey HSD, which have one if all systems have equal variances; or the
        bootstrap, t, Wilcoxon or sign test of each pair alone.
    trials : int
        Bootstrap samples of max-t or of the bootstrap test, or shuffles of the randomised Tukey HSD. A p-value drawn at
        random is (b + 1) / (trials + 1), where b trials are as extreme.
    alpha : float
        Pairs with p below it differ significantly; intervals are of the level 1 - alpha.
    correction : {"none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        Correct the p-values of a test of each pair alone for the number of pairs compared.
    resamples : int
        Bootstrap samples of topics, for the intervals of the means; fewer than five topics have no intervals.
    until : float
        Instead of ``trials``: run as many trials as keep the Monte-Carlo standard error of every p-value at or below
        this, whatever the p-values are.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        Threads, by default all cores; the numbers do not depend on it.
    progress : callable
        Called with the progress of the work.

    Returns
    -------
    Comparison
        Tables ``compare`` (metric, system, mean, low, high, group, ...; best first), ``compare_pairs`` (metric,
        system_a, system_b, difference, low, high, effect, p, wins, ties, losses, ...; all pairs, a against b) and
        ``compare_topics`` (metric, system, baseline, topic, score, delta), against the baselines or else against the
        best system. With baselines, or of two systems, the first table is ``compare_baseline`` (metric, system,
        baseline, difference, low, high, effect, p, wins, ties, losses, mean, baseline_mean, ...). With baselines and
        more than 1,000,000 pairs of systems, all pairs are not compared: ``compare_pairs`` and the groups are left out.

    References
    ----------
    westfall1993, tusher2001, carterette2012, sakai2014, dunnett1955, piepho2004, diciccio1996

    Examples
    --------
    >>> values = np.array([[[0.1, 0.2, 0.3, 0.1, 0.2], [0.2, 0.1, 0.3, 0.2, 0.1], [0.9, 0.7, 0.8, 0.9, 0.6]]])
    >>> scores = Scores(("AP",), ("x", "y", "z"), ("1", "2", "3", "4", "5"), values)
    >>> import polars as pl
    >>> compare(scores).table.select("system", pl.col("mean").round(2), "group").rows()
    [('z', 0.78, 'a'), ('x', 0.18, 'b'), ('y', 0.18, 'b')]
    >>> compare(scores, baseline=["x"]).table.select("system", "baseline", pl.col("difference").round(2), "wins").rows()
    [('y', 'x', 0.0, 2), ('z', 'x', 0.6, 5)]
    """
    check_test(test, correction)
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    resamples = check_count(resamples, "resamples", 2)
    scores = require_complete(scores)
    affixes = CommonAffixes.of_manifest(scores.manifest)
    named = tuple(affixes.known(name, scores.systems) for name in baseline_names(baseline))
    baselines = baselines_among(scores.systems, named)
    require_few_pairs(scores, _BYTES, len(baselines))
    design = _Design(scores, test, correction, count, check_level(alpha), check_seed(seed), Workers.of(jobs), progress)
    against = design.against_baselines(baselines) if baselines else None
    every: PairTests | None
    if against is not None and pairs_of(scores) > _PAIRS_BESIDE_BASELINES:
        every, tested = None, against
    else:
        every = tested = design.all_pairs()
    tables, about = ({}, ()) if against is None else design.baseline_table(against, every, baselines, named=bool(named))
    tables |= design.tables(every, baselines, resamples)
    manifest = manifest_of(
        procedure="compare",
        baseline=list(baselines),
        resamples=resamples,
        test=test,
        trials=tested.trials,
        alpha=design.alpha,
        correction=correction,
        seed=design.seed,
    )
    sentences = notes(
        tested, test, design.alpha, correction, topics=len(scores.topics), resamples=resamples, about_baselines=about
    )
    compare_others = partial(
        compare,
        baseline=list(baselines),
        test=test,
        trials=trials,
        alpha=alpha,
        correction=correction,
        resamples=2,
        until=until,
        seed=seed,
        jobs=jobs,
    )
    return Comparison(
        tables,
        {**manifest, "scores": scores.manifest},
        sentences,
        baseline=baselines,
        alpha=design.alpha,
        required=width_is_required_difference(test, correction),
        missing_topics=missing_topic_sentences(scores, tables, compare_others, design.alpha),
        names=scores.names,
    )


@dataclass(frozen=True, eq=False)
class _Design:
    """The scores, and how their systems are compared."""

    scores: Scores
    test: Test
    correction: Correction
    trials: int
    alpha: float
    seed: int
    jobs: Workers
    progress: Callable[..., None] | None

    def all_pairs(self) -> PairTests:
        """The test of all pairs."""
        return run_test(
            self.scores.matrix,
            self.test,
            trials=self.trials,
            alpha=self.alpha,
            seed=self.seed,
            jobs=self.jobs,
            progress=self.progress,
        )

    def against_baselines(self, baselines: tuple[str, ...]) -> PairTests:
        """The test of the comparisons with baselines."""
        return against_baselines(
            self.scores.matrix,
            self.test,
            self._positions(baselines),
            trials=self.trials,
            alpha=self.alpha,
            seed=self.seed,
            jobs=self.jobs,
            progress=self.progress,
        )

    def _positions(self, names: tuple[str, ...]) -> list[int]:
        return [self.scores.systems.index(name) for name in names]

    def baseline_table(
        self, against: PairTests, every: PairTests | None, baselines: tuple[str, ...], *, named: bool
    ) -> tuple[dict[str, pl.DataFrame], tuple[str, ...]]:
        """The table of the comparisons with baselines, and the notes on it."""
        systems = len(self.scores.systems)
        compared = compared_pairs(systems, self._positions(baselines))
        widths = self.interval_widths(against, compared)
        table = pair_table(self.scores, against, widths, compared, self.correction, BASELINE_NAMES)
        about = baseline_notes(
            systems,
            against,
            self.test,
            self.alpha,
            self.correction,
            baselines,
            named=named,
            all_pairs=every is not None,
        )
        return {"compare_baseline": table}, about

    def tables(self, pairs: PairTests | None, baselines: tuple[str, ...], resamples: int) -> dict[str, pl.DataFrame]:
        """The tables of means, of all pairs, of differences by topic, and of the convergence of a random test."""
        scores, correction = self.scores, self.correction
        intervals = means_with_intervals(scores, resamples, self.alpha, self.seed, self.jobs)
        if pairs is None:
            return {"compare": mean_table(scores, intervals, None), "compare_topics": topic_table(scores, baselines)}
        different = corrected_pvalues(pairs.pvalue, correction) < self.alpha
        every = compared_pairs(len(scores.systems))
        tables = {
            "compare": mean_table(scores, intervals, different),
            "compare_pairs": pair_table(scores, pairs, self.interval_widths(pairs), every, correction),
            "compare_topics": topic_table(scores, baselines),
        }
        convergence = convergence_table(
            scores.metrics, scores.matrix, pairs, correction, self.alpha, self.seed, self.jobs
        )
        return tables if convergence is None else {**tables, "compare_convergence": convergence}

    def interval_widths(self, pairs: PairTests, compared: SystemPairs | None = None) -> tuple[Floats, Floats]:
        """Half the width of the interval of each pair, and its Monte-Carlo error; NaN for too few topics."""
        if len(self.scores.topics) < FEWEST_TOPICS:
            return np.full_like(pairs.pvalue, np.nan), np.full_like(pairs.pvalue, np.nan)
        return pair_widths(
            self.scores.matrix,
            self.test,
            pairs,
            alpha=self.alpha,
            correction=self.correction,
            seed=self.seed,
            pairs=compared,
            jobs=self.jobs,
        )


def baseline_names(baseline: Any) -> tuple[str, ...]:
    """Return the named baselines as text, each once.

    Examples
    --------
    >>> baseline_names("a"), baseline_names(["b", "a", "b"]), baseline_names(7)
    (('a',), ('b', 'a'), ('7',))
    """
    several = isinstance(baseline, Iterable) and not isinstance(baseline, str)
    return tuple(dict.fromkeys(map(spell_value, baseline if several else [baseline])))


def baselines_among(systems: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named baselines, or of two systems the first, whose difference is the only question; refuse others.

    Examples
    --------
    >>> baselines_among(("a", "b", "c"), ("b",)), baselines_among(("a", "b", "c"), ()), baselines_among(("a", "b"), ())
    (('b',), (), ('a',))
    """
    for name in names:
        if name not in systems:
            raise MetameterError("no system has this name", given=name, fix=did_you_mean(name, list(systems)))
    return names or (systems[:1] if len(systems) == 2 else ())
