"""Which metric tells systems apart: discriminative power, and whether its verdicts hold on other topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta._agreement import STAND_INS, agreement, agreement_table, splits_for
from metameter.meta._convergence import convergence_chart
from metameter.meta._curves import curve_labels, curve_table, draw_curves
from metameter.meta._groups import complete, group_of, is_canonical
from metameter.meta._pairs import MONTE_CARLO, NAMES, TUKEY, Correction, Pairs, Test, check, corrected, run_test
from metameter.meta._precision import trials_for
from metameter.meta._prefixes import convergence_table, power_error
from metameter.meta._printed import Printed, least_p
from metameter.registry import register
from metameter.scoring.manifest import manifest_of
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["Power", "power"]


@dataclass(frozen=True, eq=False, repr=False)
class Power(Printed):
    """Result of `power`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``power``, ``power_pairs``, ``power_curve``, ``power_agreement`` and, for a test that draws at random,
        ``power_convergence``.
    alpha : float
    falling : ndarray, (metrics, pairs)
        The p-values of all pairs in falling order: the curves, written out.
    """

    alpha: float = 0.05
    falling: Any = field(default=None, repr=False)

    def charts(self) -> dict[str, Any]:
        """``power_curve`` (a panel per browsing model), ``power``, ``required_difference``, ``power_convergence``."""
        metrics = self.table["metric"].to_list()
        drawn = {
            "power_curve": draw_curves(metrics, self.falling, self.tables["power_curve"], self.alpha),
            "power": self._ordered("power", "power", "Share of pairs that differ significantly"),
        }
        if self.table["required_difference"].is_not_null().any():
            title = "Difference required, as a share of the largest difference observed"
            drawn["required_difference"] = self._ordered("required_share", "required share", title)
        if "power_convergence" in self.tables:
            drawn["power_convergence"] = self._convergence()
        return drawn

    def _ordered(self, column: str, name: str, title: str) -> Any:
        import polars as pl

        from metameter.view.charts import ordered_intervals

        error = 1.96 * pl.col(f"{column}_error").fill_null(0.0)
        metrics = self.table["metric"].to_list()
        frame = self.table.select(
            pl.Series("metric", [name + " (canonical)" * is_canonical(name) for name in metrics]),
            pl.col(column).alias(name),
            (pl.col(column) - error).alias("low"),
            (pl.col(column) + error).alias("high"),
            pl.Series("browsing model", [group_of(name) for name in metrics]),
        )
        return ordered_intervals(frame, "metric", name, "low", "high", "browsing model", title=title)

    def _convergence(self) -> Any:
        import polars as pl

        labels = [
            (self.table["metric"][alike[0]], panel, label)
            for panel, names in curve_labels(self.table["metric"].to_list(), self.falling).items()
            for label, alike in names.items()
        ]
        shown = pl.DataFrame(labels, schema=["metric", "panel", "label"], orient="row")
        frame = shown.join(self.tables["power_convergence"], on="metric", maintain_order="left")
        frame = frame.drop("metric").rename({"label": "metric"})
        columns = ("trials", "power", "power_error", "metric", "panel")
        return convergence_chart(frame, *columns, title="Power after the first so many trials")


@register("meta")
def power(
    scores: Scores,
    *,
    test: Test = "tukey-randomised",
    trials: int = 2000,
    alpha: float = 0.05,
    correction: Correction = "none",
    until: float | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Power:
    r"""Say which metric tells systems apart: the share of pairs that differ significantly.

    Power alone rewards a metric that is wrong with confidence. So beside it stands whether verdicts hold: the topics
    are split at random into halves, and ``agreement`` is the share of the pairs significant on one half that are
    significant in the same direction on the other, ``reversed`` the share that is significant the other way round.

    Parameters
    ----------
    scores : Scores
        At least two systems and two topics, no cell missing.
    test : {"tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"}
        Which test: the randomised or the classical Tukey HSD, which have one error rate for all pairs; or the
        bootstrap, t, Wilcoxon or sign test of each pair alone.
    trials : int
        Shuffles of the randomised Tukey HSD, or bootstrap samples.
    alpha : float
        Pairs with p below it count as significant.
    correction : {"none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        Correct the p-values of a test of each pair alone for the number of pairs.
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
    Power
        Tables ``power`` (metric, pairs, significant, power, required_difference, ...), ``power_pairs`` (metric,
        system_a, system_b, difference, effect, p, ...; the difference is a minus b, the effect is the difference in
        residual standard deviations for the Tukey tests and Cohen's d_z for the others), ``power_curve`` (the p-values
        of all pairs in falling order, run-length encoded) and ``power_agreement``.

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
    check(test, correction, alpha)
    count = trials_for(until, trials, random=test in MONTE_CARLO)
    complete(scores)
    matrix = np.ascontiguousarray(scores.values.transpose(0, 2, 1))
    options: dict[str, Any] = {"alpha": alpha, "seed": seed, "jobs": jobs}
    found = run_test(matrix, test, trials=count, progress=progress, **options)
    pvalue = corrected(found.pvalue, correction)
    shares, errors = agreement(matrix, test, correction=correction, **options)
    falling = np.ascontiguousarray(np.sort(pvalue, axis=-1)[:, ::-1])
    tables = {
        "power": _summary(scores.metrics, found, pvalue, correction, alpha),
        "power_pairs": _pair_table(scores, found, pvalue, correction),
        "power_curve": curve_table(scores.metrics, falling),
        "power_agreement": agreement_table(scores.metrics, test, shares, errors),
    }
    tables["power"] = tables["power"].with_columns(
        *tables["power_agreement"].select("agreement", "agreement_error", "reversed", "reversed_error").get_columns()
    )
    settling = convergence_table(scores.metrics, matrix, found, correction, **options)
    if settling is not None:
        tables["power_convergence"] = settling
    asked = {"test": test, "trials": found.trials, "alpha": alpha, "correction": correction, "seed": seed}
    manifest = manifest_of(procedure="power", **asked)
    return Power(
        tables,
        {**manifest, "scores": scores.manifest},
        _notes(scores, found, test, correction, alpha, falling),
        alpha=alpha,
        least=least_p(found, correction),
        falling=falling,
    )


def _summary(metrics: tuple[str, ...], found: Pairs, pvalue: Floats, correction: str, alpha: float) -> pl.DataFrame:
    import polars as pl

    significant = (pvalue < alpha).sum(axis=-1)
    pairs = pvalue.shape[-1]
    largest = np.abs(found.difference).max(axis=-1)
    # With a correction, what is required depends on the other pairs: no one number says it.
    needed, error = (
        part if correction == "none" else np.full_like(part, np.nan) for part in (found.required, found.required_error)
    )
    share, share_error = (
        np.divide(part, largest, out=np.full_like(part, np.nan), where=largest > 0) for part in (needed, error)
    )
    columns = {
        "metric": pl.Series(metrics, dtype=pl.String),
        "pairs": np.full(len(metrics), pairs),
        "significant": significant,
        "power": significant / pairs,
        "required_difference": needed,
        "power_error": power_error(found, correction, alpha),
        "required_difference_error": error,
        "required_share": share,
        "required_share_error": share_error,
        "trials": pl.Series([found.trials] * len(metrics), dtype=pl.Int64),
    }
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def _pair_table(scores: Scores, found: Pairs, pvalue: Floats, correction: str) -> pl.DataFrame:
    import polars as pl

    from metameter.stats.checks import system_pairs

    metrics, pairs = pvalue.shape
    systems = pl.Series(scores.systems, dtype=pl.String)
    first, second = (systems.gather(np.tile(side, metrics)) for side in system_pairs(len(scores.systems)))
    columns: dict[str, Any] = {
        "metric": pl.Series(scores.metrics, dtype=pl.String).gather(np.repeat(np.arange(metrics), pairs)),
        "system_a": first,
        "system_b": second,
        "difference": found.difference.reshape(-1),
        "effect": found.effect.reshape(-1),
        "p": pvalue.reshape(-1),
        "p_error": found.pvalue_error.reshape(-1),
    }
    if correction != "none":
        columns["p_uncorrected"] = found.pvalue.reshape(-1)
    return pl.DataFrame(columns).with_columns(pl.col("p_error").fill_nan(None))


def _notes(scores: Scores, found: Pairs, test: str, correction: str, alpha: float, falling: Floats) -> tuple[str, ...]:
    pairs = falling.shape[1]
    notes = [f"{NAMES[test][0].upper()}{NAMES[test][1:]} on {len(scores.topics)} topics, {pairs:,} pairs."]
    if test in TUKEY:
        notes[0] += (
            f" The chance of any false alarm among all pairs of a metric is at most {alpha:g}: correct no further."
        )
    elif correction == "none":
        notes[0] += f" Each pair is tested alone: up to {alpha * pairs:,.0f} false alarms are to be expected."
    else:
        notes[0] += f" Corrected by {correction}; p_error is that of the uncorrected p."
    if found.trials is not None:
        notes[0] += f" {found.trials:,} trials: no p-value has a Monte-Carlo error above {0.5 / found.trials**0.5:.2g}."
        notes += _resolution(found, correction, alpha)
    how = f", {STAND_INS[test]}" if test in STAND_INS else ""
    notes.append(
        f"Agreement: of the pairs significant on one half of the topics, the share significant in the same direction "
        f"on the other ({splits_for(test)} random splits{how})."
        if len(scores.topics) >= 4
        else "Agreement needs at least four topics, two in each half."
    )
    same = [label for names in curve_labels(scores.metrics, falling).values() for label in _equal(names, scores)]
    return (*notes, f"Equal curves, drawn once: {'; '.join(same)}.") if same else tuple(notes)


def _resolution(found: Pairs, correction: str, alpha: float) -> list[str]:
    least = least_p(found, correction)
    if correction == "none" or least is None or "/" in least or float(least) < alpha:
        return []
    return [f"Too few trials for this correction: a p of zero may be as high as {least}. Raise --trials."]


def _equal(names: dict[str, list[int]], scores: Scores) -> list[str]:
    return [" = ".join(scores.metrics[i] for i in alike) for alike in names.values() if len(alike) > 1]
