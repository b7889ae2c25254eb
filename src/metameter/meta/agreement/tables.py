"""The table of `agreement`: the rank correlation of the two rankings, and that of permuted metrics; also as LaTeX.

Both rankings count the same cases of the same systems and topics, so they share their noise and agree even about
metrics that do not differ. Permuting the metrics at random within each topic shows how far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.dimension_tests.question import Question
from metameter.meta.dimension_tests.rankings import Contest, ranked_metrics
from metameter.meta.framework.table_rows import iterations_of, one_collection
from metameter.meta.unanimity.procedure import improvements_by_topic
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.dimensions.metric_wins import swapped_pair_wins, swapped_score_wins
from metameter.stats.intervals.rows import order_interval
from metameter.stats.rank_correlation.spearman import exact_rho_pvalue, rank_correlations, rho_pvalue
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: The fewest metrics with a rank correlation.
FEWEST = 3
_HIGH = 0.95
_TIE = 1e-9
_NARROW = 6  # columns that fit one column of a paper
_NULL = (
    r"In parentheses: its mean with the metrics permuted at random within topics, where both rankings share nothing "
    r"but noise; $p$: how often $\rho$ is then as high. "
)


def swapped_wins(
    question: Question,
    *,
    ties: Literal["strict", "agree"],
    wins: Literal["significant", "any"],
    alpha: float,
    form: Literal["code", "literal"],
    trials: int,
    seed: int,
    jobs: int | Workers | None = None,
) -> NDArray[np.int16]:
    """The wins of both rankings with the metrics permuted at random within each topic.

    Parameters
    ----------
    question : Question
    ties, wins, alpha, form, trials, seed, jobs
        As in `agreement`.

    Returns
    -------
    ndarray of int, (2, trials, groups, metrics)
        By intuitiveness and by unanimity; groups in the order of the rankings, sums over all collections last.
    """
    metrics, workers = len(question.complex), Workers.of(jobs)
    by_pairs: list[Contest] = []
    by_scores: list[Contest] = []
    for part in question.parts:
        correct = disagreements(part.values, part.simple, question.dimensions, ties=ties, jobs=workers).correct
        pairs = swapped_pair_wins(correct, metrics, wins=wins, alpha=alpha, trials=trials, seed=seed, jobs=workers)
        by_pairs.append(part.contest({"wins": pairs[0]}, pairs))
        counts = improvements_by_topic(part, question, form, workers)
        scores = swapped_score_wins(counts, trials=trials, seed=seed, jobs=workers)
        by_scores.append(part.contest({"wins": scores[0]}, scores))
    ranked = [ranked_metrics(each, question.sets.labels, question.complex).resampled for each in (by_pairs, by_scores)]
    return np.stack([each.reshape(len(each), -1, metrics) for each in ranked])


def agreement_rows(
    first: pl.DataFrame,
    second: pl.DataFrame,
    resampled: tuple[NDArray[Any], NDArray[Any]] | None = None,
    swapped: NDArray[Any] | None = None,
) -> pl.DataFrame:
    """Compare the wins of two rankings, group by group.

    Parameters
    ----------
    first, second : polars.DataFrame
        Rankings with the same rows: [collection,] iteration, simple, metric, wins.
    resampled : pair of ndarray, (resamples, rows), optional
        The wins over resampled topics, the same topics for both.
    swapped : ndarray, (2, trials, groups, metrics), optional
        The wins of permuted metrics, from `swapped_wins`.

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
    low, high = _range(resampled, groups.height, n)
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


def _range(resampled: tuple[Any, Any] | None, groups: int, n: int) -> tuple[Any, Any]:
    usable = resampled is not None and n >= FEWEST and len(resampled[0]) and resampled[0].shape == resampled[1].shape
    if resampled is None or not usable:
        return np.full(groups, np.nan), np.full(groups, np.nan)
    return order_interval(rank_correlations(*(each.reshape(len(each), groups, n) for each in resampled)))


def _swap_null(rho: Floats, swapped: NDArray[Any] | None) -> dict[str, Floats]:
    """Mean and 95% point of rho over the permutations that have one, and the share that reaches the observed rho."""
    null = {name: np.full(len(rho), np.nan) for name in ("mean", "high", "p")}
    if swapped is None:
        return null
    for group, each in enumerate(rank_correlations(*swapped[:, :, : len(rho)]).T):
        known = each[~np.isnan(each)]
        if len(known) and not np.isnan(rho[group]):
            reached = (known >= rho[group] - _TIE).sum()
            null["p"][group] = (reached + 1) / (len(known) + 1)
            null["mean"][group], null["high"][group] = known.mean(), np.quantile(known, _HIGH)
    return null


def agreement_latex(correlations: pl.DataFrame, alpha: float = 0.05) -> str:
    r"""One column per set of simple metrics: Spearman's rho, in parentheses the mean rho of permuted metrics.

    Parameters
    ----------
    correlations : polars.DataFrame
        The table ``agreement``; ``collection`` may be missing. The rows over all collections are printed, if there are
        such rows; else the first collection, and the caption says so.
    alpha : float
        A star marks p-values (of permuted metrics) below it.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"iteration": ["1", "10", "All"] * 2, "simple": ["Rel"] * 3 + ["Div"] * 3,
    ...                       "rho": [0.44, 0.8, 0.89, 0.94, 0.96, None], "p": [0.32, 0.03, 0.007, 0.002, 0.001, None],
    ...                       "n": [7] * 6})
    >>> print("\n".join(agreement_latex(frame).splitlines()[4:-1]))
    \begin{tabular}{lll}
    \toprule
    Iteration & Rel & Div \\
    \midrule
    1 & 0.44 & 0.94* \\
    10 & 0.80* & 0.96* \\
    All & 0.89* & -- \\
    \bottomrule
    \end{tabular}
    """
    rows, which = one_collection(correlations)
    cells = {(of["iteration"], of["simple"]): _cell(of, alpha) for of in rows.iter_rows(named=True)}
    sets = rows["simple"].unique(maintain_order=True).to_list()
    head = [row(["Iteration", *(escape_latex(str(simple)) for simple in sets)])]
    body = [
        row([escape_latex(str(iteration)), *(cells.get((iteration, simple), "") for simple in sets)])
        for iteration in iterations_of(rows)
    ]
    caption = (
        r"Spearman's $\rho$ between the ranking of the metrics by intuitiveness and that by unanimity. "
        rf"{_NULL if 'null_mean' in rows.columns else ''}*: $p < {alpha:g}$. {escape_latex(which)}"
    )
    environment = "table*" if len(sets) > _NARROW else "table"
    lines = tabular("l" * (1 + len(sets)), head, body)
    return "\n".join(table(lines, caption.strip(), "tab:agreement", environment=environment))


def _cell(of: dict[str, Any], alpha: float) -> str:
    rho, p, null = of["rho"], of["p"], of.get("null_mean")
    if rho is None or rho != rho:
        return "--"
    star = "*" if p is not None and p < alpha else ""
    return f"{_number(rho)}{star}" + ("" if null is None else f" ({_number(null)})")


def _number(value: float) -> str:
    text = f"{abs(value):.2f}"
    return f"{'$-$' if value < 0 and float(text) else ''}{text}"
