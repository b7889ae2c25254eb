"""Parquet with columns of any type, whole or damaged: every reader accepts or refuses it."""

import io
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from zlib import crc32

import polars as pl

from fuzz.draw import damaged, one_in
from fuzz.laws import Refused, outcome, place
from metameter.read.labels.pages import read_serps
from metameter.read.labels.pairs import read_pairs
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.read.scores import read_scores
from metameter.read.sessions.runs import as_session_runs
from metameter.read.sessions.truth import read_truth
from metameter.types import Qrels, Run

GROUP = "readers"
FORMS = {
    read_qrels: ("topic", "doc", "grade"),
    read_run: ("topic", "doc", "score", "rank"),
    read_scores: ("metric", "system", "topic", "score", "iteration"),
    read_serps: ("grades", "satisfaction", "user"),
    read_pairs: ("grades_a", "grades_b", "preference", "id"),
    read_truth: ("topic", "subtopic", "doc", "rating"),
    as_session_runs: ("topic", "iteration", "doc", "score"),
}
NUMBERS, TEXTS, LISTS = [0, 1, 2, 3], ["a", "b", "c", "1", "é"], [[1, 0], [2], [0, 1, 3]]
ODD = [
    [True, False],
    [None],
    [1.5, float("nan")],
    [float("inf"), 1.0],
    [date(2020, 1, 1)],
    [datetime(2020, 1, 1)],
    [timedelta(1)],
    [Decimal("1.5")],
    [b"x", b"\xff"],
    [[None], []],
    [["x"]],
    [{"a": 1}],
    [2**63],
    [""],
    ["1", " 2", "x"],
    [[[1]]],
]


def make(draw: Random) -> bytes:
    """A file that suits one of the readers, with odd columns, nulls and damage."""
    names = draw.choice(list(FORMS.values()))
    height = draw.randrange(draw.choice([7, 7, 300]))
    columns = {name: _column(draw, name, height) for name in names if not one_in(draw, 15)}
    table = pl.DataFrame(columns, strict=False)
    if one_in(draw, 8):
        table = table.cast({pl.String: pl.Categorical})
    file = io.BytesIO()
    compression = draw.choice(["zstd", "snappy", "gzip", "uncompressed", "lz4"])
    sizes = {"row_group_size": draw.choice([None, 1, 50]), "data_page_size": draw.choice([None, 20, 400])}
    table.write_parquet(file, compression=compression, statistics=one_in(draw, 2), **sizes)
    data = file.getvalue()
    return damaged(draw, data, 2) if one_in(draw, 2) else data


def _column(draw: Random, name: str, height: int) -> pl.Series:
    fitting = LISTS if name.startswith("grades") else TEXTS if name in ("topic", "doc", "system", "metric") else NUMBERS
    cells = draw.choice(ODD) if one_in(draw, 8) else fitting
    values = [None if one_in(draw, 25) else draw.choice(cells) for _ in range(height)]
    return pl.Series(name, values, strict=False)


def hold(data: bytes) -> bool:
    """One of the readers, the same for the same bytes, accepts or refuses."""
    readers = list(FORMS)
    reader = readers[crc32(data) % len(readers)]
    for name, names in FORMS.items():
        if names[0].encode() in data and names[-1].encode() in data:
            reader = name
    found = outcome(lambda: reader(place(data, "input.parquet")))
    if isinstance(found, Qrels | Run):
        _agree(found)
    return not isinstance(found, Refused)


def _agree(found: Qrels | Run) -> None:
    """What was read without a table is what is in the table; of what is damaged, one may see more than the other."""
    table = outcome(lambda: found.table)
    if isinstance(table, Refused):
        assert "damaged" in table, table
    else:
        rows = found.rows
        topics = [topic for topic, length in zip(rows.topics, rows.length, strict=True) for _ in range(length)]
        assert list(zip(topics, rows.doc.texts(), rows.value, strict=True)) == table.drop("rank", strict=False).rows()
