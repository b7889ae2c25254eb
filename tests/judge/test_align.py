"""Runs meet judgments: the fast way gives what the plain way gives."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge import lookup
from metameter.judge.align import align
from metameter.judge.condense import condense
from metameter.judge.index import ideal_of, index_judgments
from metameter.judge.lookup import _SEEDS
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED
from metameter.judge.ties import PRECISIONS, TIES
from metameter.notices import MetameterWarning
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.types import Qrels, Run
from metameter.types.byte_strings import Names

# Few names, so that they meet; the order of the last ones differs between UTF-8 and UTF-16.
DOCS = ["d1", "d10", "d2", "D2", "é", "z", "a name of more than twelve bytes", "d", "\U0001f600", "\uffee"]
TOPICS = ["1", "2", "10", "q"]
SCORES = [0.0, -0.0, 1.0, 1.0 + 1e-12, 2.0, -3.5, 1e300, 2e300]

judged = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 2, 0.5]), min_size=1),
    min_size=1,
)
retrieved = st.lists(
    st.tuples(st.sampled_from([*TOPICS, "other"]), st.sampled_from(DOCS), st.sampled_from(SCORES), st.integers(1, 4)),
    min_size=1,
    max_size=45,
    unique_by=lambda row: row[:2],
)


def make_qrels(grades):
    rows = [(topic, doc, float(grade)) for topic, docs in grades.items() for doc, grade in docs.items()]
    return Qrels(pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String, "grade": pl.Float64}, orient="row"))


def make_run(rows):
    schema = {"topic": pl.String, "doc": pl.String, "score": pl.Float64, "rank": pl.Float64}
    return Run("s", pl.DataFrame(rows, schema=schema, orient="row"))


def plain_order(rows, ties, precision):
    """The rows (topic, doc, score, rank) of one topic as one would sort them by hand."""
    if ties.startswith("docid"):
        rows = sorted(rows, key=lambda row: row[1].encode(), reverse=ties == "docid-desc")
    elif ties == "rank":
        rows = sorted(rows, key=lambda row: row[3])
    with np.errstate(over="ignore"):
        return sorted(rows, key=lambda row: -(np.float32(row[2]) if precision == "single" else row[2]))


def plain(grades, rows, ties, precision, depth):
    """For each judged topic the grades and the status, rank by rank."""
    found = {}
    for topic, judgments in grades.items():
        docs = [row[1] for row in plain_order([row for row in rows if row[0] == topic], ties, precision)][:depth]
        known = [judgments.get(doc) for doc in docs]
        status = [ABSENT if grade is None else POOLED if grade < 0 else JUDGED for grade in known]
        found[topic] = [max(grade or 0, 0) for grade in known], status
    return found


@settings(deadline=None)  # the first call pays for imports
@given(
    judged,
    retrieved,
    st.sampled_from(TIES[:4]),
    st.sampled_from(PRECISIONS),
    st.one_of(st.none(), st.integers(1, 6)),
    st.booleans(),
)
def test_alignment_matches_a_plain_loop(grades, rows, ties, precision, depth, grouped):
    if not any(row[0] in grades for row in rows):
        return
    if grouped:  # as most runs come: topic by topic, score falling
        rows = sorted(rows, key=lambda row: (row[0], -row[2]))
    index = index_judgments(make_qrels(grades))
    ranked = align(make_run(rows), index, ties=ties, precision=precision, depth=depth)
    expected = plain(grades, rows, ties, precision, depth)
    assert ranked.depth == max(len(status) for _, status in expected.values())
    assert (ranked.grade.dtype, ranked.status.dtype) == (np.float64, np.int8)
    for row, topic in enumerate(index.topics):
        grade, status = expected[topic]
        length = len(status)
        assert ranked.length[row] == length
        assert ranked.grade[row].tolist() == grade + [0] * (ranked.depth - length)
        assert ranked.status[row].tolist() == status + [BEYOND] * (ranked.depth - length)


@settings(deadline=None)  # the first call pays for imports
@given(judged)
def test_judgments_match_a_plain_count(grades):
    judgments = index_judgments(make_qrels(grades)).judgments
    for row, topic in enumerate(judgments.topics):
        ideal = sorted((grade for grade in grades[topic].values() if grade >= 0), reverse=True)
        assert judgments.ideal[row].tolist() == ideal + [-1] * (judgments.ideal.shape[1] - len(ideal))
        assert judgments.judged()[row] == len(ideal)
        for rel in (1, 2, 0.5):
            assert judgments.relevant(rel)[row] == sum(grade >= rel for grade in ideal)
    assert judgments.max_grade == max(0, *(grade for docs in grades.values() for grade in docs.values()))


@settings(deadline=None)  # the first call pays for imports
@given(judged, retrieved)
def test_colliding_hashes_do_no_harm(grades, rows):
    """Every document outside the qrels is given the hash of one inside: names must decide."""
    if not any(row[0] in grades for row in rows):
        return
    known = sorted({doc for docs in grades.values() for doc in docs})
    code = {doc: known.index(doc) if doc in known else 0 for doc in DOCS}

    honest = Names.hashes

    def weak(names, seed=0):
        if seed not in _SEEDS:  # of topics
            return honest(names, seed)
        return np.array([code[name] for name in names.texts()], dtype=np.uint64) << np.uint64(40)

    expected = align(make_run(rows), index_judgments(make_qrels(grades)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Names, "hashes", weak)
        found = align(make_run(rows), index_judgments(make_qrels(grades)))
    np.testing.assert_array_equal(found.grade, expected.grade)
    np.testing.assert_array_equal(found.status, expected.status)


def test_another_seed_is_tried_when_judged_documents_share_a_hash(monkeypatch):
    honest, secret = Names.hashes, Names.secret_hashes
    of_topics = 1 << 10
    monkeypatch.setattr(Names, "hashes", lambda names, seed=0: honest(names, seed) * np.uint64(seed >= of_topics))
    monkeypatch.setattr(Names, "secret_hashes", lambda names, seed: secret(names, seed) * np.uint64(seed >= 2))
    index = index_judgments(make_qrels({"1": {"a": 1, "b": 0}}))
    assert index.lookup.seed == 2
    assert align(make_run([("1", "b", 2.0, 1), ("1", "a", 1.0, 2)]), index).grade.tolist() == [[0, 1]]


def test_another_seed_is_tried_when_topics_share_a_salt(monkeypatch):
    honest = Names.hashes
    first_of_topics = 1 << 10
    monkeypatch.setattr(Names, "hashes", lambda names, seed=0: honest(names, seed) * np.uint64(seed != first_of_topics))
    index = index_judgments(make_qrels({"1": {"a": 1}, "2": {"b": 1}}))
    assert index.lookup.seed == 1
    assert align(make_run([("1", "b", 2.0, 1), ("2", "b", 1.0, 2)]), index).grade.tolist() == [[0], [1]]


@pytest.mark.parametrize("known", [0, 1, 2, 300])
def test_lookup_finds_exactly_the_known_documents(known):
    names = Names.of(pl.Series([f"d{i}" for i in range(known)], dtype=pl.String))
    found = lookup.Lookup.of(("1",), np.zeros(known, np.int64), names)
    asked = Names.of(pl.Series([f"d{i}" for i in range(400)]))
    topic = np.zeros(400, np.int64)
    rows, at = found.find(found.keys_of(topic, asked), asked)
    assert rows.tolist() == at.tolist() == list(range(known))


def test_no_seed_helps_against_real_duplicates():
    qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "grade": [1.0, 0.0]}))
    with pytest.raises(MetameterError, match="twice"):
        index_judgments(qrels)


def test_an_index_can_be_pickled():
    grades = {"1": {"a": 1, "b": 2}, "2": {"a": 0}}
    index = pickle.loads(pickle.dumps(index_judgments(make_qrels(grades))))
    assert align(make_run([("2", "a", 1.0, 1), ("1", "b", 1.0, 1)]), index).status.tolist() == [[JUDGED], [JUDGED]]


@pytest.mark.parametrize(
    ("ties", "docs"),
    [("docid-desc", [3, 2, 1]), ("docid-asc", [1, 2, 3]), ("input", [2, 1, 3]), ("rank", [3, 1, 2])],
)
def test_equal_scores_are_ordered_as_the_option_says(ties, docs):
    index = index_judgments(make_qrels({"1": {f"d{n}": n for n in (1, 2, 3)}}))
    run = make_run([("1", "d2", 1.0, 9), ("1", "d1", 1.0, 8), ("1", "d3", 1.0, 7)])
    assert align(run, index, ties=ties).grade.tolist() == [docs]


def test_wrong_options_are_refused():
    index = index_judgments(make_qrels({"1": {"a": 1}}))
    run = make_run([("1", "a", 1.0, 1)])
    for options in ({"ties": "x"}, {"precision": "half"}, {"depth": 0}):
        with pytest.raises(MetameterError):
            align(run, index, **options)
    with pytest.raises(MetameterError, match="rank column"):
        align(Run("s", run.table.drop("rank")), index, ties="rank")
    with pytest.raises(MetameterError, match="no topic in common"):
        align(make_run([("7", "a", 1.0, 1)]), index)


def test_the_top_of_the_scale_has_a_default_with_warning():
    qrels = make_qrels({"1": {"a": 1, "b": 3}})
    with pytest.raises(MetameterError, match=r"'b' of topic '1' .*given 3.0, allowed: at most 2"):
        index_judgments(qrels, max_grade=2)
    assert index_judgments(qrels, max_grade=4, warn=True).judgments.max_grade == 4
    with pytest.warns(MetameterWarning, match="taken to be 3"):
        assert index_judgments(qrels, warn=True).judgments.max_grade == 3


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["READWARE", "CL99XT", "Dm8TFidf", "AntHoc1"])
def test_real_runs_score_as_in_pytrec_eval(data, name):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    (path,) = (data / "trec8-adhoc" / "runs").glob(f"*{name}.gz")
    run = read_run(path)
    ranked = align(run, index_judgments(qrels), precision="single")
    truth = {topic: {doc: int(grade) for _, doc, grade in part.rows()} for (topic,), part in _by_topic(qrels.table)}
    lists = {topic: {doc: score for _, doc, score in part.rows()} for (topic,), part in _by_topic(run.table)}
    theirs = pytrec_eval.RelevanceEvaluator(truth, {"map", "num_ret", "bpref"}).evaluate(lists)
    relevant = ranked.relevant()
    precision = relevant.cumsum(axis=1) / np.arange(1, ranked.depth + 1)
    ours = (relevant * precision).sum(axis=1) / ranked.judgments.relevant()
    for row, topic in enumerate(ranked.judgments.topics):
        assert ours[row] == pytest.approx(theirs[topic]["map"], abs=1e-12)
        assert ranked.length[row] == theirs[topic]["num_ret"]


def _by_topic(table):
    return table.partition_by("topic", as_dict=True).items()


def test_ties_are_recorded_when_their_mean_is_requested():
    index = index_judgments(make_qrels({"1": {"a": 1, "b": 2}, "2": {"a": 1}}))
    rows = [("1", "x", 3.0, 1), ("1", "a", 1.0, 2), ("2", "a", 1.0, 1), ("1", "b", 1.0, 3), ("1", "c", 0.5, 4)]
    ranked = align(make_run(rows), index, ties="mean")
    assert ranked.tied.tolist() == [[0, 1, 1, 3], [0, 1, 2, 3]]
    assert ranked.grade.tolist() == [[0, 2, 1, 0], [1, 0, 0, 0]]
    # A group that begins above the depth is kept whole: any of its documents may come to stand there.
    assert align(make_run(rows), index, ties="mean", depth=2).tied.tolist() == [[0, 1, 1], [0, 1, 2]]
    assert condense(ranked).tied.tolist() == [[0, 0, 2, 3], [0, 1, 2, 3]]


def test_judgments_too_large_for_memory_are_refused_before_allocation(monkeypatch):
    monkeypatch.setattr("metameter.judge.index._MOST_IDEAL", 150)
    with pytest.raises(MetameterError, match=r"100 topics, one of them with 2 judged documents, take"):
        ideal_of(np.array([0, 0]), np.array([1.0, 0.0]), 100)
