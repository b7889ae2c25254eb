"""Lengths of documents: every form gives the same table, every fault is named."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import sys
from contextlib import suppress
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.read.document_tables import read_costs, read_lengths

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "trec_dd_jig.json").read_text())["input"]["doc_len"]
ROWS = [(doc, float(length)) for doc, length in GOLDEN.items()]


def write(folder, content, name="lengths"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(separator, header=""):
    return header + "".join(f"{doc}{separator}{length}\n" for doc, length in GOLDEN.items())


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(GOLDEN),
        "\ufeff\n" + json.dumps(GOLDEN, indent=2),
        lines(" "),
        lines("\t"),
        "# words\n" + lines("   ").replace("\n", "\r\n"),
        lines(",", "doc,length\n"),
        lines("\t", "docno\twords\n"),
        lines(",", "DOC_ID,Tokens\n"),
        lines(",", '"docid","doc_len"\n'),
        lines(" ") * 2,
        gzip.compress(lines(" ").encode(), mtime=0),
    ],
)
def test_every_form_gives_the_same_table(tmp_path, content):
    lengths = read_lengths(write(tmp_path, content))
    assert lengths.table.rows() == ROWS
    assert lengths.fingerprint.name == "lengths"
    assert repr(lengths) == f"<Lengths of {len(ROWS)} documents>"


def test_objects_are_read(tmp_path):
    frame = pl.DataFrame(ROWS, schema=["doc", "length"], orient="row")
    frame.write_parquet(tmp_path / "x.parquet")
    for source in (GOLDEN, frame, frame.to_pandas(), frame.rename({"length": "words"}).lazy(), tmp_path / "x.parquet"):
        lengths = read_lengths(source)
        assert lengths.table.rows() == ROWS
    assert read_lengths(lengths) is lengths
    assert read_lengths({7: 0}).table.rows() == [("7", 0.0)]
    assert read_lengths(pd.DataFrame({"docno": [7], "tokens": ["3"]})).table.rows() == [("7", 3.0)]


def test_costs_by_topic_accept_other_column_names():
    costs = pl.DataFrame({"qid": ["1", "2"], "docno": ["d", "d"], "cost": [1.0, 2.0]})
    assert read_costs(costs).table.rows() == [("1", "d", 1.0), ("2", "d", 2.0)]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(" ").encode())))
    assert read_lengths("-").table.rows() == ROWS


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a 1\nb -1\n", 2, r"document 'b' has a length below 0 \(given -1.0\)"),
        ("a 1\nb nan\n", 2, "length is not a number"),
        ("a 1\nb x\n", 2, "length is not a number"),
        ("a 1\nb 2 3\n", 2, "3 columns"),
        ("# x\na 1\na 2\n", 3, r"document 'a' has two lengths \(given 2.0\)"),
        ("doc,length\na,1\nb,-2\n", 3, "below 0"),
        ("doc,words\na,1\nb,\n", 3, "words is not a number"),
        ("doc,length\na,1\n,2\n", 3, "doc is empty"),
        ("doc,length\na,1\na,2\n", 3, "two lengths"),
        ('{"a": 1,\n "b": -1}', 2, "document 'b' has a length below 0"),
        ('{"a": 1,\n "b": NaN}', 2, "length is not a number"),
        ('{"a": 1,\n "b": "2"}', 2, "length of document 'b' is not a number"),
        ('{"a": 1,\n "b": true}', 2, "length of document 'b' is not a number"),
        ('{"a": 1,\n "b": {"c": 2}}', 2, "length of document 'b' is not a number"),
        ('{"a": 1,\n "a": 2}', 2, "document 'a' has two lengths"),
        ('{"a": 1,\n "\\u00e9": -1}', 2, "document 'é' has a length below 0"),
        ('{"a": 1,\n b: 2}', 2, "not JSON"),
        (b"a 1\n\xff 2\n", 2, "not UTF-8"),
    ],
)
def test_an_error_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_lengths(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("{}", "no lengths"),
        ("doc,length\n", "table is empty"),
        ("doc,docno,size\na,a,1\n", "column length is missing"),
        ("length,words\n1,1\n", "column doc is missing"),
        ('{"a": ' + "1" * 5000 + "}", "not a JSON object"),
        ('{"a": ' + "[" * 200_000, "not a JSON object"),
        (b'{"a\xff": 1}', "not a JSON object"),
        ('{"a": 1' + "0" * 400 + "}", "too large"),
        ('{"\\ud800": 1}', "no text"),
        (pickle.dumps(GOLDEN), "this is a pickle, which is not read"),
        (b"PAR1", "damaged"),
    ],
)
def test_a_file_without_lengths_is_refused(tmp_path, content, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_lengths(path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ({}, "no lengths"),
        ({"a": None}, "length of document 'a' is not a number"),
        ({"a": "1"}, "length of document 'a' is not a number"),
        ({"a": float("nan")}, "lengths: the length is not a number"),
        ({"": 1}, "doc is empty"),
        ({"a": -1}, "lengths: document 'a' has a length below 0"),
        (pl.DataFrame({"doc": ["a", "a"], "length": [1, 2]}), "lengths: row 2: document 'a' has two lengths"),
        (pl.DataFrame({"doc": ["a"]}), "column length is missing"),
        ([("a", 1)], "cannot be read"),
    ],
)
def test_objects_that_are_no_lengths_are_refused(source, what):
    with pytest.raises(MetameterError, match=what):
        read_lengths(source)


names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)


@settings(deadline=None)  # the first call pays for imports
@given(st.dictionaries(names, st.integers(0, 10**6), min_size=1, max_size=8))
def test_every_form_round_trips(tmp_path_factory, lengths):
    rows = [(doc, float(length)) for doc, length in lengths.items()]
    assert read_lengths(lengths).table.rows() == rows
    path = tmp_path_factory.getbasetemp() / "lengths"
    path.write_text(json.dumps(lengths))
    assert read_lengths(path).table.rows() == rows
    pl.DataFrame(rows, schema=["doc", "length"], orient="row").write_csv(path)
    assert read_lengths(path).table.rows() == rows
    if not any(doc.startswith(("#", "{")) for doc in lengths):
        path.write_text("".join(f"{doc}\t{length}\n" for doc, length in lengths.items()))
        assert read_lengths(path).table.rows() == rows


SEEDS = ['{"a": 1, "b": 2}', "a 1\nb 2\n", "doc,length\na,1\nb,2\n"]


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(SEEDS), st.integers(0, 40), st.integers(0, 10), st.binary(max_size=12))
def test_no_bytes_crash_the_reader(tmp_path_factory, seed, start, length, noise):
    data = seed.encode()
    start %= len(data)
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data[:start] + noise + data[start + length :])
    with suppress(MetameterError):
        assert read_lengths(path).table.height
