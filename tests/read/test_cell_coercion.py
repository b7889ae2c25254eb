"""Numbers and names that Python holds and no table does: taken as what they mean, or refused in one line."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import metameter as mm
from metameter.browse.page import Page

HUGE, UNWRITABLE = 10**400, 10**5000
QRELS, RUN = {"1": {"d": 1}}, {"1": {"d": 1.0}}
PAGES = {"grades": [[1, 1], [1, 0], [0, 0]], "satisfaction": [3, 2, 1]}
CELLS = {"metric": ["AP"] * 2, "system": ["a", "b"], "topic": ["1"] * 2}
METRICS = ["AP"]


def frame(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mm.score({"1": {"d": HUGE}}, RUN, METRICS), r"^a grade is too large a number \(given 1000"),
        (lambda: mm.score(QRELS, {"1": {"d": -HUGE}}, METRICS), r"^a score is too large a number \(given -1000"),
        (lambda: mm.score(QRELS, RUN, METRICS, costs={"d": HUGE}), r"^a cost is too large a number"),
        (lambda: mm.parse_metric("RBP(p=0.8)")([HUGE]), r"^gains are not a list of numbers"),
        (lambda: Page([1], costs=[HUGE]), r"^costs are not a list of numbers"),
        (lambda: mm.score({UNWRITABLE: {"d": 1}}, RUN, METRICS), r"^a topic has more digits than can be written"),
        (lambda: mm.score({"1": {UNWRITABLE: 1}}, RUN, METRICS), r"^a document has more digits"),
        (lambda: mm.score(frame(topic=[UNWRITABLE], doc=["d"], grade=[1]), RUN, METRICS), r"^a topic has more digits"),
        (lambda: mm.score(frame(topic=["1"], doc=["d"], grade=[HUGE]), RUN, METRICS), r"^qrels: row 1: the grade is "),
        (lambda: mm.score(QRELS, frame(topic=["1"], doc=["d"], score=[HUGE]), METRICS), r"^run: row 1: the score is "),
        (lambda: mm.similarity(frame(**CELLS, score=[1, HUGE])), r"^scores:2: score is not a number"),
        (lambda: mm.read_serps(frame(**PAGES | {"grades": [[HUGE], [1], [0]]})), r"^pages: row 1: .* grade"),
        (lambda: mm.read_serps(frame(**PAGES | {"satisfaction": [1, 2, HUGE]})), r"^pages: row 3: the satisfaction is"),
    ],
)
def test_unsupported_values_give_a_one_line_error(call, message):
    with pytest.raises(mm.MetameterError, match=message) as refused:
        call()
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("grade", [10**30, 10**50])
def test_large_integers_are_read_exactly(grade):
    for qrels in ({"1": {"d": grade}}, frame(topic=["1"], doc=["d"], grade=[grade])):
        assert mm.read_qrels(qrels).table.rows() == [("1", "d", float(grade))]


@pytest.mark.parametrize("topic", [10**30, 10**50])
def test_large_integers_can_name_topics(topic):
    for qrels in ({topic: {"d": 1}}, frame(topic=[topic], doc=["d"], grade=[1])):
        assert mm.read_qrels(qrels).topics == (str(topic),)


def test_lone_surrogates_are_escaped():
    half, written = "d\ud800", r"d\ud800"
    for qrels in ({half: {half: 1}}, frame(topic=[half], doc=[half], grade=[1])):
        assert mm.read_qrels(qrels).table.rows() == [(written, written, 1.0)]
    assert mm.score({half: {half: 1}}, {half: {half: 2.0}}, METRICS).values.tolist() == [[[1.0]]]


TIMES = [date(2020, 1, 1), datetime(2020, 1, 1), time(1), timedelta(1), np.datetime64("2020-01-01")]
TIMES += [np.timedelta64(1, "D"), pd.Timestamp("2020-01-01"), pd.Timedelta("1D")]


@pytest.mark.parametrize("moment", TIMES, ids=repr)
def test_dates_and_durations_are_neither_grades_nor_scores(moment):
    for cells in ([moment], [1, moment], [1.5, moment], ["1", moment]):
        docs = [f"d{number}" for number in range(len(cells))]
        doors = [
            {"1": dict(zip(docs, cells, strict=True))},
            {1.0: dict(zip(docs, cells, strict=True))},
            frame(topic=["1"] * len(cells), doc=docs, grade=cells),
            [{"topic": "1", "doc": doc, "grade": cell} for doc, cell in zip(docs, cells, strict=True)],
            pl.DataFrame({"topic": "1", "doc": docs, "grade": pl.Series(cells, dtype=pl.Object)}),
        ]
        for door in doors:
            with pytest.raises(mm.MetameterError):
                mm.read_qrels(door)
        with pytest.raises(mm.MetameterError, match=r"^a score is not a number"):
            mm.read_run({"1": dict(zip(docs, cells, strict=True))})


@pytest.mark.parametrize(
    "cells", [[1, "1", 1.0], ["1", 1.0, 1], [1.0, 1, "1"], [Decimal("1.0"), "1", 1], [np.float32(1), np.int8(1), "1"]]
)
def test_a_name_is_the_same_whatever_its_type(cells):
    docs = ["a", "b", "c"]
    expected = [("1", doc, 1.0) for doc in docs]
    for topics in (cells, cells[::-1]):
        for door in (
            frame(topic=topics, doc=docs, grade=[1] * 3),
            pl.DataFrame({"topic": pl.Series(topics, dtype=pl.Object), "doc": docs, "grade": [1] * 3}),
            [{"topic": topic, "doc": doc, "grade": 1} for topic, doc in zip(topics, docs, strict=True)],
        ):
            assert mm.read_qrels(door).table.rows() == expected
    for column in ([1, 1], [1.0, 1.0], ["1", "1"], [Decimal("1.0")] * 2):
        arrow = pa.table({"topic": column, "doc": ["a", "b"], "grade": [1, 1]})
        assert mm.read_qrels(arrow).topics == mm.read_qrels({column[0]: {"a": 1}}).topics == ("1",)
    with pytest.raises(mm.MetameterError, match="document '1' of topic '1' is listed twice"):
        mm.read_run(frame(topic=["1"] * 3, doc=cells, score=[3, 2, 1]))


def test_scores_and_grades_have_the_same_bounds(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("metric,system,topic,score\nAP,a,1,0.5\nAP,b,1,-1e160\n")
    large = r"scores.csv:3: score is too large \(given '-1e160', allowed: -1e\+100 to 1e\+100\)"
    with pytest.raises(mm.MetameterError, match=large):
        mm.read_scores(path)
    with pytest.raises(mm.MetameterError, match=r"^scores:2: score is too large"):
        mm.read_scores(frame(**CELLS, score=[0.5, 1e160]))
    for value in (1e160, -1e160, np.inf):
        with pytest.raises(mm.MetameterError, match=r"^a score is too large"):
            mm.Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, np.nan], [0.25, value]]]))
    assert mm.read_run({"1": {"a": 1e300}}).table["score"].to_list() == [1e300]


def test_labels_and_grades_have_the_same_bounds():
    with pytest.raises(mm.MetameterError, match=r"^pages: row 3: the satisfaction is"):
        mm.read_serps(frame(**PAGES | {"satisfaction": [1, 2, 1e160]}))
    with pytest.raises(mm.MetameterError, match=r"^pages: row 3: the satisfaction is"):
        mm.read_serps(pl.DataFrame(PAGES | {"satisfaction": [1.0, 2.0, 1e160]}))
