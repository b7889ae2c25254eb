"""The table of metrics and their agreement with labels, and its matrix of browsing models and aggregations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.metric.product import Product

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_agreement.estimates import Comparisons, LabelEstimates
    from metameter.meta.label_agreement.question import LabelQuestion


#: Column -> field of the comparisons by tau_b.
_TAU_COLUMNS: dict[str, str] = {
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
#: Column -> field of the comparisons by concordance.
_CONCORDANCE_COLUMNS: dict[str, str] = {
    "concordance_difference": "difference",
    "concordance_difference_low": "low",
    "concordance_difference_high": "high",
    "concordance_better": "better",
    "concordance_close_call": "close_call",
}
#: Columns that need resamples.
_FROM_RESAMPLES = ("better", "close_call", "concordance_better", "concordance_close_call")

#: The marks of Moffat et al. (2022), and a lighter one for differences significant in their row only.
CANONICAL, BETTER, ROW_BETTER = "a", "b", "(b)"
#: Values that differ by no more than this are equal.
SAME = 1e-9
#: Class that is printed instead of a value -> its meaning.
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


def label_rows(question: LabelQuestion, estimates: LabelEstimates) -> pl.DataFrame:
    """One row for every requested metric."""
    import polars as pl

    size = len(question.names)
    references = [None if position is None else question.measures[position].name for position in question.references]
    columns: dict[str, Any] = {
        **_identity_columns(question),
        "concordance": estimates.concordance[:size],
        "concordance_low": estimates.concordance_low[:size],
        "concordance_high": estimates.concordance_high[:size],
        "agreement": estimates.shares.agreement[:size],
        "ties": estimates.shares.ties[:size],
        "tau_b": estimates.tau[:size],
        "low": estimates.low[:size],
        "high": estimates.high[:size],
        "p": estimates.p[:size],
        "canonical": references,
        **_comparison_columns(estimates.by_tau, _TAU_COLUMNS, size, estimates.resamples),
        **_comparison_columns(estimates.by_concordance, _CONCORDANCE_COLUMNS, size, estimates.resamples),
        **_win_columns(estimates, size),
        "normalised_by_page": [name in question.leaning_on_recall for name in question.names],
    }
    texts = dict.fromkeys(("metric", "browse", "aggregate", "class", "canonical"), pl.String)
    marks = dict.fromkeys(("better_row", *_FROM_RESAMPLES), pl.Boolean)
    frame = pl.DataFrame(columns, schema_overrides={**texts, **marks, "beats": pl.Int64, "beaten_by": pl.Int64})
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _identity_columns(question: LabelQuestion) -> dict[str, Any]:
    own = question.measures[: len(question.names)]
    products = [each if isinstance(each, Product) else None for each in own]
    return {
        "metric": list(question.names),
        "browse": [None if each is None else str(each.model) for each in products],
        "aggregate": [None if each is None else str(each.aggregation) for each in products],
        "class": list(question.classes[: len(own)]),
    }


def _comparison_columns(
    comparisons: Comparisons, fields: dict[str, str], size: int, resamples: int
) -> dict[str, list[Any]]:
    """The comparison of each metric with its reference; None where there was none."""
    row = {int(metric): number for number, metric in enumerate(comparisons.metric)}
    columns = {}
    for name, field in fields.items():
        values = getattr(comparisons, field).tolist()
        unknown = name in _FROM_RESAMPLES and not resamples
        columns[name] = [values[row[n]] if n in row and not unknown else None for n in range(size)]
    return columns


def _win_columns(estimates: LabelEstimates, size: int) -> dict[str, list[Any]]:
    """How many metrics each exceeds significantly, and how many exceed it; None for metrics without a correlation."""
    known = ~np.isnan(estimates.tau[:size]) & bool(estimates.resamples)
    wins = {"beats": estimates.exceeds.sum(axis=1), "beaten_by": estimates.exceeds.sum(axis=0)}
    return {
        name: [int(count) if there else None for count, there in zip(counts, known, strict=True)]
        for name, counts in wins.items()
    }


def at_a_glance(frame: pl.DataFrame, digits: int) -> pl.DataFrame:
    """The columns that a terminal shows; X and XX replace values as in papers.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["AP2*fin"], "class": ["XX"], "tau_b": [None], "concordance": [None],
    ...                       "concordance_difference": [None]})
    >>> at_a_glance(frame, 3).select("concordance", "tau_b").row(0)
    ('XX', 'XX')
    """
    import polars as pl

    compared = frame["concordance_difference"].drop_nulls().len() > 0
    mark = "concordance_better" if compared else "beaten_by"
    columns = ["metric", "concordance", "concordance_low", "concordance_high", "ties", "tau_b", mark]
    texts = {}
    for name in ("concordance", "tau_b"):
        cells = frame.select(name, "class").iter_rows()
        texts[name] = [
            (kind if kind != "metric" else "") if figure is None else f"{figure:.{digits}f}" for figure, kind in cells
        ]
    series = [pl.Series(name, cells, dtype=pl.String) for name, cells in texts.items()]
    return frame.select(name for name in columns if name in frame.columns).with_columns(series)


def products(table: pl.DataFrame) -> pl.DataFrame:
    """The metrics that are a browsing model times an aggregation."""
    import polars as pl

    both = [pl.col(name).fill_null("") != "" for name in ("browse", "aggregate")]
    return table.filter(*both)


def is_table(table: pl.DataFrame) -> bool:
    """Whether the products form a table of browsing models and aggregations: two or more products, at most one a cell.

    Examples
    --------
    >>> import polars as pl
    >>> one = pl.DataFrame({"browse": ["RBP(p=0.8)", ""], "aggregate": ["ERG", ""]})
    >>> is_table(one), is_table(pl.DataFrame({"browse": ["Prec@5"] * 2, "aggregate": ["ERG", "max"]}))
    (False, True)
    """
    cells = products(table)
    return cells.height > 1 and not cells.select("browse", "aggregate").is_duplicated().any()


def meanings(cells: pl.DataFrame, reference: str | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """The meanings of the marks, and of the classes, that occur in these cells.

    Parameters
    ----------
    cells : polars.DataFrame
        The result of `table_cells`.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.

    Examples
    --------
    >>> import polars as pl
    >>> meanings(pl.DataFrame({"mark": ["a", ""], "written": [".268", "X"]}), "RR*max")
    ({'a': 'the reference RR*max'}, {'X': 'a constant'})
    """
    texts = _MARKS if reference is None else {mark: text.format(reference) for mark, text in _AGAINST.items()}
    marks, written = set(cells["mark"]), set(cells["written"])
    return (
        {mark: text for mark, text in texts.items() if mark in marks},
        {name: text for name, text in _CLASSES.items() if name in written},
    )


def table_cells(table: pl.DataFrame, reference: str | None = None) -> pl.DataFrame:
    """The products, with the text of their cells in a table of browsing models and aggregations.

    A canonical metric that would be alone in its row (ERR*ERR@10, while others are ERR@10*max) moves to the row of the
    metrics that are compared with it, if its cell there is free.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.

    Returns
    -------
    polars.DataFrame
        With ``written`` (the value to three decimals, or X, or XX), ``mark`` (a: canonical, b: significantly better,
        (b): significant in its row only) and ``best`` (whether no value of its row is higher). Rows and columns are
        in the order of their first occurrence.

    Examples
    --------
    >>> import polars as pl
    >>> cells = table_cells(pl.DataFrame({"metric": ["RR*ERR", "RR*max", "RR*avg"], "browse": ["RR"] * 3,
    ...     "aggregate": ["ERR", "max", "avg"], "class": ["metric", "metric", "X"], "tau_b": [0.268, 0.439, None],
    ...     "canonical": ["RR*ERR"] * 3, "better": [False, True, False], "better_row": [False, True, False]}))
    >>> cells.select("written", "mark", "best").rows()
    [('.268', 'a', False), ('.439', 'b', True), ('X', '', False)]
    """
    import polars as pl

    cells = products(table).with_columns(pl.col("tau_b").fill_nan(None))
    if reference is None:
        cells = cells.with_columns(browse=_rows_of_cells(cells))
    rows = list(cells.iter_rows(named=True))
    highest = pl.col("tau_b").max().over("browse")
    return cells.with_columns(
        pl.Series("written", [_written(row) for row in rows], dtype=pl.String),
        pl.Series("mark", [_mark(row) for row in rows], dtype=pl.String),
        (pl.col("tau_b") > highest - SAME).fill_null(False).alias("best"),
    )


def _rows_of_cells(cells: pl.DataFrame) -> pl.Series:
    """The row of each cell; a lone canonical metric joins the metrics that are compared with it."""
    import polars as pl

    rows = cells.select("metric", "canonical", "browse", "aggregate").rows()
    browse = [model for _, _, model, _ in rows]
    taken = {(model, part) for _, _, model, part in rows}
    for number, (metric, canonical, model, part) in enumerate(rows):
        others = {theirs for name, reference, theirs, _ in rows if reference == metric and name != metric}
        if metric == canonical and browse.count(model) == 1 and len(others) == 1:
            [theirs] = others
            browse[number] = model if (theirs, part) in taken else theirs
    return pl.Series("browse", browse, dtype=pl.String)


def _written(row: dict[str, Any]) -> str:
    value = row["tau_b"]
    if value is None:
        return row["class"] if row["class"] in _CLASSES else "–"
    # As papers print values up to 1: without the leading zero.
    size = f"{abs(value):.3f}"
    sign = "−" if value < 0 and float(size) else ""
    return sign + (size.removeprefix("0"))


def _mark(row: dict[str, Any]) -> str:
    if row["canonical"] is not None and row["metric"] == row["canonical"]:
        return CANONICAL
    return BETTER if row["better"] else ROW_BETTER if row["better_row"] else ""
