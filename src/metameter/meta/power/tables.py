"""The tables of `power`: the share of pairs that differ significantly, a metric a row; and the pairs themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.row_names import pair_names
from metameter.stats.pairs import Pairs
from metameter.stats.settling import power_error
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["pair_table", "paper_table", "power_table"]

_AGREEMENT = ("agreement", "agreement_error", "reversed", "reversed_error")


_HEADINGS = {
    "metric": "Metric",
    "pairs": "Pairs",
    "significant": "Significant",
    "power": "Power",
    "required_difference": "Required",
    "agreement": "Agreement",
}


def paper_table(table: pl.DataFrame, caption: str) -> str:
    """The table of metrics as LaTeX, without errors and shares, and without columns that have nothing in them."""
    from metameter.view.latex import to_latex

    headings = {name: said for name, said in _HEADINGS.items() if table[name].is_not_null().any()}
    if "required_difference" in headings:
        caption += " Required: the difference in means that the test requires."
    text = to_latex(table, caption, "tab:power", headings)
    return text.replace(r"\begin{tabular}", "\\small\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}", 1)


def power_table(
    metrics: tuple[str, ...], found: Pairs, pvalue: Floats, correction: str, alpha: float, agreement: pl.DataFrame
) -> pl.DataFrame:
    """Power, the difference required and whether verdicts hold, of every metric."""
    import polars as pl

    significant = (pvalue < alpha).sum(axis=-1)
    pairs = pvalue.shape[-1]
    needed, error, share, share_error = _required(found, correction)
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
    table = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    return table.with_columns(*agreement.select(_AGREEMENT).get_columns())


def _required(found: Pairs, correction: str) -> tuple[Floats, ...]:
    """The difference required and its error; and both as shares of the largest difference observed."""
    both = (found.required, found.required_error)
    if correction != "none":
        # With a correction, what is required depends on the other pairs: no one number says it.
        both = (np.full_like(found.required, np.nan), np.full_like(found.required_error, np.nan))
    largest = np.abs(found.difference).max(axis=-1)
    shares = (np.divide(part, largest, out=np.full_like(part, np.nan), where=largest > 0) for part in both)
    return (*both, *shares)


def pair_table(scores: Scores, found: Pairs, pvalue: Floats, correction: str) -> pl.DataFrame:
    """What the test says of every two systems."""
    import polars as pl

    from metameter.stats.checks import system_pairs

    columns: dict[str, Any] = {
        **pair_names(scores, *system_pairs(len(scores.systems))),
        "difference": found.difference.reshape(-1),
        "effect": found.effect.reshape(-1),
        "p": pvalue.reshape(-1),
        "p_error": found.pvalue_error.reshape(-1),
    }
    if correction != "none":
        columns["p_uncorrected"] = found.pvalue.reshape(-1)
    return pl.DataFrame(columns).with_columns(pl.col("p_error").fill_nan(None))
