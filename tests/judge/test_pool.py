"""Shallower pools: counting and masking give what restricting the qrels gives."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.judge.pool import best_ranks, pool_ranks, restrict, shallow, with_pool_ranks
from metameter.judge.ranked import NEVER, Ranked
from metameter.types import Qrels, Run

DOCS = [f"d{n}" for n in range(9)]
grades = st.dictionaries(
    st.sampled_from(["1", "2"]),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2]), min_size=1),
    min_size=1,
)
# A run is an order of the documents for each topic.
systems = st.lists(
    st.fixed_dictionaries({topic: st.permutations(DOCS).map(lambda docs: docs[:6]) for topic in "12"}),
    min_size=1,
    max_size=4,
)


def make_qrels(judged):
    rows = [(topic, doc, float(grade)) for topic, docs in judged.items() for doc, grade in docs.items()]
    return Qrels(pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String, "grade": pl.Float64}, orient="row"))


def make_run(lists):
    rows = [(topic, doc, -float(rank)) for topic, docs in lists.items() for rank, doc in enumerate(docs)]
    return Run("s", pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row"))


def in_pool(lists, topic, depth):
    return {doc for one in lists for doc in one[topic][:depth]}


@settings(deadline=None)  # the first call pays for imports
@given(grades, systems, st.integers(1, 7))
def test_a_mask_equals_restricted_qrels(judged, lists, depth):
    runs = [make_run(one) for one in lists]
    index = pool_ranks(runs, index_judgments(make_qrels(judged)))
    few = {t: {d: g for d, g in docs.items() if d in in_pool(lists, t, depth)} for t, docs in judged.items()}
    restricted = restrict(index, depth)
    assert restricted.judgments.pool_depth == depth
    for row, topic in enumerate(index.topics):
        ideal = sorted((grade for grade in few[topic].values() if grade >= 0), reverse=True)
        padding = [-1] * (restricted.judgments.ideal.shape[1] - len(ideal))
        assert restricted.judgments.ideal[row].tolist() == ideal + padding
        assert index.judgments.relevant_in_pools(np.array([depth]))[row, 0] == sum(grade >= 1 for grade in ideal)
    for run in runs:
        fast, slow = shallow(align(run, index), depth), align(run, restricted)
        np.testing.assert_array_equal(fast.grade, slow.grade)
        np.testing.assert_array_equal(fast.status, slow.status)
        np.testing.assert_array_equal(fast.judgments.relevant(), slow.judgments.relevant())
        np.testing.assert_array_equal(fast.judgments.judged(), slow.judgments.judged())
        depths = np.arange(1, depth + 2)
        np.testing.assert_array_equal(
            fast.judgments.relevant_in_pools(depths), slow.judgments.relevant_in_pools(depths)
        )


def test_pool_ranks_can_be_computed_in_parallel():
    index = index_judgments(make_qrels({"1": {"d1": 1, "d2": 1, "d3": 1}}))
    runs = [make_run({"1": ["x", "d1"]}), make_run({"1": ["d2", "y", "d1"]})]
    ranks = np.minimum(*(best_ranks(run, index) for run in runs))
    together = pool_ranks(runs, index)
    np.testing.assert_array_equal(with_pool_ranks(index, ranks).judgments.pool_rank, together.judgments.pool_rank)
    assert sorted(ranks.tolist()) == [1, 2, NEVER]


def test_all_relevant_documents_count_from_the_pool_depth_on():
    index = index_judgments(make_qrels({"1": {"d1": 1, "d2": 1, "d3": 1}}))
    pooled = pool_ranks([make_run({"1": ["d1", "d2"]})], index, pool_depth=2)
    assert pooled.judgments.relevant_in_pools(np.array([1, 2, 3])).tolist() == [[1, 3, 3]]


def test_without_contributing_runs_there_is_no_pool():
    index = index_judgments(make_qrels({"1": {"d1": 1}}))
    for call in (
        lambda: index.judgments.relevant_in_pools(np.array([1])),
        lambda: restrict(index, 1),
        lambda: shallow(align(make_run({"1": ["d1"]}), index), 1),
        lambda: shallow(Ranked.of_gains([1]), 1),
    ):
        with pytest.raises(MetameterError, match="pool"):
            call()
