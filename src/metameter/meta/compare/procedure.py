"""Which systems really differ: means with intervals, all pairs or against baselines, groups, per-topic differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metameter.meta.base import procedure
from metameter.meta.compare.baselines import baseline_names, listed_pairs, place_of_pair
from metameter.meta.compare.charts import difference_chart, mean_chart, settling_chart, topic_chart
from metameter.meta.compare.latex import marked_means
from metameter.meta.compare.tables import mean_table, pair_table, topic_table
from metameter.meta.compare.words import WORDS, caption, notes
from metameter.meta.groups import complete
from metameter.meta.printed import Printed
from metameter.meta.settling import convergence_table
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.pair_intervals import pair_intervals
from metameter.stats.pair_tests import run_test
from metameter.stats.pairs import MONTE_CARLO, Correction, Test, check_test, corrected, least_p
from metameter.stats.precision import trials_for
from metameter.types import Scores

__all__ = ["Comparison", "compare"]

_MOST_CHARTS = 12


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed):
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

        One of each a metric, for the first twelve metrics: ``compare``, ``compare_2``, ...
        """
        pairs, topics = self.tables["compare_pairs"], self.tables["compare_topics"]
        drawn: dict[str, Any] = {}
        for number, metric in enumerate(self.table["metric"].unique(maintain_order=True).to_list()[:_MOST_CHARTS]):
            suffix = f"_{number + 1}" if number else ""
            drawn[f"compare{suffix}"] = mean_chart(self.table, metric, self.baseline, self.alpha)
            if len(self.baseline) == 1:
                drawn[f"compare_baseline{suffix}"] = difference_chart(pairs, metric, self.baseline[0], self.alpha)
            drawn[f"compare_topics{suffix}"] = topic_chart(topics, self.table, metric)
        if "compare_convergence" in self.tables:
            drawn["compare_convergence"] = settling_chart(self.tables["compare_convergence"])
        return drawn

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; that of the means with marks of significance."""
        said = f"{caption(self.baseline)} {self.notes[0]}"
        marked = marked_means(self.table, self.tables["compare_pairs"], self.baseline, self.alpha, said)
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
    scores : Scores
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
    >>> values = np.array([[[0.1, 0.2, 0.3, 0.1, 0.2], [0.2, 0.1, 0.3, 0.2, 0.1], [0.9, 0.7, 0.8, 0.9, 0.6]]])
    >>> result = compare(Scores(("AP",), ("x", "y", "z"), ("1", "2", "3", "4", "5"), values))
    >>> [(system, round(mean, 2), group) for system, mean, group in result.table["system", "mean", "group"].rows()]
    [('z', 0.78, 'a'), ('x', 0.18, 'b'), ('y', 0.18, 'b')]
    """
    from metameter.stats.bootstrap import bootstrap_means_interval
    from metameter.stats.checks import require_at_least

    check_test(test, correction, alpha)
    require_at_least(resamples, 2, "resamples")
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    complete(scores)
    names = baseline_names(baseline)
    listed = listed_pairs(scores.systems, names)
    matrix = np.ascontiguousarray(scores.values.transpose(0, 2, 1))
    found = run_test(matrix, test, trials=count, alpha=alpha, seed=seed, jobs=jobs, progress=progress)
    drawn = bootstrap_means_interval(matrix, trials=resamples, level=1.0 - alpha, seed=seed, jobs=Workers.of(jobs))
    options: dict[str, Any] = {"alpha": alpha, "correction": correction, "family": len(listed[0]), "seed": seed}
    options["jobs"] = Workers.of(jobs)
    ends = pair_intervals(matrix, test, found, drawn.distribution, **options)
    tables = {
        "compare": mean_table(scores, drawn, corrected(found.pvalue, correction) < alpha, alpha),
        "compare_pairs": pair_table(scores, matrix, found, ends, listed, correction),
        "compare_topics": topic_table(scores, names),
    }
    settling = convergence_table(scores.metrics, matrix, found, correction, alpha, seed, jobs)
    if settling is not None:
        tables["compare_convergence"] = settling
    asked = {"test": test, "trials": found.trials, "alpha": alpha, "correction": correction, "seed": seed}
    manifest = manifest_of(procedure="compare", baseline=list(names), resamples=resamples, **asked)
    # The p-values of the table are corrected for the pairs that it lists: so is what a p of zero is below.
    shown = replace(found, pvalue=found.pvalue[:, place_of_pair(*listed, len(scores.systems))])
    sizes = {"topics": len(scores.topics), "every": found.pvalue.shape[1], "resamples": resamples}
    said = notes(shown, test, alpha, correction, **sizes)
    least = least_p(shown, correction)
    return Comparison(tables, {**manifest, "scores": scores.manifest}, said, least, names, alpha)
