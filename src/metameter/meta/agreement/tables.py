"""The table of `agreement`: rank correlation of the two rankings, and that of metrics swapped within topics.

Both rankings count the same cases of the same systems and topics, so they share their noise: they agree even about
metrics that do not differ. How far, is seen where metrics are permuted at random within each topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.dimension_tests.question import Question
from metameter.meta.dimension_tests.rankings import ranked_metrics
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.dimensions.metric_wins import swapped_pair_wins, swapped_score_wins
from metameter.stats.dimensions.unanimity import improvements
from metameter.stats.intervals.rows import order_interval
from metameter.stats.rank_correlation.spearman import exact_rho_pvalue, rank_correlations, rho_pvalue

if TYPE_CHECKING:
    import polars as pl


FEWEST = 3
_HIGH = 0.95
_TIE = 1e-9


def swapped_wins(question: Question, options: dict[str, Any], jobs: int | Workers | None = None) -> NDArray[np.int16]:
    """The wins of both rankings with the metrics permuted at random within each topic.

    Parameters
    ----------
    question : Question
    options : dict
        ``ties``, ``wins``, ``alpha``, ``form``, ``trials``, ``seed``.
    jobs : int or Workers, optional

    Returns
    -------
    ndarray of int, (2, trials, groups, metrics)
        By intuitiveness and by unanimity; groups in the order of the rankings, sums over all collections last.
    """
    metrics, workers = len(question.complex), Workers.of(jobs)
    drawn: dict[str, Any] = {"trials": options["trials"], "seed": options["seed"], "jobs": workers}
    contests: tuple[list[Any], list[Any]] = ([], [])
    for part in question.parts:
        given = (part.values, part.simple, question.dimensions)
        correct = disagreements(*given, ties=options["ties"], jobs=workers).correct
        counted = improvements(*given, form=options["form"], jobs=workers)
        counts = np.stack([counted.metric, counted.simple, counted.joint, counted.cases])
        won = (
            swapped_pair_wins(correct, metrics, wins=options["wins"], alpha=options["alpha"], **drawn),
            swapped_score_wins(counts, **drawn),
        )
        for some, wins in zip(contests, won, strict=True):
            some.append(part.contest({"wins": wins[0]}, wins))
    ranked = [ranked_metrics(some, question.sets.labels, question.complex).resampled for some in contests]
    return np.stack([each.reshape(len(each), -1, metrics) for each in ranked])


def agreement_rows(
    first: pl.DataFrame,
    second: pl.DataFrame,
    drawn: tuple[NDArray[Any], NDArray[Any]] | None = None,
    swapped: NDArray[Any] | None = None,
) -> pl.DataFrame:
    """Compare the wins of two rankings, group by group.

    Parameters
    ----------
    first, second : polars.DataFrame
        Rankings with the same rows: [collection,] iteration, simple, metric, wins.
    drawn : pair of ndarray, (resamples, rows), optional
        The wins over resampled topics, the same ones for both.
    swapped : ndarray, (2, trials, groups, metrics), optional
        The wins of swapped metrics, as `swapped_wins` gives them.

    Examples
    --------
    >>> import polars as pl
    >>> labels = {"iteration": ["1"] * 4, "simple": ["p"] * 4, "metric": list("abcd")}
    >>> one, other = pl.DataFrame({**labels, "wins": [3, 2, 1, 0]}), pl.DataFrame({**labels, "wins": [3, 2, 0, 1]})
    >>> [round(value, 6) for value in agreement_rows(one, other)["rho", "n", "p_rank"].row(0)]
    [0.8, 4, 0.2]
    """
    import polars as pl

    keys = [name for name in ("collection", "iteration", "simple") if name in first.columns]
    groups = first.select(keys).unique(maintain_order=True)
    n = first.height // max(groups.height, 1)
    wins = [frame["wins"].to_numpy().reshape(groups.height, n) for frame in (first, second)]
    rho = rank_correlations(*wins) if n >= FEWEST else np.full(groups.height, np.nan)
    low, high = _range(drawn, groups.height, n)
    null = _swap_null(rho, swapped if n >= FEWEST else None)
    exact = [exact_rho_pvalue(*each) if n >= FEWEST else np.nan for each in zip(*wins, strict=True)]
    return groups.with_columns(
        rho=pl.Series(rho),
        p=pl.Series(null["p"]),
        n=pl.lit(n, dtype=pl.Int64),
        low=pl.Series(np.where(np.isnan(rho), np.nan, low)),
        high=pl.Series(np.where(np.isnan(rho), np.nan, high)),
        null_mean=pl.Series(null["mean"]),
        null_high=pl.Series(null["high"]),
        p_rank=pl.Series(rho_pvalue(rho, n)),
        p_exact=pl.Series(np.array(exact, dtype=np.float64)),
    ).with_columns(pl.selectors.float().fill_nan(None))


def _range(drawn: tuple[Any, Any] | None, groups: int, n: int) -> tuple[Any, Any]:
    if drawn is None or n < FEWEST or not len(drawn[0]) or drawn[0].shape != drawn[1].shape:
        return np.full(groups, np.nan), np.full(groups, np.nan)
    return order_interval(rank_correlations(*(each.reshape(len(each), groups, n) for each in drawn)))


def _swap_null(rho: Floats, swapped: NDArray[Any] | None) -> dict[str, Floats]:
    """Mean and 95% point of rho over the swaps that have one, and the share of them that reach the observed rho."""
    null = {name: np.full(len(rho), np.nan) for name in ("mean", "high", "p")}
    if swapped is None:
        return null
    for place, each in enumerate(rank_correlations(*swapped[:, :, : len(rho)]).T):
        known = each[~np.isnan(each)]
        if len(known) and not np.isnan(rho[place]):
            reached = (known >= rho[place] - _TIE).sum()
            null["p"][place] = (reached + 1) / (len(known) + 1)
            null["mean"][place], null["high"][place] = known.mean(), np.quantile(known, _HIGH)
    return null
