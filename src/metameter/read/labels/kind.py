"""What a file of result pages says: how satisfied people were, which page they prefer, how far they looked."""

from __future__ import annotations

from typing import Any

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers
from metameter.read.files.content import reading_pipes_once
from metameter.read.labels.counts import sources_of
from metameter.read.labels.form import Form
from metameter.read.labels.pages import read_serps
from metameter.read.labels.pairs import read_pairs
from metameter.read.labels.rows import batches_of
from metameter.types.pages import Labelled, Pages, Pairs

__all__ = ["columns_of_serps", "read_labels"]

_KNOWN = ("grades", "satisfaction", "grades_a", "grades_b", "preference", "user", "id", "clicks", "last")
_FIX = "Give pages with grades and satisfaction, or pairs of pages with grades_a, grades_b and preference."


def columns_of_serps(source: Any, input: str | None = None) -> tuple[str, list[str]]:  # noqa: A002
    """What a source is called, and the columns of its first part that has rows.

    Examples
    --------
    >>> columns_of_serps([{"grades": [1, 0], "last": 2}])
    ('pages', ['grades', 'last'])
    """
    form = Form("pages", (), _KNOWN, _FIX, tiangong=input == "tiangong")
    name, files, batch = sources_of(source, form)
    batches = (each for file in files for each in batches_of(file.source, form)) if batch is None else iter([batch])
    return name, next((list(batch.cells.columns) for batch in batches if batch.cells.height), [])


@reading_pipes_once()
def read_labels(
    source: Any,
    *,
    input: str | None = None,  # noqa: A002
    max_grade: float | None = None,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Labelled:
    """Read pages with satisfaction, or pairs with preferences, by which columns there are.

    ``jobs`` and ``progress`` are as in `read_serps`.

    Examples
    --------
    >>> read_labels([{"grades_a": [1], "grades_b": [0], "preference": p} for p in (-1, 1)])
    <Pairs: 2 pairs, 1 of them distinct>
    """
    if isinstance(source, Pages | Pairs):
        return source
    name, columns = columns_of_serps(source, input)
    if {"grades_a", "grades_b"} & set(columns):
        return read_pairs(source, max_grade=max_grade)
    if columns and "satisfaction" not in columns:
        given = ", ".join(columns)
        what = "there are no labels to fit to: neither satisfaction nor preference"
        raise MetameterError(what, where=name, given=given, fix=_FIX)
    return read_serps(source, input=input, max_grade=max_grade, jobs=jobs, progress=progress)
