"""From a table of agreement with users to its squares: a row per browsing model, a column per aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


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
