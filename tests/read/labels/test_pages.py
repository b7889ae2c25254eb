"""Labelled result pages: every form gives the same counts, every fault names its line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import re
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter
from metameter.errors import MetameterError
from metameter.notices import MetameterWarning
from metameter.read.labels.pages import read_labels, read_serps
from metameter.read.labels.views import read_views
from metameter.types import Fingerprint, Pages

ROWS = [([2, 0], 4, "u1"), ([2, 0], 4, "u1"), ([0, None, 1.5], 1, "u2"), ([2, 0], 4, "u2")]


def write(folder, content, name="serps.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def records(rows):
    return [dict(zip(("grades", "satisfaction", "user"), row, strict=True)) for row in rows]


def as_text(rows, separator, listed):
    lines = [separator.join((listed(grades), str(label), user)) for grades, label, user in rows]
    return "\n".join([separator.join(("grades", "satisfaction", "user")), *lines]) + "\n"


def quoted(grades):
    return f'"{json.dumps(grades)}"'


def spaced(grades):
    return " ".join("?" if grade is None else str(grade) for grade in grades) or "[]"


def frame_of(rows):
    lists = [[None if grade is None else float(grade) for grade in grades] for grades, *_ in rows]
    columns = {"satisfaction": [label for _, label, _ in rows], "user": [user for *_, user in rows]}
    return pl.DataFrame({"grades": pl.Series(lists, dtype=pl.List(pl.Float64)), **columns})


def as_parquet(rows):
    file = io.BytesIO()
    frame_of(rows).write_parquet(file)
    return file.getvalue()


def forms(rows):
    """The same rows in every form of file."""
    return {
        "spaced.csv": as_text(rows, ",", spaced).encode(),
        "quoted.csv": as_text(rows, ",", quoted).encode(),
        "json.tsv": as_text(rows, "\t", json.dumps).encode(),
        "rows.jsonl": "\n".join(map(json.dumps, records(rows))).encode(),
        "rows.json": json.dumps(records(rows), indent=1).encode(),
        "rows.parquet": as_parquet(rows),
    }


def quietly(source, **options):
    with warnings.catch_warnings(action="ignore"):
        return read_serps(source, **options)


def refusal(source, **options):
    with pytest.raises(MetameterError) as caught:
        quietly(source, **options)
    return str(caught.value)


GRADE = st.none() | st.integers(-1, 3) | st.sampled_from([0.5, 0.25])
ROW = st.tuples(st.lists(GRADE, max_size=4), st.integers(1, 5), st.sampled_from(["u1", "7", "é"]))


@settings(deadline=None, max_examples=15)
@given(st.lists(ROW, min_size=2, max_size=8).filter(lambda rows: len({label for _, label, _ in rows}) > 1))
def test_every_form_gives_the_same_counts(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("forms")
    expected = quietly(records(rows)).table
    assert expected["count"].sum() == len(rows)
    for name, data in forms(rows).items():
        assert quietly(write(folder, data, name)).table.equals(expected), name
    frame = frame_of(rows)
    for each in (frame, frame.lazy(), frame.to_pandas()):
        assert quietly(each).table.equals(expected), type(each)


def test_counts_match_the_rows():
    pages = read_serps(records(ROWS))
    assert pages.table.rows() == [
        ([0.0, None, 1.5], 1.0, "u2", 1),
        ([2.0, 0.0], 4.0, "u1", 2),
        ([2.0, 0.0], 4.0, "u2", 1),
    ]
    assert read_serps(pages) is pages
    assert metameter.read_serps is read_serps
    assert metameter.Pages is Pages


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_have_fingerprints_of_their_bytes(tmp_path, pack):
    packed = pack(forms(ROWS)["rows.jsonl"])
    path = write(tmp_path, packed, "rows")
    pages = read_serps(path)
    assert pages.table.equals(read_serps(records(ROWS)).table)
    assert pages.source == str(path)
    assert [(each.name, each.size) for each in pages.fingerprints] == [("rows", len(packed))]
    assert isinstance(pages.fingerprints[0], Fingerprint)


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(forms(ROWS)["json.tsv"])))
    assert read_serps("-").table.equals(read_serps(records(ROWS)).table)


@pytest.mark.parametrize("form", ["spaced.csv", "rows.jsonl", "rows.parquet"])
def test_parts_add_up_to_the_whole(tmp_path, form):
    for number, rows in enumerate((ROWS[:1], ROWS[1:3], ROWS[3:])):
        data = forms(rows)[form]
        write(tmp_path, data if form == "rows.parquet" else gzip.compress(data), f"part-{number}")
    write(tmp_path, "", "_SUCCESS")
    write(tmp_path, "grades,satisfaction\n", "part-3")  # large collections have empty parts
    whole = read_serps(records(ROWS))
    assert read_serps(tmp_path).table.equals(whole.table)
    assert len(read_serps(tmp_path).fingerprints) == 4
    files = sorted(tmp_path.glob("part-*"))
    assert read_serps(files).table.equals(whole.table)
    assert read_serps(files).source == f"{files[0]} and 3 more"
    alone = [Pages.of(frame_of(rows)) for rows in (ROWS[:2], ROWS[2:])]
    assert alone[0].merge(alone[1:]).table.equals(whole.table)


def test_duplicate_files_are_refused_by_name(tmp_path):
    first, copy = (write(tmp_path, as_text(ROWS, ",", spaced), name) for name in ("a.csv", "b.csv"))
    for files, again in (([first, first], first), ([first, copy], copy), (tmp_path, copy)):
        what = f"{again}: the same rows are given twice: this file holds what {first} holds. Give every file once"
        assert refusal(files).startswith(what)
    empty = [write(tmp_path, "grades,satisfaction,user\n", name) for name in ("c.csv", "d.csv")]
    assert read_serps([first, *empty]).size == len(ROWS), "parts without rows are all alike"


@pytest.mark.parametrize("column", ["count", "Weight"])
def test_a_count_column_is_ignored_with_a_notice(tmp_path, column):
    files = [write(tmp_path, f"grades,satisfaction,{column}\n1,{label},9\n", f"{label}.csv") for label in (1, 2)]
    rows = [{"grades": [1], "satisfaction": label, column: 9} for label in (1, 2)]
    for source in (files, rows, pl.DataFrame(rows)):
        with pytest.warns(MetameterWarning) as caught:
            assert read_serps(source).size == 2
        [told] = [str(each.message) for each in caught]
        assert f": the column {column.lower()} is not looked at: a row counts once; repeat rows" in told


@pytest.mark.parametrize("form", ["spaced.csv", "quoted.csv", "json.tsv", "rows.jsonl", "rows.json"])
def test_lines_can_end_in_a_carriage_return(tmp_path, form):
    path = write(tmp_path, forms(ROWS)[form].replace(b"\n", b"\r"))
    assert read_serps(path).table.equals(read_serps(records(ROWS)).table)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"grades": [[1, 0], "0 1"], "satisfaction": [3, 1]}),
        pl.DataFrame({"grades": [["1", "0"], ["0", "1"]], "satisfaction": ["3", "1"]}),
        pl.DataFrame({"grades": pl.Series([[1, 0], [0, 1]], dtype=pl.Array(pl.Int8, 2)), "satisfaction": [3, 1]}),
        pl.DataFrame({"Grades": [[True, False], [False, True]], "SATISFACTION ": [3.0, 1.0]}),
        pl.DataFrame({"grades": ["1;0", "(0, 1)"], "satisfaction": ["3", " 1 "]}, strict=False),
        [{"grades": np.array([1, 0]), "satisfaction": np.int64(3)}, {"grades": (0.0, 1), "satisfaction": 1.0}],
    ],
)
def test_lists_are_read_from_any_container(frame):
    assert read_serps(frame).table.rows() == [([0.0, 1.0], 1.0, 1), ([1.0, 0.0], 3.0, 1)]


def test_binary_labels_can_be_true_and_false(tmp_path):
    expected = [([0.0], 0.0, 1), ([1.0], 1.0, 1)]
    assert read_serps(write(tmp_path, "grades,satisfaction\n1,True\n0,false\n")).table.rows() == expected
    assert read_serps(pd.DataFrame({"grades": [1, 0], "satisfaction": [True, False]})).table.rows() == expected


LEFT_OUT = "grades,satisfaction\n1 0,3\n1 0,\n,4\n0,null\n[],1\n"


def test_incomplete_rows_are_left_out_with_a_notice(tmp_path):
    path = write(tmp_path, LEFT_OUT)
    with pytest.warns(MetameterWarning) as caught:
        pages = read_serps(path)
    assert pages.table.rows() == [([], 1.0, 1), ([1.0, 0.0], 3.0, 1)]
    assert [str(each.message) for each in caught] == [
        f"{path}: 2 rows without a satisfaction are left out (the first: {path}:3)",
        f"{path}: 1 row without grades is left out (the first: {path}:4)",
        f"{path}: 1 row with an empty list of grades is kept: a page without results (the first: {path}:6)",
    ]


def test_a_row_without_a_user_is_its_own_user(tmp_path):
    path = write(tmp_path, "grades,satisfaction,user\n1,3,a\n0,1,\n0,1,null\n")
    with pytest.warns(MetameterWarning, match="2 rows without a user: each counts as a user of its own"):
        pages = read_serps(path)
    assert pages.users == ("a", "unknown 1", "unknown 2")
    assert pages.size == 3
    nobody = write(tmp_path, "grades,satisfaction,user\n1,3,\n0,1,\n")
    assert read_serps(nobody).users is None


def test_users_can_be_numbers():
    frame = pd.DataFrame({"grades": ["1", "0", "2"], "satisfaction": [1, 2, 3], "user": [7, 8, None]})
    assert quietly(frame).users == ("7", "8", "unknown 1")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "grades,satisfaction\n1,3\n0,good\n",
            3,
            "the satisfaction is not a number (given 'good', allowed: a number",
        ),
        ("grades,satisfaction\n1,3\n0,nan\n", 3, "the satisfaction is not a number (given 'nan'"),
        ("grades,satisfaction\n1,inf\n0,1\n", 2, "the satisfaction is not a number (given 'inf'"),
        ("grades,satisfaction\n1,3\n0 x,1\n", 3, "grades holds what is no number (given 'x'"),
        ("grades,satisfaction\n1,3\n0 NaN,1\n", 3, "grades holds what is no number (given 'NaN'"),
        ("grades,satisfaction\n1,3\n[1 0,1\n", 3, "grades holds what is no number (given '[1 0'"),
        ('grades,satisfaction\n1,3\n"1,,0",1\n', 3, "grades holds what is no number (given ''"),
        ('grades,satisfaction\n1,3\n"[[1], [0]]",1\n', 3, "grades holds what is no number (given '[1]'"),
        ("grades,satisfaction\n1,3\n1_0,1\n", 3, "grades holds what is no number (given '1_0'"),
        ("grades,satisfaction\n\n1,3\n0 y,1\n0,bad\n", 4, "grades holds what is no number (given 'y'"),
        ("grades,satisfaction\n1,bad\n0 y,1\n", 2, "the satisfaction is not a number (given 'bad'"),
        ("grades,satisfaction\n1,3\n0\n", 3, "the row has 1 cell"),
        ('{"grades": [1], "satisfaction": 1}\n\n{"grades": [NaN], "satisfaction": 2}', 3, "grades holds what is no"),
        ('{"grades": [1], "satisfaction": 1}\n{"grades": [1}', 2, "this is not JSON"),
        ('{"grades": [1], "satisfaction": 1}\n3\n', 2, "this is no JSON object (given '3')"),
        ('{"grades": [1], "satisfaction": "\\ud800"}', 1, "the text holds half a character"),
        ('[\n{"grades": [1], "satisfaction": 1},\n{"grades": {}, "satisfaction": 2}]', 3, "grades holds what is no"),
        (
            '{"grades": {"a b": 1, "c": 2}, "satisfaction": 1}',
            1,
            """grades holds what is no number (given '{"a b": 1, "c": 2}'""",
        ),
        ('[{"grades": [1], "satisfaction": 1},\n\n7]', 3, "this is no JSON object (given 7)"),
        ('[{"grades": [1],\n "satisfaction": 1},\n', 3, "this is not JSON"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, message):
    path = write(tmp_path, text)
    assert refusal(path).startswith(f"{path}:{line}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grades,satisfaction\n1,3\n0,3\n", "every satisfaction is the same (given 3.0)"),
        ("grades,satisfaction\n", "there are no rows"),
        ("", "there are no rows"),
        ("[]", "there are no rows"),
        ("grades,satisfaction\n1,\n,2\n", "no row has both grades and a satisfaction"),
        ("grade,satisfaction\n1,2\n", "the column grades is missing (given 'grade, satisfaction'"),
        ('{"grade": 1, "satisfied": 2}', "the column grades is missing (given 'grade, satisfied'"),
        ('[{"grade": 1}, {"satisfied": 2}]', "the column grades is missing (given 'grade, satisfied'"),
        ("user;Grades;Satisfaction\nu;1,0;3\n", "every satisfaction is the same (given 3.0)"),
        ('{"x": 1, "satisfaction": 2}', "the column grades is missing (given 'satisfaction, x'"),
        (
            "grades,satisfaction\n" + "".join(f"1,{i}\n" for i in range(1001)),
            "there are too many distinct labels in satisfaction (given 1001, allowed: at most 1,000)",
        ),
    ],
)
def test_errors_name_the_file(tmp_path, text, message):
    path = write(tmp_path, text)
    assert refusal(path).startswith(f"{path}: {message}")


def test_semicolons_separate_cells(tmp_path):
    path = write(tmp_path, "grades;satisfaction;user\n1 0;3;u\n0,1;1,5;u\n")
    comma = "the satisfaction is not a number: the comma is a decimal comma, write a point (given '1,5'"
    assert refusal(path).startswith(f"{path}:3: {comma}")
    path.write_text(path.read_text().replace("1,5", "1.5"))
    assert read_serps(path).table.rows() == [([0.0, 1.0], 1.5, "u", 1), ([1.0, 0.0], 3.0, "u", 1)]


def test_a_thousand_distinct_labels_are_read(tmp_path):
    path = write(tmp_path, "grades,satisfaction\n" + "".join(f"1,{i}\n" for i in range(1000)))
    assert read_serps(path).levels.size == 1000


def test_a_misspelt_column_gets_a_suggestion(tmp_path):
    assert "Did you mean grade? Call it grades." in refusal([{"grade": [1], "satisfied": 2}])
    assert "Did you mean satisfacton? Call it satisfaction." in refusal(write(tmp_path, "grades,satisfacton\n1,2\n"))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"grades": [[1.0], [math.nan]], "satisfaction": [1, 2]}), "pages: row 2: grades holds what"),
        (
            pl.DataFrame({"grades": [[1], [0]], "satisfaction": [1.0, math.inf]}),
            "pages: row 2: the satisfaction is not",
        ),
        (pl.DataFrame({"grades": [[1], [0]], "satisfaction": [[1], [2, 3]]}), "pages: row 2: the satisfaction is not"),
        ([{"grades": [1], "satisfaction": 1}, {"grades": [1], "satisfaction": math.nan}], "pages: row 2: the satisf"),
        ([{"grades": [1], "satisfaction": 10**400}], "pages: row 1: the satisfaction is not a number (given '1000"),
        (
            [{"grades": [10**5000], "satisfaction": 1}],
            "pages: row 1: grades holds what is no number (given 'unwritable'",
        ),
        ([], "pages: there are no rows"),
        ([{"grade": [1], "satisfied": 2}], "pages: the column grades is missing (given 'grade, satisfied'"),
        (
            pd.DataFrame([["1", 2, "0"]], columns=["grades", "satisfaction", "grades"]),
            "the header names 'grades' twice",
        ),
        ({"grades": [1]}, "this cannot be read (given 'dict')"),
        (3, "this cannot be read (given 'int')"),
    ],
)
def test_errors_in_objects_are_described(frame, message):
    assert refusal(frame).startswith(message)


@pytest.mark.parametrize("cut", [5, 40, -6])
def test_damaged_parquet_is_refused_by_name(tmp_path, cut):
    path = write(tmp_path, as_parquet(ROWS)[:cut], "part.parquet")
    assert refusal(path).startswith(f"{path}: the Parquet file is damaged")


TIANGONG = "F\t[1, 0]\t[2, 0]\t3\nA\t[0, 0]\t[0, 1]\t1\n"


def test_files_of_tiangong_are_read(tmp_path):
    path = write(tmp_path, TIANGONG)
    assert read_serps(path, input="tiangong").table.rows() == [([0.0, 1.0], 1.0, 1), ([2.0, 0.0], 3.0, 1)]
    columns = write(tmp_path, "F\t[1, 0]\tnone\t3\n" * 2, "columns.txt")
    assert 'Set input to "tiangong"' in refusal(columns)
    returns = write(tmp_path, TIANGONG.replace("\n", "\r"), "returns.txt")
    assert read_serps(returns, input="tiangong").size == 2
    assert "twice" in refusal([path, path], input="tiangong")
    assert refusal(records(ROWS), input="tiangong").startswith("input says how a file is laid out (given 'list')")
    assert "Did you mean tiangong?" in refusal(path, input="tiangon")
    wide = write(tmp_path, TIANGONG + "\nA\t[1]\t3\n")
    assert refusal(wide, input="tiangong").startswith(f"{wide}:4: the line has 3 cells")
    bad = write(tmp_path, TIANGONG + "\nA\t[1]\t[q]\t3\n")
    assert refusal(bad, input="tiangong").startswith(f"{bad}:4: grades holds what is no number (given 'q'")


def test_files_of_tiangong_are_recognised(tmp_path):
    path = write(tmp_path, "\n" + TIANGONG)
    said = f"^{re.escape(str(path))}: read as pages of TianGong-QRef, whose columns are reformulation"
    with pytest.warns(MetameterWarning, match=said):
        pages = read_serps(path)
    assert pages.table.rows() == read_serps(path, input="tiangong").table.rows()
    with pytest.warns(MetameterWarning, match=said) as notices:
        assert read_labels(path).size == 2
    assert len(notices) == 1
    with pytest.warns(MetameterWarning) as notices:
        assert read_views(path).size == 1
    assert [bool(re.match(said, str(each.message))) for each in notices] == [True, False, False]
    assert "1 row without a rank viewed last is left out" in str(notices[1].message)


def test_a_header_is_not_taken_for_tiangong(tmp_path):
    path = write(tmp_path, "id\tclicks\tgrades\tsatisfaction\n" + TIANGONG)
    with warnings.catch_warnings(action="error"):
        assert read_serps(path).size == 2


@pytest.mark.realdata
def test_qref_reduces_to_586_cells(data):
    path = data / "satisfaction" / "tiangong-qref" / "train_file.txt"
    if not path.exists():
        pytest.skip(f"no TianGong-QRef at {path}")
    pages = read_serps(path, input="tiangong")
    assert (pages.size, pages.table.height, pages.items.height) == (7479, 586, 397)
    assert pages.levels.tolist() == [0, 1, 2, 3, 4]


def test_a_grade_above_the_scale_names_its_line(tmp_path):
    path = tmp_path / "serps.csv"
    path.write_text("grades,satisfaction\n1 0,1\n0 ? 5,2\n7,3\n")
    assert read_serps(path, max_grade=7).size == 3
    with pytest.raises(
        MetameterError, match=r"serps.csv:3: a grade is above max_grade \(given 5.0, allowed: at most 3\)"
    ):
        read_serps(path, max_grade=3)
