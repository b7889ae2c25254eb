"""What does each combination of browsing model and aggregation measure, if anything? Found out by trying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.base import procedure
from metameter.meta.taxonomy.words import WORDS
from metameter.metric.examples import DEPTH
from metameter.metric.taxonomy.table import equivalent_table, left_out, models, taxonomy_table
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Taxonomy", "taxonomy"]

_SIGNS = {"constant": "X", "order-insensitive": "XX"}
_UNNAMED = "·"
_CAPTION = (
    "Browsing models (rows) and aggregations (columns): the metrics they make. X: a constant; XX: the order of the "
    "items does not matter; *: for binary gains; a dot: a metric without a name."
)
_NOTES = (
    "X is a constant, XX does not depend on the order of the items, * holds for binary gains, a dot has no name.",
    "ERR*ETG without a last rank is order-insensitive, which Moffat et al. (2022) do not say; with one it is a metric.",
)


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy(Result):
    """What every combination is: the tables ``taxonomy``, ``equivalent`` and ``table3``, laid out as the paper's."""

    def charts(self) -> dict[str, Any]:
        """The combinations as coloured squares with their names."""
        from metameter.meta.taxonomy.charts import squares

        return {"taxonomy": squares(self.table.with_columns(label=_labels(self.table)))}

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, ``table3`` with what its signs mean."""
        from metameter.view.latex import to_latex

        return super().latex() | {"table3": to_latex(self.tables["table3"], caption=_CAPTION, label="tab:taxonomy")}


@procedure(WORDS, result=Taxonomy, needs=())
def taxonomy() -> Taxonomy:
    """Find out what each browsing model and aggregation make together: a metric, one with a name, or none at all.

    Everything registered is tried on random lists, longer than any last rank: whether scores change with the gains
    and with their order, whose scores they are, what moves the users, which metrics order all lists alike.

    Examples
    --------
    >>> found = taxonomy()
    >>> found.tables["table3"].row(0)[:6]
    ('Prec', 'RelRet@k', 'Prec@k', 'X', 'Prec@k', 'Succ@k')
    """
    from metameter import __version__

    table = taxonomy_table()
    tables = {"taxonomy": table, "equivalent": equivalent_table(table), "table3": _grid(table)}
    notes = _NOTES + tuple(f"{name} is left out: its class has no `example` values." for name in left_out())
    return Taxonomy(tables, {"command": "taxonomy", "version": __version__, "depth": DEPTH}, notes)


def _labels(table: pl.DataFrame) -> pl.Series:
    import polars as pl

    sign = pl.col("class").replace_strict(_SIGNS, default=None, return_dtype=pl.String)
    return table.select(label=pl.coalesce(sign, pl.col("name"), pl.lit(_UNNAMED)))["label"]


def _grid(table: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    rows, columns = models()
    cells = dict(zip(table.select("browse", "aggregate").iter_rows(), _labels(table), strict=True))
    lines = [(row, *(cells[row, column] for column in columns)) for row in rows]
    return pl.DataFrame(lines, schema=dict.fromkeys(("browse", *columns), pl.String), orient="row")
