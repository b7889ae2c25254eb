"""The tables of `fit` that come from the ranks users viewed last: browsing models, and the data-driven one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.fit.browsing import (
    Candidate,
    DataDriven,
    Fitted,
    candidates,
    data_driven,
    lapse_interval,
    parameter_estimate,
    slope_step,
)
from metameter.meta.fit.labels import FitSettings
from metameter.meta.fit.last_ranks import LastRanks
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.labels.counts import counts_by_cell, label_folds
from metameter.stats.labels.last_viewed import PageChances, RankFit, rank_fit, viewers_of
from metameter.stats.labels.rate_intervals import rate_intervals

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.labels.counts import LabelCounts
    from metameter.types.labelled_pages import Views


@dataclass(frozen=True, eq=False)
class ViewFit:
    """Browsing models that were fitted to the ranks viewed last.

    Attributes
    ----------
    data_driven : DataDriven
    ranks : LastRanks
    counts : LabelCounts
    parameters : polars.DataFrame
        The table ``fit`` if no metric was fitted to labels: one row per rank.
    tables : dict of polars.DataFrame
    """

    data_driven: DataDriven
    ranks: LastRanks
    counts: LabelCounts
    parameters: pl.DataFrame
    tables: dict[str, pl.DataFrame]


def fit_views(views: Views, settings: FitSettings, smoothing: float | None = None) -> ViewFit:
    """Fit the data-driven model and all other browsing models to the ranks viewed last.

    Parameters
    ----------
    views : Views
    settings : FitSettings
        Users (or pages) are divided into folds as for labels; a fold is predicted by models fitted to the others.
    smoothing : float, optional
        The number of viewers that smoothing adds at each rank; by default the likeliest.
    """
    ranks = LastRanks.of(views, settings.max_grade)
    if ranks.longest < 2:
        fix = "Give pages with two results or more."
        raise MetameterError("no page has a second result to go on to", where=views.source, fix=fix)
    counts = counts_of_labels(views)
    folds = [counts_by_cell(fold, counts) for fold in label_folds(counts, settings.folds, settings.seed)]
    rows: list[dict[str, Any]] = []
    fitted: list[Fitted] = []
    every = candidates(smoothing)
    for number, each in enumerate(every, start=1):
        fitted.append(each.fit(ranks, ranks.count))
        rows.append(_row(each, fitted[-1], ranks, counts, _held_out(each, ranks, folds)))
        if settings.progress is not None:
            settings.progress(number, len(every), "model")
    order = [0, *sorted(range(1, len(rows)), key=lambda n: -rows[n]["held_out"])]
    tables = {
        "fit_models": _models([rows[n] for n in order]),
        "fit_last": _last([fitted[n] for n in order], ranks),
        "fit_ranks": _ranks(ranks, fitted[0].model),
    }
    parameters = _parameters(ranks, counts, tables["fit_ranks"]["continuation"].to_list())
    tables["fit_ranks"] = tables["fit_ranks"].with_columns(parameters["low"], parameters["high"])
    return ViewFit(data_driven(ranks, ranks.count, smoothing), ranks, counts, parameters, tables)


def _parameters(ranks: LastRanks, counts: LabelCounts, rates: list[float]) -> pl.DataFrame:
    """The share that goes on from each rank, with intervals.

    A rate may be smoothed; its interval is that of the share itself, since the error of smoothing is unknown.
    """
    import polars as pl

    ends: Any = [[None] * len(rates)] * 2
    if counts.units >= FEWEST_UNITS:
        last, rank = ranks.last[:, None], np.arange(1, len(rates) + 1)
        viewed = (last >= rank) & (ranks.entry_length[:, None] > rank)
        low, high = rate_intervals(counts, viewed, viewed & (last > rank))
        # The estimate is rounded and may be smoothed: the interval is widened to contain it.
        ends = np.fmin(low, rates), np.fmax(high, rates)
    names = [f"C({rank})" for rank in range(1, len(rates) + 1)]
    columns = {"parameter": names, "estimate": rates, "low": ends[0], "high": ends[1]}
    return pl.DataFrame(columns, schema_overrides={"low": pl.Float64, "high": pl.Float64})


def _held_out(each: Candidate, ranks: LastRanks, folds: Sequence[NDArray[np.int64]]) -> float:
    """The mean log-likelihood of a rank under the model fitted to the other folds."""
    total = 0.0
    for fold in folds:
        fitted = each.fit(ranks, ranks.count - fold)
        # Ranks that are impossible by the other folds may occur in this one: half a lapse is always possible.
        lapse = max(fitted.lapse, 0.5 / float((ranks.count - fold).sum()))
        total += ranks.log_likelihood(fitted.model, lapse, fold)
    return total / float(ranks.count.sum())


def _row(each: Candidate, fitted: Fitted, ranks: LastRanks, counts: LabelCounts, held_out: float) -> dict[str, Any]:
    height = ranks.log_likelihood(fitted.model, fitted.lapse)
    test = _test(each, fitted, ranks)
    estimate, lapses = parameter_estimate(each, fitted, ranks, counts), lapse_interval(fitted, ranks, counts)
    return {
        "model": str(fitted.model),
        "kind": each.kind,
        "parameter": None if each.parameter is None else each.parameter.free,
        "estimate": estimate.estimate,
        "low": estimate.low,
        "high": estimate.high,
        "at_bound": estimate.at_bound,
        "searched_low": estimate.searched[0],
        "searched_high": estimate.searched[1],
        "parameters": fitted.parameters,
        "lapse": fitted.lapse,
        "lapse_low": lapses[0],
        "lapse_high": lapses[1],
        "log_likelihood": height,
        "aic": 2.0 * (fitted.parameters - height),
        "held_out": held_out,
        "chi_square": test.statistic,
        "df": test.df,
        "p": test.pvalue,
    }


def _test(each: Candidate, fitted: Fitted, ranks: LastRanks) -> RankFit:
    """The test of the shares by rank; none of the data-driven model, which is made of these shares."""
    if each.kind == "data-driven":
        return RankFit(float("nan"), 0, float("nan"))
    return rank_fit(ranks.observed, _with_slopes(each, fitted, ranks))


def _with_slopes(each: Candidate, fitted: Fitted, ranks: LastRanks) -> Iterator[PageChances]:
    """The chances of each rank, and their slopes by the estimated parameters, a block of pages at a time."""
    parameter, occurs = each.parameter, ranks.occurs
    near = 0.0 if parameter is None or parameter.axis(ranks).whole else slope_step(parameter, fitted, ranks)
    around: list[Any] = []
    if parameter is not None and near > 0:
        best = parameter.value(fitted.model)
        around = [ranks.chances(parameter.model(value), fitted.needed) for value in (best + near, best - near)]
    has_lapse = 0 < fitted.needed < 1
    without = [ranks.chances(fitted.model)] if has_lapse else []
    for (block, chances), *others in zip(ranks.chances(fitted.model, fitted.needed), *around, *without, strict=True):
        values = [value for _, value in others]
        slopes = [(values[0] - values[1]) / (2 * near)] if around else []
        slopes += [ranks.uniform(block) - values[-1]] if has_lapse else []
        yield PageChances(chances, occurs[block], slopes)


def _models(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    numbers = ("parameters", "estimate", "low", "high", "searched_low", "searched_high", "lapse_low", "lapse_high")
    schema = {"parameter": pl.String, "at_bound": pl.String, **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame(rows, schema_overrides=schema).with_columns(pl.selectors.float().fill_nan(None))


def _last(fitted: Sequence[Fitted], ranks: LastRanks) -> pl.DataFrame:
    import polars as pl

    total = float(ranks.count.sum())
    several = np.arange(1, ranks.longest + 1)
    parts = [
        pl.DataFrame(
            {
                "model": [str(each.model)] * len(several),
                "rank": several,
                "observed": ranks.observed / total,
                "expected": ranks.expected(each.model, each.needed) / total,
            }
        )
        for each in fitted
    ]
    return pl.concat(parts)


def _ranks(ranks: LastRanks, model: Any) -> pl.DataFrame:
    import polars as pl

    seen = viewers_of(ranks.last, ranks.entry_length, ranks.count)
    viewers, left = seen.viewers[: seen.reached], seen.left[: seen.reached]
    written = np.full(seen.reached, model.observed[-1])
    written[: len(model.observed)] = model.observed[: seen.reached]
    columns = {
        "rank": np.arange(1, seen.reached + 1),
        "viewers": viewers,
        "left": left,
        "observed_continuation": 1.0 - left / viewers,
        "continuation": written,
    }
    return pl.DataFrame(columns)
