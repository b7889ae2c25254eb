"""Files that were read as far as they can be: what is wrong with them, and what is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import polars as pl

from metameter.errors import MetameterError
from metameter.read.duplicates import without_duplicates

__all__ = ["KEY", "Inspected", "file_of", "line_of"]

KEY = ("topic", "doc")
_LINE = re.compile(r":(?: row )?(\d+)$")


@dataclass(frozen=True, eq=False)
class Inspected:
    """A file, or several, read as far as they can be.

    Attributes
    ----------
    source : str
    problems : list of MetameterError
        Everything that is wrong, in the order of the lines.
    rows : polars.DataFrame
        The lines that are right; a document may be listed twice.
    places : callable
        Computes the place of each row; it is called only if there are problems.
    on_duplicate : str
        What becomes of a document that is listed twice.
    """

    source: str
    problems: list[MetameterError] = field(default_factory=list)
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    places: Callable[[], pl.Series] = pl.Series
    on_duplicate: str = "error"

    @property
    def table(self) -> pl.DataFrame | None:
        """The lines that are right, each document of a topic once; None if there are none."""
        if not self.rows.height:
            return None
        if self.on_duplicate == "error":
            return self.rows.unique(KEY, keep="first", maintain_order=True)
        value = "grade" if "grade" in self.rows.columns else "score"
        return without_duplicates(self.rows, value, self.on_duplicate, str)

    @property
    def tag(self) -> str | None:
        """The tag of the first line, where tags were read."""
        return str(self.rows["tag"][0]) if "tag" in self.rows.columns and self.rows.height else None

    def with_problems(self, further: Iterable[MetameterError]) -> Inspected:
        """The same with further problems, in the order of files and lines."""
        problems = [*self.problems, *further]
        files = list(dict.fromkeys(file_of(problem) for problem in problems))
        ordered = sorted(problems, key=lambda each: (files.index(file_of(each)), line_of(each) or 0))
        return replace(self, problems=ordered)


def line_of(problem: MetameterError) -> int | None:
    """The line (of Parquet: the row) at which a problem stands.

    Examples
    --------
    >>> line_of(MetameterError("x", where="a:b/run:7", fix="")), line_of(MetameterError("x", where="run", fix=""))
    (7, None)
    """
    number = _LINE.search(problem.where or "")
    return int(number[1]) if number else None


def file_of(problem: MetameterError) -> str:
    """The file in which a problem stands.

    Examples
    --------
    >>> file_of(MetameterError("x", where="a:b/run:7", fix=""))
    'a:b/run'
    """
    return _LINE.sub("", problem.where or "")
