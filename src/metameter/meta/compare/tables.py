"""The tables of `compare`: means with their groups, pairs, differences by topic; and means as papers print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.table_rows import names_at, pair_names
from metameter.stats.checks import Floats, system_pairs, tolerance
from metameter.stats.significance.compact_letter_display import abbreviated_letters, letter_groups
from metameter.stats.significance.pairs import PairTests, corrected_pvalues, pair_chunks
from metameter.types import Scores
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import rounded
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.intervals.means import MeanIntervals


#: What the two columns of systems are called where the second is a baseline.
BASELINE_NAMES = ("system", "baseline")
#: How many metrics stand side by side in LaTeX.
_ABREAST = 6


def mean_table(scores: Scores, intervals: MeanIntervals, different: NDArray[np.bool_] | None) -> pl.DataFrame:
    """Return the mean, interval and group of every system, best first, from the verdicts on all pairs.

    Without these verdicts, the groups are empty.
    """
    import polars as pl

    means, width, error = intervals.mean, intervals.width, intervals.width_error
    order = np.argsort(-means, axis=-1, kind="stable")
    numbers = (means, means - width, means + width, error)
    mean, low, high, error = (np.take_along_axis(each, order, -1).reshape(-1) for each in numbers)
    columns = {
        "metric": names_at(scores.metrics, np.repeat(np.arange(len(means)), means.shape[-1])),
        "system": names_at(scores.systems, order.reshape(-1)),
        "mean": mean,
        "low": low,
        "high": high,
        "group": pl.Series([None] * order.size if different is None else _letters(different, order), dtype=pl.String),
        "low_error": error,
        "high_error": error,
    }
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def _letters(different: NDArray[np.bool_], order: NDArray[np.intp]) -> list[str]:
    """The groups of the systems, best first, one metric after the other."""
    systems = order.shape[-1]
    first, second = system_pairs(systems)
    letters = []
    for differs, ranked in zip(different, order, strict=True):
        square = np.zeros((systems, systems), dtype=bool)
        square[first, second] = square[second, first] = differs
        names = letter_groups(square, ranked)
        letters += [names[system] for system in ranked]
    return letters


def pair_table(
    scores: Scores,
    pairs: PairTests,
    widths: tuple[Floats, Floats],
    compared: tuple[NDArray[np.intp], NDArray[np.intp]],
    correction: str,
    names: tuple[str, str] = ("system_a", "system_b"),
) -> pl.DataFrame:
    """Return the results of the test for every compared pair, each first system against the second.

    Parameters
    ----------
    scores : Scores
    pairs : PairTests
    widths : pair of ndarray, (metrics, pairs)
        Half the width of the intervals, and its Monte-Carlo error.
    compared : pair of ndarray
        Positions of the first and the second systems.
    correction : str
        The correction of the p-values for these pairs.
    names : pair of str
        What the two columns of systems are called.
    """
    import polars as pl

    width, error = widths
    wins, ties, losses = _outcomes(scores.matrix, *compared)
    numbers = {
        "difference": pairs.difference + 0.0,
        "low": pairs.difference - width,
        "high": pairs.difference + width,
        "effect": pairs.effect + 0.0,
        "p": corrected_pvalues(pairs.pvalue, correction),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        **_means(scores, *compared, names),
        "p_error": pairs.pvalue_error,
        "width_error": error,
    }
    if correction != "none":
        numbers["p_uncorrected"] = pairs.pvalue
    flat = {name: part.reshape(-1) for name, part in numbers.items()}
    frame = pl.DataFrame({**pair_names(scores, *compared), **flat}).with_columns(pl.selectors.float().fill_nan(None))
    return frame.rename(dict(zip(("system_a", "system_b"), names, strict=True)))


def _means(scores: Scores, a: NDArray[np.intp], b: NDArray[np.intp], names: tuple[str, str]) -> dict[str, NDArray[Any]]:
    """The means of the system and of the baseline; nothing for all pairs, whose means stand in ``compare``."""
    if names != BASELINE_NAMES:
        return {}
    means = scores.values.mean(axis=-1)
    return {"mean": means[:, a], "baseline_mean": means[:, b]}


def means_first(compared: pl.DataFrame) -> pl.DataFrame:
    """The comparisons with baselines, with the two means directly after the names.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"metric": ["AP"], "system": ["b"], "baseline": ["a"], "difference": [0.1], "p": [0.5]}
    >>> means_first(pl.DataFrame({**row, "mean": [0.4], "baseline_mean": [0.3]})).columns
    ['metric', 'system', 'baseline', 'mean', 'baseline_mean', 'difference', 'p']
    """
    first = ("metric", *BASELINE_NAMES, "mean", "baseline_mean")
    return compared.select(*first, *(name for name in compared.columns if name not in first))


def _outcomes(matrix: Floats, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """On how many topics a is above b, equal to b, and below b."""
    wins, losses = np.empty((2, len(matrix), len(a)), dtype=np.int64)
    for metric, one in enumerate(matrix):
        zero = tolerance(one, axes=2)
        # In chunks of pairs: the differences of all pairs on every topic would take most of the memory.
        for some in pair_chunks(len(a)):
            delta = one[:, a[some]] - one[:, b[some]]
            wins[metric, some], losses[metric, some] = (delta > zero).sum(axis=0), (delta < -zero).sum(axis=0)
    return wins, matrix.shape[1] - wins - losses, losses


def topic_table(scores: Scores, names: tuple[str, ...]) -> pl.DataFrame:
    """Return for every topic each system minus each baseline, or minus the best system without baselines."""
    import polars as pl

    metric, base, system = _compared_systems(scores, [scores.systems.index(name) for name in names])
    topics = len(scores.topics)
    score = scores.values[metric, system]
    return pl.DataFrame(
        {
            "metric": names_at(scores.metrics, np.repeat(metric, topics)),
            "system": names_at(scores.systems, np.repeat(system, topics)),
            "baseline": names_at(scores.systems, np.repeat(base, topics)),
            "topic": names_at(scores.topics, np.tile(np.arange(topics), len(system))),
            "score": score.reshape(-1),
            "delta": (score - scores.values[metric, base]).reshape(-1),
        }
    )


def most_different_first(topics: pl.DataFrame) -> pl.DataFrame:
    """Differences by topic; for each comparison, the topic on which the system is furthest ahead comes first.

    Examples
    --------
    >>> import polars as pl
    >>> labels = {"metric": ["AP"] * 3, "system": ["b"] * 3, "baseline": ["a"] * 3, "topic": ["1", "2", "3"]}
    >>> most_different_first(pl.DataFrame({**labels, "delta": [0.1, -0.4, 0.3]}))["topic"].to_list()
    ['3', '1', '2']
    """
    import polars as pl

    compared = topics.select("metric", "baseline", "system").with_row_index("row")
    first = compared.select(pl.col("row").min().over("metric", "baseline", "system"))["row"]
    ordered = topics.with_columns(first).sort("row", "delta", descending=[False, True], maintain_order=True)
    return ordered.drop("row")


def _compared_systems(scores: Scores, positions: list[int]) -> NDArray[np.intp]:
    """Metric, baseline and system, best first, of every comparison."""
    rows = [
        (metric, base, system)
        for metric, means in enumerate(scores.values.mean(axis=-1))
        for base in positions or [int(means.argmax())]
        for system in np.argsort(-means, kind="stable")
        if system != base
    ]
    return np.array(rows, dtype=np.intp).T


def marked_means(
    means: pl.DataFrame, against: pl.DataFrame | None, baseline: Sequence[str], alpha: float, caption: str
) -> str:
    r"""Return the means as a LaTeX table, one column per metric, the best in bold.

    Without a baseline every mean carries the letters of its groups. With baselines, which are numbered, a number above
    the mean says that it is significantly higher than this baseline, a number below that it is significantly lower, by
    the table of the comparisons with baselines.

    Examples
    --------
    >>> import polars as pl
    >>> means = pl.DataFrame({"metric": ["AP"] * 2, "system": ["a_1", "b"], "mean": [0.5, 0.2], "group": ["a", "b"]})
    >>> print(marked_means(means, None, (), 0.05, "Means."))
    \begin{table}
    \centering
    \caption{Means.}
    \begin{tabular}{ll}
    \toprule
    system & AP \\
    \midrule
    a\_1 & \textbf{0.5000}\textsuperscript{a} \\
    b & 0.2000\textsuperscript{b} \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    metrics = means["metric"].unique(maintain_order=True).to_list()
    cells = _cells(means, None if against is None else _marks(against, baseline, alpha))
    systems = means["system"].unique(maintain_order=True).to_list()
    names = {name: _numbered(name, baseline) for name in systems}
    lines = []
    for start in range(0, len(metrics), _ABREAST):
        some = metrics[start : start + _ABREAST]
        rows = [row([names[system], *(cells[metric, system] for metric in some)]) for system in systems]
        lines += tabular("l" * (1 + len(some)), [row(["system", *map(escape_latex, some)])], rows)
    return "\n".join(table(lines, escape_latex(caption)))


def _numbered(name: str, baseline: Sequence[str]) -> str:
    safe = escape_latex(name)
    return f"{safe} ({baseline.index(name) + 1})" if name in baseline else safe


def _cells(means: pl.DataFrame, marks: dict[tuple[str, str], tuple[str, str]] | None) -> dict[tuple[str, str], str]:
    best = {metric: means.filter(means["metric"] == metric)["mean"].max() for metric in means["metric"].unique()}
    cells = {}
    for metric, system, mean, group in means.select("metric", "system", "mean", "group").iter_rows():
        text = rf"\textbf{{{rounded(mean)}}}" if mean == best[metric] else rounded(mean)
        if marks is None:
            cells[metric, system] = rf"{text}\textsuperscript{{{abbreviated_letters(group).replace('-', '--')}}}"
            continue
        above_and_below = zip("^_", marks.get((metric, system), ("", "")), strict=True)
        scripts = "".join(f"{sign}{{{numbers}}}" for sign, numbers in above_and_below if numbers)
        cells[metric, system] = f"{text}${scripts}$" if scripts else text
    return cells


def _marks(compared: pl.DataFrame, baseline: Sequence[str], alpha: float) -> dict[tuple[str, str], tuple[str, str]]:
    """Metric and system -> the numbers of the baselines that it is significantly above, and below."""
    import polars as pl

    marks: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    numbers = {name: str(number) for number, name in enumerate(baseline, start=1)}
    significant = compared.filter(pl.col("p") < alpha).select("metric", "system", "baseline", "difference")
    for metric, a, b, difference in significant.iter_rows():
        # Of two baselines each is marked with the number of the other.
        for system, other, gain in ((a, b, difference), (b, a, -difference)):
            if other in numbers:
                marks.setdefault((metric, system), ([], []))[gain < 0].append(numbers[other])
    return {key: (",".join(sorted(up, key=int)), ",".join(sorted(down, key=int))) for key, (up, down) in marks.items()}
