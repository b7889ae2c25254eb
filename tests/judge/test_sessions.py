"""Runs in iterations: where each document stands, what was seen after some iterations, and what travels."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.document_lengths import DocumentLengths
from metameter.judge.faceted import Faceted
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, Ranked
from metameter.judge.sessions import Sessions
from metameter.metric.examples import example
from metameter.registry import get, names

OF_SESSIONS = [example("metric", name) for name in names("metric") if get("metric", name).evidence is Sessions]
OF_LISTS = [example("metric", name) for name in names("metric") if get("metric", name).evidence is Faceted]
ROWS = [
    ("1", "a", "d1", "n1", 3),
    ("1", "b", "d1", "n2", 0),
    ("1", "b", "d2", "n2", -1),
    ("1", "c", "d3", "n3", 4),
    ("2", "a", "d1", "n1", 2),
]
SHOWN = {"1": [["d2", "x"], ["d1"], [None, "d3", "y"]], "2": [["d1", "x"]]}
LENGTHS = {"d1": 100, "d2": 30, "d3": 5, "x": 7, "z": 1000}


@pytest.fixture(scope="module")
def truth(evidence):
    return evidence.truth_of([*ROWS, ("3", "a", "d1", "n1", 1)], every=True)


@pytest.fixture(scope="module")
def seen(evidence, truth):
    return evidence.sessions_of(truth, SHOWN, LENGTHS, page=3)


def test_documents_have_their_iterations_and_positions(seen):
    assert seen.stops.tolist() == [[2, 3, 6], [2, 2, 2], [0, 0, 0]]
    assert seen.used.tolist() == [3, 1, 0]
    assert seen.length.tolist() == [6, 2, 0]
    assert seen.iteration[0].tolist() == [1, 1, 2, 3, 3, 3]
    assert seen.position[0].tolist() == [1, 2, 1, 1, 2, 3]
    assert seen.status[0].tolist() == [JUDGED, ABSENT, JUDGED, ABSENT, JUDGED, ABSENT]
    assert (seen.status[1:, 2:] == BEYOND).all()
    assert seen.on_topic[0].tolist() == [True, False, True, False, True, False]
    np.testing.assert_array_equal(seen.lengths[0], [30, 7, 100, np.nan, 5, np.nan])
    assert seen.stop(np.array([1, 3, 9])).tolist() == [[2, 6, 6], [2, 2, 2], [0, 0, 0]]
    assert seen.time(np.array([1, 3, 9])).tolist() == [[1, 3, 3], [1, 1, 1], [0, 0, 0]]
    assert seen.until(np.ones((3, 6)), np.array([1, 2, 9])).tolist() == [[2, 3, 6], [2, 2, 2], [0, 0, 0]]
    assert seen.collection_lengths.tolist() == [5, 7, 30, 100, 1000]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_first_iterations_are_a_list(n, seen, evidence, truth):
    lists = {topic: [doc for docs in shown[:n] for doc in docs] for topic, shown in SHOWN.items()}
    named = {topic: [doc or f"none{place}" for place, doc in enumerate(docs)] for topic, docs in lists.items()}
    plain, first = evidence.faceted_of(truth, evidence.in_order(named)), seen.first(n)
    assert not isinstance(first, Sessions)
    for metric in OF_LISTS:
        np.testing.assert_array_equal(metric.score(first), metric.score(plain), err_msg=repr(metric))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_a_cut_session_shows_fewer_documents(k, seen, evidence, truth):
    cut, left = {}, dict.fromkeys(SHOWN, k)
    for topic, lists in SHOWN.items():
        shown = [docs[: max(left[topic] - sum(map(len, lists[:place])), 0)] for place, docs in enumerate(lists)]
        cut[topic] = [docs for docs in shown if docs]
    alone = evidence.sessions_of(truth, cut, LENGTHS, page=3)
    for metric in OF_SESSIONS:
        found = metric.curve(seen.cut(k), [1, 2, 3, 5])
        np.testing.assert_allclose(found, metric.curve(alone, [1, 2, 3, 5]), atol=1e-15, err_msg=repr(metric))


def test_session_evidence_can_be_pickled(seen):
    scores = [metric.score(seen) for metric in (*OF_SESSIONS, *OF_LISTS)]
    again = pickle.loads(pickle.dumps(seen))
    for metric, score in zip((*OF_SESSIONS, *OF_LISTS), scores, strict=True):
        np.testing.assert_array_equal(metric.score(again), score, err_msg=repr(metric))


def test_a_batch_of_topics_scores_as_single_topics(seen, evidence):
    for row, topic in enumerate("12"):
        truth = evidence.truth_of([each for each in ROWS if each[0] == topic], every=True)
        alone = evidence.sessions_of(truth, {topic: SHOWN[topic]}, LENGTHS, page=3)
        for metric in (*OF_SESSIONS, *OF_LISTS):
            curve = metric.curve(seen, [1, 2, 3, 6])[row]
            np.testing.assert_array_equal(curve, metric.curve(alone, [1, 2, 3, 6])[0], err_msg=repr(metric))


def test_a_list_is_a_session_of_one_iteration():
    ranked = Ranked.of_gains([[1, 0, 0.5], [0, 0, 0]])
    session = Sessions.of(ranked)
    assert Sessions.of(session) is session
    assert Sessions.of(ranked) is session
    assert (session.iterations, session.page_size) == (1, 3)
    assert session.stops.tolist() == [[3], [3]]
    assert session.used.tolist() == [1, 1]
    assert session.facets.listed.tolist() == [1, 1]


@settings(deadline=None, max_examples=25)
@given(
    lists=st.lists(
        st.lists(st.sampled_from(["d1", "d2", "d3", "x", "y"]), min_size=1, max_size=3), min_size=1, max_size=4
    )
)
def test_every_rank_has_its_iteration_and_position(evidence, truth, lists):
    shown = evidence.shown_once(lists)
    session = evidence.sessions_of(truth, {"1": shown}, LENGTHS, page=3)
    places = [(i, j) for i, docs in enumerate(shown, start=1) for j in range(1, len(docs) + 1)]
    assert list(zip(session.iteration[0], session.position[0], strict=True)) == places
    again = [doc is None for docs in shown for doc in docs]
    assert not session.on_topic[0][again].any()


def test_metrics_that_need_lengths_ask_for_them(evidence, truth):
    session = evidence.sessions_of(truth, SHOWN)
    for name in ("EU", "nEU", "tot_time"):
        with pytest.raises(MetameterError, match=r"lengths of documents are not known.*lengths"):
            example("metric", name).score(session)
    assert example("metric", "ACT").score(session)[0] > 0


def test_a_run_of_other_topics_is_refused(evidence, truth):
    with pytest.raises(MetameterError, match=r"no topic in common with the truth \(given '9', allowed: 1, 2, 3"):
        evidence.sessions_of(truth, {"9": [["d1"]]})


def test_lengths_are_found_by_name():
    words = DocumentLengths(pl.DataFrame({"doc": ["b", "a"], "length": [4, 9]}))
    np.testing.assert_array_equal(words.find(pl.Series(["a", "no", "b", "a"])), [9, np.nan, 4, 9])
    assert words.rising.tolist() == [4, 9]
