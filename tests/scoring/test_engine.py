"""The road from runs and judgments to a matrix of scores."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval

import metameter
from metameter.parallel import Workers

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "z": 0}, "3": {"q": 1}}
RUNS = {
    "full": {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"z": 2.0, "a": 1.0}, "3": {"q": 1.0}},
    "short": {"1": {"b": 2.0, "a": 1.0}, "9": {"a": 1.0}},
}


def test_scores_match_pytrec_eval_topic_by_topic():
    scores = metameter.score(QRELS, RUNS, ["AP", "nDCG@10", "P@10", "RR"])
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, set(names.values()))
    for system, run in RUNS.items():
        theirs = evaluator.evaluate(run)
        for ours, measure in names.items():
            for topic, value in zip(scores.topics, scores[ours][scores.systems.index(system)], strict=True):
                # A topic that the run lacks is an empty list.
                assert value == pytest.approx(theirs.get(topic, {}).get(measure, 0.0), abs=1e-9)


def test_common_topics_are_those_of_every_run():
    scores = metameter.score(QRELS, RUNS, "P@1", topics="common")
    assert scores.topics == ("1",)
    with pytest.raises(metameter.MetameterError, match="every run"):
        metameter.score(QRELS, {"a": {"1": {"a": 1.0}}, "b": {"2": {"a": 1.0}}}, "P@1", topics="common")


def test_condensed_lists_are_marked_in_the_metric_name():
    scores = metameter.score(QRELS, RUNS, ["nDCG@10", "RBP(p=0.5)*max"], unjudged="condense", max_grade=2)
    assert scores.metrics == ("nDCG(judged_only=True)@10", "RBP(p=0.5,judged_only=True)*max")
    same = metameter.score(QRELS, RUNS, list(scores.metrics), max_grade=2)
    np.testing.assert_array_equal(scores.values, same.values)


def test_duplicate_metrics_are_scored_once_in_order():
    scores = metameter.score(QRELS, RUNS, ["RR", "RBP(p=0.5)", "RR", "RBP(p=0.5)*ERG"], max_grade=2)
    assert scores.metrics == ("RR", "RBP(p=0.5)*ERG")


def test_the_assumed_maximum_grade_gives_a_notice():
    with pytest.warns(metameter.MetameterWarning, match="2"):
        metameter.score(QRELS, RUNS, "RBP(p=0.5)")
    with pytest.raises(metameter.MetameterError, match=r"'a'.*'1'"):
        metameter.score(QRELS, RUNS, "RBP(p=0.5)", max_grade=1)


def test_frames_and_dictionaries_score_alike(tmp_path):
    rows = [(t, d, s) for t, docs in RUNS["full"].items() for d, s in docs.items()]
    judged = [(t, d, float(g)) for t, docs in QRELS.items() for d, g in docs.items()]
    expected = metameter.score(QRELS, {"full": RUNS["full"]}, ["AP", "nDCG"])
    polars = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
    pandas = pd.DataFrame(rows, columns=["topic", "doc", "score"])
    path = tmp_path / "full"
    path.write_text("".join(f"{t} Q0 {d} 1 {s} tag\n" for t, d, s in rows))
    for qrels in (QRELS, pl.DataFrame(judged, schema=["topic", "doc", "grade"], orient="row")):
        for run in (polars, pandas, RUNS["full"], path):
            scores = metameter.score(qrels, {"full": run} if run is not path else run, ["AP", "nDCG"])
            assert scores.systems == ("full",)
            np.testing.assert_array_equal(scores.values, expected.values)


def test_any_number_of_jobs_gives_the_same_bits():
    collection = metameter.simulate(topics=6, systems=7, depth=30, seed=3)
    names = ["AP", "nDCG@10", "INST(T=2.25)*avg", "ERR@10", "Bpref"]
    one, three = (metameter.score(collection.qrels, collection.runs, names, max_grade=3, jobs=j) for j in (1, 3))
    assert one.values.tobytes() == three.values.tobytes()
    assert one.systems == three.systems


def test_a_shallow_reach_changes_no_score():
    """Metrics that look at ten ranks score the same beside one that looks at all, which makes the engine read all."""
    collection = metameter.simulate(topics=5, systems=3, depth=50, seed=1)
    shallow = metameter.score(collection.qrels, collection.runs, ["nDCG@10", "ERR@10"], max_grade=3)
    deep = metameter.score(collection.qrels, collection.runs, ["nDCG@10", "ERR@10", "AP"], max_grade=3)
    np.testing.assert_array_equal(shallow.values, deep.values[:2])


def test_a_shallower_pool_makes_documents_unjudged():
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    qrels = {"1": {"x": 1, "y": 1, "z": 1}}
    scores = metameter.score(qrels, runs, ["R@3"], pool_depth=1)
    # Only x and z are in the top 1 of a run; y is not judged any more.
    np.testing.assert_allclose(scores["R@3"][:, 0], [1.0, 1.0])
    alone = metameter.score(qrels, runs, ["P@3"], pool_depth=1, contributing={"a": runs["a"]})
    np.testing.assert_allclose(alone["P@3"][:, 0], [1 / 3, 1 / 3])


def test_pool_normalisation_needs_no_option():
    runs = {"a": {"1": {"x": 3.0, "n": 2.0}}, "b": {"1": {"m": 3.0, "y": 2.0}}}
    qrels = {"1": {"x": 1, "y": 1, "z": 1, "n": 0, "m": 0}}
    scores = metameter.score(qrels, runs, ["AP(norm=pool)@1", "AP(norm=pool)@2", "AP@2"])
    assert scores["AP(norm=pool)@1"][0, 0] == 1.0  # one relevant document in the top 1 of the runs
    assert scores["AP(norm=pool)@2"][0, 0] == 0.5  # two in the top 2
    assert scores["AP@2"][0, 0] == pytest.approx(1 / 3)


def test_progress_is_reported():
    told = []
    metameter.score(QRELS, RUNS, "P@1", progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


def test_unknown_presets_are_refused():
    with pytest.raises(metameter.MetameterError, match="Known"):
        metameter.score(QRELS, RUNS, preset="nobody-1999")


def test_results_keep_their_order_and_errors_propagate():
    assert list(Workers(4).map(lambda x: x * x, range(50))) == [x * x for x in range(50)]
    with pytest.raises(ZeroDivisionError):
        list(Workers(2).map(lambda x: 1 / x, [1, 0, 2]))
    assert Workers().count >= 1
    with pytest.raises(metameter.MetameterError):
        Workers(0)


def test_residuals_accompany_the_scores():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"judged": {"1": {"a": 2.0, "b": 1.0}}, "open": {"1": {"x": 2.0, "a": 1.0}}}
    with pytest.warns(metameter.MetameterWarning, match="1 of 1 pairs"):
        scores = metameter.score(qrels, runs, ["P@2", "nDCG@2"], residual=True)
    assert scores.table.columns == ["metric", "system", "topic", "score", "low", "high", "bounds"]
    assert scores.table.row(0) == ("P@2", "judged", "1", 0.5, 0.5, 0.5, "exact")
    assert scores.table.row(1) == ("P@2", "open", "1", 0.5, 0.5, 1.0, "exact")
    assert scores.bounds == ("exact", "heuristic")
    with pytest.raises(metameter.MetameterError, match="mean over ties"):
        metameter.score(qrels, runs, ["P@2"], residual=True, ties="mean")


@pytest.mark.parametrize(
    ("metrics", "others"), [(["P@2", "P@3"], "1 other metric"), (["P@2", "P@3", "P@4"], "2 other metrics")]
)
def test_metrics_with_open_pairs_are_counted(metrics, others):
    runs = {"judged": {"1": {"a": 2.0, "b": 1.0}}, "open": {"1": {"x": 2.0, "a": 1.0}}}
    with pytest.warns(metameter.MetameterWarning, match=f"1 of 1 pairs, and in some pairs by {others}$"):
        metameter.score({"1": {"a": 1, "b": 0}}, runs, metrics, residual=True)


def test_costs_change_the_scores_of_cost_aware_users(tmp_path):
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    runs = {"s": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}}
    file = tmp_path / "costs"
    file.write_text("1 a 2\n2 a 7\n")
    # Half of the attention is gone after two seconds, which is what the first item takes.
    wanted = metameter.parse_metric("TBG(h=2)*ETG")([1, 1], costs=[2, 1])
    for costs in (file, {"1": {"a": 2}, "2": {"a": 7}}, pl.DataFrame({"topic": ["1"], "doc": ["a"], "cost": [2.0]})):
        scores = metameter.score(qrels, runs, ["TBG(h=2)*ETG"], costs=costs, max_grade=1)
        assert scores.values[0, 0, 0] == pytest.approx(wanted)
    everywhere = metameter.score(qrels, runs, ["TBG(h=2)*ETG"], costs={"a": 2}, max_grade=1)
    assert everywhere.values[0, 0, 0] == pytest.approx(wanted)
    free = tmp_path / "free"
    free.write_text("a 1\nb 0\n")
    with pytest.raises(metameter.MetameterError, match="free:2"):
        metameter.score(qrels, runs, ["TBG(h=2)*ETG"], costs=free, max_grade=1)


@pytest.mark.parametrize(
    ("option", "given", "says"),
    [
        ("topics", "comon", "common"),
        ("unjudged", "condensed", "condense"),
        ("ties", "docid", "docid-asc"),
        ("precision", "float", "single"),
        ("name_by", "tags", "tag"),
        ("on_duplicate", "max", "first"),
        ("qrels_duplicates", "mean", "max"),
        ("pool_depth", 2.5, "(1 to|whole number)"),
        ("pool_depth", "2", "(1 to|whole number)"),
        ("pool_depth", True, "(1 to|whole number)"),
        ("max_grade", "3", "number"),
        ("jobs", 1.5, "(1 to|whole number)"),
        ("jobs", 0, "(1 to|whole number)"),
    ],
)
def test_a_misspelt_option_is_refused(option, given, says):
    with pytest.raises(metameter.MetameterError, match=f"{option}.*{says}"):
        metameter.score(QRELS, RUNS, "P@1", **{option: given})
    with pytest.raises(metameter.MetameterError, match=r"score has no such option .*Did you mean name_by"):
        metameter.score(QRELS, RUNS, "P@1", named_by="tag")


@pytest.mark.parametrize(("policy", "expected"), [("first", 0), ("last", 1), ("max", 1)])
def test_a_document_judged_twice_is_refused_or_resolved(policy, expected, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 0\n1 0 a 1\n")
    run = {"s": {"1": {"a": 1.0}}}
    with pytest.raises(metameter.MetameterError, match="set qrels_duplicates to first, last or max"):
        metameter.score(tmp_path / "qrels", run, "P@1")
    assert metameter.score(tmp_path / "qrels", run, "P@1", qrels_duplicates=policy)["P@1"][0, 0] == expected


def test_the_manifest_lists_every_option_that_changes_scores():
    scores = metameter.score(
        QRELS,
        {"full": RUNS["full"]},
        ["P@1", "RBP(p=0.5)"],
        contributing={"full": RUNS["full"]},
        pool_depth=2,
        costs={"a": 2.0},
        residual=True,
        qrels_duplicates="max",
        max_grade=2,
    )
    options = scores.manifest["options"]
    assert options["metrics"] == ["P@1", "RBP(p=0.5)*ERG"]
    assert options["contributing"] == ["full"]
    assert options["residual"] is True
    assert (options["name_by"], options["on_duplicate"], options["qrels_duplicates"]) == ("file", "error", "max")
    other = metameter.score(QRELS, RUNS, "P@1", costs={"a": 3.0}).manifest["options"]
    assert options["costs"] != other["costs"]
    assert other["contributing"] is None
    assert other["residual"] is False
