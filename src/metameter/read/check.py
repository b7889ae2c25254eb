"""All that is wrong with a file of judgments or a run, not only the first fault; and what is right about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import read_bytes
from metameter.read.columns import PARQUET, read_parquet
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines, read_line_by_line
from metameter.read.trec import QRELS, RUN

__all__ = ["Inspected", "inspect_qrels", "inspect_run", "line_of"]

_KEY = ("topic", "doc")


@dataclass(frozen=True, eq=False)
class Inspected:
    """A file, read as far as it can be.

    Attributes
    ----------
    source : str
    problems : list of MetameterError
        Everything that is wrong with it, in the order of the lines.
    rows : polars.DataFrame
        The lines that are right.
    places : callable
        Gives the place of each row; most files need none.
    """

    source: str
    problems: list[MetameterError] = field(default_factory=list)
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    places: Callable[[], pl.Series] = pl.Series

    @property
    def table(self) -> pl.DataFrame | None:
        """The lines that are right, each document of a topic once; None if there are none."""
        if not self.rows.height:
            return None
        return self.rows.unique(_KEY, keep="first", maintain_order=True)

    def with_problems(self, further: Iterable[MetameterError]) -> Inspected:
        """The same with further problems, in the order of the lines."""
        return replace(self, problems=sorted([*self.problems, *further], key=lambda each: line_of(each) or 0))


def inspect_qrels(source: str | Path, *, max_grade: float | None = None) -> Inspected:
    r"""Find all that is wrong with judgments.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "qrels"
    >>> _ = path.write_text("1 0 a x\n1 0 b 1\n1 0\n1 0 b 9\n")
    >>> found = inspect_qrels(path, max_grade=3)
    >>> [(problem.where[-2:], problem.what[:25]) for problem in found.problems]
    [(':1', 'the grade is not a number'), (':3', 'the line has 2 columns'), (':4', "document 'b' of topic '1'"),
     (':4', "document 'b' of topic '1'")]
    """
    found = _inspect(source, QRELS)
    if max_grade is None or not found.rows.height or not (found.rows["grade"] > max_grade).any():
        return found
    high = found.rows.with_columns(place=found.places()).filter(pl.col("grade") > max_grade)
    return found.with_problems(
        MetameterError(
            f"document {doc!r} of topic {topic!r} has a grade above the top of the scale",
            where=place,
            given=grade,
            allowed=f"at most {max_grade:g}",
            fix="Raise --max-grade, or correct the grade.",
        )
        for topic, doc, grade, place in high.select("topic", "doc", "grade", "place").iter_rows()
    )


def inspect_run(source: str | Path) -> Inspected:
    r"""Find all that is wrong with a run.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run"
    >>> _ = path.write_text("1 Q0 a 1 nan t\n1 Q0 b 2 inf t\n1 Q0 c 3 1 t\n")
    >>> found = inspect_run(path)
    >>> [problem.where[-2:] for problem in found.problems], found.table.rows()
    ([':1', ':2'], [('1', 'c', 1.0)])
    """
    return _inspect(source, RUN)


def line_of(problem: MetameterError) -> int | None:
    """The line (of Parquet: the row) at which a problem stands.

    Examples
    --------
    >>> line_of(MetameterError("x", where="a:b/run:7")), line_of(MetameterError("x", where="run"))
    (7, None)
    """
    number = re.search(r":(?: row )?(\d+)$", problem.where or "")
    return int(number[1]) if number else None


def _inspect(source: str | Path, layout: Layout) -> Inspected:
    where, problems = str(source), list[MetameterError]()
    try:
        rows, places = _rows(read_bytes(source), layout, where, problems)
    except MetameterError as problem:
        return Inspected(where, [*problems, problem])
    found = Inspected(where, problems, rows, places)
    if not rows.select(_KEY).is_duplicated().any():
        return found
    again = rows.with_columns(place=places()).with_columns(first=pl.col("place").first().over(_KEY))
    again = again.filter(~pl.struct(_KEY).is_first_distinct())
    return found.with_problems(
        MetameterError(
            f"document {doc!r} of topic {topic!r} stands there twice, first at {first}",
            where=place,
            fix="Remove one of them.",
        )
        for topic, doc, place, first in again.select(*_KEY, "place", "first").iter_rows()
    )


def _rows(
    data: bytes, layout: Layout, where: str, problems: list[MetameterError]
) -> tuple[pl.DataFrame, Callable[[], pl.Series]]:
    """The lines that are right, and a function that tells where each of them stands."""
    if data.startswith(PARQUET):
        table = read_parquet(data, layout.texts, layout.numbers, where)
        return table, lambda: pl.Series([f"{where}: row {row + 1}" for row in range(table.height)])
    try:
        table = parse(data, layout, where)
    except MetameterError:
        table = read_line_by_line(data, layout.columns, layout.texts, layout.numbers, where, problems.append)
    wrong = set(map(line_of, problems))
    return table, lambda: pl.Series([f"{where}:{line}" for line, _ in content_lines(data) if line not in wrong])
