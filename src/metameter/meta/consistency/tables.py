"""The tables of `consistency`: metrics, pairs of metrics, how the means converged; and metrics as papers print them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.metric_groups import pairs_within, rows_of_groups, short_names
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.framework.standing import beaten_columns
from metameter.stats.consistency.resampled_metrics import ResampledTaus
from metameter.stats.intervals.rows import noise_of_differences, row_intervals
from metameter.stats.intervals.simultaneous import simultaneous_intervals, step_down_pvalues
from metameter.stats.resampling.monte_carlo_error import mean_error, running_means
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl

    Floats = NDArray[np.float64]


ROUNDING = 1e-12
#: How many blocks stand side by side in LaTeX: with names such as PE(beta=0.5), more do not fit an A4 page.
_ABREAST = 3


def pair_rows(
    metrics: tuple[str, ...],
    grouped: dict[str, list[int]],
    taus: Floats,
    resampled: ResampledTaus,
    *,
    units: int,
    alpha: float,
    p_splits: Floats | None,
    trials: int,
) -> pl.DataFrame:
    """Every pair of metrics within a group: the difference in mean tau, its intervals and p-values.

    Parameters
    ----------
    metrics : tuple of str
    grouped : dict
        Group -> positions of its metrics.
    taus : ndarray, (splits, metrics)
    resampled : ResampledTaus
    units : int
        How many topics, or groups of systems, are resampled.
    alpha : float
        The level of the intervals that hold for all pairs at once.
    p_splits : ndarray, (pairs,), optional
        P-values of the paper's test over the splits, from so many ``trials``.
    """
    import polars as pl

    grouped_pairs = pairs_within(grouped)
    first, second = (np.array([pair[side] for pair in grouped_pairs], dtype=np.intp) for side in (1, 2))
    each = taus[:, first] - taus[:, second]
    difference, se = each.mean(axis=0), mean_error(each)
    noise = noise_of_differences(resampled.noise, first, second)
    differences = difference, resampled.taus[:, first] - resampled.taus[:, second], noise, se**2
    rows = row_intervals(*differences, units=units)
    together = _together(differences, units=units, alpha=alpha)
    columns: dict[str, Any] = {
        "metric_a": _text(metrics[a] for a in first),
        "metric_b": _text(metrics[b] for b in second),
        "difference": difference,
        "p": together["p"],
        **_within(difference, together["low"], together["high"]),
        **({} if p_splits is None else {"p_splits": p_splits}),
        "group": _text(group for group, _, _ in grouped_pairs),
        "p_row": rows.p,
        **{f"{name}_row": end for name, end in _within(difference, rows.low, rows.high).items()},
        "se": se,
        "p_se": together["p_se"],
        "low_se": together["error"],
        "high_se": together["error"],
        "p_row_se": rows.p_se,
        "low_row_se": rows.low_se,
        "high_row_se": rows.high_se,
        **({} if p_splits is None else {"p_splits_se": np.sqrt(p_splits * (1.0 - p_splits) / trials)}),
    }
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def _together(differences: tuple[Floats, ...], *, units: int, alpha: float) -> dict[str, Floats]:
    """Intervals and p-values that hold for all pairs at once; NaN without resamples, or with too few for the level."""
    names = ("low", "high", "error", "p", "p_se")
    resamples, pairs = differences[1].shape
    if not resamples or not pairs:
        return {name: np.full(pairs, np.nan) for name in names}
    intervals = simultaneous_intervals(*differences, topics=units, alpha=alpha)
    p = step_down_pvalues(*differences, topics=units, alpha=alpha)
    error = np.where(np.isfinite(intervals.error), intervals.error, np.nan)
    values = (*intervals.ends(), error, p, np.sqrt(p * (1.0 - p) / resamples))
    known = np.isfinite(values[0])
    return {name: np.where(known, each, np.nan) for name, each in zip(names, values, strict=True)}


def _within(difference: Floats, low: Floats, high: Floats) -> dict[str, Floats]:
    """The ends of intervals, clipped to [-1, 1], but always around the observed difference."""
    # The two halves of a split have the same distribution, so both expected taus are at least 0.
    return {"low": np.minimum(np.maximum(low, -1.0), difference), "high": np.maximum(np.minimum(high, 1.0), difference)}


def metric_rows(
    metrics: tuple[str, ...],
    grouped: dict[str, list[int]],
    taus: Floats,
    resampled: ResampledTaus,
    beaten: dict[str, list[str]] | None,
    *,
    units: int,
) -> pl.DataFrame:
    """One row per metric: mean tau, its Monte-Carlo error, the metrics shown to be less consistent, the interval.

    Parameters
    ----------
    metrics : tuple of str
    grouped : dict
    taus : ndarray, (splits, metrics)
    resampled : ResampledTaus
    beaten : dict, optional
        Metric -> the metrics that it beats; None if unknown.
    units : int
    """
    import polars as pl

    rows_in_order = rows_of_groups(grouped)
    order = [member for _, member in rows_in_order]
    names, mean, se = [metrics[member] for member in order], taus.mean(axis=0)[order], mean_error(taus)[order]
    rows = row_intervals(mean, resampled.taus[:, order], resampled.noise[:, order, order], se**2, units=units)
    return pl.DataFrame(
        {
            "group": [group for group, _ in rows_in_order],
            "metric": names,
            "mean_tau": mean,
            "se": se,
            **beaten_columns(names, beaten),
            **{name: np.clip(end, -1.0, 1.0) for name, end in rows.ends.items()},
            "canonical": [is_canonical(name) for name in names],
            **rows.errors,
        }
    ).with_columns(pl.selectors.float().fill_nan(None))


def beaten_by_intervals(pairs: pl.DataFrame) -> dict[str, list[str]] | None:
    """Metric -> the metrics that it beats, by intervals that exclude zero; None if some pairs have no interval.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"metric_a": ["AP", "AP"], "metric_b": ["RR", "P@10"], "difference": [0.2, -0.1]}
    >>> beaten_by_intervals(pl.DataFrame({**rows, "low": [0.1, -0.3], "high": [0.3, 0.1]}))
    {'AP': ['RR']}
    """
    if pairs["low"].null_count():
        return None
    return _winners(pairs, (pairs["low"] > ROUNDING) | (pairs["high"] < -ROUNDING))


def beaten_by_test(pairs: pl.DataFrame, alpha: float) -> dict[str, list[str]]:
    """Metric -> the metrics that it beats by the paper's test over these splits."""
    return _winners(pairs, pairs["p_splits"] < alpha)


def _winners(pairs: pl.DataFrame, differs: pl.Series) -> dict[str, list[str]]:
    beaten: dict[str, list[str]] = {}
    for a, b, difference in pairs.filter(differs)["metric_a", "metric_b", "difference"].iter_rows():
        better, worse = (a, b) if difference > 0 else (b, a)
        beaten.setdefault(better, []).append(worse)
    return beaten


def convergence_rows(metrics: tuple[str, ...], grouped: dict[str, list[int]], taus: Floats) -> pl.DataFrame:
    """Mean tau and its Monte-Carlo error after increasing numbers of splits."""
    import polars as pl

    splits, means, errors = running_means(taus)
    order = rows_of_groups(grouped)
    columns = [member for _, member in order]
    return pl.DataFrame(
        {
            "group": _text(group for group, _ in order for _ in splits),
            "metric": _text(metrics[member] for member in columns for _ in splits),
            "splits": np.tile(splits, len(columns)),
            "mean_tau": means[:, columns].T.reshape(-1),
            "se": errors[:, columns].T.reshape(-1),
        }
    )


def _text(values: Iterable[str]) -> pl.Series:
    import polars as pl

    return pl.Series(list(values), dtype=pl.String)


def blocks_table(frame: pl.DataFrame, caption: str, label: str) -> str:
    r"""Return the metrics in LaTeX, as Table 3 of Chen and Sakai (2023): one block per group, the best metric first.

    A raised number says how many metrics a metric beats.

    Parameters
    ----------
    frame : polars.DataFrame
        ``group``, ``metric``, ``mean_tau``, ``beats``, ``canonical``.
    caption : str
        LaTeX, printed as it is.
    label : str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"group": ["Prec"] * 2, "metric": ["Prec@10*max", "Prec@10*ERG"],
    ...                       "mean_tau": [0.6, 0.755], "beats": [0, 1], "canonical": [False, True]})
    >>> print(blocks_table(frame, "Mean $\\tau$.", "tab:consistency"))
    \begin{table*}
    \centering
    \caption{Mean $\tau$.}
    \label{tab:consistency}
    \small\setlength{\tabcolsep}{4pt}
    \begin{tabular}{lr}
    \toprule
    \multicolumn{2}{c}{Prec} \\
    \midrule
    ERG*\textsuperscript{1} & 0.755 \\
    max & 0.600 \\
    \bottomrule
    \end{tabular}
    \end{table*}
    """
    parts = [_block(part) for part in frame.partition_by("group", maintain_order=True)]
    bands = [parts[start : start + _ABREAST] for start in range(0, len(parts), _ABREAST)]
    width = max(len(band) for band in bands)
    (head, body), *further = (_band(band, width) for band in bands)
    for heading, rows in further:
        body += [r"\toprule", heading, r"\midrule", *rows]
    lines = [r"\small\setlength{\tabcolsep}{4pt}", *tabular("lr" * width, [head], body)]
    return "\n".join(table(lines, caption, label, environment="table*"))


def _block(part: pl.DataFrame) -> tuple[str, list[str]]:
    group = str(part["group"][0])
    names = short_names(part["metric"].to_list(), group)
    rows = zip(names, part["mean_tau"], part["beats"], part["canonical"], strict=True)
    # sorted() keeps the order of equal means.
    return group, [_cell(*each) for each in sorted(rows, key=lambda each: -each[1])]


def _cell(name: str, mean: float, beats: int | None, canonical: bool) -> str:
    mark = rf"\textsuperscript{{{beats}}}" if beats else ""
    return f"{escape_latex(name)}{'*' if canonical else ''}{mark} & {mean:.3f}".replace("-0.000", "0.000")


def _band(blocks: list[tuple[str, list[str]]], width: int) -> tuple[str, list[str]]:
    """The heading and the rows of blocks side by side; a block that is missing or shorter is left empty."""
    empty = [" & "] * (width - len(blocks))
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape_latex(group)}}}" for group, _ in blocks]
    rows = zip_longest(*(cells for _, cells in blocks), fillvalue=" & ")
    return _row([*heads, *empty]), [_row([*cells, *empty]) for cells in rows]


def _row(blocks: list[str]) -> str:
    return row([" & ".join(blocks).rstrip()])
