"""Our names and theirs: every cell of the page, against the tool that is named there."""

import json
import shutil
from pathlib import Path

import ir_measures
import numpy as np
import polars as pl
import pytest
import pytrec_eval

from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.metric.compose import parse_metric
from metameter.reporting.cards.names import NAMES, TOOLS
from metameter.types import Qrels, Run

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


@pytest.mark.parametrize(("row", "name"), cells("trec_eval"))
def test_trec_eval(row, name):
    collection = golden("ranx")["input"]
    asked = name.replace("iprec_at_recall_0.30", "iprec_at_recall")
    if asked[-1].isdigit():
        asked = f"{asked.rpartition('_')[0]}.{asked.rpartition('_')[2]}"
    evaluated = pytrec_eval.RelevanceEvaluator(collection["qrels"], {asked}).evaluate(collection["run"])
    assert_same(row, collection, {topic: scores[name] for topic, scores in evaluated.items()})


@pytest.mark.parametrize(("row", "name"), cells("gdeval"))
def test_gdeval(row, name):
    reference = golden("gdeval")
    expected = {t: each[name.partition("@")[0]] for t, each in reference["expected"]["k=10"].items() if t != "amean"}
    assert_same(row, reference["input"], expected, reference["tolerance"])


@pytest.mark.parametrize(("row", "name"), cells("ir_measures"))
def test_ir_measures(row, name):
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


@pytest.mark.parametrize(("row", "name"), cells("ranx"))
def test_ranx(row, name):
    reference = golden("ranx")
    assert_same(row, reference["input"], reference["expected"][name])


@pytest.mark.parametrize(("row", "name"), cells("scikit-learn"))
def test_scikit_learn(row, name):
    reference = golden("scikit_learn")
    assert_same(row, reference["input"], reference["expected"][name])


@pytest.mark.parametrize(("row", "name"), cells("Quepid"))
def test_quepid(row, name):
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
