"""Where single precision would order documents differently: found from neighbours, compared with a full sort."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from metameter.judge.align import align, align_blocks
from metameter.judge.index import index_judgments
from metameter.judge.ranked import NEVER
from metameter.types import Qrels, Run

# Few enough names and scores that many are equal, in single precision more of them.
SCORES = st.sampled_from(
    [1.0, 1 + 1e-9, 1 + 2e-9, 1 - 1e-9, 2.0, 2 + 1e-7, 2 + 1e-6, -3.0, -3 - 1e-8, 1e30, 1e300, 1e301]
)
LISTS = st.dictionaries(st.sampled_from("abcdefghij"), SCORES, min_size=1, max_size=8)
GRADES = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from([-1, 0, 1, 2]), min_size=1, max_size=6)


def in_order(documents, precision):
    """Score falling in that precision, then name falling; the names are of one byte."""
    with np.errstate(over="ignore"):
        return sorted(documents, key=lambda doc: (precision(documents[doc]), doc), reverse=True)


def first_difference(documents, grades):
    double, single = (in_order(documents, precision) for precision in (np.float64, np.float32))
    counts = [[grades.get(doc, "unjudged") for doc in order] for order in (double, single)]
    return next((rank for rank, (one, other) in enumerate(zip(*counts, strict=True)) if one != other), NEVER)


def collection(lists, grades):
    judged = [(topic, doc, float(grade)) for topic, each in grades.items() for doc, grade in each.items()]
    rows = [(topic, doc, score) for topic, each in lists.items() for doc, score in each.items()]
    qrels = Qrels(pl.DataFrame(judged, schema=["topic", "doc", "grade"], orient="row"))
    schema = {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    return Run("s", pl.DataFrame(rows, schema=schema, orient="row")), index_judgments(qrels)


@given(lists=st.fixed_dictionaries({"1": LISTS, "2": LISTS}), grades=st.fixed_dictionaries({"1": GRADES, "2": GRADES}))
@example(lists={"1": {"a": 1 + 1e-9, "b": 1.0}, "2": {"a": 1.0}}, grades={"1": {"a": 1}, "2": {"a": 1}})
@example(lists={"1": {"b": 1 + 1e-9, "a": 1.0}, "2": {"a": 1.0}}, grades={"1": {"a": 1}, "2": {"a": 1}})
def test_first_reordered_rank_matches_a_single_precision_sort(lists, grades):
    run, index = collection(lists, grades)
    wanted = [first_difference(lists[topic], grades[topic]) for topic in index.topics]
    for depth in (None, 1, 3):
        found = align(run, index, depth=depth).first_reordered
        assert (np.full(2, NEVER) if found is None else found).tolist() == wanted
    # What is found is what changes: the lists in single precision, rank by rank.
    single = align(run, index, precision="single")
    double = align(run, index)
    changed = (double.grade != single.grade) | (double.status != single.status)
    assert [int(row.argmax()) if row.any() else NEVER for row in changed] == wanted
    assert single.first_reordered is None


def test_blocks_of_topics_give_the_same_first_reordered_ranks(monkeypatch):
    lists = {str(topic): {"a": 1 + 1e-9, "b": 1.0, "c": 0.5} for topic in range(6)}
    run, index = collection(lists, {topic: {"a": 1} for topic in lists})
    whole = align(run, index).first_reordered
    assert whole.tolist() == [0] * 6
    monkeypatch.setattr("metameter.judge.align.blocks_of", lambda length: iter([(0, 2, 3), (2, 6, 3)]))
    blocks = [part.first_reordered for _, part in align_blocks(run, index)]
    assert np.concatenate(blocks).tolist() == whole.tolist()


def test_other_tie_orders_report_no_reordered_rank():
    run, index = collection({"1": {"a": 1 + 1e-9, "b": 1.0}}, {"1": {"a": 1}})
    assert align(run, index).first_reordered.tolist() == [0]
    for ties in ("docid-asc", "input", "mean"):
        assert align(run, index, ties=ties).first_reordered is None
