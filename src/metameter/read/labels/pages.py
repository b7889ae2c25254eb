"""Result pages with how satisfied people were, from files, data frames or dictionaries; or labels of either kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError, did_you_mean
from metameter.parallel import Progress, Workers
from metameter.read.files.content import reading_pipes_once
from metameter.read.labels.counts import check_labels, counts_of, in_layout, sources_of
from metameter.read.labels.pairs import read_pairs
from metameter.read.labels.tables import Form, columns_of
from metameter.types import Pages
from metameter.types.labelled_pages import Labelled, Pairs

_FIX = "Give a path, a folder, Pages, a data frame or a list of dictionaries with grades and satisfaction."
_FORM = Form("pages", ("grades", "satisfaction"), ("user",), _FIX, "satisfaction", "satisfaction")
_LAYOUTS = ("tiangong",)
_EITHER = Form(
    "pages",
    (),
    ("grades", "satisfaction", "grades_a", "grades_b", "preference", "user", "id", "clicks", "last"),
    "Give pages with grades and satisfaction, or pairs of pages with grades_a, grades_b and preference.",
)


@checks_arguments
@reading_pipes_once()
def read_serps(
    source: Any,
    *,
    input: str | None = None,  # noqa: A002
    max_grade: float | None = None,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Pages:
    r"""Read result pages with satisfaction labels, and keep only how often each page has each label.

    A row is a page as it was shown: ``grades``, of its results from the top, and ``satisfaction``, a number, the higher
    the better. ``user``, if present, is who gave the label. Other columns (``id``) are ignored; the case of
    column names does not matter. A row counts once: a column ``count`` or ``weight`` is passed over with a notice. The
    same file twice is refused.

    Grades are a list, ``[1, 0, 2]``, or text, ``1 0 2``, ``1,0,2``, ``1;0;2``; null, None or ``?`` is a result that is
    not judged. They may be on any scale, lists of any length; a grade below 0 is kept and counts as no gain. ``true``
    and ``false`` are 1 and 0, as grades and as labels.

    Rows without a satisfaction, or without grades (an empty cell, null or None), are left out with a notice; an empty
    list ``[]`` is a page without results and kept, with a notice. NaN is no label and no grade, except in pandas, where
    it means missing. A row whose user is missing counts as a user of its own, with a notice; where every user is
    missing, there are none. Labels that are no numbers, all equal, or more than 1,000 different ones are refused.

    Parameters
    ----------
    source : path, list of paths, folder, glob, data frame, list of dictionaries or Pages
        CSV (commas or semicolons) or TSV with a header, JSON (an object a line, or a list of objects) or Parquet,
        plain, .gz, .bz2, .xz or .zst: the content says which. ``-`` is standard input; all files of a folder are parts
        of one collection (those whose names begin with ``_`` or a dot are not), read one at a time. A data frame may
        hold lists in ``grades``.
    input : {"tiangong"}, optional
        A form of its own: ``tiangong`` is that of TianGong-QRef, lines without a header of reformulation, clicks,
        usefulness (the grades) and satisfaction, with tabs between them. By default the first line says so.
    max_grade : float, optional
        The top of the grade scale: the first row with a grade above it is refused.
    jobs : int or Workers, optional
        How many threads count the rows; by default all cores. On a cluster each file is a piece of work.
    progress : callable, optional
        Called with ``(done, of, what)``, in megabytes.

    Examples
    --------
    >>> read_serps([{"grades": [2, 0], "satisfaction": 4}, {"grades": "0 ?", "satisfaction": 1}]).table.rows()
    [([0.0, None], 1.0, 1), ([2.0, 0.0], 4.0, 1)]
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "serps.csv"
    >>> _ = path.write_text("user,grades,satisfaction\na,1 0 2,3\na,1 0 2,3\nb,0 0 1,1\n")
    >>> read_serps(path).table.rows()
    [([0.0, 0.0, 1.0], 1.0, 'b', 1), ([1.0, 0.0, 2.0], 3.0, 'a', 2)]
    """
    if input is not None and input not in _LAYOUTS:
        raise MetameterError("unknown input", given=input, fix=did_you_mean(str(input), list(_LAYOUTS)))
    if isinstance(source, Pages):
        return source
    form = replace(in_layout(_FORM, source, input), max_grade=max_grade)
    counts = counts_of(source, form, jobs, progress)
    pages = counts.labelled(Pages)
    check_labels(pages.levels, Pages.label, counts.source)
    return pages


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
    form = in_layout(_EITHER, source, input)
    name, files, cells = sources_of(source, form)
    headers = (columns_of(file.source, form) for file in files)
    columns = next(filter(None, headers), ()) if cells is None else cells.columns
    if {"grades_a", "grades_b"}.intersection(columns):
        return read_pairs(source, max_grade=max_grade)
    if columns and "satisfaction" not in columns:
        what, given = "there are no labels to fit to: neither satisfaction nor preference", ", ".join(columns)
        raise MetameterError(what, where=name, given=given, fix=form.fix)
    input = "tiangong" if form.tiangong else None  # noqa: A001
    return read_serps(source, input=input, max_grade=max_grade, jobs=jobs, progress=progress)
