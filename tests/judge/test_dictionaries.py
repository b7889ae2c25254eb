"""Runs that are dictionaries: what metrics see of them is what they see of the same run as a table."""

from collections import OrderedDict, defaultdict
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.judge.align import document_ranks, ranked_whole
from metameter.judge.dictionaries import ranks_of_lists
from metameter.judge.index import index_judgments
from metameter.judge.ranked import NEVER
from metameter.read.runs import read_run
from metameter.types import Qrels

# Names of one, two and more words of 8 bytes; some are not ASCII.
DOCS = [*"abcdefgh", *(f"document-{number}" for number in range(6)), "dö", "検索-a", "検索-b", "a very long name " * 4]
DEFAULTS = {"ties": "docid-desc", "precision": "double", "depth": None}
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
    assert fields_of(ranks_of_lists(run, index, **options), index) == fields_of(theirs, index)


@settings(max_examples=100, deadline=None)
@given(collections())
def test_lists_without_scores_keep_their_order(collection):
    qrels, run = collection
    index = index_judgments(qrels)
    lists = {topic: list(documents) for topic, documents in run.items()}
    theirs = document_ranks(read_run(lists), index, **DEFAULTS)
    assert fields_of(ranks_of_lists(lists, index, **DEFAULTS), index) == fields_of(theirs, index)


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
@pytest.mark.parametrize("judged", ["1", "9"])
def test_irregular_dictionaries_are_left_to_the_reader(run, judged):
    if isinstance(run, dict) and judged == "9":
        run = {**run, "9": ["a"] if isinstance(next(iter(run.values())), list) else {"a": 1.0}}
    assert ranks_of_lists(run, index_of(judged, "a"), **DEFAULTS) is None


@pytest.mark.parametrize("kind", [dict, OrderedDict, lambda documents: defaultdict(float, documents)])
def test_dictionaries_of_other_number_types_are_plain(kind):
    run = {7: kind({"a": np.float32(0.5), "b": 2, "c": Decimal("1.5")})}
    ranks = ranks_of_lists(run, index_of("7", "a", "b", "c"), **DEFAULTS)
    assert ranks.rank[np.argsort(ranks.position)].tolist() == [2, 0, 1]


@pytest.mark.parametrize("size", [1, 3, 20, 60])
def test_short_lists_against_many_judgments_have_the_same_ranks(size):
    names = [f"document-{number:02}" for number in range(60)]
    index = index_of("1", *names[::2])
    run = {"1": {name: float(number % 7) for number, name in enumerate(names[-size:])}}
    theirs = document_ranks(read_run(run), index, **DEFAULTS)
    assert fields_of(ranks_of_lists(run, index, **DEFAULTS), index) == fields_of(theirs, index)


def test_options_beyond_ranks_are_left_to_the_reader():
    index = index_of("1", "a")
    assert ranks_of_lists({"1": {"a": 1.0}}, index, **DEFAULTS | {"ties": "mean"}) is None
    assert ranks_of_lists({"1": {"a": 1.0}}, index, **DEFAULTS | {"ties": "rank"}) is None
    assert ranks_of_lists({}, index, **DEFAULTS) is None
    assert ranks_of_lists({"9": {"a": 1.0}, "1": {}}, index, **DEFAULTS) is None


def index_of(topic, *documents):
    rows = [(topic, document, 1.0) for document in documents]
    return index_judgments(Qrels(pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row")))
