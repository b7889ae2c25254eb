"""CSV that is made without a table has the bytes of that which is made of one."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from metameter.scoring.table import score_table
from metameter.types import Scores
from metameter.view.tables.csv import crossed_csv, safe_csv, to_csv
from metameter.view.tables.lazy_tables import LazyTables

labels = st.lists(st.text('ab =@-é(),"\t\n\r', max_size=5), min_size=1, max_size=3, unique=True).map(tuple)
scores = st.floats(-1e100, 1e100) | st.just(float("nan"))


@given(labels, labels, labels, st.data())
def test_crossed_csv_equals_the_long_table(metrics, systems, topics, data):
    shape = len(metrics), len(systems), len(topics)
    cells = data.draw(st.lists(scores, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    axes, values = {"metric": metrics, "system": systems, "topic": topics}, np.array(cells).reshape(shape)
    table = Scores(metrics, systems, topics, values).table
    for separator in ",\t":
        text = crossed_csv(axes, "score", values, separator)
        assert text is None or text == to_csv(table, separator)
        simple = all(label and not set(label) & set(',"\t\n\r') for each in axes.values() for label in each)
        assert (text is not None) == simple


def test_formulas_for_spreadsheets_are_escaped():
    scores = Scores(("AP",), ("=1+1",), ("1",), np.array([[[0.5]]]))
    assert "=1+1,1,0.5" in score_table(scores).text(format="csv")
    with safe_csv():
        assert '"\'=1+1","1",0.5' in score_table(scores).text(format="csv")


def make(count):
    return pl.DataFrame({"n": range(count)})


def test_tables_are_built_once_and_can_be_pickled():
    asked = []
    tables = LazyTables({"one": lambda: asked.append(1) or make(1), "two": partial(make, 2)})
    assert (list(tables), len(tables), "one" in tables, "three" in tables) == (["one", "two"], 2, True, False)
    assert asked == []
    assert tables["one"] is tables["one"]
    assert asked == [1]
    assert pickle.loads(pickle.dumps(LazyTables({"two": partial(make, 2)})))["two"].height == 2
