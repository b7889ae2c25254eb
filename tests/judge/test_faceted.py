"""Judgments by subtopic: a list that is cut, condensed or without subtopics is that list, with what it says."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.judge.condense import condense
from metameter.judge.faceted import Faceted
from metameter.judge.facets import document_qrels, facets_of
from metameter.judge.ranked import Ranked
from metameter.metric.compose import parse_metric
from metameter.types import Truth

METRICS = ["alpha_nDCG", "nERR_IA", "MAP_IA", "StRecall", "NRBP", "RBU(p=0.9,e=0.1)", "alpha_DCG@4", "P_IA@3"]
DOCS = [f"d{number}" for number in range(8)]
ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("abc"), st.sampled_from(DOCS), st.integers(0, 3)),
    min_size=1,
    max_size=20,
    unique_by=lambda row: row[:3],
)
LISTS = st.lists(st.permutations([*DOCS, "x", "y", "z"]), min_size=2, max_size=2)


@pytest.fixture(scope="session")
def made(evidence):
    """Makes the evidence of lists on topics 1 and 2, of rows of topic, subtopic, document and grade."""

    def make(rows, lists):
        truth = evidence.truth_of([(topic, subtopic, doc, doc, grade) for topic, subtopic, doc, grade in rows])
        return evidence.faceted_of(truth, evidence.in_order(dict(zip("12", lists, strict=True))))

    return make


def same(one, other):
    for name in METRICS:
        metric = parse_metric(name)
        np.testing.assert_array_equal(metric.score(one), metric.score(other), err_msg=name)


@settings(deadline=None, max_examples=30)
@given(rows=ROWS, lists=LISTS, k=st.integers(1, 11))
def test_a_cut_list_keeps_the_facets_of_its_documents(made, rows, lists, k):
    whole, cut = made(rows, lists), made(rows, [docs[:k] for docs in lists])
    same(whole.cut(k), cut)
    np.testing.assert_array_equal(whole.cut(k).seen.position, cut.seen.position)
    assert (whole.cut(k).seen.position < k).all()
    assert whole.seen.topic.size >= whole.cut(k).seen.topic.size


@settings(deadline=None, max_examples=30)
@given(rows=ROWS, lists=LISTS)
def test_a_condensed_list_scores_as_its_judged_documents(made, rows, lists):
    judged = {(topic, doc) for topic, _, doc, _ in rows}
    kept = [[doc for doc in docs if (topic, doc) in judged] for topic, docs in zip("12", lists, strict=True)]
    whole = made(rows, lists)
    short = made(rows, kept)
    same(condense(whole), short)
    for name in METRICS:
        metric = parse_metric(name)
        np.testing.assert_array_equal(metric.condensed().score(whole), metric.score(short), err_msg=name)


def test_passages_move_with_their_documents(made):
    faceted = made([("1", "a", "d0", 1), ("1", "b", "d0", 2), ("1", "a", "d1", 3)], [["d0", "x", "d1"], []])
    assert list(zip(faceted.seen.position, faceted.seen.rating, strict=True)) == [(0, 1), (0, 2), (2, 3)]
    moved = faceted.with_ranks(np.array([[-1, 0, 1]]))
    assert list(zip(moved.position, moved.subtopic, moved.rating, strict=True)) == [(1, 0, 3)]


@settings(deadline=None, max_examples=30)
@given(grades=st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_one_subtopic_equals_no_subtopics(made, grades):
    rows = [("1", "a", f"d{position}", grade) for position, grade in enumerate(grades)]
    docs = [f"d{position}" for position in range(len(grades))]
    faceted = made(rows, [docs, []])
    plain = Faceted.of(
        Ranked(*(getattr(faceted, name) for name in ("system", "judgments", "grade", "status", "length")))
    )
    assert plain is not faceted
    assert Faceted.of(faceted) is faceted
    np.testing.assert_array_equal(plain.seen.position, faceted.seen.position)
    np.testing.assert_array_equal(plain.seen.rating, faceted.seen.rating)
    same(faceted, plain)


def test_faceted_evidence_can_be_pickled(made):
    faceted = made([("1", "a", "d0", 1), ("1", "b", "d1", 2), ("2", "a", "d1", 0)], [["d1", "d0"], ["d1"]])
    before = parse_metric("alpha_nDCG").score(faceted)
    again = pickle.loads(pickle.dumps(faceted))
    assert again.facets.memo == {}
    np.testing.assert_array_equal(parse_metric("alpha_nDCG").score(again), before)
    same(again, faceted)


def test_a_topic_without_judgments_is_left_out():
    """Its subtopics may be listed; the others keep their numbers."""
    rows = [("2", "a", "d0", "d0", 2.0), ("3", "b", "d1", "d1", 1.0)]
    table = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "nugget", "rating"], orient="row")
    listed = pl.DataFrame({"topic": ["1", "2", "2", "3"], "subtopic": ["x", "a", "b", "b"]})
    truth = Truth(table, listed=listed)
    qrels = document_qrels(truth)
    facets = facets_of(truth, qrels)
    assert (truth.topics, truth.unjudged) == (("2", "3"), ("1",))
    assert qrels.topics == ("2", "3")
    assert facets.listed.tolist() == [2, 1]
    assert facets.passages.topic.tolist() == [0, 1]


@pytest.mark.parametrize("every", [False, True])
def test_rating_0_is_relevant_only_if_every_rating_counts(every):
    columns = {
        "topic": ["1"] * 2,
        "subtopic": ["a", "b"],
        "doc": ["d", "e"],
        "nugget": ["x", "y"],
        "rating": [0.0, 2.0],
    }
    truth = Truth(pl.DataFrame(columns), every)
    qrels = document_qrels(truth)
    assert dict(qrels.table.select("doc", "grade").rows()) == {"d": 1.0 if every else 0.0, "e": 2.0}
    assert np.unique(facets_of(truth, qrels).passages.subtopic).size == (2 if every else 1)
