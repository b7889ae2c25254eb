"""What systems have shown, from run files of TREC Dynamic Domain and from tables with a header."""

from __future__ import annotations

import polars as pl

from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines
from metameter.read.parquet_notes import is_parquet
from metameter.read.repeats import refuse_repeats
from metameter.read.separated import is_headed
from metameter.read.sessions import Shown
from metameter.read.sheets import DOC, TOPIC, Sheet, sheet_of
from metameter.read.trec import place_of_row, system_name

__all__ = ["shown_in", "shown_in_sheet"]

_DYNAMIC = ("topic", "iteration", "doc", "score", "on_topic", "subtopics")
_SYSTEM, _NUMBER = ("system", "run"), ("iteration", "turn")
_COLUMNS = (*_SYSTEM, *TOPIC, *_NUMBER, "rank", "score", *DOC)
_FORM = "topic, iteration or turn, doc; if there are any: system, rank, score"


def shown_in(content: Content) -> Shown:
    r"""What a file says was shown: a table with a header, or lines of ``topic iteration doc score ...``.

    Examples
    --------
    >>> shown_in(Content("run", b"DD16-1\t0\td1\t9.5\t1\tDD16-1.2:3|DD16-1.4:2\n")).rows.rows()
    [('run', 'DD16-1', 'd1', 0.0, -9.5)]
    """
    data, where = content.unpacked(), content.source
    if is_parquet(data) or is_headed(data, _COLUMNS):
        return shown_in_sheet(sheet_of(data, where), system_name(where))
    rows = _dynamic(data, where)
    rows = rows.select(pl.lit(system_name(where)).alias("system"), "topic", "doc", "iteration", order=-pl.col("score"))
    return Shown(where, rows, place_of_row(data, where), official=True)


def shown_in_sheet(sheet: Sheet, name: str) -> Shown:
    """What a table says was shown; without a column of systems all rows are of the one with this name.

    Lists go by rising rank or, without a column of ranks, by falling score or, without both, as the rows do.

    Examples
    --------
    >>> cells = pl.DataFrame({"topic": [7], "turn": [1], "doc": ["d1"]})
    >>> shown_in_sheet(Sheet("log", cells, str), "mine").rows.rows()
    [('mine', '7', 'd1', 1.0, 0.0)]
    """
    topic, number, doc = (sheet.needed(*each, allowed=_FORM) for each in (TOPIC, _NUMBER, DOC))
    system = sheet.named(*_SYSTEM)
    rows = pl.DataFrame(
        {"topic": sheet.texts(topic), "doc": sheet.texts(doc), "iteration": sheet.numbers(number)},
    )
    systems = pl.lit(name) if system is None else sheet.texts(system)
    rows = rows.select(systems.alias("system"), "topic", "doc", "iteration", order=_order(sheet))
    if sheet.named("rank"):
        ranked = rows.drop("doc").rename({"iteration": number, "order": "rank"})
        refuse_repeats(ranked, ranked.columns, sheet.place)
    return Shown(sheet.source, rows, sheet.place, number=number)


def _order(sheet: Sheet) -> pl.Series:
    by = sheet.named("rank", "score")
    if by is None:
        return pl.zeros(sheet.cells.height, eager=True)
    return sheet.numbers(by) if by == "rank" else -sheet.numbers(by)


def _dynamic(data: bytes, where: str) -> pl.DataFrame:
    """The first four columns; the last two may be absent, in some lines or in all."""
    _, first = next(content_lines(data), (0, []))
    layout = Layout(_DYNAMIC[:4], ("topic", "doc"), ("iteration", "score"))
    if len(first) in (5, 6):
        try:
            return parse(data, Layout(_DYNAMIC[: len(first)], layout.texts, layout.numbers), where)
        except MetameterError:
            pass  # perhaps because lines differ in width
    return parse(_cut(data), layout, where)


def _cut(data: bytes) -> bytes:
    """Four columns of every line that has up to six; lines keep their numbers."""
    lines = data.split(b"\n")
    fields = map(bytes.split, lines)
    return b"\n".join(
        b"\t".join(columns[:4]) if 4 <= len(columns) <= 6 else line for line, columns in zip(lines, fields, strict=True)
    )
