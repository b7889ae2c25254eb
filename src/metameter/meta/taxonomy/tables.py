"""The taxonomy laid out as Table 3 of Moffat et al. (2022): browsing models in rows, aggregations in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.metric.taxonomy.table import models

if TYPE_CHECKING:
    import polars as pl

__all__ = ["grid", "labels"]

_SIGNS = {"constant": "X", "order-insensitive": "XX"}
_UNNAMED = "·"


def labels(table: pl.DataFrame) -> pl.Series:
    """What stands in the square of each combination: a sign, the metric's name, or a dot.

    Examples
    --------
    >>> import polars as pl
    >>> labels(pl.DataFrame({"class": ["metric", "metric", "constant"], "name": ["Prec@k", None, None]})).to_list()
    ['Prec@k', '·', 'X']
    """
    import polars as pl

    sign = pl.col("class").replace_strict(_SIGNS, default=None, return_dtype=pl.String)
    return table.select(label=pl.coalesce(sign, pl.col("name"), pl.lit(_UNNAMED)))["label"]


def grid(table: pl.DataFrame) -> pl.DataFrame:
    """The labels of all combinations in rows and columns."""
    import polars as pl

    rows, columns = models()
    cells = dict(zip(table.select("browse", "aggregate").iter_rows(), labels(table), strict=True))
    lines = [(row, *(cells[row, column] for column in columns)) for row in rows]
    return pl.DataFrame(lines, schema=dict.fromkeys(("browse", *columns), pl.String), orient="row")
