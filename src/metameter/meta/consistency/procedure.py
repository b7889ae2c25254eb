"""Would other topics rank the systems alike? Split the topics into halves many times and compare the rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.consistency.tables import (
    beaten_by_intervals,
    beaten_by_test,
    blocks_table,
    convergence_rows,
    metric_rows,
    pair_rows,
)
from metameter.meta.consistency.text import WORDS, caption_of, conclusion, notes
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_charts import aggregation_colours, ordered_metrics
from metameter.meta.framework.metric_groups import DIAGNOSTIC, Grouping, short_names
from metameter.meta.framework.metric_groups import groups as grouped_metrics
from metameter.meta.framework.monte_carlo_result import MonteCarloResult
from metameter.meta.framework.options import RESAMPLES, TRIALS
from metameter.meta.framework.requirements import require_complete
from metameter.meta.framework.sampling import Sampling
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_count, check_level, check_number, check_seed
from metameter.stats.consistency.resampled_metrics import ResampledTaus, resampled_taus
from metameter.stats.consistency.split_half import split_taus, tukey_over_splits
from metameter.stats.resampling.samples import Resample
from metameter.types import Scores
from metameter.view.tables.cells import DECIMALS, share_text

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(MonteCarloResult):
    """Split-half consistency: tables ``consistency``, ``consistency_pairs`` and ``consistency_convergence``.

    Attributes
    ----------
    split_taus : ndarray, (splits, metrics)
        Tau of every split; 0 where it is undefined. Metrics are in the order of the scores.
    resampled : ndarray, (resamples, metrics)
        Mean tau of every resample; no rows without intervals.
    noise : ndarray, (blocks of 64 resamples, metrics, metrics)
        The part of the covariance of these means that is due to their few splits.
    """

    table_names: ClassVar[tuple[str, ...]] = ("consistency", "consistency_pairs", "consistency_convergence")
    first_columns: ClassVar[tuple[str, ...]] = (
        "group",
        "metric",
        "metric_a",
        "metric_b",
        "mean_tau",
        "difference",
        "low",
        "high",
    )

    split_taus: Any = field(default=None, repr=False)
    resampled: Any = field(default=None, repr=False)
    noise: Any = field(default=None, repr=False)

    p_column: ClassVar[str] = "p_splits"

    def conclusion(self) -> list[str]:
        """Which metrics are shown to be less consistent than another."""
        return conclusion(self.table, self.tables["consistency_pairs"], self.manifest["options"])

    @property
    def remark(self) -> str:
        """The text below the table; for too few systems only the sentence that says so."""
        return "\n".join(self.conclusion()) if self._has_too_few_systems() else super().remark

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The rows that a terminal shows; none for too few systems, whose figures say nothing about a metric."""
        rows = super().glance(name, digits)
        return rows.clear() if self._has_too_few_systems() else rows

    def _has_too_few_systems(self) -> bool:
        return bool(self.manifest["options"]["systems"] < FEWEST_SYSTEMS)

    def charts(self) -> dict[str, Any]:
        """Mean tau with intervals for other topics, the most consistent metric first; and how the means converged."""
        convergence = self.tables["consistency_convergence"]
        return {
            "consistency": consistency_chart(self.table),
            "consistency_convergence": convergence_chart(self.table, convergence),
        }

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX; ``consistency`` is laid out as Table 3 of Chen and Sakai (2023)."""
        paper = blocks_table(self.table, caption_of(self.manifest["options"]), "tab:consistency")
        return {**super().latex(), "consistency": paper}


def _check_precision(until: float) -> None:
    fix = "Give the Monte-Carlo error to reach, such as 0.001."
    if not 0 < check_number(until, "until", fix) < 1:
        raise MetameterError("until is not a precision", given=until, allowed="a number above 0, below 1", fix=fix)


@procedure(
    WORDS,
    result=Consistency,
    options={
        "splits": None,
        "trials": TRIALS,
        "alpha": None,
        "by": None,
        "resamples": RESAMPLES,
        "resample": None,
        "groups": None,
        "paper_marks": None,
    },
    place=30,
    fewest_systems=FEWEST_SYSTEMS,
    checks={"until": _check_precision},
)
def consistency(
    scores: Scores,
    *,
    splits: int = 1000,
    trials: int = 2000,
    alpha: float = 0.05,
    by: Grouping = "auto",
    resamples: int = 1000,
    resample: Resample = "topics",
    groups: Any = None,
    paper_marks: bool = False,
    until: float | None = None,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Consistency:
    """Ask whether each metric ranks the systems alike on two halves of the topics.

    The topics are split into halves at random, the same splits for every metric; Kendall's tau_b compares the systems'
    means on the two halves; its mean over the splits is the metric's consistency. A split on which a metric gives
    every system the same mean counts as 0.

    One metric beats another if the interval of their difference excludes zero. The intervals are for other topics,
    from resampled topics, and hold for all pairs of the table at once. The test of Chen and Sakai, a randomised Tukey
    HSD over the splits, is about the mean over these splits only: they overlap, and with enough of them any difference
    becomes significant. ``paper_marks`` shows its marks instead.

    Parameters
    ----------
    scores : Scores, path or data frame
        Without missing cells; two systems and two topics or more.
    splits : int
        How many times the topics are split in half; more splits begin with the same ones.
    trials : int
        With ``paper_marks``: how many times the test shuffles the metrics within each split.
    alpha : float
        The chance that any metric of the table is wrongly shown to beat another.
    by : {"auto", "browse", "all"}
        Compare metrics of the same browsing model (those without a model form the group other), or all metrics. By
        default all, except within a grid of browsing models and aggregations, such as a preset gives.
    resamples : int
        How many times topics, or systems, are resampled for the intervals, 4 splits each; 0 leaves the intervals out.
    resample : {"topics", "systems", "both"}
        Resample topics, systems or both, for intervals about other topics, other systems, or both.
    groups : path or mapping, optional
        Systems that are resampled together, such as the runs of one team, which are often nearly the same: a file with
        a system and its group on each line, or a mapping. A system without a group is a group of its own.
    paper_marks : bool
        Let ``beats`` and ``beaten`` be those of Chen and Sakai's test over the splits, with its p-values in
        ``p_splits``: about the mean over these splits, not about other topics.
    until : float
        Draw further splits until the Monte-Carlo error of every mean tau is at most this; the paper's test still uses
        ``splits``.
    seed : int
        The same seed gives the same splits, shuffles and resamples.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Called with the progress of splits and resamples.

    References
    ----------
    chen2023, sakai2021

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> quality = np.linspace(0, 1, 8)[:, None]
    >>> values = np.stack([quality + rng.normal(0, noise, (8, 20)) for noise in (0.2, 2.0)])
    >>> scores = Scores(("sharp", "blurred"), tuple("abcdefgh"), tuple(map(str, range(20))), values)
    >>> result = consistency(scores, splits=200, resamples=100)
    >>> result.table["metric", "beats", "beaten"].rows()
    [('sharp', 1, 'blurred'), ('blurred', 0, '')]
    """
    alpha = check_level(alpha)
    splits, trials, seed = check_count(splits, "splits", 2), check_count(trials, "trials"), check_seed(seed)
    resamples = check_count(resamples, "resamples", 2, zero="for no intervals")
    scores = require_complete(scores)
    workers, grouped = Workers.of(jobs), grouped_metrics(scores.metrics, by)
    sampling = Sampling.of(scores, resample, groups)
    taus = _defined(split_taus(scores.matrix, splits, until, seed, workers, progress), scores)
    resampled = _resampled(scores, resamples, sampling, seed, workers, progress)
    # The paper's test uses the requested number of splits: more would only make more differences significant.
    p_splits = _pvalues_over_splits(taus[:splits], grouped, trials, seed, workers) if paper_marks else None
    units = sampling.units
    pairs = pair_rows(
        scores.metrics, grouped, taus, resampled, units=units, alpha=alpha, p_splits=p_splits, trials=trials
    )
    by_intervals = beaten_by_intervals(pairs) if len(resampled.taus) else None
    beaten = beaten_by_test(pairs, alpha) if paper_marks else by_intervals
    tables = {
        "consistency": metric_rows(scores.metrics, grouped, taus, resampled, beaten, units=units),
        "consistency_pairs": pairs,
        "consistency_convergence": convergence_rows(scores.metrics, grouped, taus),
    }
    manifest = manifest_of(
        procedure="consistency",
        splits=len(taus),
        tested=splits,
        trials=trials,
        alpha=alpha,
        by=by,
        until=until,
        paper_marks=paper_marks,
        resamples=len(resampled.taus),
        resample=resample,
        groups=sampling.groups or None,
        seed=seed,
        topics=len(scores.topics),
        systems=len(scores.systems),
    )
    sentences = notes(manifest["options"], sampling, with_intervals=resamples > 0)
    manifest["scores"] = scores.manifest
    return Consistency(
        *(tables, manifest, sentences),
        split_taus=taus,
        resampled=resampled.taus,
        noise=resampled.noise,
        names=scores.names,
    )


def _resampled(
    scores: Scores, resamples: int, sampling: Sampling, seed: int, jobs: Workers, progress: Progress | None
) -> ResampledTaus:
    """Mean taus on resamples; none where there are too few topics or systems to resample."""
    if not resamples or not sampling.enough:
        return ResampledTaus.none(len(scores.metrics))
    return resampled_taus(
        scores.matrix,
        resamples,
        seed=seed,
        jobs=jobs,
        progress=progress,
        resample=sampling.resample,
        clusters=sampling.clusters,
    )


def _pvalues_over_splits(
    taus: NDArray[np.float64], grouped: dict[str, list[int]], trials: int, seed: int, jobs: Workers
) -> NDArray[np.float64]:
    """The p-values of the paper's test for the pairs of each group, one group after the other."""
    compared = {group: members for group, members in grouped.items() if group != DIAGNOSTIC}
    by_group = tukey_over_splits(taus, compared, trials, seed, jobs)
    return np.concatenate([np.empty(0), *(by_group.get(group, []) for group in compared)])


def _defined(taus: NDArray[np.float64], scores: Scores) -> NDArray[np.float64]:
    """Return the taus with 0 where they are undefined, and say for which metrics."""
    undefined = np.isnan(taus).mean(axis=0)
    names = [
        f"{name} ({share_text(share)} of the splits)"
        for name, share in zip(scores.metrics, undefined, strict=True)
        if share > 0
    ]
    # With fewer systems consistency is not reported at all.
    if names and len(scores.systems) >= FEWEST_SYSTEMS:
        notice(f"where all systems have the same mean on a half, tau counts as 0: {', '.join(names)}")
    return np.nan_to_num(taus)


def consistency_chart(table: pl.DataFrame) -> Any:
    """Mean tau with intervals for other topics, the most consistent metric first."""
    title = "Do halves of the topics rank the systems alike? Mean tau, 95% for other topics"
    return ordered_metrics(table, "mean_tau", "low", "high", title=title)


def convergence_chart(table: pl.DataFrame, convergence: pl.DataFrame) -> Any:
    """Each mean tau after increasing numbers of splits, one panel per group.

    Parameters
    ----------
    table, convergence : polars.DataFrame
        The tables ``consistency`` and ``consistency_convergence``.
    """
    import polars as pl

    from metameter.view import charts

    return charts.convergence(
        convergence.with_columns(pl.col("metric").replace(_labels(table))),
        *("splits", "mean_tau", "se", "metric", "group"),
        title="How the mean tau converged. Grey: 95% interval of the least certain metric",
        colours=aggregation_colours,
    )


def _labels(table: pl.DataFrame) -> dict[str, str]:
    """Metric -> its short name within its group."""
    parts = table.partition_by("group", maintain_order=True)
    members = ((part["metric"].to_list(), str(part["group"][0])) for part in parts)
    pairs = (zip(names, short_names(names, group), strict=True) for names, group in members)
    return {name: short for group in pairs for name, short in group}
