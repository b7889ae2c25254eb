"""What of a table goes into a paper or onto a wiki page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.view.tables.headings import is_error

if TYPE_CHECKING:
    import polars as pl


def printed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A table without its Monte-Carlo errors, for Markdown and LaTeX; one of how errors fall keeps them.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"trials": [100], "power": [0.5], "power_error": [0.05]})
    >>> printed("power", frame).columns, printed("power_convergence", frame).columns
    (['trials', 'power'], ['trials', 'power', 'power_error'])
    """
    errors = [] if name.endswith("convergence") else [column for column in frame.columns if is_error(column)]
    return frame.drop(errors)
