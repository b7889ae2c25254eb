"""Our names and theirs: every cell of the page, against the tool that is named there."""

import json
import shutil
from pathlib import Path

import ir_measures
import numpy as np
import polars as pl
import pytest
import pytrec_eval

import metameter as mm
from metameter.judge.align import align
from metameter.judge.document_lengths import DocumentLengths
from metameter.judge.faceted import Faceted
from metameter.judge.facets import document_qrels, facets_of
from metameter.judge.index import index_judgments
from metameter.judge.sessions import align_session
from metameter.metric.compose import parse_metric
from metameter.reporting.cards.names import NAMES, TOOLS
from metameter.types import Qrels, Run, SessionRun, Truth

GOLDEN = Path(__file__).parent / "golden"
TOP = 4
FACTORS = {"": 1, "G": TOP, "2^G": 2**TOP}
# cwl-eval adds up 1,000 ranks only, of users who read on for ever.
CUT_SHORT = ("INST", "INSQ", "NERR10", "NERR11")


def cells(tool):
    return [pytest.param(row, row.theirs[tool], id=row.theirs[tool]) for row in NAMES if tool in row.theirs]


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def ours(row, collection):
    qrels = [(topic, doc, float(grade)) for topic, docs in collection["qrels"].items() for doc, grade in docs.items()]
    run = [(topic, doc, score) for topic, docs in collection["run"].items() for doc, score in docs.items()]
    index = index_judgments(Qrels(pl.DataFrame(qrels, schema=["topic", "doc", "grade"], orient="row")), max_grade=TOP)
    ranked = align(Run("run", pl.DataFrame(run, schema=["topic", "doc", "score"], orient="row")), index)
    scores = parse_metric(row.ours).score(ranked) * FACTORS[row.times]
    return dict(zip(index.topics, scores.tolist(), strict=True))


def assert_same(row, collection, theirs, tolerance=1e-9, where=None):
    mine = ours(row, collection)
    topics = sorted(theirs if where is None else where)
    assert topics
    np.testing.assert_allclose([mine[t] for t in topics], [theirs[t] for t in topics], rtol=0, atol=tolerance)


def by_subtopic(row):
    return parse_metric(row.ours).evidence is Faceted


@pytest.mark.parametrize(("row", "name"), cells("ndeval"))
def test_ndeval_names_score_alike(row, name):
    reference = golden("ndeval")
    mine = dict(zip(*of_subtopics(row, reference["input"]), strict=True))
    theirs = {t: each[name] for t, each in reference["expected"]["alpha=0.5,beta=0.5"].items() if t in mine}
    assert theirs
    # What is not a number there is 0 here, and the page says so.
    expected = {topic: 0.0 if score is None else score for topic, score in theirs.items()}
    assert {topic: mine[topic] for topic in theirs} == pytest.approx(expected, abs=reference["tolerance"])
    assert all(score is not None for score in theirs.values()) or "not a number there" in row.note


def of_subtopics(row, collection):
    truth = pl.DataFrame(collection["qrels"], schema=["topic", "subtopic", "doc", "rating"], orient="row")
    run = pl.DataFrame(collection["run"], schema=["topic", "doc", "score"], orient="row")
    scores = mm.score(truth, {"run": run}, row.ours)
    return scores.topics, scores.values[0, 0].tolist()


@pytest.mark.parametrize(("row", "name"), cells("trec-dd-jig"))
def test_trec_dd_jig_names_score_alike(row, name):
    reference = golden("trec_dd_jig")
    mine = parse_metric(row.ours).score(sessions_of_the_official_scorer(reference))
    expected = [each[name] for each in reference["expected"][f"cutoff={row.ours.partition('@')[2]}"].values()]
    assert mine.tolist() == pytest.approx(expected, abs=reference["tolerance"])


def sessions_of_the_official_scorer(reference):
    truth, lengths = reference["input"]["truth"], reference["input"]["doc_len"]
    rows = []
    for topic, subtopics in truth.items():
        for subtopic, passages in subtopics.items():
            nugget = ""
            for each in passages:
                nugget = each["passage_id"] if each["type"] == "MANUAL" else nugget
                rows.append((topic, subtopic, each["docno"], nugget, float(each["rating"])))
    judged = Truth(pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "nugget", "rating"], orient="row"), True)
    shown = [
        (topic, int(number) + 1, None if doc.endswith("_dup") or doc.startswith("fill-") else doc)
        for topic, iterations in reference["parsed_run"].items()
        for number, docs in iterations.items()
        for doc in docs
    ]
    run = SessionRun("run", pl.DataFrame(shown, schema=["topic", "iteration", "doc"], orient="row"))
    words = DocumentLengths(pl.DataFrame({"doc": list(lengths), "length": [float(each) for each in lengths.values()]}))
    qrels = document_qrels(judged)
    return align_session(run, index_judgments(qrels), facets_of(judged, qrels), words)


@pytest.mark.parametrize(("row", "name"), cells("trec_eval"))
def test_trec_eval_names_score_alike(row, name):
    collection = golden("ranx")["input"]
    asked = name.replace("iprec_at_recall_0.30", "iprec_at_recall")
    if asked[-1].isdigit():
        asked = f"{asked.rpartition('_')[0]}.{asked.rpartition('_')[2]}"
    evaluated = pytrec_eval.RelevanceEvaluator(collection["qrels"], {asked}).evaluate(collection["run"])
    assert_same(row, collection, {topic: scores[name] for topic, scores in evaluated.items()})


@pytest.mark.parametrize(("row", "name"), cells("gdeval"))
def test_gdeval_names_score_alike(row, name):
    reference = golden("gdeval")
    expected = {t: each[name.partition("@")[0]] for t, each in reference["expected"]["k=10"].items() if t != "amean"}
    assert_same(row, reference["input"], expected, reference["tolerance"])


@pytest.mark.parametrize(("row", "name"), cells("ir_measures"))
def test_ir_measures_names_score_alike(row, name):
    if by_subtopic(row):
        check_subtopics_of_ir_measures(row, name)
        return
    measure = ir_measures.parse_measure(name)
    if "gdeval" in {each.NAME for each in ir_measures.DefaultPipeline.providers if each.supports(measure)}:
        if shutil.which("perl") is None:
            pytest.skip("gdeval is a Perl program")
        tolerance = 5.1e-6
    else:
        tolerance = 2e-3 if name.startswith(CUT_SHORT) else 1e-9
    collection = golden("ranx")["input"]
    scored = ir_measures.iter_calc([measure], collection["qrels"], collection["run"])
    assert_same(row, collection, {each.query_id: each.value for each in scored}, tolerance)


def check_subtopics_of_ir_measures(row, name):
    collection = golden("ndeval")["input"]
    qrels = [ir_measures.Qrel(topic, doc, grade, subtopic) for topic, subtopic, doc, grade in collection["qrels"]]
    run = [ir_measures.ScoredDoc(*each) for each in collection["run"]]
    theirs = {
        each.query_id: each.value for each in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    }
    mine = {t: score for t, score in zip(*of_subtopics(row, collection), strict=True) if t in theirs}
    expected = {topic: 0.0 if np.isnan(score) else score for topic, score in theirs.items() if topic in mine}
    assert mine == pytest.approx(expected, abs=1e-6)
    assert len(mine) >= 5


@pytest.mark.parametrize(("row", "name"), cells("ranx"))
def test_ranx_names_score_alike(row, name):
    reference = golden("ranx")
    assert_same(row, reference["input"], reference["expected"][name])


@pytest.mark.parametrize(("row", "name"), cells("scikit-learn"))
def test_scikit_learn_names_score_alike(row, name):
    reference = golden("scikit_learn")
    assert_same(row, reference["input"], reference["expected"][name])


@pytest.mark.parametrize(("row", "name"), cells("Quepid"))
def test_quepid_names_score_alike(row, name):
    reference = golden("quepid")
    relevant = {topic: sum(g > 0 for g in grades.values()) for topic, grades in reference["input"]["qrels"].items()}
    few = [topic for topic, count in relevant.items() if count <= 10]
    assert_same(row, reference["input"], reference["expected"][name], where=few if name == "nDCG@10" else None)


def test_quepid_does_not_cut_the_ideal_list():
    reference = golden("quepid")
    row = next(row for row in NAMES if row.theirs.get("Quepid") == "nDCG@10")
    mine = ours(row, reference["input"])
    assert {t for t, score in reference["expected"]["nDCG@10"].items() if score != pytest.approx(mine[t])} == {"1", "3"}


def test_every_row_names_a_metric_and_a_tool():
    for row in NAMES:
        assert parse_metric(row.ours)
        assert row.theirs
        assert set(row.theirs) <= set(TOOLS)
    assert len({row.ours for row in NAMES}) == len(NAMES)
