"""Objects of Python as judgments and runs."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import metameter as mm
from metameter.errors import MetameterError
from metameter.read.document_tables import read_costs
from metameter.read.qrels import read_qrels
from metameter.read.runs import as_runs, read_run
from metameter.types import Run

COLUMNS = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]}
ROWS = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 3.0)]
DICT = {"1": {"a": 2, "b": 1}, "2": {"a": 3}}
FRAMES = [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("make", FRAMES)
def test_any_data_frame_is_read_as_a_run(make):
    assert read_run(make(COLUMNS), name="s").table.rows() == ROWS
    qrels = {"topic": COLUMNS["topic"], "doc": COLUMNS["doc"], "grade": [1, 0, -1]}
    assert read_qrels(make(qrels)).table["grade"].to_list() == [1, 0, -1]


def test_dictionaries_of_pytrec_eval_are_read():
    assert read_run(DICT, name="s").table.rows() == ROWS
    assert read_qrels({1: {2: 1}}).table.rows() == [("1", "2", 1.0)]


def test_runs_and_judgments_are_returned_unchanged():
    run, qrels = read_run(DICT, name="s"), read_qrels(DICT)
    assert read_run(run) is run
    assert read_qrels(qrels) is qrels
    assert read_run(run, name="other").name == "other"
    assert read_run(run, name="other").table is run.table


def test_paths_are_read(tmp_path):
    (tmp_path / "bm25").write_text("1 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    assert read_run(str(tmp_path / "bm25")).name == "bm25"
    assert read_run(tmp_path / "bm25", name="mine").name == "mine"
    assert read_qrels(tmp_path / "qrels").table.rows() == [("1", "a", 1.0)]


@pytest.mark.parametrize(
    "obj",
    [None, 7, {"1": 2}, {"1": {"a": "x"}}, {"1": {"a": None}}, {}, pl.DataFrame({"topic": ["1"]}), {"1": {"a": 1e999}}],
)
def test_unreadable_objects_are_refused(obj):
    with pytest.raises(MetameterError):
        read_run(obj, name="s")
    with pytest.raises(MetameterError):
        read_qrels(obj)


def test_duplicates_in_a_frame_are_refused_or_resolved():
    twice = {"topic": ["1", "1"], "doc": ["a", "a"], "score": [1.0, 2.0]}
    with pytest.raises(MetameterError, match="row 2"):
        read_run(pl.DataFrame(twice), name="s")
    assert read_run(pl.DataFrame(twice), name="s", on_duplicate="first").table.rows() == [("1", "a", 2.0)]


def test_the_rank_column_is_read_only_on_request():
    ranked = pl.DataFrame(COLUMNS | {"rank": [1, 2, 1]})
    assert read_run(ranked, name="s", need_rank=True).table["rank"].to_list() == [1, 2, 1]
    assert "rank" not in read_run(ranked, name="s").table.columns
    with pytest.raises(MetameterError, match="rank is missing"):
        read_run(pl.DataFrame(COLUMNS), name="s", need_rank=True)


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


def test_a_dictionary_of_runs_is_distinguished_from_one_run(tmp_path):
    (tmp_path / "file").write_text("1 Q0 a 1 2 t\n")
    assert names(DICT) == ["run"]
    mixed = {"x": DICT, "y": pl.DataFrame(COLUMNS), "z": tmp_path / "file", "w": read_run(DICT, name="old")}
    assert names(mixed) == ["x", "y", "z", "w"]
    assert names({"x": {"1": {}, "2": {"a": 1}}}) == ["x"]


def test_lists_and_folders_hold_several_runs(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_text("1 Q0 a 1 2 t\n")
    assert names(tmp_path) == ["a", "b"]
    assert names(str(tmp_path / "*")) == ["a", "b"]
    assert names([tmp_path / "b", tmp_path / "a"]) == ["b", "a"]
    assert names([read_run(DICT, name="s"), tmp_path]) == ["s", "a", "b"]
    assert names(as_runs(tmp_path)) == ["a", "b"]


def test_no_runs_and_duplicate_names_are_refused():
    with pytest.raises(MetameterError, match="no run"):
        as_runs([])
    with pytest.raises(MetameterError, match="two runs have the name 's'"):
        as_runs([read_run(DICT, name="s"), read_run(DICT, name="s")])


WITHOUT_PYARROW = """
import sys
from importlib.machinery import PathFinder

class WithoutPyarrow(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.startswith("pyarrow") else super().find_spec(name, path, target)

sys.meta_path = [WithoutPyarrow if finder is PathFinder else finder for finder in sys.meta_path]
import pandas as pd
import metameter
frame = pd.DataFrame({"topic": [1, 1, 2], "doc": ["a", "b", "a"], "score": [2.0, 1.0, 3.0], "system": ["s", "s", "s"]})
qrels = pd.DataFrame({"topic": [1, 2], "doc": pd.Categorical(["a", "a"]), "grade": [1, 2]})
scores = metameter.score(qrels, frame, "RR", max_grade=2)
assert scores.values.tolist() == [[[1.0, 1.0]]], scores.values
again = metameter.read_scores(scores.to_pandas("wide"))
assert again.values.tolist() == scores.values.tolist()
assert "pyarrow" not in sys.modules
long = scores.to_pandas()
long.loc[0, "score"] = None
assert metameter.read_scores(long).missing.sum() == 1
for name, value in {"topic": None, "grade": float("nan")}.items():
    broken = qrels.astype({name: object})
    broken.loc[0, name] = value
    try:
        metameter.read_qrels(broken)
    except metameter.MetameterError as error:
        assert name in str(error), error
    else:
        raise AssertionError(name)
"""


def test_pandas_frames_need_no_pyarrow():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("read", "what"), [(read_run, "score"), (read_qrels, "grade"), (read_costs, "cost")], ids=["run", "qrels", "costs"]
)
def test_the_error_quotes_the_value_that_is_no_number(read, what):
    with pytest.raises(MetameterError, match=rf"a {what} is not a number \(given 'x'\)\. Give {what}s as numbers\.$"):
        read({"1": {"a": 1, "b": "x"}})


def test_the_error_quotes_the_value_that_is_no_dictionary():
    with pytest.raises(MetameterError, match=r"must be a dictionary \(given 2\)"):
        read_qrels({"1": 2})


def test_a_failing_lazy_frame_gives_a_one_line_error(tmp_path):
    for lazy in (
        pl.LazyFrame(COLUMNS).select(pl.col("nothing")),
        pl.scan_csv(tmp_path / "none.csv"),
        pl.LazyFrame(COLUMNS).with_columns(pl.col("doc").cast(pl.Int64)),
    ):
        for read in (mm.read_run, mm.read_qrels, mm.read_scores, mm.read_serps):
            with pytest.raises(MetameterError, match="lazy frame cannot be collected") as caught:
                read(lazy)
            assert "\n" not in str(caught.value)
