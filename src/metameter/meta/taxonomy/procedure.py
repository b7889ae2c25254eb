"""What does each combination of browsing model and aggregation measure, if anything? Found by trying each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.meta.base import procedure
from metameter.meta.taxonomy.text import CAPTION, WORDS, notes
from metameter.metric.examples import DEPTH
from metameter.metric.taxonomy.table import equivalent_table, left_out, models, taxonomy_table
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl


_SIGNS = {"constant": "X", "order-insensitive": "XX"}
_UNNAMED = "·"


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy(Result):
    """What every combination measures: tables ``taxonomy``, ``equivalent`` and, as in the paper, ``table3``."""

    table_names: ClassVar[tuple[str, ...]] = ("taxonomy", "equivalent", "table3")

    def charts(self) -> dict[str, Any]:
        """The combinations as coloured squares with their names."""
        from metameter.meta.taxonomy.charts import squares

        return {"taxonomy": squares(self.table.with_columns(label=labels(self.table)))}

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; the caption of ``table3`` explains its signs."""
        from metameter.view.tables.latex import to_latex

        return super().latex() | {"table3": to_latex(self.tables["table3"], caption=CAPTION, label="tab:taxonomy")}


@procedure(WORDS, result=Taxonomy, needs=())
def taxonomy() -> Taxonomy:
    """Find out what each browsing model and aggregation make together: a metric, a metric with a name, or no metric.

    Every registered combination scores random lists that are longer than any last rank. That shows whether scores
    depend on the gains and on their order, which known metric has the same scores, on which gains the users'
    continuation depends, and which metrics order all lists alike.

    References
    ----------
    moffat2022, carterette2011

    Examples
    --------
    >>> taxonomy().tables["table3"].row(0)[:6]
    ('Prec', 'RelRet@k', 'Prec@k', 'X', 'Prec@k', 'Succ@k')
    """
    from metameter import __version__

    table = taxonomy_table()
    tables = {"taxonomy": table, "equivalent": equivalent_table(table), "table3": grid(table)}
    return Taxonomy(tables, {"command": "taxonomy", "version": __version__, "depth": DEPTH}, notes(left_out()))


def labels(table: pl.DataFrame) -> pl.Series:
    """The text in the square of each combination: a sign, the metric's name, or a dot.

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
