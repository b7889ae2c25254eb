"""Parquet files of runs and judgments are read as Polars reads them, and what is wrong with one is said."""

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
from metameter.read.files.content import Content
from metameter.read.files.limits import unpacking
from metameter.read.qrels import qrels_of
from metameter.read.runs import run_of
from metameter.types.byte_strings import Names

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


def same(data, read=run_of, value="score"):
    """Whether the rows and the table of a file are those that Polars reads."""
    found, table = read(Content("file.parquet", data)), pl.read_parquet(io.BytesIO(data))
    assert found.table.rows() == table.select("topic", "doc", pl.col(value).cast(pl.Float64)).rows()
    rows = found.rows
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
def test_files_of_polars_are_read(compression, options):
    data = of_polars(RUN_COLUMNS, compression=compression, **options)
    same(data)


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
def test_files_of_arrow_are_read(compression, options):
    data = of_arrow(RUN_COLUMNS, compression=compression, **options)
    same(data)


def test_required_columns_are_read():
    kinds = {"topic": pa.string(), "doc": pa.string(), "score": pa.float64()}
    fields = [pa.field(name, kind, nullable=False) for name, kind in kinds.items()]
    file = io.BytesIO()
    pq.write_table(pa.table(RUN_COLUMNS, schema=pa.schema(fields)), file, compression="zstd")
    same(file.getvalue())


@pytest.mark.parametrize("kind", [pa.int32(), pa.int64(), pa.float32(), pa.float64()])
def test_every_numeric_type_is_read(kind):
    columns = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "grade": pa.array([2, 0, -1], kind)}
    data = of_arrow(columns, compression="zstd", store_schema=False)
    same(data, qrels_of, "grade")
    assert qrels_of(Content("qrels", data)).table.rows() == [("1", "a", 2.0), ("1", "b", 0.0), ("2", "a", -1.0)]


def test_column_names_of_other_tools_are_read():
    data = of_polars({"docno": ["a", "b"], "qid": ["1", "1"], "query": ["x", "x"], "score": [2.0, 1.0]})
    assert run_of(Content("run", data)).rows.doc.texts() == ["a", "b"]


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
def test_files_of_every_type_are_read(what):
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
def test_errors_name_the_file_and_the_problem(columns, said):
    frame = pl.DataFrame(columns) if columns.get("topic") else pl.DataFrame(columns, schema=dict.fromkeys(columns, str))
    with pytest.raises(MetameterError) as refused:
        run_of(Content("run.parquet", of_polars(frame)))
    assert str(refused.value).startswith("run.parquet: ")
    assert said in str(refused.value)


def test_a_file_above_the_unpack_limit_is_refused():
    with unpacking(unpack_limit="10kB"), pytest.raises(MetameterError, match="unpacks to"):
        run_of(Content("run.parquet", of_polars(RUN_COLUMNS)))


def test_highly_compressed_rows_are_refused():
    rows = 100_000
    data = of_polars({"topic": ["1"] * rows, "doc": ["d"] * rows, "score": [1.0] * rows}, row_group_size=rows)
    message = r"run.parquet: reading the Parquet file, of [\d.]+ kB, takes about 2\d MB \(allowed: at most 10 MB\)"
    with unpacking(unpack_limit="10MB"), pytest.raises(MetameterError, match=message):
        run_of(Content("run.parquet", data))


letters = st.text("ab1-é\0", min_size=1, max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e90, max_value=1e90)


@given(st.dictionaries(st.tuples(st.sampled_from(["1", "22"]), letters), finite, min_size=1, max_size=30), st.data())
def test_any_table_is_read_as_by_polars(cells, data):
    kinds = {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    frame = pl.DataFrame([(*names, score) for names, score in cells.items()], schema=kinds, orient="row")
    if data.draw(st.booleans()):
        file = of_polars(frame, compression=data.draw(st.sampled_from(["zstd", "uncompressed"])))
    else:
        options = {"use_dictionary": data.draw(st.booleans()), "compression": "zstd", "write_batch_size": 3}
        file = of_arrow(frame.to_arrow(), data_page_size=data.draw(st.sampled_from([10, 10**6])), **options)
    assert run_of(Content("run.parquet", file)).table.rows() == frame.rows()


whole = of_polars({name: cells[::30] for name, cells in RUN_COLUMNS.items()})


@given(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_damage_is_refused_or_read_as_by_polars(places):
    damaged = bytearray(whole)
    for place, byte in places:
        damaged[place] = byte
    run = None
    with contextlib.suppress(MetameterError):
        run = run_of(Content("run.parquet", bytes(damaged)))
    if run is not None:
        assert run.table.rows() == pl.read_parquet(io.BytesIO(bytes(damaged)))["topic", "doc", "score"].rows()


@given(st.integers(0, len(whole) - 1))
def test_a_truncated_file_is_refused(size):
    with pytest.raises(MetameterError):
        run_of(Content("run.parquet", whole[:size]))
