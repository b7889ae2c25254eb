"""Which systems really differ: means with intervals, all pairs or against baselines, groups, per-topic differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from metameter.meta.base import procedure
from metameter.meta.compare.baselines import baseline_names, listed_pairs, place_of_pair
from metameter.meta.compare.charts import convergence_chart, metric_charts
from metameter.meta.compare.latex import marked_means
from metameter.meta.compare.tables import mean_table, pair_table, topic_table
from metameter.meta.compare.words import WORDS, caption, notes
from metameter.meta.convergence import convergence_table
from metameter.meta.monte_carlo_result import MonteCarloResult
from metameter.meta.requirements import require_complete
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_level
from metameter.stats.options import check_count, check_seed
from metameter.stats.pair_intervals import pair_intervals
from metameter.stats.pair_tests import run_test
from metameter.stats.pairs import MONTE_CARLO, Correction, Test, check_test, corrected, least_p
from metameter.stats.precision import trials_for
from metameter.types import Scores

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(MonteCarloResult):
    """Result of `compare`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``compare``, ``compare_pairs``, ``compare_topics`` and, for the randomised Tukey HSD, ``compare_convergence``.
    baseline : tuple of str
    alpha : float
    """

    baseline: tuple[str, ...] = ()
    alpha: float = 0.05

    def charts(self) -> dict[str, Any]:
        """Means with their groups (``compare``), differences (``compare_baseline``), per-topic differences, ...

        One of each for the first twelve metrics: ``compare``, ``compare_2``, ...
        """
        drawn = metric_charts(self.tables, self.baseline, self.alpha)
        if "compare_convergence" in self.tables:
            drawn["compare_convergence"] = convergence_chart(self.tables["compare_convergence"])
        return drawn

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; that of the means with marks of significance."""
        text = f"{caption(self.baseline)} {self.notes[0]}"
        marked = marked_means(self.table, self.tables["compare_pairs"], self.baseline, self.alpha, text)
        return {**super().latex(), "compare": marked}


@procedure(WORDS, result=Comparison)
def compare(
    scores: Scores,
    *,
    baseline: list[str] = (),  # type: ignore[assignment]
    test: Test = "tukey-randomised",
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
        Compare every system with this one; may be repeated. By default all pairs are compared.
    test : {"tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"}
        Which test: the randomised or the classical Tukey HSD, which have one error rate for all pairs; or the
        bootstrap, t, Wilcoxon or sign test of each pair alone.
    trials : int
        Shuffles of the randomised Tukey HSD, or bootstrap samples of the bootstrap test.
    alpha : float
        Pairs with p below it differ significantly; intervals are of the level 1 - alpha.
    correction : {"none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        Correct the p-values of a test of each pair alone for the number of pairs compared.
    resamples : int
        Bootstrap samples of topics, for the intervals of the means.
    until : float
        Instead of a number of trials: as many as it takes for the Monte-Carlo standard error of every p-value to be
        at most this, whatever the p-values are.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        Threads, by default all cores; the numbers do not depend on it.
    progress : callable
        Told how far the work is.

    Returns
    -------
    Comparison
        Tables ``compare`` (metric, system, mean, low, high, group, ...; best first), ``compare_pairs`` (metric,
        system_a, system_b, difference, low, high, effect, p, wins, ties, losses, ...; all of a against b, which is the
        baseline if one is given) and ``compare_topics`` (metric, system, baseline, topic, score, delta), against the
        baselines or else against the best system.

    References
    ----------
    carterette2012, sakai2014

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[[0.1, 0.2, 0.3, 0.1, 0.2], [0.2, 0.1, 0.3, 0.2, 0.1], [0.9, 0.7, 0.8, 0.9, 0.6]]])
    >>> result = compare(Scores(("AP",), ("x", "y", "z"), ("1", "2", "3", "4", "5"), values))
    >>> [(system, round(mean, 2), group) for system, mean, group in result.table["system", "mean", "group"].rows()]
    [('z', 0.78, 'a'), ('x', 0.18, 'b'), ('y', 0.18, 'b')]
    """
    from metameter.stats.bootstrap import bootstrap_means_interval

    check_test(test, correction)
    alpha = check_level(alpha)
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    resamples, seed = check_count(resamples, "resamples", 2), check_seed(seed)
    scores = require_complete(scores)
    names = baseline_names(baseline)
    listed = listed_pairs(scores.systems, names)
    workers = Workers.of(jobs)
    pairs = run_test(scores.matrix, test, trials=count, alpha=alpha, seed=seed, jobs=jobs, progress=progress)
    drawn = bootstrap_means_interval(scores.matrix, trials=resamples, level=1.0 - alpha, seed=seed, jobs=workers)
    options: dict[str, Any] = {"alpha": alpha, "correction": correction, "family": len(listed[0]), "seed": seed}
    ends = pair_intervals(scores.matrix, test, pairs, drawn.distribution, jobs=workers, **options)
    tables = {
        "compare": mean_table(scores, drawn, corrected(pairs.pvalue, correction) < alpha, alpha),
        "compare_pairs": pair_table(scores, scores.matrix, pairs, ends, listed, correction),
        "compare_topics": topic_table(scores, names),
    }
    convergence = convergence_table(scores.metrics, scores.matrix, pairs, correction, alpha, seed, jobs)
    if convergence is not None:
        tables["compare_convergence"] = convergence
    asked = {"test": test, "trials": pairs.trials, "alpha": alpha, "correction": correction, "seed": seed}
    manifest = manifest_of(procedure="compare", baseline=list(names), resamples=resamples, **asked)
    # The p-values of the table are corrected for the pairs that it lists: so is the bound of a p of zero.
    shown = replace(pairs, pvalue=pairs.pvalue[:, place_of_pair(*listed, len(scores.systems))])
    sizes = {"topics": len(scores.topics), "every": pairs.pvalue.shape[1], "resamples": resamples}
    sentences = notes(shown, test, alpha, correction, **sizes)
    least = least_p(shown, correction)
    return Comparison(tables, {**manifest, "scores": scores.manifest}, sentences, least, names, alpha)
