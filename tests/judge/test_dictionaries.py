"""Runs that are dictionaries: what metrics see of them is what they see of the same run as a table."""

from collections import OrderedDict, defaultdict
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.judge.align import document_ranks, ranked_whole
from metameter.judge.dictionaries import plain_lists, ranks_of_lists
from metameter.judge.index import index_judgments
from metameter.judge.ranked import NEVER
from metameter.read.runs import read_run
from metameter.types import Qrels

# Names of one, two and more words of 8 bytes; some are not ASCII.
DOCS = [*"abcdefgh", *(f"document-{number}" for number in range(6)), "dö", "検索-a", "検索-b", "a very long name " * 4]
TOPICS = ["1", "2", "3", "4"]
# Scores that differ in double, and do not differ in single precision, are among them.
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 2.0, 3, True]),
    st.floats(allow_nan=False, allow_infinity=False, width=64),
)
LISTS = st.dictionaries(st.sampled_from(DOCS), SCORES, max_size=len(DOCS))


@st.composite
def collections(draw):
    judged = draw(st.lists(st.sampled_from(TOPICS), min_size=1, unique=True))
    rows = [
        (topic, doc, float(draw(st.integers(-2, 3))))
        for topic in judged
        for doc in draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
    ]
    rows = draw(st.permutations(rows))
    run = draw(st.dictionaries(st.sampled_from(TOPICS), LISTS))
    run[judged[0]] = draw(LISTS.filter(len))
    return Qrels(pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row")), run


def fields_of(placed, index):
    ranked = ranked_whole("run", placed, index)
    cells, rows = ranked.known_documents()
    order = np.argsort(cells)
    reordered = np.full(ranked.length.size, NEVER) if ranked.first_reordered is None else ranked.first_reordered
    pooled = (ranked.grade, ranked.status, ranked.length, cells[order], rows[order], ranked.tied_documents, reordered)
    return [np.asarray(each).tolist() for each in pooled]


@settings(max_examples=400, deadline=None)
@given(
    collections(),
    st.sampled_from(["docid-desc", "docid-asc", "input"]),
    st.sampled_from(["double", "single"]),
    st.sampled_from([None, 1, 2, 5]),
)
def test_a_dictionary_is_aligned_like_the_same_table(collection, ties, precision, depth):
    qrels, run = collection
    index = index_judgments(qrels)
    options = {"ties": ties, "precision": precision, "depth": depth}
    theirs = document_ranks(read_run(run), index, **options)
    assert fields_of(ranks_of_lists(plain_lists(run), index, **options), index) == fields_of(theirs, index)


@settings(max_examples=100, deadline=None)
@given(collections())
def test_lists_without_scores_keep_their_order(collection):
    qrels, run = collection
    index = index_judgments(qrels)
    lists = {topic: list(documents) for topic, documents in run.items()}
    options = {"ties": "docid-desc", "precision": "double", "depth": None}
    assert fields_of(ranks_of_lists(plain_lists(lists), index, **options), index) == fields_of(
        document_ranks(read_run(lists), index, **options), index
    )


@pytest.mark.parametrize(
    "run",
    [
        {"1": {"a": "2"}},
        {"1": {"a": None}},
        {"1": {"a": float("nan")}},
        {"1": {"a": float("inf")}},
        {"1": {"a": 10**400}},
        {"1": {"a": np.datetime64("2020-01-01")}},
        {"1": {"a": 1.0, 5: 0.5}},
        {"1": {None: 1.0}},
        {"1": {"\ud83d": 1.0}},
        {"1": ["a", "a"]},
        {"1": ["a", 5]},
        {"1": ["a", ["b"]]},
        {"1": ["a"], "2": {"a": 1.0}},
        {1: {"a": 1.0}, "1": {"b": 1.0}},
        {1.0: {"a": 1.0}},
        {"1": [("a", 1.0)]},
        [("1", "a", 1.0)],
        None,
    ],
)
def test_irregular_dictionaries_are_left_to_the_reader(run):
    assert plain_lists(run) is None


def test_dictionaries_of_other_number_types_are_plain():
    for kind in (dict, OrderedDict, lambda docs: defaultdict(float, docs)):
        documents = kind({"a": np.float32(0.5), "b": 2, "c": Decimal("1.5")})
        ((topic, (_, scores)),) = plain_lists({7: documents}).items()
        assert (topic, scores.tolist()) == ("7", [0.5, 2.0, 1.5])
    assert plain_lists({}) == {}


def test_options_beyond_ranks_are_left_to_the_reader():
    index = index_judgments(Qrels(pl.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1.0]})))
    options = {"precision": "double", "depth": None}
    lists = plain_lists({"1": {"a": 1.0}})
    assert ranks_of_lists(lists, index, ties="mean", **options) is None
    assert ranks_of_lists(lists, index, ties="rank", **options) is None
    assert ranks_of_lists(plain_lists({"9": {"a": 1.0}, "1": {}}), index, ties="docid-desc", **options) is None
