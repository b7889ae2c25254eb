"""Measures of ir_measures as metrics: the same numbers, also of tied documents once they are ordered alike."""

from __future__ import annotations

import shutil
import warnings
from itertools import chain

import ir_measures
import pytest
from ir_measures import (
    AP,
    AP_IA,
    BPM,
    ERR,
    ERR_IA,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NRBP,
    P_IA,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    StRecall,
    Success,
    alpha_DCG,
    alpha_nDCG,
    infAP,
    nDCG,
    nERR_IA,
)  # fmt: skip

import metameter as mm
from metameter.errors import MetameterError
from metameter.metric.compose import read_metric
from tests.other_tools import TOP, collection

OF_TREC_EVAL = [
    nDCG, nDCG @ 10, nDCG(judged_only=True) @ 10, nDCG(gains={0: 0, 1: 2, 2: 5, TOP: 9}) @ 10, AP, AP(rel=2), AP @ 10,
    P @ 5, P(rel=2, judged_only=True) @ 5, R @ 10, R(rel=2) @ 10, RR, RR(rel=2), Rprec, Bpref, Bpref(rel=2),
    Success @ 1, Success(rel=2) @ 3, SetP, SetP(relative=True), SetR, SetF, SetF(beta=2.0), SetAP, infAP, IPrec @ 0.1,
    IPrec @ 0.3, NumRet, NumRet(rel=2), NumRel,
]  # fmt: skip
OF_GDEVAL = [ERR @ 10, ERR @ 20, nDCG(dcg="exp-log2") @ 10]
RISING = [RR @ 10, RR(rel=2) @ 10, Judged @ 10]
OF_CWL_EVAL = [
    RBP(rel=1), RBP(rel=2, p=0.5), BPM(T=2.0) @ 10, SDCG @ 10, NERR8 @ 10, NERR9 @ 10, NERR10, NERR11, INST(T=2.25),
    INSQ(T=2.25),
]  # fmt: skip
BY_SUBTOPIC = [
    alpha_nDCG @ 10, alpha_nDCG(alpha=0.9) @ 10, alpha_DCG @ 10, ERR_IA @ 10, nERR_IA @ 10, P_IA @ 10, StRecall @ 10,
    AP_IA, NRBP, NRBP(alpha=0.2, beta=0.7),
]  # fmt: skip
# Its ideal list has tied documents in the order of the judgments, and those that were not retrieved at score 0.
WITHOUT_TIES = [Compat, Compat(p=0.8), Compat(p=0.8, normalize=False)]
# How each part of ir_measures orders tied documents, in our words.
ORDER = {
    "docid-desc": OF_TREC_EVAL + OF_GDEVAL,
    "docid-asc": RISING + BY_SUBTOPIC,
    "input": OF_CWL_EVAL,
}
CASES = [pytest.param(measure, ties, True, id=f"{measure}, tied") for ties in ORDER for measure in ORDER[ties]]
CASES += [pytest.param(each, "", False, id=str(each)) for each in (*chain(*ORDER.values()), *WITHOUT_TIES)]
# cwl-eval adds up 1,000 ranks only, of users who read on for ever; gdeval prints five decimals, ndeval six.
ROUGH = {"INST": 2e-3, "INSQ": 2e-3, "NERR10": 2e-3, "NERR11": 2e-3, "RBP": 1e-6, "ERR": 5.1e-6, "nDCG": 5.1e-6}


@pytest.mark.parametrize(("measure", "ties", "tied"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_measures_score_as_in_ir_measures(measure, ties, tied):
    if measure in OF_GDEVAL and shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl program")
    qrels, run = collection(ties=tied)
    if measure in BY_SUBTOPIC:
        qrels = [
            ir_measures.Qrel(topic, doc, grade, str(place % 2))
            for topic, docs in qrels.items()
            for place, (doc, grade) in enumerate(docs.items())
        ]
    # There the top of the scale is a parameter of some measures, here an option of scoring.
    asked = measure(max_rel=TOP) if "max_rel" in measure.SUPPORTED_PARAMS else measure
    theirs = {each.query_id: each.value for each in ir_measures.iter_calc([asked], qrels, run)}
    options = {"ties": ties} if tied else {}
    scores = mm.score(qrels, run, measure, max_grade=TOP, **options)
    expected = [theirs[topic] for topic in scores.topics]
    tolerance = 1e-6 if measure in BY_SUBTOPIC else ROUGH.get(measure.NAME, 1e-9)
    assert scores.values[0, 0].tolist() == pytest.approx(expected, abs=tolerance)


def test_cutoffs_change_tie_breaking_in_ir_measures_only():
    qrels, run = collection(ties=True)
    whole, cut = ({each.query_id: each.value for each in ir_measures.iter_calc([m], qrels, run)} for m in (RR, RR @ 10))
    assert min(whole.values()) >= 0.1
    assert max(abs(whole[topic] - cut[topic]) for topic in whole) == pytest.approx(5 / 6)
    scores = mm.score(qrels, run, [RR, RR @ 10])
    assert scores.values[0].tolist() == scores.values[1].tolist()


def test_names_are_metameter_names():
    qrels, run = collection(ties=False)
    scores = mm.score(qrels, run, [RBP(rel=1), nDCG(dcg="exp-log2") @ 10, NumRet(rel=1)])
    assert scores.metrics == ("RBP(p=0.8,gain=binary(1))*ERG", "nDCG(gain=exp)@10", "NumRelRet")
    assert mm.score(qrels, run, nDCG @ 10).metrics == ("nDCG@10",)


THEIR_TEXTS = [nDCG(dcg="exp-log2") @ 10, RBP(rel=1), RBP(rel=2, p=0.5), NumRet(rel=1), IPrec @ 0.1, IPrec(rel=2) @ 0.3]
THEIR_TEXTS += [SetP(relative=True), nDCG(gains={1: 5, 2: 7}) @ 5]


@pytest.mark.parametrize("measure", THEIR_TEXTS, ids=str)
def test_text_of_ir_measures_is_read_like_its_objects(measure):
    with pytest.warns(mm.MetameterWarning, match=": read as "):
        assert mm.parse_metric(str(measure)) == mm.parse_metric(measure)
    # In a table it may be anybody's metric.
    with pytest.raises(MetameterError, match="unknown metric"):
        read_metric(str(measure))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDCG(rel=2)@10", "nDCG has no parameter rel. Known"),
        ("BPM(T=1,max_rel=2)@10", "give max_grade=2 to the function that scores"),
        ("nDCG(dcg=log3)@10", "the parameter dcg of ir_measures has no counterpart in nDCG"),
        ("IPrec@10.5.3", "cannot read the metric name"),
        ("IPrec@1.5", "recall"),
    ],
)
def test_unsupported_text_of_ir_measures_is_refused(text, message):
    with pytest.raises(MetameterError, match=message):
        mm.parse_metric(text)


def test_err_of_ir_measures_keeps_its_own_scale():
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"b": 2.0, "a": 1.0}}
    with warnings.catch_warnings(record=True, action="always") as told:
        mm.score(qrels, run, [nDCG @ 10, ERR @ 10])
    assert str(told[-1].message) == (
        "ERR@10: ir_measures uses 4 as the top of the grade scale, here it is 2: set max_grade=4 for the same scores"
    )
    with warnings.catch_warnings(record=True, action="always") as told:
        theirs = mm.score(qrels, run, ERR @ 10, max_grade=4).values.item()
        mm.score(qrels, run, "ERR@10", max_grade=2)
        mm.score({"1": {"a": 4, "b": 1}}, run, ERR @ 10)
    assert theirs == pytest.approx(1 / 16 + 15 / 16 * 3 / 16 / 2)
    assert not [each for each in told if "ir_measures" in str(each.message)]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (NumQ, "no counterpart .*'NumQ'"),
        (Accuracy, "no counterpart .*'Accuracy'"),
        (INST(T=2.25, max_rel=4), r"max_rel .*INST\(T=2.25,max_rel=4\).* give max_grade=4 to the function"),
        (NERR9(min_rel=1) @ 10, "the parameter min_rel of ir_measures has no counterpart in NERR9"),
        (P, "P needs a last rank"),
        (ir_measures.define(lambda qrels, run: 1.0, name="mine"), "no counterpart .*'mine'"),
    ],
)
def test_measures_without_a_counterpart_are_refused(measure, message):
    with pytest.raises(MetameterError, match=message):
        mm.parse_metric(measure)


def test_every_function_with_metrics_accepts_measures():
    qrels, run = collection(ties=False)
    runs = {"a": run, "b": {topic: {doc: -score for doc, score in docs.items()} for topic, docs in run.items()}}
    assert mm.check(qrels, runs, metric=AP @ 10).coverage.height == 2
    assert mm.explain(AP(rel=2), qrels=qrels, run=run, topic="1")
    found = mm.volatility(qrels, runs, [nDCG, AP], depths=[5, 10], max_grade=TOP)
    assert set(found.table["metric"]) == {"nDCG", "AP"}
