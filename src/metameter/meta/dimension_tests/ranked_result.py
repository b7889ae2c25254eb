"""The result of a procedure that ranks metrics by iteration; its forms for one collection and for a terminal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from metameter.meta.framework.table_rows import ALL, without_repeats
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl


MOST_SHOWN = 60
_LESS_READ = ("cases", "p_topics", "p_topics_se", "p_table_se", "close_call")

R = TypeVar("R", bound="RankedResult")


@dataclass(frozen=True, eq=False, repr=False)
class RankedResult(Result):
    """A result whose last table ranks metrics.

    Attributes
    ----------
    resampled : ndarray of int, (resamples, rows of the ranking)
        The wins over resampled topics.
    """

    resampled: Any = field(default=None, repr=False)

    def left_out(self, name: str) -> str:
        """How many rows a terminal does not show: those of other iterations, and of many pairs the unsure ones."""
        rows = self.tables[name].height - self.glance(name).height
        return f"{rows:,} more row{'s' * (rows > 1)}" if rows else ""


def without_collection(result: R) -> R:
    """The result of one collection, with tables that neither name the collection nor sum over it.

    Examples
    --------
    >>> import polars as pl
    >>> tables = {"t": pl.DataFrame({"collection": ["a", "All"], "p": [0.5, 0.5]})}
    >>> without_collection(RankedResult(tables)).table.rows()
    [(0.5,)]
    """
    *_, ranking = result.tables.values()
    resampled = result.resampled
    if resampled is not None:
        resampled = resampled[:, (ranking["collection"] != ALL).to_numpy()]
    tables = {
        name: table.filter(table["collection"] != ALL).drop("collection") for name, table in result.tables.items()
    }
    return replace(result, tables=tables, resampled=resampled)


def at_a_glance(table: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """The rows of the last iteration, or of the sums; if there are many pairs, those with p_table below alpha.

    Parameters
    ----------
    table : polars.DataFrame
        With a column ``iteration``.
    alpha : float

    Examples
    --------
    >>> import polars as pl
    >>> at_a_glance(pl.DataFrame({"iteration": [1, 2], "cases": [3, 3], "p_table": [0.5, 0.5]})).rows()
    [(2, 0.5)]
    >>> at_a_glance(pl.DataFrame({"iteration": ["1", "2", "All"], "rank": [1, 2, 3]})).rows()
    [('All', 3)]
    """
    import polars as pl

    table = without_repeats(table)
    numbered = table.schema["iteration"].is_integer()
    whole = pl.col("iteration") == (pl.col("iteration").max() if numbered else pl.lit(ALL))
    rows = table.filter(whole) if numbered or (table["iteration"] == ALL).any() else table
    if "p_table" not in rows.columns:
        return rows
    if rows.height > MOST_SHOWN:
        sure = rows.filter(pl.col("p_table") < alpha)
        rows = (sure if sure.height else rows).head(MOST_SHOWN)
    single = ["collection"] if "collection" in rows.columns and rows["collection"].n_unique() < 2 else []
    return rows.drop(*_LESS_READ, *single, strict=False)
