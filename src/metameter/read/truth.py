"""Judgments by subtopic, from the files of TREC, plain tables, dictionaries or data frames."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.read.files.content import Content
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines
from metameter.read.parquet_notes import is_parquet
from metameter.read.repeats import refuse_repeats
from metameter.read.separated import is_headed
from metameter.read.sheets import sheet_of, sheet_of_frame
from metameter.read.trec import place_of_row
from metameter.read.truth_tables import COLUMNS, FORM, of_dict, of_sheet, own_nuggets
from metameter.read.truth_xml import read_truth_xml
from metameter.types import Truth

__all__ = ["read_truth"]

_JUDGED = ("topic", "subtopic", "doc")
_DYNAMIC = Layout((*_JUDGED, "passage", "rating"), (*_JUDGED, "passage"), ("rating",))
_DIVERSITY = Layout((*_JUDGED, "grade"), _JUDGED, ("grade",))
_FIX = "Give a path, a Truth, a data frame with topic, subtopic, doc, rating, or {topic: {subtopic: {doc: rating}}}."


def read_truth(source: Any) -> Truth:
    r"""Read relevance judgments by subtopic.

    What a file holds is seen from its content: the XML of TREC Dynamic Domain; its text, lines of ``topic subtopic doc
    passage rating``; the diversity judgments of the TREC Web tracks, lines of ``topic subtopic doc grade``; or a table
    with a header (comma- or tab-separated, or Parquet) with the columns topic, subtopic, doc (or docno, doc_id, docid)
    and rating (or grade, relevance).

    In the two forms of Dynamic Domain every passage that is listed is relevant, whatever its rating; in the others
    (files, dictionaries, data frames) a rating above 0 is, and other documents are judged not relevant. Ratings are
    kept as they are.

    The text of Dynamic Domain does not say which passages say the same: each is a nugget of its own. So it is in
    tables, where a column ``passage`` tells the passages of a document apart (without one, a document is judged once
    for a subtopic); a column ``nugget`` says which passages of a topic say the same.

    Parameters
    ----------
    source : path, dict, data frame or Truth
        A file, plain, .gz, .bz2, .xz or .zst; ``-`` is standard input. A dictionary {topic: {subtopic: {doc: rating}}}.
        A data frame with the columns of a table.

    Examples
    --------
    >>> read_truth({"1": {"1.1": {"d1": 2, "d2": 0}, "1.2": {}}})
    <Truth of 1 topic, 2 subtopics, 2 judgments>
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = path.write_text("topic,subtopic,doc,rating\nmars,water,d1,2\nmars,air,d1,0\n")
    >>> read_truth(path).table.rows()
    [('mars', 'water', 'd1', '1', 2.0), ('mars', 'air', 'd1', '2', 0.0)]
    """
    if isinstance(source, Truth):
        return source
    if isinstance(source, str | Path):
        content = Content.of(source)
        return _of_data(content.unpacked(), content)
    if isinstance(source, Mapping):
        return of_dict(source, _FIX)
    return of_sheet(sheet_of_frame(source, "truth", _FIX))


def _of_data(data: bytes, content: Content) -> Truth:
    where, prints = content.source, (content.fingerprint,)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        table, listed = read_truth_xml(data, where)
        return Truth(table, True, listed, where, prints)
    if is_parquet(data) or is_headed(data, COLUMNS):
        return of_sheet(sheet_of(data, where), prints)
    line, first = next(content_lines(data), (0, []))
    if len(first) == len(_DYNAMIC.columns):
        return Truth(_dynamic(data, where), True, None, where, prints)
    if first and len(first) != len(_DIVERSITY.columns):
        given = b" ".join(first).decode(errors="replace")
        what, fix = "these are no judgments by subtopic", "Give one of these forms, or the XML of TREC Dynamic Domain."
        raise MetameterError(what, where=f"{where}:{line}", given=given, allowed=FORM, fix=fix)
    return Truth(_diversity(data, where), False, None, where, prints)


def _dynamic(data: bytes, where: str) -> pl.DataFrame:
    table = parse(data, _DYNAMIC, where)
    refuse_repeats(table, (*_JUDGED, "passage"), place_of_row(data, where))
    notice(f"{where}: the text does not say which passages say the same; each is taken as a nugget of its own")
    return table.select(*_JUDGED, pl.col("passage").alias("nugget"), "rating")


def _diversity(data: bytes, where: str) -> pl.DataFrame:
    table = parse(data, _DIVERSITY, where).rename({"grade": "rating"})
    refuse_repeats(table, _JUDGED, place_of_row(data, where))
    return own_nuggets(table, _JUDGED).select(*_JUDGED, "nugget", "rating")
