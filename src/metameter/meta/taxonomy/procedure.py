"""What does each combination of browsing model and aggregation measure, if anything? Found by trying each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from metameter.meta.base import procedure
from metameter.meta.taxonomy.tables import grid, labels
from metameter.meta.taxonomy.words import CAPTION, WORDS, notes
from metameter.metric.examples import DEPTH
from metameter.metric.taxonomy.table import equivalent_table, left_out, taxonomy_table
from metameter.view.result import Result

__all__ = ["Taxonomy", "taxonomy"]


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy(Result):
    """What every combination is: tables ``taxonomy``, ``equivalent`` and, laid out as in the paper, ``table3``."""

    table_names: ClassVar[tuple[str, ...]] = ("taxonomy", "equivalent", "table3")

    def charts(self) -> dict[str, Any]:
        """The combinations as coloured squares with their names."""
        from metameter.meta.taxonomy.charts import squares

        return {"taxonomy": squares(self.table.with_columns(label=labels(self.table)))}

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, ``table3`` with what its signs mean."""
        from metameter.view.latex import to_latex

        return super().latex() | {"table3": to_latex(self.tables["table3"], caption=CAPTION, label="tab:taxonomy")}


@procedure(WORDS, result=Taxonomy, needs=())
def taxonomy() -> Taxonomy:
    """Find out what each browsing model and aggregation make together: a metric, one with a name, or none at all.

    Everything registered is tried on random lists, longer than any last rank: whether scores change with the gains
    and with their order, which known metric gives the same scores, what moves the users, and which metrics order all
    lists alike.

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
