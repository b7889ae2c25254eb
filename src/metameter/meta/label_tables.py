"""The table of metrics and how they agree with labels, common to satisfaction and preference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.metric.product import Product

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_evidence import LabelEvidence
    from metameter.meta.label_question import LabelQuestion

__all__ = ["at_a_glance", "label_rows"]

_COMPARED: dict[str, str] = {
    "p_vs_canonical": "p_row",
    "better": "better",
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    "difference_low_row": "low_row",
    "difference_high_row": "high_row",
    "p_table": "p_table",
    "better_row": "better_row",
    "close_call": "close_call",
}
_MARKS = ("better", "better_row", "close_call")


def label_rows(question: LabelQuestion, found: LabelEvidence, figures: dict[str, Any] | None = None) -> pl.DataFrame:
    """A row for every metric asked for; ``figures``, further columns, stand after tau_b."""
    import polars as pl

    shown = range(len(question.asked))
    products = [each if isinstance(each, Product) else None for each in question.measures]
    held = {int(metric): place for place, metric in enumerate(found.compared.metric)}
    columns: dict[str, Any] = {
        "metric": list(question.asked),
        "browse": [None if (each := products[n]) is None else str(each.model) for n in shown],
        "aggregate": [None if (each := products[n]) is None else str(each.aggregation) for n in shown],
        "class": list(question.classes[: len(shown)]),
        "tau_b": found.tau[: len(shown)],
        **(figures or {}),
        "low": found.low[: len(shown)],
        "high": found.high[: len(shown)],
        "p": found.p[: len(shown)],
        "canonical": [None if place is None else question.measures[place].name for place in question.references],
    }
    for name, field in _COMPARED.items():
        values = getattr(found.compared, field)
        absent: Any = False if name in _MARKS else np.nan
        columns[name] = [values[held[n]] if n in held else absent for n in shown]
    # What is not correlated is neither above nor below anything; and without resamples nothing is shown.
    known = ~np.isnan(found.tau[: len(shown)]) & bool(found.resamples)
    for name, wins in (("beats", found.beats), ("beaten_by", found.beaten_by)):
        columns[name] = [int(count) if there else None for count, there in zip(wins, known, strict=True)]
    texts = dict.fromkeys(("metric", "browse", "aggregate", "class", "canonical"), pl.String)
    marks = dict.fromkeys(_MARKS, pl.Boolean)
    frame = pl.DataFrame(columns, schema_overrides={**texts, **marks}, strict=False)
    # A difference of a metric without one is unknown, not zero.
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def at_a_glance(frame: pl.DataFrame, digits: int) -> pl.DataFrame:
    """What a terminal shows of the table: the figures, X and XX where papers print them, and what is shown.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["AP2*fin"], "class": ["XX"], "tau_b": [None], "difference": [None]})
    >>> at_a_glance(frame, 3)["tau_b"].to_list()
    ['XX']
    """
    import polars as pl

    held = frame["difference"].drop_nulls().len() > 0
    shown = ["metric", "tau_b", "low", "high", "ties", *(["difference", "better"] if held else ["beaten_by"])]
    columns = [name for name in shown if name in frame.columns]
    cells = frame.select("tau_b", "class").iter_rows()
    texts = [(kind if kind != "metric" else "") if tau is None else f"{tau:.{digits}f}" for tau, kind in cells]
    return frame.select(columns).with_columns(pl.Series("tau_b", texts, dtype=pl.String))
