"""Which systems really differ: means with intervals, all pairs or against baselines, groups, per-topic differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError, did_you_mean
from metameter.meta._convergence import bound_errors, convergence_chart
from metameter.meta._groups import complete, group_of
from metameter.meta._intervals import describe_intervals, pair_intervals
from metameter.meta._letters import group_names, shortened
from metameter.meta._marks import marked_means
from metameter.meta._pairs import MONTE_CARLO, NAMES, TUKEY, Correction, Pairs, Test, check, corrected, run_test
from metameter.meta._precision import trials_for
from metameter.meta._prefixes import convergence_table
from metameter.meta._printed import Printed, least_p
from metameter.registry import register
from metameter.scoring.executor import workers
from metameter.scoring.manifest import manifest_of
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Comparison", "compare"]

_MOST_CHARTS = 12
_MOST_SYSTEMS = 40


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
        drawn: dict[str, Any] = {}
        for number, metric in enumerate(self.table["metric"].unique(maintain_order=True).to_list()[:_MOST_CHARTS]):
            suffix = f"_{number + 1}" if number else ""
            drawn[f"compare{suffix}"] = self._means(metric)
            if len(self.baseline) == 1:
                drawn[f"compare_baseline{suffix}"] = self._differences(metric)
            drawn[f"compare_topics{suffix}"] = self._topics(metric)
        if "compare_convergence" in self.tables:
            drawn["compare_convergence"] = self._convergence()
        return drawn

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; that of the means with marks of significance."""
        marked = marked_means(self.table, self.tables["compare_pairs"], self.baseline, self.alpha, self._caption())
        return {**super().latex(), "compare": marked}

    def _caption(self) -> str:
        if self.baseline:
            numbered = ", ".join(f"({n}) {name}" for n, name in enumerate(self.baseline, start=1))
            said = (
                f"A number above a mean: significantly higher than this baseline; below: lower. Baselines: {numbered}."
            )
        else:
            said = "Systems of one metric that share a letter do not differ significantly."
        return f"Mean scores, the best in bold. {said} {self.notes[0]}"

    def _means(self, metric: str) -> Any:
        import polars as pl

        from metameter.view.charts import ordered_intervals

        frame = self.table.filter(pl.col("metric") == metric)
        # The builder colours few groups and writes many beside the rows, where long lists of letters need the room.
        short = pl.Series("group", [shortened(group) for group in frame["group"]])
        many = short.n_unique() > 1 and frame.height > 1
        title = f"{metric}: mean and {100 * (1 - self.alpha):g}% interval over topics; systems that share a letter "
        return ordered_intervals(
            frame.with_columns(short),
            "system",
            "mean",
            "low",
            "high",
            "group" if many else None,
            self.baseline,
            title=title + "do not differ significantly",
        )

    def _differences(self, metric: str) -> Any:
        import polars as pl

        from metameter.view.charts import ordered_intervals

        frame = self.tables["compare_pairs"].filter(pl.col("metric") == metric)
        found = frame.filter(pl.col("p") < self.alpha)["system_a"].to_list()
        title = f"{metric}: difference from {self.baseline[0]}, with its interval; in colour where significant"
        # A name that no system has keeps all of them grey when none differs.
        highlight = found or ("",)
        return ordered_intervals(frame, "system_a", "difference", "low", "high", None, highlight, title=title)

    def _topics(self, metric: str) -> Any:
        import polars as pl

        from metameter.view.charts import heat_map

        frame = self.tables["compare_topics"].filter(pl.col("metric") == metric)
        frame = frame.filter(pl.col("baseline") == frame["baseline"][0])
        best = self.table.filter(pl.col("metric") == metric)["system"].head(_MOST_SYSTEMS + 1).implode()
        title = f"{metric}: score minus that of {frame['baseline'][0]}, topic by topic"
        return heat_map(frame.filter(pl.col("system").is_in(best)), "topic", "system", "delta", title=title)

    def _convergence(self) -> Any:
        import polars as pl

        table = self.tables["compare_convergence"]
        panel = pl.Series("panel", [group_of(metric) for metric in table["metric"]])
        columns = ("trials", "power", "power_error", "metric", "panel")
        title = "Share of pairs that differ significantly, after the first so many trials"
        return convergence_chart(table.with_columns(panel), *columns, title=title)


@register("meta")
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
    jobs: int | None = None,
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

    check(test, correction, alpha)
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    complete(scores)
    listed = _listed(scores.systems, baseline)
    matrix = np.ascontiguousarray(scores.values.transpose(0, 2, 1))
    found = run_test(matrix, test, trials=count, alpha=alpha, seed=seed, jobs=jobs, progress=progress)
    drawn = bootstrap_means_interval(matrix, trials=resamples, level=1.0 - alpha, seed=seed, jobs=workers(jobs))
    options: dict[str, Any] = {"alpha": alpha, "correction": correction, "family": len(listed[0]), "seed": seed}
    ends = pair_intervals(matrix, test, found, drawn.distribution, **options)
    different = corrected(found.pvalue, correction) < alpha
    tables = {
        "compare": _mean_table(scores, matrix, drawn, different, alpha),
        "compare_pairs": _pair_table(scores, matrix, found, ends, listed, correction),
        "compare_topics": _topic_table(scores, baseline),
    }
    settling = convergence_table(scores.metrics, matrix, found, correction, alpha, seed, jobs)
    if settling is not None:
        tables["compare_convergence"] = settling
    asked = {"test": test, "trials": found.trials, "alpha": alpha, "correction": correction, "seed": seed}
    manifest = manifest_of(procedure="compare", baseline=list(_names(baseline)), resamples=resamples, **asked)
    return Comparison(
        tables,
        {**manifest, "scores": scores.manifest},
        _notes(scores, found, test, alpha, correction, listed, resamples),
        least=least_p(found, correction),
        baseline=_names(baseline),
        alpha=alpha,
    )


def _names(baseline: Any) -> tuple[str, ...]:
    return (baseline,) if isinstance(baseline, str) else tuple(dict.fromkeys(baseline))


def _listed(systems: tuple[str, ...], baseline: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which systems are compared with which: all pairs, or every system with each baseline.

    Examples
    --------
    >>> [side.tolist() for side in _listed(("a", "b", "c"), ["b", "a"])]
    [[0, 2, 2], [1, 1, 0]]
    """
    from metameter.stats.checks import system_pairs

    names = _names(baseline)
    for name in names:
        if name not in systems:
            raise MetameterError("no system has this name", given=name, fix=did_you_mean(name, list(systems)))
    if not names:
        return system_pairs(len(systems))
    places = [systems.index(name) for name in names]
    pairs = [(a, b) for n, b in enumerate(places) for a in range(len(systems)) if a not in places[: n + 1]]
    first, second = np.array(pairs, dtype=np.intp).T
    return first, second


def _mean_table(scores: Scores, matrix: Floats, drawn: Any, different: NDArray[np.bool_], alpha: float) -> pl.DataFrame:
    import polars as pl

    from metameter.stats.checks import system_pairs

    means = np.asarray(drawn.statistic)
    order = np.argsort(-means, axis=-1, kind="stable")
    first, second = system_pairs(means.shape[-1])
    letters = []
    for row, ranked in zip(different, order, strict=True):
        square = np.zeros((means.shape[-1], means.shape[-1]), dtype=bool)
        square[first, second] = square[second, first] = row
        names = group_names(square, ranked)
        letters += [names[system] for system in ranked]
    errors = bound_errors(drawn.distribution, 1.0 - alpha)
    numbers = (means, *drawn.confidence_interval, *errors)
    mean, low, high, low_error, high_error = (np.take_along_axis(each, order, -1).reshape(-1) for each in numbers)
    repeated = np.repeat(np.arange(len(means)), means.shape[-1])
    return pl.DataFrame(
        {
            "metric": pl.Series(scores.metrics, dtype=pl.String).gather(repeated),
            "system": pl.Series(scores.systems, dtype=pl.String).gather(order.reshape(-1)),
            "mean": mean,
            "low": low,
            "high": high,
            "group": pl.Series(letters, dtype=pl.String),
            "low_error": low_error,
            "high_error": high_error,
        }
    )


def _pair_table(
    scores: Scores,
    matrix: Floats,
    found: Pairs,
    ends: tuple[Floats, Floats],
    listed: tuple[NDArray[np.intp], NDArray[np.intp]],
    correction: str,
) -> pl.DataFrame:
    import polars as pl

    a, b = listed
    count = len(scores.systems)
    low_place, high_place = np.minimum(a, b), np.maximum(a, b)
    place = low_place * (2 * count - low_place - 1) // 2 + high_place - low_place - 1
    sign = np.where(a < b, 1.0, -1.0)
    low, high = (end[:, place] for end in ends)
    metrics = len(scores.metrics)
    systems = pl.Series(scores.systems, dtype=pl.String)
    uncorrected = found.pvalue[:, place]
    columns: dict[str, Any] = {
        "metric": pl.Series(scores.metrics, dtype=pl.String).gather(np.repeat(np.arange(metrics), len(a))),
        "system_a": systems.gather(np.tile(a, metrics)),
        "system_b": systems.gather(np.tile(b, metrics)),
        "difference": sign * found.difference[:, place] + 0.0,
        "low": np.where(sign > 0, low, -high),
        "high": np.where(sign > 0, high, -low),
        "effect": sign * found.effect[:, place] + 0.0,
        "p": corrected(uncorrected, correction),
        **dict(zip(("wins", "ties", "losses"), _outcomes(matrix, a, b), strict=True)),
        "p_error": found.pvalue_error[:, place],
    }
    if correction != "none":
        columns["p_uncorrected"] = uncorrected
    flat = {name: part.reshape(-1) if isinstance(part, np.ndarray) else part for name, part in columns.items()}
    return pl.DataFrame(flat).with_columns(pl.selectors.float().fill_nan(None))


def _outcomes(matrix: Floats, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """On how many topics a is above b, level with it, below it."""
    from metameter.stats.checks import tolerance

    wins, losses = np.empty((2, len(matrix), len(a)), dtype=np.int64)
    for row, one in enumerate(matrix):
        delta = one[:, a] - one[:, b]
        zero = tolerance(one, axes=2)
        wins[row], losses[row] = (delta > zero).sum(axis=0), (delta < -zero).sum(axis=0)
    return wins, matrix.shape[1] - wins - losses, losses


def _topic_table(scores: Scores, baseline: Any) -> pl.DataFrame:
    """Topic by topic, every system minus the baselines, or minus the best system where there is none."""
    import polars as pl

    names = _names(baseline)
    systems, topics = len(scores.systems), len(scores.topics)
    means = scores.values.mean(axis=-1)
    parts = []
    for number, metric in enumerate(scores.metrics):
        bases = [scores.systems.index(name) for name in names] or [int(means[number].argmax())]
        for base in bases:
            others = np.array([i for i in np.argsort(-means[number], kind="stable") if i != base])
            values = scores.values[number][others]
            parts.append((metric, base, others, values, values - scores.values[number][base]))
    return pl.DataFrame(
        {
            "metric": pl.Series([part[0] for part in parts], dtype=pl.String).gather(
                np.repeat(np.arange(len(parts)), (systems - 1) * topics)
            ),
            "system": pl.Series(scores.systems, dtype=pl.String).gather(
                np.repeat(np.concatenate([part[2] for part in parts]), topics)
            ),
            "baseline": pl.Series(scores.systems, dtype=pl.String).gather(
                np.repeat([part[1] for part in parts], (systems - 1) * topics)
            ),
            "topic": pl.Series(scores.topics, dtype=pl.String).gather(
                np.tile(np.arange(topics), len(parts) * (systems - 1))
            ),
            "score": np.concatenate([part[3].reshape(-1) for part in parts]),
            "delta": np.concatenate([part[4].reshape(-1) for part in parts]),
        }
    )


def _notes(
    scores: Scores, found: Pairs, test: str, alpha: float, correction: str, listed: Any, resamples: int
) -> tuple[str, ...]:
    pairs, every = len(listed[0]), found.pvalue.shape[1]
    first = f"{NAMES[test][0].upper()}{NAMES[test][1:]}, alpha = {alpha:g}, {len(scores.topics)} topics"
    first += "." if found.trials is None else f", {found.trials:,} trials."
    notes = [first, describe_intervals(test, alpha, correction)]
    if test in TUKEY and pairs < every:
        notes.append(f"The error rate is that of all {every:,} pairs, not only of those with a baseline.")
    elif test not in TUKEY and correction == "none" and pairs > 1:
        notes.append(f"Each pair is tested alone: up to {alpha * pairs:,.0f} of {pairs:,} may be false alarms.")
    elif correction != "none" and pairs < every:
        notes.append("The correction is for the pairs listed; that of the groups is for all pairs of systems.")
    notes.append(
        f"Intervals of means: {100 * (1 - alpha):g}% of {resamples:,} resamples of the topics, each system for itself. "
        "They say how far a mean may be off, not which systems differ."
    )
    return tuple(notes)
