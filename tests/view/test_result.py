"""What people make by hand: each type refuses at once, in one line, what it cannot be made of."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import metameter as mm
from metameter.simulation.folder import write as write_collection
from metameter.view.result import Result

AXES = (("AP",), ("a",), ("1",))
ONE = np.array([[[0.5]]])
TABLE = pl.DataFrame({"topic": ["1"], "doc": ["d"], "score": [1.0], "grade": [1.0]})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mm.Qrels(None), r"^Qrels: the table is not a Polars data frame \(given 'NoneType'\)\. Give a Polars"),
        (lambda: mm.Qrels(pl.DataFrame()), r"^Qrels: the column topic is missing \(given 'no columns'"),
        (lambda: mm.Qrels(TABLE.with_columns(topic=1)), r"^Qrels: the column topic has the wrong type .* Give texts"),
        (lambda: mm.Qrels(TABLE.with_columns(grade=pl.lit("x"))), r"^Qrels: the column grade .* Give numbers"),
        (lambda: mm.Run("a", {"1": {"d": 1.0}}), r"^Run: the table is not a Polars data frame \(given 'dict'\)"),
        (lambda: mm.Run(None, TABLE), r"^Run: the name is not a text \(given 'None'\)"),
        (lambda: mm.Run("a", TABLE.drop("score")), r"^Run: the column score is missing"),
        (lambda: mm.Pages(None, None), r"^Pages: the table is not a Polars data frame"),
        (lambda: mm.Pages(TABLE), r"^Pages: the column satisfaction is missing"),
        (
            lambda: mm.Pages(pl.DataFrame({"grades": [1], "satisfaction": [1], "count": [1]})),
            r"Give lists of numbers",
        ),
        (lambda: mm.Pairs(None), r"^Pairs: the table is not a Polars data frame"),
        (lambda: mm.Truth(None), r"^Truth: the table is not a Polars data frame"),
        (lambda: mm.SessionRun("a", None), r"^SessionRun: the table is not a Polars data frame"),
        (lambda: mm.Scores(None, ("a",), ("1",), ONE), r"^the metrics of the scores are not texts \(given 'None'\)"),
        (lambda: mm.Scores(("AP",), (1,), ("1",), ONE), r"^the systems of the scores are not texts \(given \(1,\)\)"),
        (lambda: mm.Scores(("AP",), ("a",), "1", ONE), r"^the topics of the scores are not texts \(given '1'\)"),
        (lambda: mm.Scores(*AXES, None), r"^the scores are not numbers \(given 'None'\)"),
        (lambda: mm.Scores(*AXES, [[["x"]]]), r"^the scores are not numbers"),
    ],
)
def test_wrong_constructor_arguments_are_refused(make, message):
    with pytest.raises(mm.MetameterError, match=message):
        make()


def test_scores_accept_lists():
    assert mm.Scores(["AP"], ["a"], ["1"], [[[0.5]]]).table.rows() == mm.Scores(*AXES, ONE).table.rows()


@pytest.mark.parametrize("place", [None, 3, [], "", " "])
def test_results_are_written_only_to_paths(place, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = mm.simulate(topics=1, systems=2, depth=3, documents=20)
    for write in (Result({"power": TABLE}).write, lambda folder: write_collection(small, folder)):
        with pytest.raises(mm.MetameterError, match=r"^out is not a path \(given "):
            write(place)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("column", ["topic", "doc"])
def test_a_row_without_topic_or_document_is_refused(column):
    table = pl.concat([TABLE, TABLE.with_columns(pl.lit(None, dtype=pl.String).alias(column))])
    run, qrels = mm.Run("mine", table, "mine"), mm.Qrels(table, "judged")
    with pytest.raises(mm.MetameterError, match=rf"^mine: row 2: the {column} is missing"):
        mm.score({"1": {"d": 1}}, run, ["AP"])
    with pytest.raises(mm.MetameterError, match=rf"^judged: row 2: the {column} is missing"):
        mm.score(qrels, {"1": {"d": 1.0}}, ["AP"])


@pytest.mark.parametrize("dtype", [pl.UInt8, pl.Int64, pl.Float32], ids=str)
def test_numbers_can_have_any_type(dtype):
    table = pl.DataFrame({"topic": ["1"] * 3, "doc": ["a", "b", "c"], "grade": [0, 2, 1], "score": [3, 2, 1]})
    table = table.with_columns(pl.col("grade", "score").cast(dtype))
    found = mm.score(mm.Qrels(table), mm.Run("mine", table), ["nDCG@10", "AP"])
    judged, retrieved = ({"1": dict(zip("abc", numbers, strict=True))} for numbers in ([0, 2, 1], [3.0, 2.0, 1.0]))
    assert found.values.tolist() == mm.score(judged, retrieved, ["nDCG@10", "AP"]).values.tolist()


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["1", "a", "b"])], ids=str)
def test_names_can_be_categories(dtype):
    table = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [0.0, 1.0], "score": [2.0, 1.0]})
    table = table.with_columns(pl.col("topic", "doc").cast(dtype))
    assert mm.score(mm.Qrels(table), mm.Run("mine", table), ["AP"]).values.tolist() == [[[0.5]]]


def test_names_that_differ_in_null_bytes_stay_distinct():
    judged = {"1": {"a": 1, "a\0": 0}, "1\0": {"": 0, "\0": 1}}
    retrieved = {"1": {"a\0": 2.0, "a": 1.0}, "1\0": {"\0": 1.0}}
    assert mm.score(judged, retrieved, ["AP"]).values.tolist() == [[[0.5, 1.0]]]


def test_empty_judgments_are_refused():
    with pytest.raises(mm.MetameterError, match=r"^qrels: there are no judgments"):
        mm.score(mm.Qrels(TABLE.head(0)), {"1": {"d": 1.0}}, ["AP"])
