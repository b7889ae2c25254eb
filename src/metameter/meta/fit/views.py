"""The tables of `fit` that come from the ranks users viewed last: browsing models, and the data-driven one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.fit.browsing import Candidate, Fitted, candidates
from metameter.meta.fit.ends import lapse_ends, number_ends
from metameter.meta.fit.labels import How
from metameter.meta.fit.last_ranks import LastRanks
from metameter.meta.label_question import counts_of_labels
from metameter.stats.label_counts import LabelCounts, label_resamples
from metameter.stats.label_folds import in_cells, label_folds
from metameter.stats.last_viewed import g_test, smoothed_continuation, viewers_of, wilson
from metameter.stats.row_intervals import FEW_UNITS, FEWEST_UNITS

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.browse.empirical import Empirical
    from metameter.stats.checks import Floats
    from metameter.types.pages import Views

__all__ = ["ViewFit", "fit_views"]


@dataclass(frozen=True, eq=False)
class ViewFit:
    """What was found.

    Attributes
    ----------
    model : Empirical
        The data-driven browsing model.
    smoothing : float
        How many viewers at each rank smoothing is worth.
    parameters : polars.DataFrame
        The table ``fit`` where nothing but ranks was given: a row a rank.
    tables : dict of polars.DataFrame
    """

    model: Empirical
    smoothing: float
    parameters: pl.DataFrame
    tables: dict[str, pl.DataFrame]


def fit_views(views: Views, how: How, smoothing: float | None = None) -> ViewFit:
    """Estimate the data-driven model and hold all browsing models against the ranks viewed last.

    Parameters
    ----------
    views : Views
    how : How
        Users (or pages) are divided and drawn anew as for labels; a fold is predicted by what was fitted to others.
    smoothing : float, optional
        How many viewers at each rank smoothing is worth; by default as many as make the ranks likeliest.
    """
    ranks = LastRanks.of(views, how.max_grade)
    if ranks.longest < 2:
        fix = "Give pages with two results or more."
        raise MetameterError("no page has a second result to go on to", where=views.source, fix=fix)
    counts = counts_of_labels(views)
    held = [in_cells(fold, counts) for fold in label_folds(counts, how.folds, how.seed)]
    rows: list[dict[str, Any]] = []
    fitted: list[Fitted] = []
    every = candidates(smoothing)
    for number, each in enumerate(every):
        fitted.append(each.fit(ranks, ranks.count))
        rows.append(_row(each, fitted[-1], ranks, counts, _held_out(each, ranks, held)))
        if how.progress is not None:
            how.progress(number + 1, len(every), "model")
    order = [0, *sorted(range(1, len(rows)), key=lambda n: -rows[n]["held_out"])]
    tables = {
        "fit_models": _models([rows[n] for n in order]),
        "fit_last": _last([fitted[n] for n in order], ranks),
        "fit_ranks": _ranks(ranks, fitted[0].model),
    }
    worth = smoothed_continuation(viewers_of(ranks.last, ranks.length[ranks.item], ranks.count), smoothing)[1]
    parameters = _parameters(ranks, counts, tables["fit_ranks"]["continuation"].to_list(), worth, how)
    tables["fit_ranks"] = tables["fit_ranks"].with_columns(parameters["low"], parameters["high"])
    return ViewFit(fitted[0].model, worth, parameters, tables)  # type: ignore[arg-type]


def _parameters(ranks: LastRanks, counts: LabelCounts, rates: list[float], worth: float, how: How) -> pl.DataFrame:
    """The share that goes on from each rank, with intervals: users (or pages) are drawn anew."""
    import polars as pl

    length = ranks.length[ranks.item]
    ends: Any = [[None] * len(rates)] * 2
    if how.resamples and counts.units >= FEWEST_UNITS:
        drawn = np.array(
            [
                smoothed_continuation(viewers_of(ranks.last, length, weights), worth)[0][: len(rates)]
                for block in label_resamples(counts, how.resamples, how.seed)
                for weights in block
            ]
        )
        # A draw in which nobody viewed a rank says nothing of it; where none does, there is the estimate alone.
        unseen = np.isnan(drawn).all(axis=0)
        drawn[:, unseen] = np.array(rates)[unseen]
        ends = np.nanquantile(drawn, (0.025, 0.975), axis=0)
        if not worth:
            ends = _widened(ends, np.array(rates), viewers_of(ranks.last, length, ranks.count).viewers[: len(rates)])
        # The estimate is rounded, as in the name of the model; its interval holds it still.
        ends = np.fmin(ends[0], rates), np.fmax(ends[1], rates)
    names = [f"C({rank})" for rank in range(1, len(rates) + 1)]
    columns = {"parameter": names, "estimate": rates, "low": ends[0], "high": ends[1]}
    return pl.DataFrame(columns, schema_overrides={"low": pl.Float64, "high": pl.Float64})


def _widened(ends: Floats, rates: Floats, viewers: NDArray[np.int64]) -> Floats:
    """Intervals at least as wide as Wilson's where few viewed a rank, or all did alike: draws of them are alike, too.

    Examples
    --------
    >>> _widened(np.array([[1.0, 0.68], [1.0, 0.72]]), np.array([1.0, 0.7]), np.array([3, 2000])).round(2).tolist()
    [[0.44, 0.68], [1.0, 0.72]]
    """
    low, high = wilson(rates, viewers)
    rough = (viewers < FEW_UNITS) | (rates <= 0) | (rates >= 1)
    return np.where(rough, [np.fmin(ends[0], low), np.fmax(ends[1], high)], ends)


def _held_out(each: Candidate, ranks: LastRanks, folds: Sequence[NDArray[np.int64]]) -> float:
    """The mean log-likelihood of a rank under the model that was fitted to the other folds."""
    total = 0.0
    for fold in folds:
        fitted = each.fit(ranks, ranks.count - fold)
        # What the other folds gave no reason to expect may happen here: half a lapse is always possible.
        lapse = fitted.lapse or 0.5 / float((ranks.count - fold).sum())
        total += ranks.log_likelihood(fitted.model, lapse, fold)
    return total / float(ranks.count.sum())


def _row(each: Candidate, fitted: Fitted, ranks: LastRanks, counts: LabelCounts, held_out: float) -> dict[str, Any]:
    height = ranks.log_likelihood(fitted.model, fitted.lapse)
    test = g_test(ranks.observed, ranks.expected(fitted.model, fitted.lapse), fitted.parameters)
    found, lapses = number_ends(each, fitted, ranks, counts), lapse_ends(fitted, ranks, counts)
    return {
        "model": str(fitted.model),
        "kind": each.kind,
        "parameter": None if each.number is None else each.number.free,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "at_bound": found.at_bound,
        "searched_low": found.searched[0],
        "searched_high": found.searched[1],
        "parameters": fitted.parameters,
        "lapse": fitted.lapse,
        "lapse_low": lapses[0],
        "lapse_high": lapses[1],
        "log_likelihood": height,
        "aic": 2.0 * (fitted.parameters - height),
        "held_out": held_out,
        "g": test.statistic,
        "df": test.df,
        "p": test.pvalue,
    }


def _models(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    numbers = ("estimate", "low", "high", "searched_low", "searched_high", "lapse_low", "lapse_high")
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
                "expected": ranks.expected(each.model, each.lapse) / total,
            }
        )
        for each in fitted
    ]
    return pl.concat(parts)


def _ranks(ranks: LastRanks, model: Any) -> pl.DataFrame:
    import polars as pl

    seen = viewers_of(ranks.last, ranks.length[ranks.item], ranks.count)
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
