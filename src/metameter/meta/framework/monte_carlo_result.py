"""Results with Monte-Carlo p-values: a p-value that rounds to zero is printed as ``< 0.0001``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metameter.meta.framework.table_rows import names_at
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.significance.pair_tests import convergence
from metameter.stats.significance.pairs import PairTests
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.latex import MOST_ROWS, first_rows_latex

if TYPE_CHECKING:
    import polars as pl


def with_p_as_text(frame: pl.DataFrame, digits: int = DECIMALS, column: str = "p") -> pl.DataFrame:
    """Return a table with its p-values as text.

    Parameters
    ----------
    frame : polars.DataFrame
    digits : int
    column : str
        The column of p-values.

    Examples
    --------
    >>> import polars as pl
    >>> with_p_as_text(pl.DataFrame({"p": [0.00001, 0.00006, 1 / 2001, None]}))["p"].to_list()
    ['< 0.0001', '0.0001', '0.0005', '']
    """
    import polars as pl

    if column not in frame.columns:
        return frame
    least = f"< {10.0**-digits:.{digits}f}"
    numbers = [(p, f"{p or 0.0:.{digits}f}") for p in frame[column].to_list()]
    texts = ["" if p is None else text if float(text) else least for p, text in numbers]
    return frame.with_columns(pl.Series(column, texts, dtype=pl.String))


@dataclass(frozen=True, eq=False, repr=False)
class MonteCarloResult(Result):
    """A result whose tables hold Monte-Carlo p-values."""

    #: The column of the Monte-Carlo p-values.
    p_column: ClassVar[str] = "p"

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for terminal, Markdown and LaTeX. CSV and JSON keep the numbers of ``tables``."""
        return with_p_as_text(self.tables[self.table_name(name)], digits, self.p_column)

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, without Monte-Carlo errors; of a table with more than 1,000 rows the first 1,000."""
        return {name: self._latex(name, frame) for name, frame in self.tables.items()}

    def _latex(self, name: str, frame: pl.DataFrame) -> str:
        rows = with_p_as_text(printed(name, frame.head(MOST_ROWS)), column=self.p_column)
        return first_rows_latex(rows, frame.height)


def convergence_table(
    metrics: tuple[str, ...],
    matrix: Floats,
    pairs: PairTests,
    correction: str,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame | None:
    """Return power after fewer trials, one row per metric and number of trials; None if there is nothing to show."""
    import polars as pl

    figures = convergence(matrix, pairs, correction, alpha, seed, jobs)
    if figures is None:
        return None
    trials = figures.pop("trials")
    names = names_at(metrics, np.repeat(np.arange(len(metrics)), len(trials)))
    values = {name: value.reshape(-1) for name, value in figures.items()}
    table = pl.DataFrame({"metric": names, "trials": np.tile(trials, len(metrics)), **values})
    return table.with_columns(pl.selectors.float().fill_nan(None))
