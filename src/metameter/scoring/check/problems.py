"""Find all problems of judgments or of a run, not only the first, and the valid lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.duplicates import without_duplicates
from metameter.read.files.content import Content
from metameter.read.formats import format_of, location_in_frame
from metameter.read.formats.base import TableFormat
from metameter.read.qrels import qrels_files, read_qrels
from metameter.read.trec.parse import QRELS, RUN, Layout, content_lines, parse, read_line_by_line

_KEY = ("topic", "doc")
_LINE = re.compile(r":(?: row )?(\d+)$")


@dataclass(frozen=True, eq=False)
class Inspection:
    """The problems and the valid lines of one or several files.

    Attributes
    ----------
    source : str
    problems : list of MetameterError
        Everything that is wrong, in the order of the lines.
    rows : polars.DataFrame
        The lines that are right; a document may be listed twice.
    locations : callable
        Computes the location (file and line) of each row; it is called only if there are problems.
    on_duplicate : str
        What to do with a document that is listed twice.
    """

    source: str
    problems: list[MetameterError] = field(default_factory=list)
    rows: pl.DataFrame = field(default_factory=pl.DataFrame)
    locations: Callable[[], pl.Series] = pl.Series
    on_duplicate: str = "error"

    @property
    def table(self) -> pl.DataFrame | None:
        """The valid lines, each document of a topic once; None if there are none."""
        if not self.rows.height:
            return None
        if self.on_duplicate == "error":
            return self.rows.unique(_KEY, keep="first", maintain_order=True)
        value = "grade" if "grade" in self.rows.columns else "score"
        return without_duplicates(self.rows, value, self.on_duplicate, str)

    @property
    def tag(self) -> str | None:
        """The tag of the first line, where tags were read."""
        return str(self.rows["tag"][0]) if "tag" in self.rows.columns and self.rows.height else None

    def with_problems(self, further: Iterable[MetameterError]) -> Inspection:
        """Return the same with further problems, in the order of files and lines."""
        problems = [*self.problems, *further]
        files = list(dict.fromkeys(file_of(problem) for problem in problems))
        ordered = sorted(problems, key=lambda each: (files.index(file_of(each)), line_of(each) or 0))
        return replace(self, problems=ordered)


def line_of(problem: MetameterError) -> int | None:
    """Return the line (of Parquet: the row) of a problem."""
    number = _LINE.search(problem.where or "")
    return int(number[1]) if number else None


def file_of(problem: MetameterError) -> str:
    """Return the file of a problem.

    Examples
    --------
    >>> problem = MetameterError("x", where="a:b/run:7", fix="")
    >>> file_of(problem), line_of(problem)
    ('a:b/run', 7)
    """
    return _LINE.sub("", problem.where or "")


def inspect_qrels(source: Any, *, max_grade: float | None = None, on_duplicate: str = "error") -> Inspection:
    r"""Find everything that is wrong with judgments.

    Parameters
    ----------
    source : object
        As in `read_qrels`.
    max_grade : float, optional
        The top of the grade scale; higher grades are problems.
    on_duplicate : str
        As in `read_qrels`; a second judgment is a problem only where it would be refused.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "qrels"
    >>> _ = path.write_text("1 0 a x\n1 0 b 1\n1 0\n1 0 b 9\n")
    >>> inspection = inspect_qrels(path, max_grade=3)
    >>> [(problem.where[-2:], problem.what[:25]) for problem in inspection.problems]
    [(':1', 'the grade is not a number'), (':3', 'the line has 2 columns'), (':4', "document 'b' of topic '1'"),
     (':4', "document 'b' of topic '1'")]
    """
    inspection = _with_duplicates(replace(_qrels(source, on_duplicate), on_duplicate=on_duplicate))
    if max_grade is None or not inspection.rows.height or not (inspection.rows["grade"] > max_grade).any():
        return inspection
    high = inspection.rows.with_columns(location=inspection.locations()).filter(pl.col("grade") > max_grade)
    return inspection.with_problems(
        MetameterError(
            f"document {doc!r} of topic {topic!r} has a grade above the top of the scale",
            where=location,
            given=grade,
            allowed=f"at most {max_grade:g}",
            fix="Raise max_grade, or correct the grade.",
        )
        for topic, doc, grade, location in high.select("topic", "doc", "grade", "location").iter_rows()
    )


def inspect_run(
    source: str | Path, *, tags: bool = False, on_duplicate: str = "error", need_rank: bool = False
) -> Inspection:
    r"""Find everything that is wrong with a run's file.

    Parameters
    ----------
    source : path
    tags : bool
        Systems are named after tags: they are read, and a run must have one.
    on_duplicate, need_rank
        As in `read_run`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run"
    >>> _ = path.write_text("1 Q0 a 1 nan t\n1 Q0 b 2 inf t\n1 Q0 c 3 1 t\n")
    >>> inspection = inspect_run(path)
    >>> [problem.where[-2:] for problem in inspection.problems], inspection.table.rows()
    ([':1', ':2'], [('1', 'c', 1.0)])
    """
    texts = (*RUN.texts, "tag") if tags else RUN.texts
    layout = Layout(RUN.columns, texts, ("score", "rank") if need_rank else RUN.numbers)
    inspection = _with_duplicates(replace(_inspection(source, layout), on_duplicate=on_duplicate))
    if not tags:
        return replace(inspection, rows=inspection.rows.drop("tag", strict=False))
    if inspection.tag is None and inspection.rows.height:
        what = "the run has no column that names its system"
        return inspection.with_problems([MetameterError(what, where=str(source), fix="Name systems by file.")])
    if inspection.tag is None or inspection.rows["tag"].n_unique() == 1:
        return inspection
    first = ", ".join(inspection.rows["tag"].unique(maintain_order=True).to_list()[:3])
    several = MetameterError("the run has several tags", where=str(source), given=first, fix="Name systems by file.")
    return inspection.with_problems([several])


def _qrels(source: Any, on_duplicate: str) -> Inspection:
    if not isinstance(source, str | Path):
        try:
            table = read_qrels(source, on_duplicate=on_duplicate).table
            location = location_in_frame("qrels")
            return Inspection("qrels", rows=table, locations=lambda: pl.Series(map(location, range(table.height))))
        except MetameterError as problem:
            return Inspection("qrels", [problem])
    try:
        files = qrels_files(source)
    except MetameterError as problem:
        return Inspection(str(source), [problem])
    parts = [_inspection(file, QRELS) for file in files]
    read = [part for part in parts if part.rows.height]
    if len(parts) == 1 or not read:
        return parts[0]
    return Inspection(
        str(source),
        [problem for part in parts for problem in part.problems],
        pl.concat([part.rows for part in read]),
        lambda: pl.concat([part.locations() for part in read]),
    )


def _inspection(source: str | Path, layout: Layout) -> Inspection:
    where, problems = str(source), list[MetameterError]()
    try:
        rows, locations = _rows(Content.of(source).unpacked(), layout, where, problems)
    except MetameterError as problem:
        return Inspection(where, [*problems, problem])
    return Inspection(where, problems, rows, locations)


def _with_duplicates(inspection: Inspection) -> Inspection:
    """Return the same with each second line for a document as a problem, where these are refused."""
    rows = inspection.rows
    if inspection.on_duplicate != "error" or not rows.height or not rows.select(_KEY).is_duplicated().any():
        return inspection
    first = pl.col("location").first().over(_KEY)
    repeated = rows.with_columns(location=inspection.locations()).with_columns(first=first)
    repeated = repeated.filter(~pl.struct(_KEY).is_first_distinct())
    return inspection.with_problems(
        MetameterError(
            f"document {doc!r} of topic {topic!r} is listed twice, first at {first}",
            where=location,
            fix="Remove one of them.",
        )
        for topic, doc, location, first in repeated.select(*_KEY, "location", "first").iter_rows()
    )


def _rows(
    data: bytes, layout: Layout, where: str, problems: list[MetameterError]
) -> tuple[pl.DataFrame, Callable[[], pl.Series]]:
    """Return the valid lines, and a function that computes the location of each."""
    form = format_of(data)
    if isinstance(form, TableFormat):
        listing = form.read(data, layout, where)
        table = listing.table()
        return table, lambda: pl.Series([listing.location(row) for row in range(table.height)])
    try:
        table = parse(data, layout, where)
    except MetameterError:
        table = read_line_by_line(data, layout, where, problems.append)
    wrong = set(map(line_of, problems))
    return table, lambda: pl.Series([f"{where}:{line}" for line, _ in content_lines(data) if line not in wrong])
