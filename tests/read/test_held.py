"""Numbers and names that Python holds and no table does: taken as what they mean, or refused in one line."""

from typing import Any

import pandas as pd
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
def test_what_no_table_holds_is_refused_in_one_line(call, message):
    with pytest.raises(mm.MetameterError, match=message) as refused:
        call()
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("grade", [10**30, 10**50])
def test_large_whole_numbers_are_the_numbers_they_are(grade):
    for qrels in ({"1": {"d": grade}}, frame(topic=["1"], doc=["d"], grade=[grade])):
        assert mm.read_qrels(qrels).table.rows() == [("1", "d", float(grade))]


@pytest.mark.parametrize("topic", [10**30, 10**50])
def test_large_whole_numbers_may_name_topics(topic):
    for qrels in ({topic: {"d": 1}}, frame(topic=[topic], doc=["d"], grade=[1])):
        assert mm.read_qrels(qrels).topics == (str(topic),)


def test_halves_of_characters_are_written_out():
    half, written = "d\ud800", r"d\ud800"
    for qrels in ({half: {half: 1}}, frame(topic=[half], doc=[half], grade=[1])):
        assert mm.read_qrels(qrels).table.rows() == [(written, written, 1.0)]
    assert mm.score({half: {half: 1}}, {half: {half: 2.0}}, METRICS).values.tolist() == [[[1.0]]]
