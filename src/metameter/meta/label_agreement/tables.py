"""The table of metrics and their agreement with labels, and its matrix of browsing models and aggregations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.metric.product import Product

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_agreement.estimates import Compared, LabelEvidence
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

#: The marks of Moffat et al. (2022), and a lighter one for what is significant in its row only.
CANONICAL, BETTER, ROW_BETTER = "a", "b", "(b)"
#: Values that are no further apart are equal.
SAME = 1e-9
#: How classes are said in place of a value, and what they mean.
_CLASSES = {"X": "a constant", "XX": "the order of the results does not matter"}
_MARKS = {
    CANONICAL: "the canonical metric of the row",
    BETTER: "tau_b shown to be higher than that of the canonical metric, all comparisons of the table taken together",
    ROW_BETTER: "tau_b significantly higher within the row only",
}
_AGAINST = {
    CANONICAL: "the reference {}",
    BETTER: "tau_b shown to be higher than that of {}, all comparisons of the table taken together",
    ROW_BETTER: "tau_b significantly higher than that of {} by its p alone",
}


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


def products(table: pl.DataFrame) -> pl.DataFrame:
    """The metrics that are a browsing model times an aggregation."""
    import polars as pl

    both = [pl.col(name).fill_null("") != "" for name in ("browse", "aggregate")]
    return table.filter(*both)


def is_table(table: pl.DataFrame) -> bool:
    """Whether the products have a square each, and some row or column has more than one.

    Examples
    --------
    >>> import polars as pl
    >>> one = pl.DataFrame({"browse": ["RBP(p=0.8)", ""], "aggregate": ["ERG", ""]})
    >>> is_table(one), is_table(pl.DataFrame({"browse": ["Prec@5"] * 2, "aggregate": ["ERG", "max"]}))
    (False, True)
    """
    made = products(table)
    return made.height > 1 and not made.select("browse", "aggregate").is_duplicated().any()


def meanings(made: pl.DataFrame, reference: str | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """What the marks mean that are in these squares, and what the classes.

    Parameters
    ----------
    made : polars.DataFrame
        As `squares` gives it.
    reference : str, optional
        What all metrics are held against, where that is not the canonical metric of each row.

    Examples
    --------
    >>> import polars as pl
    >>> meanings(pl.DataFrame({"mark": ["a", ""], "written": [".268", "X"]}), "RR*max")
    ({'a': 'the reference RR*max'}, {'X': 'a constant'})
    """
    told = _MARKS if reference is None else {mark: text.format(reference) for mark, text in _AGAINST.items()}
    marks, written = set(made["mark"]), set(made["written"])
    return (
        {mark: text for mark, text in told.items() if mark in marks},
        {name: text for name, text in _CLASSES.items() if name in written},
    )


def squares(table: pl.DataFrame, reference: str | None = None) -> pl.DataFrame:
    """The products, with what is written in their squares.

    A canonical metric that would stand alone in its row (ERR*ERR@10, while others are ERR@10*max) stands in the row of
    those that are held against it, if its square there is free.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``.
    reference : str, optional
        What all metrics are held against, where that is not the canonical metric of each row.

    Returns
    -------
    polars.DataFrame
        With ``written`` (the value to three decimals, or X, or XX), ``mark`` (a: canonical, b: shown to be better than
        it, (b): significant in its row only) and ``best`` (whether no value of its row is higher). Rows and columns
        that are asked for in any order stand as each first occurs.

    Examples
    --------
    >>> import polars as pl
    >>> made = squares(pl.DataFrame({"metric": ["RR*ERR", "RR*max", "RR*avg"], "browse": ["RR"] * 3,
    ...     "aggregate": ["ERR", "max", "avg"], "class": ["metric", "metric", "X"], "tau_b": [0.268, 0.439, None],
    ...     "canonical": ["RR*ERR"] * 3, "better": [False, True, False], "better_row": [False, True, False]}))
    >>> made.select("written", "mark", "best").rows()
    [('.268', 'a', False), ('.439', 'b', True), ('X', '', False)]
    """
    import polars as pl

    made = products(table).with_columns(pl.col("tau_b").fill_nan(None))
    if reference is None:
        made = made.with_columns(browse=_joined(made))
    marks = [_mark(row) for row in made.iter_rows(named=True)]
    highest = pl.col("tau_b").max().over("browse")
    return made.with_columns(
        pl.Series("written", [_written(row) for row in made.iter_rows(named=True)], dtype=pl.String),
        pl.Series("mark", marks, dtype=pl.String),
        (pl.col("tau_b") > highest - SAME).fill_null(False).alias("best"),
    )


def _joined(made: pl.DataFrame) -> pl.Series:
    """The row of each square, those of lonely canonical metrics with the metrics that are held against them."""
    import polars as pl

    rows = made.select("metric", "canonical", "browse", "aggregate").rows()
    browse = [model for _, _, model, _ in rows]
    taken = {(model, part) for _, _, model, part in rows}
    for place, (metric, canonical, model, part) in enumerate(rows):
        others = {theirs for name, held, theirs, _ in rows if held == metric and name != metric}
        if metric == canonical and browse.count(model) == 1 and len(others) == 1:
            [theirs] = others
            browse[place] = model if (theirs, part) in taken else theirs
    return pl.Series("browse", browse, dtype=pl.String)


def _written(row: dict[str, Any]) -> str:
    value = row["tau_b"]
    if value is None:
        return row["class"] if row["class"] in _CLASSES else "–"
    # As papers write what cannot exceed 1; 1 itself keeps its digit.
    size = f"{abs(value):.3f}"
    sign = "−" if value < 0 and float(size) else ""
    return sign + (size.removeprefix("0"))


def _mark(row: dict[str, Any]) -> str:
    if row["canonical"] is not None and row["metric"] == row["canonical"]:
        return CANONICAL
    return BETTER if row["better"] else ROW_BETTER if row["better_row"] else ""
