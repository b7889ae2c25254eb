"""An evaluator scores one run after another, with the same bits as `score`."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter as mm

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "z": 0}, "3": {"q": 1}}
RUN = {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"z": 2.0, "a": 1.0}, "3": {"q": 1.0}}
METRICS = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Bpref", "gm_map", "NumRelRet", "ERR@10"]
DOCS = list("abcdxyz")


def test_scores_match_the_evaluator_of_pytrec_eval():
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, set(names.values())).evaluate(RUN)
    ours = mm.Evaluator(QRELS, list(names)).per_topic(RUN)
    for metric, measure in names.items():
        assert ours[metric] == pytest.approx({topic: values[measure] for topic, values in theirs.items()}, abs=1e-12)


@st.composite
def collections(draw):
    grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1)
    qrels = {topic: draw(grades) for topic in ("1", "2", "3")}
    qrels["1"]["a"] = 2
    scores = st.sampled_from([0.5, 1.0, 1.0 + 1e-9, 2, 3.25])
    run = {topic: draw(st.dictionaries(st.sampled_from(DOCS), scores, min_size=1)) for topic in ("1", "3", "9")}
    return qrels, run


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
@settings(max_examples=150, deadline=None)
@given(
    collections(),
    st.sampled_from(["docid-desc", "docid-asc", "input", "mean"]),
    st.sampled_from(["double", "single"]),
    st.sampled_from(["qrels", "common"]),
    st.sampled_from(["zero", "condense"]),
)
def test_evaluator_and_score_give_the_same_bits(collection, ties, precision, topics, unjudged):
    qrels, run = collection
    options = {"ties": ties, "precision": precision, "topics": topics, "unjudged": unjudged, "max_grade": 2}
    evaluator = mm.Evaluator(qrels, METRICS, **options)
    frame = pd.DataFrame(
        [(t, d, s) for t, docs in run.items() for d, s in docs.items()], columns=["qid", "docno", "score"]
    )
    # A run as a table takes the way of files; the others that of dictionaries.
    expected = mm.score(qrels, {"mine": mm.read_run(run)}, METRICS, **options)
    means = {name: expected.means[name][0] for name in expected.metrics}
    by_topic = {name: dict(zip(expected.topics, expected[name][0].tolist(), strict=True)) for name in expected.metrics}
    for form in (run, frame, mm.read_run(run), {"mine": run}):
        assert evaluator.score(form) == means
        assert evaluator.per_topic(form) == by_topic
    np.testing.assert_array_equal(mm.score(qrels, {"mine": run}, METRICS, **options).values, expected.values)


def test_lists_and_files_are_scored_as_by_score(tmp_path):
    path = tmp_path / "mine"
    path.write_text("".join(f"{t} Q0 {d} 1 {s} tag\n" for t, docs in RUN.items() for d, s in docs.items()))
    evaluator = mm.Evaluator(QRELS, METRICS, max_grade=2)
    expected = evaluator.score(RUN)
    assert evaluator.score(path) == expected
    assert evaluator.score({topic: list(docs) for topic, docs in RUN.items()}) == expected


def test_judgments_are_read_once(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()))
    evaluator = mm.Evaluator(path, "AP")
    path.unlink()
    assert evaluator.score(RUN) == mm.Evaluator(QRELS, "AP").score(RUN)
    assert (evaluator.metrics, evaluator.topics) == (("AP",), ("1", "2", "3"))


def test_metrics_by_subtopic_are_scored():
    qrels = [{"topic": "1", "subtopic": s, "doc": d, "grade": 1} for s, d in (("x", "a"), ("y", "c"), ("y", "a"))]
    evaluator = mm.Evaluator(pd.DataFrame(qrels), "alpha_nDCG@10")
    scores = mm.score(pd.DataFrame(qrels), {"r": {"1": {"c": 2.0, "a": 1.0}}}, "alpha_nDCG@10")
    assert evaluator.score({"1": {"c": 2.0, "a": 1.0}}) == {"alpha_nDCG@10": scores.values.item()}


def test_results_are_plain_and_accept_every_spelling():
    figures = mm.Evaluator(QRELS, ["RBP(p=0.8)", "P@1"], max_grade=2).score(RUN)
    assert figures["RBP(p=0.80)"] == figures["RBP(p=0.8)*ERG"] == figures[mm.RBP(p=0.8) * mm.ERG()]
    assert type(figures["P@1"]) is float
    assert pickle.loads(pickle.dumps(figures)) == figures
    with pytest.raises(mm.MetameterError, match=r"no such metric was scored \(given 'P@2'\)"):
        figures["P@2"]


def test_a_data_frame_has_one_row_per_topic():
    frame = pd.DataFrame(mm.Evaluator(QRELS, ["AP", "RR"]).per_topic(RUN))
    assert frame.shape == (3, 2)
    assert frame.loc["2", "RR"] == 0.5


def test_missing_topics_count_as_zero_with_a_notice():
    run = {"1": RUN["1"]}
    with pytest.warns(mm.MetameterWarning, match="run lacks 2 of 3 topics; they count as 0"):
        assert mm.Evaluator(QRELS, "P@1").score(run) == {"P@1": 1 / 3}
    common = mm.Evaluator(QRELS, "P@1", topics="common")
    assert common.score(run) == {"P@1": 1.0}
    assert common.per_topic(run) == {"P@1": {"1": 1.0}}


def test_the_scale_is_noted_once():
    with pytest.warns(mm.MetameterWarning, match="the top of the grade scale is taken to be 2"):
        evaluator = mm.Evaluator(QRELS, "ERR@10")
    evaluator.score(RUN)  # warnings are errors here


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"9": {"a": 1.0}}, "the run has no topic in common with the qrels"),
        ({"1": {}}, "the table is empty"),
        ({}, "no run is given"),
        ({"1": {"a": float("nan")}}, "nan"),
        ({"1": {"a": "high"}}, "'high'"),
        ({"1": ["a", "b", "a"]}, "'a' of topic '1' is listed twice"),
        ({"one": RUN, "other": RUN}, r"several runs are given \(given 'one, other', allowed: one run\)"),
        ("no such file", "no such file"),
    ],
)
def test_wrong_runs_are_refused(run, message):
    evaluator = mm.Evaluator(QRELS, "P@1")
    with pytest.raises(mm.MetameterError, match=message):
        evaluator.score(run)
    with pytest.raises(mm.MetameterError, match=message):
        evaluator.per_topic(run)


def test_wrong_arguments_name_the_class():
    with pytest.raises(mm.MetameterError, match=r"Evaluator has no such option .*Did you mean ties"):
        mm.Evaluator(QRELS, "P@1", tie="input")
    with pytest.raises(mm.MetameterError, match=r"Call it as Evaluator\(qrels, \.\.\.\)"):
        mm.Evaluator()
    with pytest.raises(mm.MetameterError, match="no metric is named"):
        mm.Evaluator(QRELS)
    with pytest.raises(mm.MetameterError, match="nDGC"):
        mm.Evaluator(QRELS, "nDGC@10")


def test_the_evaluated_run_does_not_form_the_pool():
    with pytest.raises(mm.MetameterError, match="pool_depth depends on the runs that made the pool"):
        mm.Evaluator(QRELS, "P@1", pool_depth=1)
    others = {"one": {"1": {"a": 1.0}}, "two": {"2": {"z": 1.0}, "3": {"q": 1.0}}}
    evaluator = mm.Evaluator(QRELS, "Judged@3", pool_depth=1, contributing=list(others.values()))
    runs = {"mine": RUN}
    scores = mm.score(QRELS, runs, "Judged@3", pool_depth=1, contributing=list(others.values()))
    assert evaluator.per_topic(RUN) == {"Judged@3": dict(zip("123", scores["Judged@3"][0].tolist(), strict=True))}


def test_an_evaluator_can_be_pickled_and_shared_by_threads():
    collection = mm.simulate(topics=6, systems=8, depth=30, seed=3)
    evaluator = mm.Evaluator(collection.qrels, METRICS, max_grade=3)
    runs = list(collection.runs.values()) if isinstance(collection.runs, dict) else list(collection.runs)
    expected = [evaluator.score(run) for run in runs]
    copy = pickle.loads(pickle.dumps(evaluator))
    assert [copy.score(run) for run in runs] == expected
    fresh = mm.Evaluator(collection.qrels, METRICS, max_grade=3)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(fresh.score, runs * 3)) == expected * 3
