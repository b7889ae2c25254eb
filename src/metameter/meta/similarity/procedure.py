"""Do two metrics rank the systems alike? Rank correlation between metrics, with confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_groups import DIAGNOSTIC, Grouping, groups, pairs_within
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.framework.requirements import require_complete
from metameter.meta.framework.standing import left_out
from metameter.meta.similarity.tables import MOST_METRICS, are_multiples, marked_names, matrices, similarity_rows
from metameter.meta.similarity.text import WORDS, conclusion, notes
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_count, check_seed
from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import (
    FIELLER,
    LEAST_TOPICS,
    bootstrap_bounds,
    fieller_bounds,
)
from metameter.stats.ties import tied_codes
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Result):
    """How alike metrics rank systems: the table ``similarity``, one row per pair within a group."""

    table_names: ClassVar[tuple[str, ...]] = ("similarity",)
    first_columns: ClassVar[tuple[str, ...]] = ("metric_a", "metric_b", "statistic", "low", "high", "alike")

    diagnostics: tuple[str, ...] = ()

    def conclusion(self) -> list[str]:
        """Which metrics are shown to rank the systems nearly alike, and which are left out as diagnostics."""
        return [*conclusion(self.table), *left_out(list(self.diagnostics))]

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The rows that a terminal shows; none for too few systems, whose figures say nothing about a metric."""
        rows = super().glance(name, digits)
        return rows.filter(rows["systems"] >= FEWEST_SYSTEMS)

    def charts(self) -> dict[str, Any]:
        """A heat map with one panel per group; hovering over a square shows its interval."""
        return {"similarity": similarity_chart(self.table)} if self.table.height else {}

    def latex(self) -> dict[str, str]:
        """The table as LaTeX: one triangle per group, or a list if a triangle would be too wide for a page."""
        widest = max((part.height for part in self.table.partition_by("group")), default=math.inf)
        fits = widest <= MOST_METRICS * (MOST_METRICS - 1) // 2
        return {**super().latex(), **({"similarity": matrices(self.table)} if fits else {})}


@procedure(
    WORDS,
    result=Similarity,
    options={"by": None},
    place=20,
    fewest_systems=FEWEST_SYSTEMS,
    checks={"resamples": partial(check_count, what="resamples", least=2)},
)
def similarity(
    scores: Scores,
    *,
    by: Grouping = "auto",
    coefficient: Literal["tau_b", "tau_ap", "rho", "rbo"] = "tau_b",
    interval: Literal["fieller", "bootstrap"] = "fieller",
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Similarity:
    """Ask whether metrics rank the systems alike: the rank correlation of the systems' means between two metrics.

    Metrics whose scores are positive multiples of each other have correlation 1 exactly. A metric that gives every
    system the same mean does not order the systems: its correlations are left empty.

    Parameters
    ----------
    scores : Scores, path or data frame
        Without missing cells; two systems or more.
    by : {"auto", "browse", "all"}
        Compare metrics of the same browsing model (those without a model form the group other), or all metrics. By
        default all, except within a grid of browsing models and aggregations, such as a preset gives.
    coefficient : {"tau_b", "tau_ap", "rho", "rbo"}
        Kendall's tau_b; tau_AP, which stresses the best systems (mean of both directions); Spearman's rho;
        or rank-biased overlap with p = 0.9.
    interval : {"fieller", "bootstrap"}
        Intervals for other systems (Fieller's formula, for tau_b and rho only), or for other topics (bootstrap: where
        the correlation over all topics may be; five topics or more).
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
    resamples, seed = check_count(resamples, "resamples", 2), check_seed(seed)
    scores = require_complete(scores, topics=1)
    pairs = _pairs(scores.metrics, by)
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (1, 2))
    kind = _possible(interval, coefficient, scores)
    statistic = coefficients_of_means(first, second, coefficient)
    means = scores.values.mean(axis=-1)
    _warn(tied_codes(means), scores.metrics, coefficient)
    estimates = statistic(means)
    # Correlations of multiples are exactly 1, and those of constant metrics are undefined.
    family = int((~are_multiples(pairs, scores) & ~np.isnan(estimates)).sum())
    topics, systems = len(scores.topics), len(scores.systems)
    if kind == "bootstrap":
        bounds = bootstrap_bounds(
            scores.matrix, statistic, estimates, resamples, seed, Workers.of(jobs), coefficient, family
        )
    else:
        bounds = fieller_bounds(estimates, systems if kind == "fieller" else 0, coefficient, family)
    table = similarity_rows(pairs, scores, coefficient, estimates, bounds, kind)
    manifest = manifest_of(
        procedure="similarity", by=by, coefficient=coefficient, interval=kind, resamples=resamples, seed=seed
    )
    return Similarity(
        {"similarity": table},
        {**manifest, "scores": scores.manifest},
        notes(kind, resamples if interval == "bootstrap" else 0, topics, systems),
        names=scores.names,
        diagnostics=tuple(name for name in scores.metrics if is_diagnostic(name)),
    )


def _possible(interval: str, coefficient: str, scores: Scores) -> str:
    """The requested interval, or ``none`` where the coefficient, the topics or the systems do not allow it."""
    possible = len(scores.topics) >= LEAST_TOPICS if interval == "bootstrap" else coefficient in FIELLER
    return interval if possible and len(scores.systems) >= FEWEST_SYSTEMS else "none"


def _pairs(metrics: tuple[str, ...], by: str) -> list[tuple[str, int, int]]:
    grouped = groups(metrics, by)
    pairs, diagnostics = pairs_within(grouped), grouped.get(DIAGNOSTIC, [])
    # With at most one metric besides diagnostics the table is empty, and a note says why.
    if not pairs and (not diagnostics or len(metrics) - len(diagnostics) > 1):
        fix = "Set by to all (--by all) to compare all metrics." if len(metrics) > 1 else "Score two metrics or more."
        raise MetameterError("there are no two metrics of one browsing model", given=", ".join(metrics), fix=fix)
    return pairs


def _warn(codes: NDArray[np.int64], metrics: tuple[str, ...], coefficient: str) -> None:
    highest = codes.max(axis=-1)
    constant = [name for name, top in zip(metrics, highest, strict=True) if top == 0]
    if constant:
        notice(f"{', '.join(constant)}: every system has the same mean, so correlations are undefined and left empty")
    if coefficient == "rbo" and (highest < codes.shape[-1] - 1).any():
        notice("rank-biased overlap does not handle ties: systems with equal means keep the order of the input")


def similarity_chart(table: pl.DataFrame) -> Any:
    """One square per pair of metrics of a group; the tooltip has the interval."""
    from metameter.view.charts import heat_map

    coefficient = str(table["coefficient"][0])
    return heat_map(
        _squares(table, coefficient),
        x="metric",
        y="with",
        value=coefficient,
        tooltip=("low", "high", "systems", "metric_a", "metric_b"),
        facet="group",
        title=f"How alike metrics rank the systems: {coefficient} (* canonical)",
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
    label = dict(zip(names, marked_names(names, group), strict=True))
    position = {name: number for number, name in enumerate(names)}
    mirrored = part.with_columns(metric_a=pl.col("metric_b"), metric_b=pl.col("metric_a"))
    itself = pl.DataFrame({"metric_a": names, "metric_b": names, "statistic": [1.0] * len(names)})
    whole = pl.concat([part, mirrored, itself.with_columns(group=pl.lit(group))], how="diagonal")
    return whole.sort(*(pl.col(side).replace_strict(position) for side in ("metric_b", "metric_a"))).with_columns(
        pl.col("metric_a").replace(label).alias("metric"), pl.col("metric_b").replace(label).alias("with")
    )
