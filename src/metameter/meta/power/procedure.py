"""Which metric separates systems: discriminative power, and whether its verdicts hold on other topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.meta.base import procedure
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_charts import aggregation_colours, ordered_metrics
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.framework.monte_carlo_result import MonteCarloResult, convergence_table
from metameter.meta.framework.options import RESAMPLES, TRIALS
from metameter.meta.framework.requirements import require_complete, require_few_pairs
from metameter.meta.framework.sampling import Sampling
from metameter.meta.power.intervals import beaten_metrics, power_intervals, powers_resampled
from metameter.meta.power.tables import (
    added_table,
    agreement_table,
    comparisons,
    curve_labels,
    curve_table,
    pair_table,
    paper_table,
    power_table,
)
from metameter.meta.power.text import WORDS, conclusion, interval_notes, notes
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_count, check_level, check_seed
from metameter.stats.resampling.monte_carlo_error import check_precision, trials_for
from metameter.stats.resampling.samples import Resample
from metameter.stats.significance.confirmation import confirmed_verdicts, split_count
from metameter.stats.significance.pair_tests import run_test
from metameter.stats.significance.pairs import MONTE_CARLO, Correction, Test, check_test, corrected_pvalues
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats


# Memory per pair of systems and metric, measured with 50 topics: 131, 121, 118 and 119 bytes with 500, 1,000, 2,000
# and 3,000 systems.
_BYTES = 120


@dataclass(frozen=True, eq=False, repr=False)
class Power(MonteCarloResult):
    """Result of `power`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``power``, ``power_pairs``, ``power_curve``, ``power_agreement``, ``power_added`` and, for a test that draws
        at random, ``power_convergence``.
    alpha : float
    falling : ndarray, (metrics, pairs)
        The p-values of all pairs in descending order: the curves.
    resampled : ndarray, (resamples, metrics)
        Power of every resample, by the normal approximation of the randomised test; no rows without intervals.
    """

    table_names: ClassVar[tuple[str, ...]] = (
        "power",
        "power_pairs",
        "power_curve",
        "power_agreement",
        "power_added",
        "power_convergence",
    )

    alpha: float = 0.05
    falling: Any = field(default=None, repr=False)
    resampled: Any = field(default=None, repr=False)

    def conclusion(self) -> list[str]:
        """Which metrics are shown to separate fewer pairs of systems than another."""
        return conclusion(self.table, self.manifest["options"])

    def charts(self) -> dict[str, Any]:
        """``power_curve`` (one panel per browsing model), ``power``, ``required_difference``, ``power_convergence``."""
        metrics = self.table["metric"].to_list()
        charts = {
            "power_curve": curves_chart(metrics, self.falling, self.tables["power_curve"], self.alpha),
            "power": ordered_chart(self.table, "power", "power", "Share of pairs that differ significantly"),
        }
        if self.table["required_difference"].is_not_null().any():
            title = "Difference required, as a share of the largest difference observed"
            charts["required_difference"] = ordered_chart(self.table, "required_share", "required share", title)
        if "power_convergence" in self.tables:
            charts["power_convergence"] = convergence_chart(metrics, self.falling, self.tables["power_convergence"])
        return charts

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; of ``power``, the columns that papers print."""
        return {**super().latex(), "power": paper_table(self.table, self.notes[0])}


@procedure(
    WORDS,
    result=Power,
    options={"trials": TRIALS, "alpha": None, "resamples": RESAMPLES, "resample": None, "groups": None},
    place=40,
    fewest_systems=FEWEST_SYSTEMS,
    checks={"until": check_precision},
)
def power(
    scores: Scores,
    *,
    test: Test = "tukey-randomised",
    trials: int = 2000,
    alpha: float = 0.05,
    correction: Correction = "none",
    resamples: int = 1000,
    resample: Resample = "topics",
    groups: Any = None,
    until: float | None = None,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Power:
    r"""Say which metric separates systems best: the share of pairs that differ significantly.

    Power alone rewards a metric that is wrong with confidence. The tables therefore also say whether verdicts hold: the
    topics are split at random into halves, and of the pairs that are significant on one half, ``agreement`` is the
    share significant in the same direction on the other half, ``reversed`` the share significant in the opposite
    direction. Pairs that only one of two metrics separates may hold less often than pairs that both separate; that is
    in ``power_added``.

    Parameters
    ----------
    scores : Scores, path or data frame
        At least two systems and two topics, no cell missing.
    test : {"max-t", "tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"}
        Which test: the randomised or the classical Tukey HSD, which have one error rate for all pairs if all systems
        have equal variances; max-t, which bootstraps the largest difference in standard errors and has one error rate
        for all pairs; or the bootstrap, t, Wilcoxon or sign test of each pair alone.
    trials : int
        Shuffles of the randomised Tukey HSD, or bootstrap samples. A p-value drawn at random is (b + 1) / (trials + 1),
        where b trials are as extreme.
    alpha : float
        Pairs with p below it count as significant.
    correction : {"none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        Correct the p-values of a test of each pair alone for the number of pairs.
    resamples : int
        How many times topics, or systems, are resampled for the intervals of power by the randomised Tukey HSD; 0
        leaves the intervals out.
    resample : {"topics", "systems", "both"}
        Resample topics, systems or both, for intervals about other topics, other systems, or both.
    groups : path or mapping, optional
        Systems that are resampled together, such as the runs of one team, which are often nearly the same: a file with
        a system and its group on each line, or a mapping. A system without a group is a group of its own.
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
    Power
        Tables ``power`` (metric, pairs, significant, power, required_difference, ...), ``power_pairs`` (metric,
        system_a, system_b, difference, effect, p, ...; the difference is a minus b, the effect is the difference in
        residual standard deviations for the Tukey tests and Cohen's d_z for the others), ``power_curve`` (the p-values
        of all pairs in descending order, run-length encoded), ``power_agreement`` and ``power_added``.

    References
    ----------
    carterette2012, sakai2006, chen2023

    Examples
    --------
    >>> values = np.array([[[0.1, 0.2, 0.3, 0.1, 0.2], [0.2, 0.1, 0.3, 0.2, 0.1], [0.9, 0.7, 0.8, 0.9, 0.6]]])
    >>> result = power(Scores(("AP",), ("a", "b", "c"), ("1", "2", "3", "4", "5"), values))
    >>> result.table.select("metric", "pairs", "significant").row(0)  # c differs from a and from b
    ('AP', 3, 2)
    >>> [round(p, 2) for p in result.tables["power_pairs"]["p"]]
    [1.0, 0.01, 0.01]
    """
    check_test(test, correction)
    alpha = check_level(alpha)
    count, seed = trials_for(until, trials, random=test in MONTE_CARLO), check_seed(seed)
    resamples = check_count(resamples, "resamples", 2, zero="for no intervals")
    scores = require_complete(scores)
    require_few_pairs(scores, _BYTES)
    sampling = Sampling.of(scores, resample, groups)
    pairs = run_test(scores.matrix, test, trials=count, alpha=alpha, seed=seed, jobs=jobs, progress=progress)
    resampled = powers_resampled(scores, test, resamples, sampling, alpha=alpha, seed=seed, jobs=jobs)
    pvalue = corrected_pvalues(pairs.pvalue, correction)
    falling = np.ascontiguousarray(np.sort(pvalue, axis=-1)[:, ::-1])
    agreement, added = _confirmation(scores, test, correction, alpha, seed, jobs)
    intervals = power_intervals(pairs, alpha, resampled, sampling.units)
    beaten = beaten_metrics(scores, alpha, resampled, sampling.units)
    tables = {
        "power": power_table(scores.metrics, pairs, pvalue, correction, alpha, agreement, intervals, beaten),
        "power_pairs": pair_table(scores, pairs, pvalue, correction),
        "power_curve": curve_table(scores.metrics, falling),
        "power_agreement": agreement,
        "power_added": added,
    }
    convergence = convergence_table(scores.metrics, scores.matrix, pairs, correction, alpha, seed, jobs)
    if convergence is not None:
        tables["power_convergence"] = convergence
    manifest = manifest_of(
        procedure="power",
        test=test,
        trials=pairs.trials,
        alpha=alpha,
        correction=correction,
        seed=seed,
        resamples=len(resampled),
        resample=resample,
        groups=sampling.groups or None,
        topics=len(scores.topics),
        systems=len(scores.systems),
    )
    sentences = (
        *notes(scores, pairs, test, correction, alpha, falling),
        *interval_notes(test, len(resampled), sampling, with_intervals=resamples > 0),
    )
    manifest["scores"] = scores.manifest
    return Power(tables, manifest, sentences, alpha=alpha, falling=falling, resampled=resampled, names=scores.names)


def _confirmation(
    scores: Scores, test: Test, correction: Correction, alpha: float, seed: int, jobs: int | Workers | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables ``power_agreement`` and ``power_added``: whether verdicts hold on the other half of the topics."""
    against = comparisons(scores.metrics)
    halves = confirmed_verdicts(
        scores.matrix, test, alpha=alpha, correction=correction, seed=seed, jobs=jobs, against=against
    )
    return (
        agreement_table(scores.metrics, test, halves.shares, halves.errors),
        added_table(scores.metrics, against, split_count(test), halves.added, halves.added_errors),
    )


_ACROSS = "pairs with at least this p"
_MOST_STEPS = 120


def curves_chart(metrics: Sequence[str], falling: Floats, curve: pl.DataFrame, alpha: float) -> Any:
    """The panels of Figure 2 of Chen and Sakai (2023): one curve per metric, equal ones once, canonical ones thick.

    Only small p-values are drawn, since verdicts are decided near alpha. All panels have the same scales, from the
    origin on: the closer to the origin, the better.
    """
    import polars as pl

    from metameter.view.charts import curves

    top = min(1.0, max(0.15, 3.0 * alpha))
    by_metric = {name: part for (name,), part in curve.partition_by("metric", as_dict=True).items()}
    canonical = {name for name in metrics if is_canonical(name)}
    parts, thick = [], []
    for group, labels in curve_labels(metrics, falling).items():
        for label, alike in labels.items():
            points = _points(by_metric[metrics[alike[0]]], falling.shape[1], top)
            parts.append(pl.DataFrame({**points, "panel": group, "metric": label}))
            if any(metrics[i] in canonical for i in alike):
                thick.append(label)
    title = f"Achieved significance levels, p up to {top:g}: the closer to the origin, the more a metric discriminates"
    return curves(
        pl.concat(parts),
        *(_ACROSS, "p", "metric", "panel", thick),
        title=title,
        domain=(0.0, top),
        across=(0.0, float(falling.shape[1])),
        level=alpha,
        colours=aggregation_colours,
    )


def _points(curve: pl.DataFrame, pairs: int, top: float) -> dict[str, Any]:
    p, first, last = (curve[name].to_numpy() for name in ("p", "first", "last"))
    steps = np.flatnonzero(p <= top)
    # A panel has no room for more steps; the last is always among them.
    every = 1 + len(steps) // _MOST_STEPS
    steps = np.union1d(steps[::every], steps[-1:])
    ends = np.stack([first[steps], last[steps]], axis=1).reshape(-1)
    # The line begins where it enters the frame from above, or at the last pair if it never does.
    x = np.concatenate([ends[:1], ends]) if len(ends) else np.array([pairs, pairs])
    y = np.concatenate([[top], np.repeat(p[steps], 2)]) if len(ends) else np.array([top, top])
    return {_ACROSS: x.astype(np.int64), "p": y}


def ordered_chart(table: pl.DataFrame, column: str, name: str, title: str) -> Any:
    """A column of shares with its Monte-Carlo error, the highest value first."""
    import polars as pl

    error = 1.96 * pl.col(f"{column}_error").fill_null(0.0)
    frame = table.select(
        "metric",
        pl.col(column).alias(name),
        (pl.col(column) - error).clip(0.0).alias("low"),
        pl.min_horizontal(pl.col(column) + error, pl.max_horizontal(pl.col(column), 1.0)).alias("high"),
    )
    return ordered_metrics(frame, name, "low", "high", title=title)


def convergence_chart(metrics: Sequence[str], falling: Floats, convergence: pl.DataFrame) -> Any:
    """Power after increasing numbers of trials; metrics with equal curves are drawn once."""
    import polars as pl

    from metameter.view import charts

    labels = [
        (metrics[alike[0]], panel, label)
        for panel, names in curve_labels(metrics, falling).items()
        for label, alike in names.items()
    ]
    labelled = pl.DataFrame(labels, schema=["metric", "panel", "label"], orient="row")
    frame = labelled.join(convergence, on="metric", maintain_order="left").drop("metric").rename({"label": "metric"})
    columns = ("trials", "power", "power_error", "metric", "panel")
    title = "Power after increasing numbers of trials"
    return charts.convergence(frame, *columns, title=title, colours=aggregation_colours)
