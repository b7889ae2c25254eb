"""The tables of `power`: metrics, pairs of systems, curves of p-values, and whether verdicts hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.metric_groups import DIAGNOSTIC, canonical_positions, groups
from metameter.meta.framework.metric_names import aggregation_of, is_canonical
from metameter.meta.framework.standing import beaten_columns
from metameter.meta.framework.table_rows import names_at, pair_names
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.significance.confirmation import split_count
from metameter.stats.significance.pair_tests import power_error
from metameter.stats.significance.pairs import PairTests
from metameter.types import Scores
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl


# A randomised test on every half of every split would cost a hundred times the test itself.
STAND_INS = {
    "tukey-randomised": "by the test's normal approximation",
    "max-t": "by the paired t test with Holm's correction",
    "bootstrap": "by the paired t test",
}
COLUMNS = ("significant", "agreement", "opposite", "reversed")

_SHARES = ("added", "agreement_a", "agreement_b", "shared", "shared_agreement_a", "shared_agreement_b")

_AGREEMENT = ("agreement", "agreement_error", "reversed", "reversed_error")
# Column -> its heading in a paper.
_HEADINGS = {
    "metric": "Metric",
    "pairs": "Pairs",
    "significant": "Significant",
    "power": "Power",
    "required_difference": "Required",
    "agreement": "Agreement",
}


def power_table(
    metrics: tuple[str, ...],
    pairs: PairTests,
    pvalue: Floats,
    correction: str,
    alpha: float,
    agreement: pl.DataFrame,
    intervals: dict[str, Floats],
    beaten: dict[str, list[str]] | None,
) -> pl.DataFrame:
    """One row per metric: power with its interval, the difference required, the metrics it beats, and agreement."""
    import polars as pl

    significant = (pvalue < alpha).sum(axis=-1)
    count = pvalue.shape[-1]
    needed, error, share, share_error = _required(pairs, correction)
    columns = {
        "metric": pl.Series(metrics, dtype=pl.String),
        "pairs": np.full(len(metrics), count),
        "significant": significant,
        "power": significant / count,
        "required_difference": needed,
        **{name: intervals[name] for name in ("low", "high")},
        **beaten_columns(list(metrics), beaten),
        "power_error": power_error(pairs, correction, alpha),
        "required_difference_error": error,
        "required_share": share,
        "required_share_error": share_error,
        **{name: intervals[name] for name in ("low_se", "high_se")},
        "trials": pl.Series([pairs.trials] * len(metrics), dtype=pl.Int64),
    }
    table = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    return table.with_columns(*agreement.select(_AGREEMENT).get_columns())


def _required(pairs: PairTests, correction: str) -> tuple[Floats, ...]:
    """The difference required and its error; and both as shares of the largest difference observed."""
    both = (pairs.required, pairs.required_error)
    if correction != "none":
        # With a correction, the required difference depends on the other pairs, so there is no single number.
        both = (np.full_like(pairs.required, np.nan), np.full_like(pairs.required_error, np.nan))
    largest = np.abs(pairs.difference).max(axis=-1)
    shares = (np.divide(part, largest, out=np.full_like(part, np.nan), where=largest > 0) for part in both)
    return (*both, *shares)


def pair_table(scores: Scores, pairs: PairTests, pvalue: Floats, correction: str) -> pl.DataFrame:
    """The results of the test for every pair of systems."""
    import polars as pl

    columns: dict[str, Any] = {
        **pair_names(scores, *system_pairs(len(scores.systems))),
        "difference": pairs.difference.reshape(-1),
        "effect": pairs.effect.reshape(-1),
        "p": pvalue.reshape(-1),
        "p_error": pairs.pvalue_error.reshape(-1),
    }
    if correction != "none":
        columns["p_uncorrected"] = pairs.pvalue.reshape(-1)
    return pl.DataFrame(columns).with_columns(pl.col("p_error").fill_nan(None))


def curve_table(metrics: Sequence[str], falling: Floats) -> pl.DataFrame:
    """The curves, run-length encoded: pairs ``first`` to ``last`` of a metric, counted from 1, have the same p.

    Examples
    --------
    >>> curve_table(["AP"], np.array([[1.0, 1.0, 0.25]])).rows()
    [('AP', 1, 2, 1.0), ('AP', 3, 3, 0.25)]
    """
    import polars as pl

    begins = np.ones(falling.shape, dtype=bool)
    begins[:, 1:] = falling[:, 1:] != falling[:, :-1]
    row, start = np.nonzero(begins)
    last = np.append(start[1:], 0)
    last[last == 0] = falling.shape[1]
    return pl.DataFrame({"metric": names_at(metrics, row), "first": start + 1, "last": last, "p": falling[begins]})


def equal_curves(falling: Floats, positions: Sequence[int]) -> list[list[int]]:
    """The metrics at these positions, grouped by equal curves.

    Examples
    --------
    >>> equal_curves(np.array([[1.0, 0.5], [1.0, 0.2], [1.0, 0.5]]), [0, 1, 2])
    [[0, 2], [1]]
    """
    alike: dict[bytes, list[int]] = {}
    for position in positions:
        alike.setdefault(falling[position].tobytes(), []).append(position)
    return list(alike.values())


def curve_labels(metrics: Sequence[str], falling: Floats) -> dict[str, dict[str, list[int]]]:
    """Panel -> label in its legend -> the metrics that share this curve.

    Within a browsing model, a metric is labelled with its aggregation if no two metrics have the same one.

    Examples
    --------
    >>> names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*ETG", "RBP(p=0.8)*max"]
    >>> curve_labels(names, np.array([[1.0, 0.5], [1.0, 0.5], [1.0, 0.2]]))
    {'RBP(p=0.8)': {'ERG (canonical) = ETG': [0, 1], 'max': [2]}}
    """
    panels = {}
    for group, positions in groups(tuple(metrics), "browse").items():
        short = [aggregation_of(metrics[i]) for i in positions]
        full = [metrics[i] for i in positions]
        names = dict(zip(positions, short if len(set(short)) == len(short) else full, strict=True))
        panels[group] = {
            " = ".join(names[i] + (" (canonical)" if is_canonical(metrics[i]) else "") for i in alike): alike
            for alike in equal_curves(falling, positions)
        }
    return panels


def comparisons(metrics: tuple[str, ...]) -> list[tuple[int, int]]:
    """Positions (A, B) of the metrics to compare: each with the canonical metric of its browsing model, in both orders.

    Without a canonical metric, or without a model, every two metrics are compared; diagnostics are not.

    Examples
    --------
    >>> comparisons(("RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "RBP(p=0.8)*fin", "AP", "RR"))
    [(0, 1), (1, 0), (2, 1), (1, 2), (3, 4), (4, 3)]
    """
    canonical = canonical_positions(metrics)
    pairs: list[tuple[int, int]] = []
    for members in (members for group, members in groups(metrics, "browse").items() if group != DIAGNOSTIC):
        to_canonical = [(member, other) for member in members if (other := canonical[member]) is not None]
        pairs += [pair for pair in to_canonical if pair[0] != pair[1]] if to_canonical else combinations(members, 2)
    return [ordered for a, b in pairs for ordered in ((a, b), (b, a))]


def added_table(
    metrics: tuple[str, ...], pairs: list[tuple[int, int]], splits: int, shares: Floats, errors: Floats
) -> pl.DataFrame:
    """The shares and their errors, (6, comparisons), labelled."""
    import polars as pl

    columns: dict[str, Any] = {
        f"metric_{side}": pl.Series([metrics[pair[i]] for pair in pairs], dtype=pl.String)
        for i, side in enumerate("ab")
    }
    columns |= dict(zip(_SHARES, shares, strict=True))
    columns |= {f"{name}_error": error for name, error in zip(_SHARES, errors, strict=True)}
    columns["splits"] = np.full(len(pairs), splits)
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def agreement_table(metrics: tuple[str, ...], test: str, shares: Floats, errors: Floats) -> pl.DataFrame:
    """The shares and their errors, labelled."""
    import polars as pl

    columns: dict[str, Any] = {"metric": pl.Series(metrics, dtype=pl.String)}
    columns["splits"] = np.full(len(metrics), split_count(test))
    for name, share, error in zip(COLUMNS, shares, errors, strict=True):
        columns[name], columns[f"{name}_error"] = share, error
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def paper_table(table: pl.DataFrame, test: str) -> str:
    """Return the table of metrics as LaTeX, without Monte-Carlo errors, shares and empty columns.

    Parameters
    ----------
    table : polars.DataFrame
        ``power``.
    test : str
        The first of the notes: which test, on how many topics and pairs.
    """
    headings = {name: heading for name, heading in _HEADINGS.items() if table[name].is_not_null().any()}
    caption = f"Discriminative power: the share of pairs of systems that differ significantly. {test}"
    if "required_difference" in headings:
        caption += " Required: the difference in means that the test requires."
    text = to_latex(table, caption, "tab:power", headings)
    return text.replace(r"\begin{tabular}", "\\small\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}", 1)
