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
#: Marks that only resamples can give.
_FROM_RESAMPLES = ("better", "close_call")


def label_rows(question: LabelQuestion, found: LabelEvidence, figures: dict[str, Any] | None = None) -> pl.DataFrame:
    """A row for every metric asked for; ``figures``, further columns, stand after tau_b."""
    import polars as pl

    size = len(question.asked)
    columns: dict[str, Any] = {
        **_what_it_is(question),
        "tau_b": found.tau[:size],
        **(figures or {}),
        "low": found.low[:size],
        "high": found.high[:size],
        "p": found.p[:size],
        "canonical": [None if place is None else question.measures[place].name for place in question.references],
        **_held(found, size),
        **_wins(found, size),
    }
    texts = dict.fromkeys(("metric", "browse", "aggregate", "class", "canonical"), pl.String)
    marks = dict.fromkeys(("better", "better_row", "close_call"), pl.Boolean)
    frame = pl.DataFrame(columns, schema_overrides={**texts, **marks, "beats": pl.Int64, "beaten_by": pl.Int64})
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _what_it_is(question: LabelQuestion) -> dict[str, Any]:
    own = question.measures[: len(question.asked)]
    products = [each if isinstance(each, Product) else None for each in own]
    return {
        "metric": list(question.asked),
        "browse": [None if each is None else str(each.model) for each in products],
        "aggregate": [None if each is None else str(each.aggregation) for each in products],
        "class": list(question.classes[: len(own)]),
    }


def _held(found: LabelEvidence, size: int) -> dict[str, list[Any]]:
    """What is known of each metric's comparison: nothing where there was none."""
    held = {int(metric): place for place, metric in enumerate(found.compared.metric)}
    columns = {}
    for name, field in _COMPARED.items():
        values = getattr(found.compared, field).tolist()
        unknown = name in _FROM_RESAMPLES and not found.resamples
        columns[name] = [values[held[n]] if n in held and not unknown else None for n in range(size)]
    return columns


def _wins(found: LabelEvidence, size: int) -> dict[str, list[Any]]:
    """How many metrics each is shown to exceed, and the other way round; what is not correlated does neither."""
    known = ~np.isnan(found.tau[:size]) & bool(found.resamples)
    wins = {"beats": found.exceeds.sum(axis=1), "beaten_by": found.exceeds.sum(axis=0)}
    return {
        name: [int(count) if there else None for count, there in zip(counts, known, strict=True)]
        for name, counts in wins.items()
    }


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
    shown = ["metric", "tau_b", "low", "high", "agreement", "ties", "better" if held else "beaten_by"]
    columns = [name for name in shown if name in frame.columns]
    cells = frame.select("tau_b", "class").iter_rows()
    texts = [(kind if kind != "metric" else "") if tau is None else f"{tau:.{digits}f}" for tau, kind in cells]
    return frame.select(columns).with_columns(pl.Series("tau_b", texts, dtype=pl.String))
