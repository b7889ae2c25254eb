"""What a terminal shows of the tables of `fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["at_a_glance"]

_SHOWN = {
    "fit": ("parameter", "estimate", "low", "high", "canonical_value", "at_bound"),
    "fit_folds": ("fold", "metric", "tau_b", "concordance", "agreement", "difference", "low", "high"),
    "fit_models": ("model", "kind", "low", "high", "lapse", "held_out", "p"),
}


def at_a_glance(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that answer the question; what is empty in all rows is left out, long names are cut.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"parameter": ["p"], "estimate": [0.7], "low": [None], "searched_low": [0.0]})
    >>> at_a_glance("fit", frame).columns
    ['parameter', 'estimate']
    """
    import polars as pl

    shown = [column for column in _SHOWN.get(name, frame.columns) if column in frame.columns]
    kept = frame.select(column for column in shown if frame[column].is_not_null().any() or not frame.height)
    if "model" not in kept.columns:
        return kept
    return kept.with_columns(pl.col("model").str.replace(r"^(Empirical)\(.*\)$", "$1(...)"))
