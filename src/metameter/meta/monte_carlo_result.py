"""Results with Monte-Carlo p-values: a p of zero is printed as below one in the number of trials, ``< 1/2000``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from metameter.view.latex import MOST_ROWS, first_rows_latex
from metameter.view.printed import printed
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MonteCarloResult", "with_p_as_text"]


def with_p_as_text(frame: pl.DataFrame, least: str | None, digits: int = 4, column: str = "p") -> pl.DataFrame:
    """A table with its column of p-values as text.

    Parameters
    ----------
    frame : polars.DataFrame
    least : str or None
        What a p of zero is below, such as ``1/2000``; None where p is never zero.
    digits : int
    column : str
        Where the p-values stand.

    Examples
    --------
    >>> import polars as pl
    >>> with_p_as_text(pl.DataFrame({"p": [0.0, 0.25, None]}), "1/2000")["p"].to_list()
    ['< 1/2000', '0.2500', '']
    >>> with_p_as_text(pl.DataFrame({"p": [0.00001, 0.00006]}), None)["p"].to_list()
    ['< 0.0001', '0.0001']
    """
    import polars as pl

    if column not in frame.columns:
        return frame
    least = least or f"{10.0**-digits:.{digits}f}"
    numbers = [(p, f"{p or 0.0:.{digits}f}") for p in frame[column].to_list()]
    texts = ["" if p is None else f"< {least}" if p == 0 or not float(text) else text for p, text in numbers]
    return frame.with_columns(pl.Series(column, texts, dtype=pl.String))


@dataclass(frozen=True, eq=False, repr=False)
class MonteCarloResult(Result):
    """A result whose tables hold Monte-Carlo p-values.

    Attributes
    ----------
    least : str or None
        What a p of zero is below, such as ``1/2000``; None if p is not a Monte-Carlo estimate.
    """

    least: str | None = None

    #: The column of the Monte-Carlo p-values.
    p_column: ClassVar[str] = "p"

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for the eye: in terminal, Markdown and LaTeX. CSV and JSON keep the numbers of ``tables``."""
        return with_p_as_text(self.tables[self.table_name(name)], self.least, digits, self.p_column)

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, without Monte-Carlo errors; of a table with more than 1,000 rows the first 1,000."""
        return {name: self._latex(name, frame) for name, frame in self.tables.items()}

    def _latex(self, name: str, frame: pl.DataFrame) -> str:
        shown = with_p_as_text(printed(name, frame.head(MOST_ROWS)), self.least, column=self.p_column)
        return first_rows_latex(shown, frame.height)
