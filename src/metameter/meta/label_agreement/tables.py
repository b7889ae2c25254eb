"""The table of metrics and how they agree with labels, common to satisfaction and preference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.metric.product import Product

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_agreement.comparisons import Compared
    from metameter.meta.label_agreement.estimates import LabelEvidence
    from metameter.meta.label_agreement.question import LabelQuestion


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
_CONCORDANT: dict[str, str] = {
    "concordance_difference": "difference",
    "concordance_difference_low": "low",
    "concordance_difference_high": "high",
    "concordance_better": "better",
    "concordance_close_call": "close_call",
}
#: Marks that only resamples can give.
_FROM_RESAMPLES = ("better", "close_call", "concordance_better", "concordance_close_call")


def label_rows(question: LabelQuestion, found: LabelEvidence) -> pl.DataFrame:
    """A row for every metric asked for."""
    import polars as pl

    size = len(question.asked)
    columns: dict[str, Any] = {
        **_what_it_is(question),
        "concordance": found.concordance[:size],
        "concordance_low": found.concordance_low[:size],
        "concordance_high": found.concordance_high[:size],
        "agreement": found.shares.agreement[:size],
        "ties": found.shares.ties[:size],
        "tau_b": found.tau[:size],
        "low": found.low[:size],
        "high": found.high[:size],
        "p": found.p[:size],
        "canonical": [None if place is None else question.measures[place].name for place in question.references],
        **_held(found.compared, _COMPARED, size, found.resamples),
        **_held(found.concordant, _CONCORDANT, size, found.resamples),
        **_wins(found, size),
        "normalised_by_page": [name in question.leaning_on_recall for name in question.asked],
    }
    texts = dict.fromkeys(("metric", "browse", "aggregate", "class", "canonical"), pl.String)
    marks = dict.fromkeys(("better_row", *_FROM_RESAMPLES), pl.Boolean)
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


def _held(compared: Compared, fields: dict[str, str], size: int, resamples: int) -> dict[str, list[Any]]:
    """What is known of each metric's comparison: nothing where there was none."""
    held = {int(metric): place for place, metric in enumerate(compared.metric)}
    columns = {}
    for name, field in fields.items():
        values = getattr(compared, field).tolist()
        unknown = name in _FROM_RESAMPLES and not resamples
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
    >>> frame = pl.DataFrame({"metric": ["AP2*fin"], "class": ["XX"], "tau_b": [None], "concordance": [None],
    ...                       "concordance_difference": [None]})
    >>> at_a_glance(frame, 3).select("concordance", "tau_b").row(0)
    ('XX', 'XX')
    """
    import polars as pl

    held = frame["concordance_difference"].drop_nulls().len() > 0
    mark = "concordance_better" if held else "beaten_by"
    shown = ["metric", "concordance", "concordance_low", "concordance_high", "ties", "tau_b", mark]
    texts = {}
    for name in ("concordance", "tau_b"):
        cells = frame.select(name, "class").iter_rows()
        texts[name] = [
            (kind if kind != "metric" else "") if figure is None else f"{figure:.{digits}f}" for figure, kind in cells
        ]
    columns = [pl.Series(name, cells, dtype=pl.String) for name, cells in texts.items()]
    return frame.select(name for name in shown if name in frame.columns).with_columns(columns)
