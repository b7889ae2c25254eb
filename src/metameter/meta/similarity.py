"""Do two metrics rank the systems alike? Rank correlation between metrics, with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metameter.errors import MetameterError
from metameter.meta._convergence import bound_errors
from metameter.meta._groups import complete, groups, is_canonical
from metameter.meta._table3 import short_names
from metameter.read.notice import notice
from metameter.registry import register
from metameter.scoring.executor import workers
from metameter.scoring.manifest import manifest_of
from metameter.types import Scores
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Similarity", "similarity"]

_FIELLER = {"tau_b": "fieller_tau", "rho": "fieller_rho"}
PERSISTENCE = 0.9


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Result):
    """How alike metrics rank systems: the table ``similarity``, a row for every pair within a group."""

    def charts(self) -> dict[str, Any]:
        """A heat map with a panel for every group; the interval shows when a square is pointed at."""
        from metameter.view.charts import heat_map

        coefficient = str(self.table["coefficient"][0])
        return {
            "similarity": heat_map(
                _squares(self.table, coefficient),
                x="metric",
                y="with",
                value=coefficient,
                tooltip=("low", "high", "systems", "metric_a", "metric_b"),
                facet="group",
                title=f"How alike metrics rank the systems: {coefficient} (* canonical)",
            )
        }


@register("meta")
def similarity(
    scores: Scores,
    *,
    by: Literal["browse", "all"] = "browse",
    coefficient: Literal["tau_b", "tau_ap", "rho", "rbo"] = "tau_b",
    interval: Literal["fieller", "bootstrap"] = "fieller",
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
) -> Similarity:
    """Ask whether metrics rank the systems alike: correlate the systems' means, metric by metric.

    Metrics whose scores are positive multiples of each other give exactly 1. A metric that gives every system the
    same mean orders nothing: its correlations are left empty.

    Parameters
    ----------
    scores : Scores
        Without missing cells; two systems or more.
    by : {"browse", "all"}
        Compare metrics of the same browsing model (those without a model form the group other), or all metrics.
    coefficient : {"tau_b", "tau_ap", "rho", "rbo"}
        Kendall's tau_b; tau_AP, which stresses the best systems (mean of both directions); Spearman's rho;
        or rank-biased overlap with p = 0.9.
    interval : {"fieller", "bootstrap"}
        Intervals for other systems (Fieller's formula, for tau_b and rho only), or for other topics (bootstrap).
    resamples : int
        How many times the topics are resampled for bootstrap intervals.
    seed : int
        The same seed gives the same resamples.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.

    References
    ----------
    chen2023, fieller1957

    Examples
    --------
    >>> values = np.array([[[0.1, 0.3], [0.5, 0.5], [0.8, 0.6]], [[0.2, 0.6], [1.0, 1.0], [1.6, 1.2]]])
    >>> scores = Scores(("RBP(p=0.8)*ERG", "RBP(p=0.8)*ETG"), ("a", "b", "c"), ("1", "2"), values)
    >>> similarity(scores).table.row(0)[:5]
    ('RBP(p=0.8)', 'RBP(p=0.8)*ERG', 'RBP(p=0.8)*ETG', 'tau_b', 1.0)
    """
    _check(coefficient, interval, resamples)
    scores = complete(scores, topics=1)
    found = _pairs(scores.metrics, by)
    first, second = (np.array([pair[side] for pair in found]) for side in (1, 2))
    matrix = np.moveaxis(scores.values, 1, 2)
    # Fieller's formula knows tau and rho only.
    kind = interval if coefficient in _FIELLER or interval == "bootstrap" else "none"

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        return _correlate(_codes(means), first, second, coefficient)

    means = matrix.mean(axis=-2)
    _say(_codes(means), scores.metrics, coefficient)
    estimates = statistic(means)
    if kind == "bootstrap":
        bounds = _bootstrap(matrix, statistic, estimates, resamples, seed, workers(jobs))
    else:
        bounds = _fieller(estimates, len(scores.systems), coefficient)
    table = _table(found, scores, coefficient, estimates, bounds, kind)
    options = {"by": by, "coefficient": coefficient, "interval": kind, "resamples": resamples, "seed": seed}
    manifest = {**manifest_of(procedure="similarity", **options), "scores": scores.manifest}
    return Similarity({"similarity": table}, manifest, _notes(kind, resamples, len(scores.topics)))


def _check(coefficient: str, interval: str, resamples: int) -> None:
    if coefficient not in _COEFFICIENTS:
        raise MetameterError("unknown coefficient", given=coefficient, allowed=", ".join(_COEFFICIENTS))
    if interval not in ("fieller", "bootstrap"):
        raise MetameterError("unknown kind of interval", given=interval, allowed="fieller, bootstrap")
    if resamples < 2:
        raise MetameterError("too few resamples", given=resamples, allowed="2 or more")


def _pairs(metrics: tuple[str, ...], by: str) -> list[tuple[str, int, int]]:
    """Group and positions of every pair of metrics within a group."""
    found = groups(metrics, by)
    pairs = [(group, a, b) for group, members in found.items() for i, a in enumerate(members) for b in members[i + 1 :]]
    if not pairs:
        fix = "Compare all metrics with --by all." if len(metrics) > 1 else "Score two metrics or more."
        raise MetameterError("there are no two metrics of one browsing model", given=", ".join(metrics), fix=fix)
    return pairs


def _codes(means: NDArray[np.float64]) -> NDArray[np.int64]:
    from metameter.stats import tied_codes

    return tied_codes(means)


def _correlate(
    codes: NDArray[np.int64], first: NDArray[np.intp], second: NDArray[np.intp], coefficient: str
) -> NDArray[np.float64]:
    """Correlations of pairs of metrics, from places of the systems (..., metrics, systems) among distinct means."""
    systems = codes.shape[-1]
    x, y = (np.ascontiguousarray(codes[..., side, :]).reshape(-1, systems) for side in (first, second))
    values = _COEFFICIENTS[coefficient](x, y)
    ordered = (x.max(axis=-1) > 0) & (y.max(axis=-1) > 0)
    return np.asarray(np.where(ordered, values, np.nan)).reshape(*codes.shape[:-2], len(first))


def _tau_b(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    from metameter.stats.kendall import tau_b_of_codes

    return tau_b_of_codes(x, y)


def _tau_ap(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    from metameter.stats import tau_ap_symmetric

    return np.array([tau_ap_symmetric(a, b) for a, b in zip(x, y, strict=True)])


def _rho(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    from metameter.stats import spearman

    return np.array([1.0 if (a == b).all() else spearman(a, b).statistic for a, b in zip(x, y, strict=True)])


def _rbo(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    from metameter.stats import rank_biased_overlap

    down = [np.argsort(-side, axis=-1, kind="stable").tolist() for side in (x, y)]
    both = zip(*down, strict=True)
    return np.array([1.0 if a == b else rank_biased_overlap(a, b, PERSISTENCE).statistic for a, b in both])


_COEFFICIENTS: dict[str, Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]] = {
    "tau_b": _tau_b,
    "tau_ap": _tau_ap,
    "rho": _rho,
    "rbo": _rbo,
}


def _say(codes: NDArray[np.int64], metrics: tuple[str, ...], coefficient: str) -> None:
    highest = codes.max(axis=-1)
    constant = [name for name, top in zip(metrics, highest, strict=True) if top == 0]
    if constant:
        notice(f"{', '.join(constant)}: every system has the same mean, so correlations are undefined and left empty")
    if coefficient == "rbo" and (highest < codes.shape[-1] - 1).any():
        notice("rank-biased overlap knows no ties: systems with equal means are taken in the order of the input")


def _fieller(estimates: NDArray[np.float64], systems: int, coefficient: str) -> dict[str, NDArray[np.float64]]:
    from metameter.stats import correlation_interval

    none = np.full_like(estimates, np.nan)
    low, high = none, none
    if coefficient in _FIELLER:
        low, high = correlation_interval(estimates, systems, _FIELLER[coefficient])
    return {"low": low, "high": high, "low_se": none, "high_se": none}


def _bootstrap(
    matrix: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    estimates: NDArray[np.float64],
    resamples: int,
    seed: int,
    jobs: int,
) -> dict[str, NDArray[np.float64]]:
    from metameter.stats import bootstrap_means_interval

    found = bootstrap_means_interval(matrix, statistic, trials=resamples, seed=seed, jobs=jobs)
    low_se, high_se = bound_errors(np.nan_to_num(found.distribution))
    # Means over resampled topics are noisier than those over the topics themselves, so metrics that agree closely
    # agree less on every resample: the interval is widened to hold the estimate.
    low, high = np.fmin(found.confidence_interval.low, estimates), np.fmax(found.confidence_interval.high, estimates)
    undefined = np.isnan(estimates)
    bounds = {"low": low, "high": high, "low_se": low_se, "high_se": high_se}
    return {name: np.where(undefined, np.nan, bound) for name, bound in bounds.items()}


def _table(
    pairs: list[tuple[str, int, int]],
    scores: Scores,
    coefficient: str,
    estimates: NDArray[np.float64],
    bounds: dict[str, NDArray[np.float64]],
    kind: str,
) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame(
        {
            "group": [group for group, _, _ in pairs],
            "metric_a": [scores.metrics[a] for _, a, _ in pairs],
            "metric_b": [scores.metrics[b] for _, _, b in pairs],
            "coefficient": [coefficient] * len(pairs),
            "statistic": estimates,
            "low": bounds["low"],
            "high": bounds["high"],
            "systems": [len(scores.systems)] * len(pairs),
            "interval": [kind] * len(pairs),
            "low_se": bounds["low_se"],
            "high_se": bounds["high_se"],
        }
    )
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _notes(kind: str, resamples: int, topics: int) -> tuple[str, ...]:
    if kind == "none":
        return ("Fieller's formula is for tau_b and rho; for intervals use --interval bootstrap.",)
    if kind == "fieller":
        return (
            "Intervals are 95%, by Fieller's formula: they treat the systems as the random sample. "
            "For other topics use --interval bootstrap.",
        )
    return (
        f"Intervals are 95%: percentiles over {resamples:,} resamples of the {topics} topics, widened where needed to "
        "hold the statistic; low_se and high_se are the Monte-Carlo errors of their ends.",
    )


def _squares(table: pl.DataFrame, coefficient: str) -> pl.DataFrame:
    """Both halves of every matrix and its diagonal, row by row."""
    import polars as pl

    parts = [_square(part) for part in table.partition_by("group", maintain_order=True)]
    return pl.concat(parts).rename({"statistic": coefficient})


def _square(part: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    group = str(part["group"][0])
    names = pl.concat([part["metric_a"], part["metric_b"]]).unique(maintain_order=True).to_list()
    shown = zip(names, short_names(names, group), strict=True)
    label = {name: short + "*" * is_canonical(name) for name, short in shown}
    place = {name: number for number, name in enumerate(names)}
    mirrored = part.with_columns(metric_a=pl.col("metric_b"), metric_b=pl.col("metric_a"))
    itself = pl.DataFrame({"metric_a": names, "metric_b": names, "statistic": [1.0] * len(names)})
    whole = pl.concat([part, mirrored, itself.with_columns(group=pl.lit(group))], how="diagonal")
    return whole.sort(*(pl.col(side).replace_strict(place) for side in ("metric_b", "metric_a"))).with_columns(
        pl.col("metric_a").replace(label).alias("metric"), pl.col("metric_b").replace(label).alias("with")
    )
