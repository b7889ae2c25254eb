"""A run as the judgments see it: enough to rebuild, against any pool, what aligning it again would give."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.judge.align import align
from metameter.judge.contributed import Pool
from metameter.judge.index import index_judgments
from metameter.judge.judged_run import JudgedRun
from metameter.judge.pool import pool_ranks, restrict
from metameter.judge.ranked import JUDGED, NEVER, POOLED
from metameter.types import Qrels, Run

DOCS = [f"d{number}" for number in range(9)]
GRADES = st.fixed_dictionaries(
    {topic: st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2]), min_size=1) for topic in "12"}
)
LIST = st.permutations(DOCS).flatmap(lambda docs: st.integers(0, 8).map(lambda length: docs[:length]))
SYSTEMS = st.lists(st.fixed_dictionaries({"1": st.permutations(DOCS), "2": LIST}), min_size=1, max_size=4)


def make_qrels(judged):
    rows = [(topic, doc, float(grade)) for topic, docs in judged.items() for doc, grade in docs.items()]
    return Qrels(pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String, "grade": pl.Float64}, orient="row"))


def make_run(lists, name="s"):
    rows = [(topic, doc, -float(rank)) for topic, docs in lists.items() for rank, doc in enumerate(docs)]
    schema = {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    return Run(name, pl.DataFrame(rows, schema=schema, orient="row"))


def same(one, other):
    for name in ("grade", "status", "length"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    # The rank of a document that is not in a shallower pool is nobody's business.
    pooled = np.isin(one.status, (JUDGED, POOLED))
    np.testing.assert_array_equal(one.pool_rank[pooled], other.pool_rank[pooled])
    np.testing.assert_array_equal(one.judgments.ideal, other.judgments.ideal)
    assert one.judgments.pool_depth == other.judgments.pool_depth
    assert one.judgments.max_grade == other.judgments.max_grade


@settings(deadline=None, max_examples=50)
@given(GRADES, SYSTEMS, st.none() | st.integers(1, 7))
def test_rebuilding_against_a_pool_equals_aligning_again(judged, lists, depth):
    index = index_judgments(make_qrels(judged))
    runs = [make_run(one) for one in lists]
    seen = [JudgedRun.of(align(run, index)) for run in runs]
    ranked = pool_ranks(runs, index)
    again = ranked if depth is None else restrict(ranked, depth)
    pool = Pool.of(index, seen, depth)
    for run, part in zip(runs, seen, strict=True):
        aligned, rebuilt = align(run, again), part.ranked(pool)
        same(rebuilt, aligned)
        depths = np.arange(1, 9)
        np.testing.assert_array_equal(
            rebuilt.judgments.relevant_in_pools(depths), aligned.judgments.relevant_in_pools(depths)
        )


@settings(deadline=None)
@given(GRADES, SYSTEMS)
def test_judged_to_is_the_rank_before_the_first_gap(judged, lists):
    index = index_judgments(make_qrels(judged))
    for one in lists:
        seen = JudgedRun.of(align(make_run(one), index))
        for topic, judged_to in zip(index.topics, seen.judged_to, strict=True):
            known = [judged[topic].get(doc, -1) >= 0 for doc in one[topic]]
            assert judged_to == (known.index(False) if False in known else NEVER)


@settings(deadline=None)
@given(GRADES, SYSTEMS)
def test_a_judged_run_round_trips_through_its_arrays(judged, lists):
    index = index_judgments(make_qrels(judged))
    pool = Pool.of(index)
    for one in lists:
        seen = JudgedRun.of(align(make_run(one), index))
        restored = JudgedRun.of_arrays("s", dict(seen.arrays))
        assert restored.arrays.keys() == {"length", "cell", "row", "judged_to"}
        same(restored.ranked(pool), seen.ranked(pool))


def test_a_judged_run_stores_judged_documents_only():
    """Documents outside the qrels are not held: 2 judged documents of 900 take 2 places."""
    docs = [f"x{number}" for number in range(900)]
    index = index_judgments(make_qrels({"1": {"x7": 1, "x800": 0, "elsewhere": 1}}))
    seen = JudgedRun.of(align(make_run({"1": docs}), index))
    assert sorted(seen.ranks.tolist()) == [8, 801]
    assert seen.cell.dtype == seen.row.dtype == np.int32
    assert seen.judged_to.tolist() == [0]
    assert seen.width == 900
