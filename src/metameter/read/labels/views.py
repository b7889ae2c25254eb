"""Result pages with the rank that was viewed last, as it was recorded or as clicks suggest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.read.files.content import reading_pipes_once
from metameter.read.labels.cells import grade_column
from metameter.read.labels.counts import counts_of, in_layout
from metameter.read.labels.tables import Cells, Form
from metameter.types import Views

_FIX = "Give pages with grades and last (the rank viewed last), or grades and clicks."
_CLICKS = "Give a 0 or 1 for each result, [1, 0, 1], or the ranks that were clicked, [1, 3]."


@checks_arguments
@reading_pipes_once()
def read_views(
    source: Any,
    *,
    input: str | None = None,  # noqa: A002
    max_grade: float | None = None,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Views:
    """Read result pages with the rank that was viewed last, and keep only how often each page has each rank.

    A row is a page as it was shown: ``grades``, of its results from the top, and ``last``, the rank of the last result
    that was viewed, from 1; or ``clicks``: a list of 0 and 1, one for each result, or of the ranks that were clicked.
    Row by row, a list that holds a 0, or as many 1s as there are results, is of the first kind; ``[]`` is no click.
    Then the deepest click is used as the last rank viewed. It is a lower bound: users who look further without clicking
    are undercounted. Rows without a click are left out with a notice: how far they were viewed is not known.

    Files, grades, users and the options are as for `read_serps`.

    Examples
    --------
    >>> read_views([{"grades": [2, 0, 1], "last": 3}, {"grades": [0, 0], "last": 1}]).table.rows()
    [([0.0, 0.0], 1.0, 1), ([2.0, 0.0, 1.0], 3.0, 1)]
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     rows = [{"grades": [2, 0, 1], "clicks": [1, 0, 1]}, {"grades": [0, 1, 0], "clicks": [0, 0, 0]}]
    ...     read_views(rows).table.rows()
    [([2.0, 0.0, 1.0], 3.0, 1)]
    """
    if isinstance(source, Views):
        return source
    form = replace(in_layout(_FORM, source, input), max_grade=max_grade)
    counts = counts_of(source, form, jobs, progress)
    if "last" in counts.notable:
        undercounted = "users who looked further without clicking are undercounted"
        notice(f"{counts.source}: the deepest click is used as the last rank viewed; {undercounted}")
    return counts.labelled(Views)


def _with_last(cells: Cells) -> Cells:
    """The rows with the rank viewed last, computed from clicks if they are given instead."""
    if "last" in cells.columns:
        return cells
    if not {"clicks", "grades"} <= {*cells.columns}:
        what, given = "there is neither last nor clicks beside grades", ", ".join(cells.columns)
        raise MetameterError(what, where=cells.source, given=given, fix=_FIX)
    pairs = cells.rows.group_by("grades", "clicks").agg(pl.col("row").min()).sort("row").with_row_index("last")
    clicks, wrong = (each.gather(pairs["clicks"]) for each in grade_column(cells.distinct["clicks"]))
    results = grade_column(cells.distinct["grades"])[0].gather(pairs["grades"]).list.len()
    clicked = _clicked(clicks, results).with_columns(pairs["row"], given=wrong, cell=pairs["clicks"])
    bad = clicked.filter(pl.col("wrong") | pl.col("given").is_not_null())
    if bad.height:
        row, given, cell = bad.select("row", "given", "cell").row(0)
        given = str(cells.distinct["clicks"][cell]) if given is None else given
        raise MetameterError("clicks hold what is no click", where=cells.location(row), given=given, fix=_CLICKS)
    uneven = clicked.filter("uneven")
    if uneven.height:
        row, many, page = uneven.select("row", "many", "results").row(0)
        what, given = "clicks of 0 and 1 are as many as the page has results", f"{many} clicks, {page} results"
        raise MetameterError(what, where=cells.location(row), given=given, fix=_CLICKS)
    rows = cells.rows.join(pairs.drop("row"), on=["grades", "clicks"], how="left")
    distinct = cells.distinct | {"last": clicked["last"]}
    return replace(cells, columns=(*cells.columns, "last"), distinct=distinct, rows=rows)


def _clicked(clicks: pl.Series, results: pl.Series) -> pl.DataFrame:
    """The rank of the last click, null without one; whether a list is wrong, or of another length than its page.

    A list with a 0 has a flag for each result, since no rank is 0; so has one of as many 1s as there are results.
    Other lists hold the ranks that were clicked.
    """
    each, lists = pl.element(), pl.col("clicks").list
    least, most = lists.min(), lists.max()
    ones = (least == 1) & (most == 1) & (pl.col("many") == pl.col("results"))
    no_click = (each.is_null() | (each < 0) | (each != each.floor())).fill_null(True)
    table = pl.DataFrame({"clicks": clicks, "many": clicks.list.len(), "results": results})
    table = table.with_columns(is_flags=(ones | (least == 0)).fill_null(False))
    location = lists.eval(each * each.cum_count()).list.max().replace(0.0, None)
    return table.select(
        "many",
        "results",
        last=pl.when("is_flags").then(location).otherwise(most),
        wrong=(lists.eval(no_click).list.any() | (pl.col("is_flags") & (most > 1))).fill_null(False),
        uneven=(pl.col("is_flags") & (pl.col("many") != pl.col("results"))).fill_null(False),
    )


def _refuse_outside(values: Mapping[str, pl.Series], rows: pl.DataFrame, location: Callable[[int], str]) -> None:
    """Refuse the first row whose last rank is none of the page's."""
    last, length = values["last"].gather(rows["last"]), values["grades"].list.len().gather(rows["grades"])
    outside = (last < 1) | (last > length) | (last != last.floor())
    if outside.any():
        row, given, results = pl.DataFrame([rows["row"], last, length]).filter(outside).sort("row").row(0)
        raise MetameterError(
            "the rank viewed last is none of the page",
            where=location(row),
            given=given,
            allowed=f"1 to {results}",
            fix="Give the rank of the last result that was viewed, from 1.",
        )


_FORM = Form(
    "pages",
    ("grades", "last"),
    ("user",),
    _FIX,
    "last",
    Views.called,
    origins={"last": "clicks"},
    prepare=_with_last,
    refuse=_refuse_outside,
)
