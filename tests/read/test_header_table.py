"""A table from elsewhere is taken as it is where nothing is wrong with it, and refused by the first row that is."""

from datetime import timedelta

import polars as pl
import pytest

from metameter.errors import MetameterError
from metameter.read.header_table import HeaderTable
from metameter.read.trec.parse import Layout

INFINITE = float("inf")
LARGE = 1.7e308


def run_with(scores, **more):
    rows = len(scores)
    return pl.DataFrame({"topic": ["1"] * rows, "doc": [f"d{row}" for row in range(rows)], "score": scores, **more})


def typed(table):
    return HeaderTable.by_row("run", table).select(Layout((), ("topic", "doc"), ("score",)))


def judged(table):
    return HeaderTable.by_row("qrels", table).select(Layout((), ("topic", "doc"), ("grade",)))


@pytest.mark.parametrize("scores", [[LARGE, LARGE], [-LARGE, -LARGE, 0.0], [LARGE, LARGE, -LARGE]])
def test_finite_scores_with_an_infinite_sum_are_accepted(scores):
    assert typed(run_with(scores))["score"].to_list() == scores


@pytest.mark.parametrize(
    ("scores", "row"),
    [
        ([1.0, INFINITE, -INFINITE], 2),
        ([LARGE, LARGE, float("nan")], 3),
        ([1.0, None, INFINITE], 2),
        ([-INFINITE, 1.0], 1),
        (["1", "2", "1e999"], 3),
        ([1.0, 2.0, float("nan"), None], 3),
    ],
)
def test_the_first_score_that_is_not_finite_is_named(scores, row):
    with pytest.raises(MetameterError, match=f"run: row {row}: the score is missing or not a finite number"):
        typed(run_with(scores))


def test_the_first_missing_name_is_named():
    table = run_with([1.0, 2.0, 3.0]).with_columns(doc=pl.Series(["a", None, None]))
    with pytest.raises(MetameterError, match="run: row 2: the doc is missing or not a name"):
        typed(table)


def test_a_chunked_table_is_read_like_a_whole_one():
    pieces = pl.concat([run_with([2.0, 1.0], name="x"), run_with([0.5, INFINITE], name="x")], rechunk=False)
    with pytest.raises(MetameterError, match="row 4: the score"):
        typed(pieces)
    assert typed(pieces[:3]).rows() == [("1", "d0", 2.0, "x"), ("1", "d1", 1.0, "x"), ("1", "d0", 0.5, "x")]


@pytest.mark.parametrize(
    ("named", "system"),
    [
        (["BM25", "BM25"], "BM25"),
        (["", ""], None),
        ([None, None], None),
        ([], None),
        ([7, 7], "7"),
        (pl.Series(["BM25", "BM25"], dtype=pl.Categorical), "BM25"),
    ],
)
def test_a_table_has_a_system_if_all_rows_agree(named, system):
    rows = run_with([1.0] * max(len(named), 1)).head(len(named)).with_columns(system=pl.Series(named))
    table = HeaderTable.by_row("run", rows)
    assert table._system() == system


@pytest.mark.parametrize(
    ("named", "shown"), [(["a", "a", "b"], "2 .*'a, b'"), (["a", None], "2 .*'a, '"), ([None, "a"], "2 .*', a'")]
)
def test_several_systems_are_refused_in_order(named, shown):
    with pytest.raises(MetameterError, match=shown):
        typed(run_with([1.0] * len(named), system=named))


def test_columns_get_canonical_names():
    table = pl.DataFrame({"qid": [1], "docno": ["d1"], "score": [2]})
    assert judged(table).rows() == [("1", "d1", 2.0)]


@pytest.mark.parametrize(
    "scores",
    [[b"1", b"2"], pl.Series(["1", "2"], dtype=pl.Categorical), [timedelta(1)] * 2, [[1], [2]], [{"a": 1}] * 2],
)
def test_judgments_with_scores_that_are_no_numbers_are_refused(scores):
    with pytest.raises(MetameterError, match="qrels: the column grade has the wrong type"):
        judged(run_with(scores))


def test_a_time_names_no_system():
    assert typed(run_with([1.0, 2.0], name=[timedelta(1)] * 2)).columns == ["topic", "doc", "score"]
