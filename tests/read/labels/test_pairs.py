"""Preference pairs: judgments of one pair become one, and every fault names its lines."""

from __future__ import annotations

import io
import json
import warnings

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter
from metameter.errors import MetameterError
from metameter.notices import MetameterWarning
from metameter.read.labels.pairs import read_pairs
from metameter.types import Pairs

A, B = [2.0, 0.0], [0.0, 1.0]


def row(preference, **more):
    return {"grades_a": A, "grades_b": B, "preference": preference, **more}


def preferences(rows):
    """Each preference with its count."""
    return dict(read_pairs(rows).table.group_by("preference").agg(pl.col("count").sum()).rows())


def write(folder, text, name="pairs.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_without_ids_every_row_is_a_pair():
    pairs = read_pairs([row(-3), row(-0.5), row(0), row(2)])
    assert pairs.table.rows() == [(A, B, -1.0, 2), (A, B, 0.0, 1), (A, B, 1.0, 1)]
    assert read_pairs(pairs) is pairs
    assert metameter.read_pairs is read_pairs
    assert metameter.Pairs is Pairs


@pytest.mark.parametrize(
    ("judged", "sign"),
    [([1, 1, -1], 1), ([2, -1, -1], 0), ([-3, 1, 1], -1), ([0.1, 0.2, -0.3], 0), ([1, -1, 0], 0), ([1, 1, -2.5], -1)],
)
def test_judgments_of_a_pair_become_the_sign_of_their_mean(judged, sign):
    other = 1 if sign <= 0 else -1
    rows = [row(each, id="x") for each in judged] + [row(other, id="y")]
    assert preferences(rows) == {float(sign): 1, float(other): 1}


def test_rows_without_an_id_are_separate_pairs():
    assert preferences([row(1, id=7), row(1, id=7.0), row(-1, id=None), row(-1, id="")]) == {1.0: 1, -1.0: 2}


def expected(rows):
    sums = {}
    for number, (preference, pair) in enumerate(rows):
        sums.setdefault(pair or f"row {number}", []).append(preference)
    signs = [(sum(each) > 0) - (sum(each) < 0) for each in sums.values()]
    return {float(sign): signs.count(sign) for sign in set(signs)}


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.integers(-2, 2), st.sampled_from(["p", "q", "r", None])), min_size=2, max_size=9))
def test_every_form_matches_a_plain_count(tmp_path_factory, rows):
    wanted = expected(rows)
    if len(wanted) == 1:
        return
    folder = tmp_path_factory.mktemp("pairs")
    records = [row(preference, id=pair) for preference, pair in rows]
    lines = [f"{pair or ''},2 0,0 1,{preference}" for preference, pair in rows]
    csv = write(folder, "\n".join(["id,grades_a,grades_b,preference", *lines]))
    jsonl = write(folder, "\n".join(map(json.dumps, records)), "pairs.jsonl")
    file = io.BytesIO()
    frame = pl.DataFrame(records, infer_schema_length=None)
    frame.write_parquet(file)
    (folder / "pairs.parquet").write_bytes(file.getvalue())
    for source in (records, csv, jsonl, folder / "pairs.parquet", frame, frame.to_pandas()):
        assert preferences(source) == wanted


def test_judgments_of_a_pair_can_be_in_several_parts(tmp_path):
    header = "id,grades_a,grades_b,preference\n"
    write(tmp_path, header + "x,2 0,0 1,1\ny,2 0,0 1,1\n", "part-1")
    write(tmp_path, header + "x,2 0,0 1,-2\n", "part-2")
    assert preferences(tmp_path) == {-1.0: 1, 1.0: 1}
    write(tmp_path, header + "z,2 0,0 1,1\n\nx,2 1,0 1,1\n", "part-3")
    with pytest.raises(MetameterError) as caught:
        read_pairs(tmp_path)
    places = f"{tmp_path / 'part-3'}:4: the pair 'x' has other grades than at {tmp_path / 'part-1'}:2."
    assert str(caught.value).startswith(places)


def test_users_are_kept_if_each_pair_has_one():
    pairs = read_pairs([row(1, id="x", user="u"), row(1, id="x", user="u"), row(-1, id="y", user="v")])
    assert pairs.table.rows() == [(A, B, -1.0, "v", 1), (A, B, 1.0, "u", 1)]


def test_users_are_dropped_if_several_judged_a_pair():
    rows = [row(1, id="x", user="u"), row(1, id="x", user="v"), row(-1, id="y", user="v")]
    with pytest.warns(MetameterWarning, match="1 pair judged by several users: pairs, not users, will be resampled"):
        pairs = read_pairs(rows)
    assert pairs.users is None
    assert pairs.size == 2


def test_a_missing_user_is_distinct_from_known_ones():
    mixed = [row(1, id="x", user="u"), row(1, id="x"), row(-1, id="y", user="v")]
    with pytest.warns(MetameterWarning, match="1 pair judged by several users"):
        assert read_pairs(mixed).users is None
    missing = [row(1, id="x"), row(1, id="x"), row(-1, id="y", user="v")]
    with pytest.warns(MetameterWarning, match="1 row without a user: each counts as a user of its own"):
        pairs = read_pairs(missing)
    assert pairs.users == ("unknown 1", "v")
    assert pairs.size == 2


def test_a_pair_without_a_user_is_its_own_user():
    with pytest.warns(MetameterWarning, match="2 rows without a user"):
        pairs = read_pairs([row(1, user="u"), row(-1), row(-1)])
    assert pairs.users == ("u", "unknown 1", "unknown 2")


def test_incomplete_rows_are_left_out(tmp_path):
    path = write(tmp_path, "grades_a,grades_b,preference\n1,0,1\n1,,1\n1,0,\n[],1,-1\n")
    with pytest.warns(MetameterWarning) as caught:
        assert read_pairs(path).size == 2
    assert [str(each.message) for each in caught] == [
        f"{path}: 1 row without a preference is left out (the first: {path}:4)",
        f"{path}: 1 row without grades is left out (the first: {path}:3)",
        f"{path}: 1 row with an empty list of grades is kept: a page without results (the first: {path}:5)",
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("grades_a,grades_b,preference\n1,0,1\n1,0,left\n", ":3", "the preference is not a number (given 'left'"),
        ("grades_a,grades_b,preference\n1,0,1\n1,0 b,-1\n", ":3", "grades_b holds what is no number (given 'b'"),
        ("grades_a,grades_b,preference\n1,0,1\n0,1,2\n", "", "every preference is the same (given 1.0)"),
        ("grades_a,grades,preference\n1,0,1\n", "", "the column grades_b is missing (given 'grades_a, grades, pref"),
        ("grades_a,grades_b,preference\n", "", "there are no rows"),
        ("id;grades_a;grades_b;preference\nx;1;0;1\n", "", "every preference is the same (given 1.0)"),
        ('{"a": [1], "b": [0]}', "", "the column grades_a is missing (given 'a, b'"),
        ("id,grades_a,grades_b,preference\nx,1,0,1\ny,1,0,-1\nx,1,1,1\n", ":4", "the pair 'x' has other grades than"),
        ("id,grades_a,grades_b,preference\nx,1 ?,0,1\nx,1 0,0,1\n", ":3", "the pair 'x' has other grades than"),
    ],
)
def test_errors_name_the_file_and_line(tmp_path, text, place, message):
    path = write(tmp_path, text)
    with warnings.catch_warnings(action="ignore"), pytest.raises(MetameterError) as caught:
        read_pairs(path)
    assert str(caught.value).startswith(f"{path}{place}: {message}")


def test_any_number_of_distinct_preferences_is_read():
    assert preferences([row(each) for each in range(-600, 600)]) == {-1.0: 600, 0.0: 1, 1.0: 599}
