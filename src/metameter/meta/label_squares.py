"""From a table of agreement with users to its squares: a row per browsing model, a column per aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BETTER", "CANONICAL", "ROW_BETTER", "is_table", "products", "squares"]

#: The marks of Moffat et al. (2022), and a lighter one for what is significant in its row only.
CANONICAL, BETTER, ROW_BETTER = "a", "b", "(b)"
_SAME = 1e-9
# How classes are said in place of a value.
_CLASSES = ("X", "XX")


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


def squares(table: pl.DataFrame) -> pl.DataFrame:
    """The products, with what is written in their squares.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``satisfaction`` or ``preference``.

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
    marks = [_mark(row) for row in made.iter_rows(named=True)]
    highest = pl.col("tau_b").max().over("browse")
    return made.with_columns(
        pl.Series("written", [_written(row) for row in made.iter_rows(named=True)], dtype=pl.String),
        pl.Series("mark", marks, dtype=pl.String),
        (pl.col("tau_b") > highest - _SAME).fill_null(False).alias("best"),
    )


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
