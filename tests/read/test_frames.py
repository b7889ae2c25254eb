"""Objects of Python as judgments and runs."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from metameter.errors import MetameterError
from metameter.read.frames import as_qrels, as_run
from metameter.read.runs import as_runs
from metameter.types import Run

COLUMNS = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]}
ROWS = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 3.0)]
DICT = {"1": {"a": 2, "b": 1}, "2": {"a": 3}}
FRAMES = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("make", FRAMES)
def test_any_data_frame_is_a_run(make):
    assert as_run(make(COLUMNS), "s").table.rows() == ROWS
    qrels = {"topic": COLUMNS["topic"], "doc": COLUMNS["doc"], "grade": [1, 0, -1]}
    assert as_qrels(make(qrels)).table["grade"].to_list() == [1, 0, -1]


def test_dictionaries_of_pytrec_eval():
    assert as_run(DICT, "s").table.rows() == ROWS
    assert as_qrels({1: {2: 1}}).table.rows() == [("1", "2", 1.0)]


def test_what_is_one_already_stays():
    run, qrels = as_run(DICT, "s"), as_qrels(DICT)
    assert as_run(run) is run
    assert as_qrels(qrels) is qrels
    assert as_run(run, "other").name == "other"
    assert as_run(run, "other").table is run.table


def test_paths(tmp_path):
    (tmp_path / "bm25").write_text("1 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    assert as_run(str(tmp_path / "bm25")).name == "bm25"
    assert as_run(tmp_path / "bm25", "mine").name == "mine"
    assert as_qrels(tmp_path / "qrels").table.rows() == [("1", "a", 1.0)]


@pytest.mark.parametrize(
    "obj",
    [None, 7, {"1": 2}, {"1": {"a": "x"}}, {"1": {"a": None}}, {}, pl.DataFrame({"topic": ["1"]}), {"1": {"a": 1e999}}],
)
def test_what_cannot_be_read_is_refused(obj):
    with pytest.raises(MetameterError):
        as_run(obj, "s")
    with pytest.raises(MetameterError):
        as_qrels(obj)


def test_duplicates_in_a_frame():
    twice = {"topic": ["1", "1"], "doc": ["a", "a"], "score": [1.0, 2.0]}
    with pytest.raises(MetameterError, match="row 2"):
        as_run(pl.DataFrame(twice), "s")
    assert as_run(pl.DataFrame(twice), "s", on_duplicate="first").table.rows() == [("1", "a", 2.0)]


def test_the_rank_column_is_kept_where_there_is_one():
    assert as_run(pl.DataFrame(COLUMNS | {"rank": [1, 2, 1]}), "s").table["rank"].to_list() == [1, 2, 1]
    with pytest.raises(MetameterError, match="rank is missing"):
        as_run(pl.DataFrame(COLUMNS), "s", need_rank=True)


def names(obj, **options):
    runs = as_runs(obj, **options)
    assert all(isinstance(run.read(), Run) for run in runs)
    assert [run.read().name for run in runs] == [run.name for run in runs]
    return [run.name for run in runs]


@pytest.mark.parametrize("make", FRAMES)
def test_a_frame_with_a_system_column_holds_several_runs(make):
    both = {"system": ["x", "y", "x"]} | COLUMNS
    assert names(make(both)) == ["x", "y"]
    assert as_runs(make(both))[0].read().table.rows() == [ROWS[0], ROWS[2]]
    assert names(make(COLUMNS)) == ["run"]


def test_a_dictionary_of_runs_is_told_from_one_run(tmp_path):
    (tmp_path / "file").write_text("1 Q0 a 1 2 t\n")
    assert names(DICT) == ["run"]
    mixed = {"x": DICT, "y": pl.DataFrame(COLUMNS), "z": tmp_path / "file", "w": as_run(DICT, "old")}
    assert names(mixed) == ["x", "y", "z", "w"]
    assert names({"x": {"1": {}, "2": {"a": 1}}}) == ["x"]


def test_lists_and_folders(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_text("1 Q0 a 1 2 t\n")
    assert names(tmp_path) == ["a", "b"]
    assert names(str(tmp_path / "*")) == ["a", "b"]
    assert names([tmp_path / "b", tmp_path / "a"]) == ["b", "a"]
    assert names([as_run(DICT, "s"), tmp_path]) == ["s", "a", "b"]
    assert names(as_runs(tmp_path)) == ["a", "b"]


def test_nothing_and_doubles_are_refused():
    with pytest.raises(MetameterError, match="no run"):
        as_runs([])
    with pytest.raises(MetameterError, match="two runs have the name 's'"):
        as_runs([as_run(DICT, "s"), as_run(DICT, "s")])
