"""Logs of any form and size give the same counts: by one query, file by file, and row by row."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import polars as pl
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter as mm
from metameter.read.labels import counts, pages
from metameter.read.labels.cells import grade_column, grades_in
from metameter.read.labels.pages import read_labels
from metameter.read.labels.query import Database
from metameter.types.tally import Tally


@pytest.fixture
def shown():
    return mm.simulate_pages(600, pairs=1, users=7, depth=3, seed=2).rows


def as_parquet(rows):
    file = io.BytesIO()
    rows.write_parquet(file)
    return file.getvalue()


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows.iter_rows(named=True)).encode()


def as_csv(rows):
    return (
        rows.with_columns(grades=pl.format("[{}]", pl.col("grades").cast(pl.List(pl.String)).list.join(",")))
        .write_csv()
        .encode()
    )


PACKED = {
    "parquet": as_parquet,
    "csv": as_csv,
    "csv.bz2": lambda rows: __import__("bz2").compress(as_csv(rows)),
    "jsonl": as_lines,
    "jsonl.gz": lambda rows: gzip.compress(as_lines(rows), mtime=0),
    "jsonl.xz": lambda rows: lzma.compress(as_lines(rows)),
    "jsonl.zst": lambda rows: zstd.compress(as_lines(rows)),
    "parquet.gz": lambda rows: gzip.compress(as_parquet(rows), mtime=0),
}


def folder_of(rows, folder, suffix, parts=3):
    folder.mkdir()
    for number, part in enumerate(rows[number::parts] for number in range(parts)):
        (folder / f"part-{number}.{suffix}").write_bytes(PACKED[suffix](part))
    return folder


@pytest.fixture
def never_row_by_row(monkeypatch):
    monkeypatch.setattr(counts, "cells_of", None)


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("jobs", [1, 2])
def test_regular_files_are_counted_by_one_query(shown, suffix, jobs, tmp_path, never_row_by_row):
    folder = folder_of(shown, tmp_path / "pages", suffix)
    read = mm.read_serps(folder, jobs=jobs)
    assert read.table.equals(mm.read_serps(shown).table)
    assert [each.name for each in read.fingerprints] == [f"part-{number}.{suffix}" for number in range(3)]
    for number in range(3):
        (folder / f"more-{number}.{suffix}").write_bytes(PACKED[suffix](shown[number::3].drop("user")))
    assert mm.read_serps(folder.parent / "pages" / f"more-*.{suffix}").users is None


@pytest.mark.parametrize("suffix", PACKED)
def test_the_wrong_row_is_named_in_any_file(shown, suffix, tmp_path, monkeypatch):
    wrong = shown.with_columns(satisfaction=pl.when(pl.col("id") == shown["id"][444]).then(float("nan")).otherwise(1.0))
    line = 446 if "csv" in suffix else 445
    place = f"part.{suffix}: row 445" if "parquet" in suffix else f"part.{suffix}:{line}"
    (tmp_path / f"part.{suffix}").write_bytes(PACKED[suffix](wrong))
    with pytest.raises(mm.MetameterError, match=rf"{place}: the satisfaction is not a number"):
        mm.read_serps(tmp_path / f"part.{suffix}")


def test_labels_of_skipped_rows_do_not_count(tmp_path):
    rows = [{"grades": [1], "satisfaction": 4}, {"grades": None, "satisfaction": 2}, {"grades": [0], "satisfaction": 4}]
    with (
        pytest.warns(mm.MetameterWarning, match="left out"),
        pytest.raises(mm.MetameterError, match="every satisfaction is the same"),
    ):
        mm.read_serps(rows)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl.gz"])
def test_odd_rows_are_counted_and_the_first_named(shown, suffix, tmp_path):
    odd = shown.with_columns(
        satisfaction=pl.when(pl.col("id").is_in(shown["id"][[301, 304]])).then(None).otherwise("satisfaction"),
        grades=pl.when(pl.col("id") == shown["id"][500]).then(pl.lit([], pl.List(pl.Int64))).otherwise("grades"),
    )
    folder = folder_of(odd, tmp_path / "pages", suffix)
    with warnings.catch_warnings(record=True, action="always") as told:
        assert mm.read_serps(folder).size == 598
    at = (lambda row: f": row {row}") if suffix == "parquet" else (lambda row: f":{row + (suffix == 'csv')}")
    assert [str(each.message) for each in told] == [
        f"{folder}: 2 rows without a satisfaction are left out (the first: {folder}/part-1.{suffix}{at(101)})",
        f"{folder}: 1 row with an empty list of grades is kept: a page without results "
        f"(the first: {folder}/part-2.{suffix}{at(167)})",
    ]


def test_progress_is_reported_in_megabytes(shown, tmp_path):
    told = []
    mm.read_serps(folder_of(shown, tmp_path / "pages", "parquet"), progress=lambda *step: told.append(step), jobs=1)
    assert told[-1] == (1, 1, "MB of pages")
    assert {step[1:] for step in told} == {(1, "MB of pages")}


def test_a_tally_stores_distinct_values_and_counts():
    table = pl.DataFrame({"grades": [[1.0, None], [0.5], [1.0, None], []], "label": [1.0, 2.0, 1.0, 1.0]})
    tally = Tally.of(table, ["grades", "label"])
    assert [len(each) for each in tally.values.values()] == [3, 2]
    twice = Tally.merge([tally, tally]).table()
    assert twice.rows() == [([], 1.0, 2), ([0.5], 2.0, 2), ([1.0, None], 1.0, 4)]
    assert Tally.of(twice, ["grades", "label"]).table().equals(twice)
    assert tally.without("grades").table().rows() == [(1.0, 3), (2.0, 1)]


def outcome(path, **options):
    """The counts and the notices, or the refusal."""
    with warnings.catch_warnings(record=True, action="always") as told:
        try:
            read = mm.read_serps(path, **options)
        except mm.MetameterError as problem:
            return str(problem)
    return read.table.rows(), [str(each.message) for each in told]


def both(data, name="log", **options):
    """What the query makes of a file, and what is read row by row; they are the same."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        (path := Path(folder) / name).write_bytes(data)
        fast = outcome(path, **options)
        patched.setattr(Database, "counted", lambda *_, **__: (_ for _ in ()).throw(counts.IrregularError))
        assert fast == outcome(path, **options)
    return fast


numbers = st.one_of(
    st.integers(-3, 12), st.sampled_from([0.5, 2.0, -0.0, 1e-7, 1e300, 10**20, 10**400, True, None, float("nan")])
)
cells = st.one_of(
    st.lists(numbers, max_size=4),
    numbers,
    st.sampled_from(["1 0", "u", "", "null", 'a"b', "é\n", "[1]", "grades", ":", "7", "nan", ",]", "\ud800", "a\0"]),
    st.dictionaries(st.sampled_from(["grades", "x"]), st.integers(0, 2), max_size=2),
)
names = st.sampled_from(["grades", "satisfaction", "user", "Grades", "id", "count", "a b"])
plain = st.fixed_dictionaries(
    {"grades": st.lists(st.integers(0, 3) | st.none(), max_size=3), "satisfaction": st.integers(1, 3)},
    optional={"user": st.sampled_from(["u", "é", 7, 7.0, None, ""]), "id": st.integers(0, 9)},
)
endings = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\r", ",\n", " {}\n", "x\n"])


@settings(deadline=None, max_examples=150)
@given(st.lists(plain | st.dictionaries(names, cells, max_size=4), min_size=1, max_size=6), st.booleans(), st.data())
def test_json_lines_are_counted_as_by_the_row_reader(rows, escaped, data):
    end = data.draw(st.just("\n") | endings)
    lines = [json.dumps(row, ensure_ascii=escaped) for row in rows]
    both((end.join(lines) + data.draw(st.sampled_from(["", end]))).encode("utf-8", "surrogatepass"), "log.jsonl")


csv_cells = st.sampled_from(
    ["1 0", "1", "2", "", '"1,0"', '"[1, null]"', '""', 'a"b', '"a""b"', ' "1"', '"1" ', "é", "nan", "?", '"', "1;0"]
)
csv_rows = st.lists(st.lists(csv_cells, min_size=3, max_size=3), min_size=1, max_size=5)


@settings(deadline=None, max_examples=150)
@given(csv_rows, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.sampled_from([",", "\t"]), st.data())
def test_delimited_text_is_counted_as_by_the_row_reader(rows, end, separator, data):
    header = data.draw(
        st.permutations(["grades", "satisfaction", data.draw(st.sampled_from(["user", "User", "x", '"a b"']))])
    )
    if data.draw(st.booleans()):
        rows = [*rows, data.draw(st.lists(csv_cells, min_size=1, max_size=4))]
    text = end.join(separator.join(row) for row in [header, *rows]) + data.draw(st.sampled_from(["", end, end * 2]))
    both(text.encode(), "log.csv")


values = {
    "grades": [[[1, 0], [2], None, []], [[1.5, None], [0.0], [-0.0], [2.0]], ["1 0", "1,0", "", "x"], [1, 0, 2, 1]],
    "satisfaction": [[1, 2, 3, None], [1.0, 2.0, float("nan"), 1.0], ["1", " 2", "", "2"], [True, False, True, None]],
    "user": [["a", " a", "", None], [1, 2, None, 1], [1.0, 2.5, float("nan"), 1.0], [[1], [2], [1], []]],
}


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_parquet_is_counted_as_by_the_row_reader(data):
    columns = {name: pl.Series(data.draw(st.sampled_from(each))) for name, each in values.items()}
    order = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    both(as_parquet(pl.DataFrame(columns)[order].rename({"user": data.draw(st.sampled_from(["user", "User", "x"]))})))


@given(st.lists(st.lists(st.one_of(st.integers(-9, 10**17), st.floats(-9, 9), st.none()), max_size=5), min_size=1))
def test_the_fast_grade_parser_agrees_with_the_general_one(lists):
    texts = pl.Series([json.dumps(each) for each in lists])
    assert grade_column(texts)[0].to_list() == [grades_in(text)[0] for text in texts.to_list()]


WORDS = st.sampled_from(["1", "0", "-0", "2.5", "-3", "null", "none", "?", "", "01", "1e2", "true", "x", "[", "]"])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.lists(WORDS, max_size=4), st.sampled_from([" ", ",", ";", ", ", "; ", "  "])), min_size=1))
def test_plain_lists_are_read_alike_together_and_one_by_one(rows):
    texts = [separator.join(words) for words, separator in rows]
    lists, wrong = grade_column(pl.Series(texts))
    assert list(zip(map(repr, lists), wrong, strict=True)) == [
        (repr(None if grades is None else pl.Series(grades, dtype=pl.Float64)), text)
        for grades, text in map(grades_in, texts)
    ]


def test_columns_missing_from_some_lines_are_read(tmp_path):
    rows = [{"grades": [1], "satisfaction": n % 2} for n in range(60)] + [{"grades": [n % 3]} for n in range(200)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.warns(mm.MetameterWarning, match=r"200 rows without a satisfaction are left out \(the first: \S*:61\)"):
        assert mm.read_serps(tmp_path / "log.jsonl").size == 60
    (tmp_path / "none.jsonl").write_text('{"grades": [1]}\n' * 200)
    with pytest.raises(mm.MetameterError, match=r"none\.jsonl: the column satisfaction is missing \(given 'grades'"):
        mm.read_serps(tmp_path / "none.jsonl")


def test_empty_parquet_is_refused_and_files_without_rows_accepted(shown, tmp_path):
    folder = folder_of(shown, tmp_path / "log", "parquet")
    for bytes_of in (b"", b"PA"):
        (folder / "part-7.parquet").write_bytes(bytes_of)
        for read in (mm.read_serps, read_labels):
            with pytest.raises(mm.MetameterError, match=r"part-7.parquet: the Parquet file is empty or cut short"):
                read(folder)
    (folder / "part-7.parquet").unlink()
    (folder / "part-8.jsonl").write_bytes(b"")
    shown.clear().write_parquet(folder / "part-9.parquet")
    assert mm.read_serps(folder).size == shown.height


@pytest.mark.parametrize(
    "name", ["[a]*?.parquet", "s3:/x.parquet", "user=1/a'b\".parquet", "a,b.jsonl.parquet", "%d;.parquet"]
)
def test_file_names_are_never_interpreted_as_urls(shown, name, tmp_path, monkeypatch, never_row_by_row):
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(as_parquet(shown.drop("user")))
    (tmp_path / "ab.parquet").write_bytes(as_parquet(shown.head(9)))
    assert mm.read_serps(name).size == shown.height
    assert mm.read_serps(name).users is None
    for address in ("s3://bucket/pages.parquet", "https://localhost/pages.parquet"):
        with pytest.raises(mm.MetameterError, match="no file matches"):
            mm.read_serps(address)


def test_column_names_never_become_sql(shown, tmp_path):
    odd = shown.rename({"id": 'x" FROM nowhere; --'}).rename({"grades": "GRADES"})
    odd.write_parquet(tmp_path / "a.parquet")
    assert mm.read_serps(tmp_path / "a.parquet").size == shown.height


def test_no_temporary_file_remains(shown, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    path = tmp_path / "log.jsonl.gz"
    for data in (
        PACKED["jsonl.gz"](shown),
        b"\x1f\x8b\x08 and no more",
        PACKED["jsonl.gz"](shown.with_columns(grades=pl.lit("x"))),
    ):
        path.write_bytes(data)
        outcome(path)
        assert not list((tmp_path / "temporary").iterdir())


def test_without_duckdb_the_error_names_the_package(shown, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert mm.read_serps(shown).size == shown.height
    (tmp_path / "log.csv").write_bytes(as_csv(shown))
    with pytest.raises(
        mm.MetameterError, match=r"^labelled pages are read by DuckDB, .* Install it: pip install duckdb$"
    ):
        mm.read_serps(tmp_path / "log.csv")


def test_duckdb_is_imported_only_to_read_a_log():
    code = "import sys, metameter as mm; mm.read_serps; assert 'duckdb' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("label", "status"), [("1", 0), ("good", 2)])
def test_a_command_prints_nothing_of_duckdb(tmp_path, label, status):
    (tmp_path / "log.csv").write_text(f"grades,satisfaction\n1 0,3\n0,{label}\n")
    command = [sys.executable, "-m", "metameter", "satisfaction", "log.csv", "--max-grade", "1", "-m", "AP"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == status
    assert "duckdb" not in (done.stdout + done.stderr).lower()
    if status:
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)


def test_an_interrupt_ends_a_query_at_once(tmp_path):
    code = """
from metameter.read.labels.query import Database
with Database(1) as database:
    print(database.folder, flush=True)
    database._rows("SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range * b.range % 7 = 1", {})
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        folder = process.stdout.readline().strip()
        assert os.path.isdir(folder)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
    assert "KeyboardInterrupt" in error
    assert not os.path.exists(folder)


def clicked(rows):
    return rows.select("grades", clicks=pl.col("grades").list.eval((pl.element() > 1).cast(pl.Int64)))


@pytest.mark.filterwarnings("ignore")
def test_ranks_and_clicks_can_share_a_file(shown, tmp_path, monkeypatch):
    monkeypatch.setattr("metameter.read.files.content._PIECE", 300)
    lines, ranks = as_lines(clicked(shown)), b'{"grades": [1, 0, 0], "last": 2}\n' * 100
    for data in (lines + ranks, ranks + lines):
        (tmp_path / "ranks.jsonl").write_bytes(data)
        assert mm.read_views(tmp_path / "ranks.jsonl").size == 100, "a file means one thing"


def test_the_first_rows_determine_the_columns_of_a_log(tmp_path):
    (tmp_path / "log.csv").write_text("grades,last\n1 0,1\n0,1\n")
    with pytest.raises(mm.MetameterError, match="there are no labels to fit to"):
        read_labels(tmp_path / "log.csv")
    assert pages._FORM.columns == ("grades", "satisfaction", "user")
