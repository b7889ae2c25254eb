"""Pairs of result pages with which one people prefer, from files, data frames or dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.read.files.content import reading_pipes_once
from metameter.read.labels.cells import grade_column, label_column, user_column
from metameter.read.labels.counts import Counts, check_labels, counts_of, with_users
from metameter.read.labels.tables import Form
from metameter.types import Pairs, counted

_FIX = "Give a path, a folder, Pairs, a data frame or a list of dictionaries with grades_a, grades_b and preference."
_LISTS = ("grades_a", "grades_b")
_FORM = Form("pairs", (*_LISTS, "preference"), ("user", "id"), _FIX, "preference", "preference", _LISTS)


@checks_arguments
@reading_pipes_once()
def read_pairs(source: Any, *, max_grade: float | None = None) -> Pairs:
    r"""Read pairs of result pages with preferences between them, and keep only how often each pair has each preference.

    A row is a judgment: ``grades_a`` and ``grades_b``, the grades of the two pages from the top, and ``preference``, a
    number: below 0 where a is preferred, above 0 where b is, 0 where neither is; only its sign is kept.

    Rows with the same ``id`` are judgments of one pair: its preference is the sign of the mean of theirs, and they must
    show the same grades. A row without an id, or all rows where there is no such column, is a pair of its own.

    ``user``, if present, is who gave the label. If one pair has judgments of several users, all users are left out,
    with a notice, since users can then not be resampled. A judgment whose user is missing is that of another user than
    those who are known; a pair all of whose users are missing has one user, of its own.

    Files, lists of grades, missing cells and users, and what is refused are as for `read_serps`; so are
    preferences that are all the same.

    Parameters
    ----------
    source : path, list of paths, folder, glob, data frame, list of dictionaries or Pairs
        CSV or TSV with a header, JSON or Parquet, as for `read_serps`; ``-`` is standard input.
    max_grade : float, optional
        The top of the grade scale: the first row with a grade above it is refused.

    Examples
    --------
    >>> judged = {"grades_a": [2, 0], "grades_b": [0, 1]}
    >>> rows = [{"id": 1, "preference": -1, **judged}, {"id": 1, "preference": -2, **judged},
    ...         {"id": 2, "preference": 1, **judged}]
    >>> read_pairs(rows).table.rows()
    [([2.0, 0.0], [0.0, 1.0], -1.0, 1), ([2.0, 0.0], [0.0, 1.0], 1.0, 1)]
    """
    if isinstance(source, Pairs):
        return source
    counts = counts_of(source, replace(_FORM, max_grade=max_grade))
    rows = counts.tally.table()
    alone = rows.filter(pl.col("id").is_null()).with_columns(pl.col("preference").sign())
    pairs = _judged(rows.filter(pl.col("id").is_not_null()), counts)
    columns = [*_LISTS, "preference", "user", "count"]
    table = pl.concat([alone.select(columns), pairs.select(columns)])
    if (pairs["users"] > 1).any():
        table = table.drop("user")
        many = counted(int((pairs["users"] > 1).sum()), "pair")
        notice(f"{counts.source}: {many} judged by several users: pairs, not users, will be resampled")
    else:
        table = with_users(table, counts.source)
    result = Pairs.of(table, source=counts.source, fingerprints=counts.fingerprints)
    check_labels(result.levels, Pairs.label, counts.source)
    return result


def _judged(rows: pl.DataFrame, counts: Counts) -> pl.DataFrame:
    """The judgments of each pair as one: the sign of their mean."""
    if rows.select("id").n_unique() < rows.select("id", *_LISTS).n_unique():
        _refuse_other_grades(counts)
    # Sums of numbers like 0.1 are not exact: a sum of nearly 0 prefers neither.
    total = (pl.col("preference") * pl.col("count")).sum()
    size = (pl.col("preference").abs() * pl.col("count")).sum()
    return rows.group_by("id").agg(
        *(pl.col(each).first() for each in (*_LISTS, "user")),
        preference=pl.when(total.abs() > 1e-12 * size).then(total.sign()).otherwise(0.0),
        users=pl.col("user").n_unique(),
        count=pl.lit(1, pl.Int64),
    )


def _refuse_other_grades(counts: Counts) -> None:
    """Name the first row that shows other grades than the first row with its id; all files are read once more."""
    first_shown: dict[str, tuple[Any, str]] = {}
    for cells in counts.reread():
        if "id" not in cells.columns or not cells.rows.height:
            continue
        distinct = cells.distinct
        values = {each: grade_column(distinct[each])[0] for each in _LISTS}
        values |= {"preference": label_column(distinct["preference"])[0], "id": user_column(distinct["id"])}
        rows = cells.rows.sort("row")
        columns = (column.gather(rows[name]).to_list() for name, column in values.items())
        for a, b, label, name, row in zip(*columns, rows["row"].to_list(), strict=True):
            if None in (a, b, label, name):
                continue
            before, location = first_shown.setdefault(name, ((a, b), cells.location(row)))
            if before != (a, b):
                raise MetameterError(
                    f"the pair {name!r} has other grades than at {location}",
                    where=cells.location(row),
                    fix="Show the same grades in all rows of a pair, or give the pairs different ids.",
                )
