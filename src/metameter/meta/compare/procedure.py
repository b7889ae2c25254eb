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
from metameter.meta.compare.latex import marked_means
from metameter.meta.compare.missing_topics import missing_topic_sentences
from metameter.meta.compare.tables import (
    BASELINE_NAMES,
    mean_table,
    means_first,
    most_different_first,
    pair_table,
    topic_table,
)
from metameter.meta.compare.text import FEWEST_TOPICS, WORDS, answer_of, baseline_notes, caption, few_topics, notes
from metameter.meta.framework.monte_carlo_result import MonteCarloResult, convergence_table, with_p_as_text
from metameter.meta.framework.requirements import require_complete, require_few_pairs
from metameter.notation import spell_value
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import Floats, check_count, check_level, check_seed
from metameter.stats.intervals.means import MeanIntervals, mean_intervals, pair_widths, width_is_required_difference
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
    pair_position,
)
from metameter.types import Scores
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    import polars as pl


# Memory per pair of systems and metric, measured with 50 topics: 241, 210, 208 and 211 bytes with 500, 1,000, 2,000
# and 3,000 systems; the same with a baseline (500 and 1,000).
_BYTES = 210


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(MonteCarloResult):
    """Result of `compare`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        With baselines first ``compare_baseline``; ``compare``, ``compare_pairs``, ``compare_topics`` and, for a test
        that draws at random, ``compare_convergence``.
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
        *("metric", "system", "system_a", "system_b", "mean", "baseline_mean", "difference", "low", "high", "group"),
        *("p", "wins", "ties", "losses"),
    )

    baseline: tuple[str, ...] = ()
    alpha: float = 0.05
    required: bool = True
    missing_topics: tuple[str, ...] = ()

    def important(self, name: str) -> tuple[str, ...]:
        """The columns that a terminal keeps longest; with several baselines, also which baseline it is."""
        return (*(["baseline"] if len(self.baseline) > 1 else []), *self.first_columns)

    def answer(self) -> list[str]:
        """Which system beats which, and by how much."""
        topics = self.tables["compare_topics"]["topic"].n_unique()
        verdicts = answer_of(self.tables, self.alpha, required=self.required)
        return [*few_topics(topics), *verdicts, *self.missing_topics]

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for terminal, Markdown and LaTeX. CSV and JSON keep the numbers of ``tables``."""
        chosen = self.table_name(name)
        table = self.tables[chosen]
        if chosen == "compare_topics":
            table = most_different_first(table)
        if chosen == "compare_baseline":
            table = means_first(table)
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
        """Each table as LaTeX; the table of means has marks of significance."""
        text = f"{caption(self.baseline)} {self.notes[0]}"
        means, against = self.tables["compare"], self.tables.get("compare_baseline")
        laid_out = {
            "compare": marked_means(means, against, self.baseline, self.alpha, text),
            "compare_topics": self._latex("compare_topics", most_different_first(self.tables["compare_topics"])),
        }
        if against is not None:
            laid_out["compare_baseline"] = self._latex("compare_baseline", means_first(against))
        return {**super().latex(), **laid_out}


@procedure(
    WORDS,
    result=Comparison,
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
        baseline, difference, low, high, effect, p, wins, ties, losses, mean, baseline_mean, ...).

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
    alpha, seed, workers = check_level(alpha), check_seed(seed), Workers.of(jobs)
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    resamples = check_count(resamples, "resamples", 2)
    scores = require_complete(scores)
    require_few_pairs(scores, _BYTES)
    affixes = CommonAffixes.of_manifest(scores.manifest)
    named = tuple(affixes.known(name, scores.systems) for name in baseline_names(baseline))
    baselines = baselines_among(scores.systems, named)
    matrix = scores.matrix
    pairs = run_test(matrix, test, trials=count, alpha=alpha, seed=seed, jobs=workers, progress=progress)

    def interval_widths(tested: PairTests, positions: Any = slice(None)) -> tuple[Floats, Floats]:
        if len(scores.topics) < FEWEST_TOPICS:
            return np.full_like(tested.pvalue, np.nan), np.full_like(tested.pvalue, np.nan)
        return pair_widths(
            matrix, test, tested, alpha=alpha, correction=correction, seed=seed, selection=positions, jobs=workers
        )

    tables: dict[str, pl.DataFrame] = {}
    about_baselines: tuple[str, ...] = ()
    if baselines:
        chosen = [scores.systems.index(name) for name in baselines]
        against = against_baselines(
            matrix, test, pairs, chosen, alpha=alpha, seed=seed, jobs=workers, progress=progress
        )
        compared = compared_pairs(len(scores.systems), chosen)
        widths = interval_widths(against, pair_position(*compared, len(scores.systems)))
        tables["compare_baseline"] = pair_table(scores, against, widths, compared, correction, BASELINE_NAMES)
        about_baselines = baseline_notes(pairs, against, test, alpha, correction, baselines, by_default=not named)
    intervals = _mean_intervals(scores, resamples, alpha, seed, workers)
    tables["compare"] = mean_table(scores, intervals, corrected_pvalues(pairs.pvalue, correction) < alpha)
    every = compared_pairs(len(scores.systems))
    tables["compare_pairs"] = pair_table(scores, pairs, interval_widths(pairs), every, correction)
    tables["compare_topics"] = topic_table(scores, baselines)
    convergence = convergence_table(scores.metrics, matrix, pairs, correction, alpha, seed, workers)
    if convergence is not None:
        tables["compare_convergence"] = convergence
    manifest = manifest_of(
        procedure="compare",
        baseline=list(baselines),
        resamples=resamples,
        test=test,
        trials=pairs.trials,
        alpha=alpha,
        correction=correction,
        seed=seed,
    )
    sentences = notes(
        pairs, test, alpha, correction, topics=len(scores.topics), resamples=resamples, about_baselines=about_baselines
    )

    def compare_others(others: Scores) -> Comparison:
        return compare(
            others,
            baseline=list(baselines),
            test=test,
            trials=trials,
            alpha=alpha,
            correction=correction,
            resamples=2,
            until=until,
            seed=seed,
            jobs=workers,
        )

    return Comparison(
        tables,
        {**manifest, "scores": scores.manifest},
        sentences,
        baseline=baselines,
        alpha=alpha,
        required=width_is_required_difference(test, correction),
        missing_topics=missing_topic_sentences(scores, tables, compare_others, alpha),
    )


def _mean_intervals(scores: Scores, resamples: int, alpha: float, seed: int, jobs: Workers) -> MeanIntervals:
    if len(scores.topics) < FEWEST_TOPICS:
        means = scores.matrix.mean(axis=1)
        return MeanIntervals(means, np.full_like(means, np.nan), np.full_like(means, np.nan))
    return mean_intervals(scores.matrix, trials=resamples, level=1.0 - alpha, seed=seed, jobs=jobs)


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
