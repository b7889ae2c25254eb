"""The table of metrics and how they agree with labels, common to satisfaction and preference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.metric.product import Product

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_evidence import LabelEvidence
    from metameter.meta.label_question import LabelQuestion

__all__ = ["glance_columns", "label_rows"]

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
    columns |= {"beats": found.beats, "beaten_by": found.beaten_by}
    texts = dict.fromkeys(("metric", "browse", "aggregate", "class", "canonical"), pl.String)
    marks = dict.fromkeys(_MARKS, pl.Boolean)
    frame = pl.DataFrame(columns, schema_overrides={**texts, **marks}, strict=False)
    # A difference of a metric without one is unknown, not zero.
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def glance_columns(frame: pl.DataFrame) -> list[str]:
    """The columns that a terminal shows; without browsing models, no classes."""
    products = frame["browse"].drop_nulls().len() > 0
    held = frame["difference"].drop_nulls().len() > 0
    figures = [name for name in ("agreement", "ties") if name in frame.columns]
    compared = ["difference", "difference_low", "difference_high", "better"] if held else []
    return ["metric", *(["class"] if products else []), "tau_b", "low", "high", *figures, *compared, "beaten_by"]
