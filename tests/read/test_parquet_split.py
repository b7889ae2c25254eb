"""Rows of regular Parquet files are those of the table that Polars reads; every other file is left to it."""

from __future__ import annotations

import contextlib
import io
from datetime import timedelta
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.read.archives import Content
from metameter.read.parquet_notes import notes_of
from metameter.read.parquet_pages import _places, plain_texts
from metameter.read.parquet_split import split_parquet
from metameter.read.trec import QRELS, RUN, qrels_of, run_of
from metameter.read.unpack_limit import unpacking
from metameter.read.zstd import unpack_frame
from metameter.types.names import Names

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3000
RUN_COLUMNS = {
    "topic": [str(401 + row // 1000) for row in range(ROWS)],
    "doc": [f"FBIS{row % 5}-{row * 7919 % ROWS}" for row in range(ROWS)],
    "score": [row * 7919 % 1009 / 8 for row in range(ROWS)],
}


def of_polars(columns, **options):
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file, **options)
    return file.getvalue()


def of_arrow(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def same(rows, table, value="score"):
    """Whether rows are those of a table, which Polars has read."""
    topics = np.repeat(np.array(rows.topics, dtype=object), rows.length).tolist()
    names = Names.of(table["doc"])
    assert topics == table["topic"].to_list()
    assert rows.doc.texts() == table["doc"].to_list()
    assert rows.value.tobytes() == table[value].cast(pl.Float64).to_numpy().tobytes()
    assert rows.doc.hashes().tolist() == names.hashes().tolist()


@pytest.mark.parametrize(
    ("compression", "options"),
    list(product(["zstd", "uncompressed"], [{}, {"row_group_size": 700}, {"data_page_size": 2000}])),
)
def test_files_of_polars(compression, options):
    data = of_polars(RUN_COLUMNS, compression=compression, **options)
    same(split_parquet(data, RUN, "run"), pl.read_parquet(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("compression", "options"),
    [
        *product(
            ["zstd", "none"],
            [
                {},
                {"use_dictionary": False},
                {"use_dictionary": ["doc"]},
                {"row_group_size": 700, "data_page_size": 500},
                {"dictionary_pagesize_limit": 2000},
                {"version": "1.0"},
            ],
        )
    ],
)
def test_files_of_arrow(compression, options):
    data = of_arrow(RUN_COLUMNS, compression=compression, **options)
    same(split_parquet(data, RUN, "run"), pl.read_parquet(io.BytesIO(data)))


def test_values_that_are_never_missing():
    kinds = {"topic": pa.string(), "doc": pa.string(), "score": pa.float64()}
    fields = [pa.field(name, kind, nullable=False) for name, kind in kinds.items()]
    file = io.BytesIO()
    pq.write_table(pa.table(RUN_COLUMNS, schema=pa.schema(fields)), file, compression="zstd")
    same(split_parquet(file.getvalue(), RUN, "run"), pl.read_parquet(io.BytesIO(file.getvalue())))


@pytest.mark.parametrize("kind", [pa.int32(), pa.int64(), pa.float32(), pa.float64()])
def test_numbers_of_every_kind(kind):
    columns = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "grade": pa.array([2, 0, -1], kind)}
    data = of_arrow(columns, compression="zstd", store_schema=False)
    rows = split_parquet(data, QRELS, "qrels")
    same(rows, pl.read_parquet(io.BytesIO(data)), "grade")
    assert qrels_of(Content("qrels", data)).table.rows() == [("1", "a", 2.0), ("1", "b", 0.0), ("2", "a", -1.0)]


def test_names_of_other_tools():
    data = of_polars({"docno": ["a", "b"], "qid": ["1", "1"], "query": ["x", "x"], "score": [2.0, 1.0]})
    assert split_parquet(data, RUN, "run").doc.texts() == ["a", "b"]


OTHER = {
    "snappy": of_polars(RUN_COLUMNS, compression="snappy"),
    "pages of the second version": of_arrow(RUN_COLUMNS, compression="zstd", data_page_version="2.0"),
    "newer encodings": of_arrow(
        RUN_COLUMNS, compression="zstd", use_dictionary=False, column_encoding={"doc": "DELTA_BYTE_ARRAY"}
    ),
    "numbers as topics": of_polars({**RUN_COLUMNS, "topic": [401 + row // 1000 for row in range(ROWS)]}),
    "topics that take turns": of_polars({**RUN_COLUMNS, "topic": [str(row % 2) for row in range(ROWS)]}),
    "a column that names systems": of_polars({**RUN_COLUMNS, "system": ["BM25"] * ROWS}),
    "letters of other alphabets": of_polars({"topic": ["1"], "doc": ["é"], "score": [1.0]}),
    "long names": of_polars({"topic": ["1"], "doc": ["a" * 300], "score": [1.0]}),
    "names with a byte 0": of_polars({"topic": ["1", "1"], "doc": ["a\0", "a\0\0\0b"], "score": [1.0, 2.0]}),
    "texts as scores": of_polars({"topic": ["1"], "doc": ["a"], "score": ["1.5"]}),
    "whole numbers, which may be durations": of_polars({"topic": ["1"], "doc": ["a"], "score": [3]}),
    "unsigned": of_polars({"topic": ["1"], "doc": ["a"], "score": pl.Series([3], dtype=pl.UInt8)}),
}


@pytest.mark.parametrize("what", OTHER)
def test_other_files_are_read_as_tables(what):
    assert split_parquet(OTHER[what], RUN, "run") is None
    table = run_of(Content("run", OTHER[what])).table
    expected = pl.read_parquet(io.BytesIO(OTHER[what]))
    assert table.rows() == [
        (str(topic), doc, float(score)) for topic, doc, score in expected["topic", "doc", "score"].rows()
    ]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"topic": ["1", None], "doc": ["a", "b"], "score": [1.0, 2.0]}, "row 2: the topic is missing"),
        ({"topic": ["1", "1"], "doc": [None, "b"], "score": [1.0, 2.0]}, "row 1: the doc is missing"),
        ({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, None]}, "row 2: the score is missing"),
        ({"topic": ["1", "1"], "doc": ["a", "b"], "score": [1.0, float("inf")]}, "row 2: the score is missing or not"),
        ({"topic": ["1", "1"], "doc": ["a", "a"], "score": [1.0, 2.0]}, "row 2: document 'a' of topic '1' is listed"),
        ({"topic": ["1"], "doc": ["a"], "score": [timedelta(1)]}, "the column score has the wrong type"),
        ({"topic": [], "doc": [], "score": []}, "the table is empty"),
        ({"topic": ["1"], "doc": ["a"]}, "the column score is missing"),
    ],
)
def test_what_is_wrong_is_said_as_ever(columns, said):
    frame = pl.DataFrame(columns) if columns.get("topic") else pl.DataFrame(columns, schema=dict.fromkeys(columns, str))
    with pytest.raises(MetameterError) as refused:
        run_of(Content("run.parquet", of_polars(frame)))
    assert str(refused.value).startswith("run.parquet: ")
    assert said in str(refused.value)


def test_a_file_that_unpacks_to_too_much_is_refused():
    with unpacking(unpack_limit="10kB"), pytest.raises(MetameterError, match="unpacks to"):
        run_of(Content("run.parquet", of_polars(RUN_COLUMNS)))


def test_a_few_bytes_that_stand_for_many_rows_are_refused():
    rows = 100_000
    data = of_polars({"topic": ["1"] * rows, "doc": ["d"] * rows, "score": [1.0] * rows}, row_group_size=rows)
    message = r"run.parquet: reading the Parquet file, of [\d.]+ kB, takes about 2\d MB \(allowed: at most 10 MB\)"
    with unpacking(unpack_limit="10MB"), pytest.raises(MetameterError, match=message):
        run_of(Content("run.parquet", data))


def test_memory_is_asked_for_only_where_there_is_some(monkeypatch):
    """What is left of a limit decides, by what splitting takes, which is more than reading a table does."""
    data = of_polars(RUN_COLUMNS)
    monkeypatch.setattr("metameter.read.parquet_split.memory_left", lambda: 100 * ROWS)
    assert split_parquet(data, RUN, "run") is None
    monkeypatch.setattr("metameter.read.parquet_split.memory_left", lambda: 1000 * ROWS)
    assert split_parquet(data, RUN, "run") is not None


@pytest.mark.parametrize(
    "body",
    [
        b"\0" + b"\xff" * 5_000_000,  # a number that does not end
        b"\0\xff\xff\xff\xff\xff\xff\xff\x7f",  # more numbers of no bits than there is memory
        b"\3\x07",  # numbers that are missing
        b"\0",
        b"",
    ],
)
def test_places_that_lie_take_neither_time_nor_memory(body):
    with contextlib.suppress(ValueError, IndexError):
        assert _places(body, 10, 5).tolist() == [0] * 10


def test_the_table_is_made_only_when_asked_for():
    run = run_of(Content("run.parquet", of_polars(RUN_COLUMNS)))
    assert "table" not in vars(run)
    assert run.table.height == ROWS


letters = st.text("ab1-é\0", max_size=20)


@given(st.lists(st.tuples(st.sampled_from(["1", "22"]), letters, st.floats()), max_size=30), st.data())
def test_any_table_is_read_as_polars_reads_it_or_left_to_it(cells, data):
    kinds = {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    frame = pl.DataFrame(cells, schema=kinds, orient="row")
    if data.draw(st.booleans()):
        file = of_polars(frame, compression=data.draw(st.sampled_from(["zstd", "uncompressed"])))
    else:
        options = {"use_dictionary": data.draw(st.booleans()), "compression": "zstd", "write_batch_size": 3}
        file = of_arrow(frame.to_arrow(), data_page_size=data.draw(st.sampled_from([10, 10**6])), **options)
    rows = split_parquet(file, RUN, "run")
    if rows is not None:
        same(rows, pl.read_parquet(io.BytesIO(file)))


whole = of_polars({name: cells[::30] for name, cells in RUN_COLUMNS.items()})


@given(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_damage_is_no_crash(places):
    damaged = bytearray(whole)
    for place, byte in places:
        damaged[place] = byte
    rows = split_parquet(bytes(damaged), RUN, "run")
    assert rows is None or np.isfinite(rows.value).all()


@given(st.integers(0, len(whole) - 1))
def test_a_file_that_was_cut_short_is_left_to_others(size):
    assert split_parquet(whole[:size], RUN, "run") is None


@given(st.lists(st.binary(min_size=1, max_size=20).map(lambda text: bytes(b % 127 + 1 for b in text)), min_size=1))
def test_plain_texts_are_found(texts):
    plain = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    start, width = plain_texts(plain, len(texts))
    assert [plain[at : at + size] for at, size in zip(start, width, strict=True)] == texts


@given(st.binary(max_size=40), st.integers(0, 5))
def test_what_is_no_list_of_texts_is_refused(data, entries):
    """If something is found, then the texts with their lengths are all that there is."""
    try:
        start, width = plain_texts(data, entries)
    except ValueError:
        return
    texts = [data[at : at + size] for at, size in zip(start, width, strict=True)]
    assert b"".join(len(text).to_bytes(4, "little") + text for text in texts) == data


def test_a_frame_that_says_to_hold_more_is_refused():
    import zstandard

    frame = zstandard.ZstdCompressor().compress(b"x" * 1000)
    assert unpack_frame(frame, 1000) == b"x" * 1000
    for size in (999, 1001):
        with pytest.raises(ValueError, match="size"):
            unpack_frame(frame, size)


def test_notes_name_columns_and_pages():
    notes = notes_of(of_polars(RUN_COLUMNS, row_group_size=1500))
    assert [column.name for column in notes.schema[1:]] == ["topic", "doc", "score"]
    assert [chunk.rows for chunk in notes.chunks] == [1500] * 6
