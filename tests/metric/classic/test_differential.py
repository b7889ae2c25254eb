"""The classical metrics against pytrec_eval and ir-measures on generated collections: ties, gaps, short lists."""

import math

import ir_measures
import polars as pl
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.notation import parse
from metameter.registry import get
from metameter.types import Qrels, Run

DOCS = [f"d{number}" for number in range(14)]
GRADES = st.sampled_from([-2, -1, 0, 0, 0, 1, 1, 2, 3, 4])
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def collections(draw):
    """Qrels and a run: few documents, few distinct scores, some topics on one side only."""
    topics = [str(number) for number in range(draw(st.integers(1, 6)))]
    qrels = {topic: draw(st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=1, max_size=10)) for topic in topics}
    for topic in topics:
        # A topic of which nothing is judged makes trec_eval read memory that it has not set.
        qrels[topic] = dict(sorted((qrels[topic] | {"d0": max(0, qrels[topic].get("d0", 0))}).items()))
    retrieved = draw(st.lists(st.sampled_from([*topics, "unknown"]), min_size=1, unique=True))
    retrieved = retrieved if set(retrieved) & set(topics) else topics
    run = {
        topic: draw(st.dictionaries(st.sampled_from(DOCS), st.integers(1, 8).map(float), min_size=1))
        for topic in retrieved
    }
    return qrels, run


def evidence(qrels, run, ties="docid-desc"):
    grades = [(topic, doc, float(grade)) for topic, docs in qrels.items() for doc, grade in docs.items()]
    scores = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    index = index_judgments(Qrels(pl.DataFrame(grades, schema=["topic", "doc", "grade"], orient="row")))
    return align(Run("run", pl.DataFrame(scores, schema=["topic", "doc", "score"], orient="row")), index, ties=ties)


def metric(text, **further):
    term = parse(text).left
    return get("metric", term.name)(**term.arguments, **further, k=term.k)


BINARY = {
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "map": "AP",
    "map_cut_5": "AP@5",
    "gm_map": "gm_map",
    "gm_bpref": "gm_bpref",
    "P_3": "P@3",
    "P_20": "P@20",
    "recall_4": "R@4",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "Rprec_mult_0.40": "Rprec(multiple=0.4)",
    "Rprec_mult_2.00": "Rprec(multiple=2)",
    "bpref": "Bpref",
    "infAP": "infAP",
    "iprec_at_recall_0.00": "IPrec(recall=0)",
    "iprec_at_recall_0.30": "IPrec(recall=0.3)",
    "iprec_at_recall_1.00": "IPrec(recall=1)",
    "11pt_avg": "IPrecAvg",
    "success_1": "Success@1",
    "success_5": "Success@5",
    "relative_P_5": "RelP@5",
    "set_relative_P": "RelP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "binG": "BinG",
    "utility": "Utility",
}
GRADED = {
    "num_ret": "NumRet",
    "ndcg": "nDCG",
    "ndcg_cut_3": "nDCG@3",
    "ndcg_cut_30": "nDCG@30",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "G": "G",
}
ASKED = {
    *(each for each in (BINARY | GRADED) if not each[-1].isdigit()),
    *("P_3,20", "recall_4", "map_cut_5", "ndcg_cut_3,30", "success_1,5", "relative_P_5"),
    *("iprec_at_recall", "Rprec_mult"),
}


@QUIET
@given(collections(), st.sampled_from([1, 2, 3]), st.booleans())
def test_classic_metrics_match_pytrec_eval(collection, level, judged_only):
    qrels, run = collection
    ranked = evidence(qrels, run)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level, judged_docs_only_flag=judged_only)
    theirs = theirs.evaluate(run)
    made = {key: metric(name, rel=level, judged_only=judged_only) for key, name in BINARY.items()}
    made |= {key: metric(name, judged_only=judged_only) for key, name in GRADED.items()}
    for key, each in made.items():
        for topic, score in zip(ranked.judgments.topics, each.score(ranked).tolist(), strict=True):
            if topic not in theirs:
                assert score == pytest.approx(math.log(1e-5) if each.name.startswith("gm_") else 0), (key, topic)
                continue
            # Undefined there (nothing is left of the list), or set to 0 by a rule about the level (Rndcg).
            value = theirs[topic][key]
            if not math.isnan(value) and not (key == "Rndcg" and not max(qrels[topic].values()) >= level):
                assert score == pytest.approx(value, abs=1e-9), (key, topic)


IR_MEASURES = {
    "AP(rel=2)@4": "AP(rel=2)@4",
    "nDCG(judged_only=True)@5": "nDCG(judged_only=True)@5",
    "P(rel=3)@2": "P(rel=3)@2",
    "R(rel=2)@3": "R(rel=2)@3",
    "SetF(beta=3.0)": "SetF(beta=3)",
    "SetRelP": "RelP",
    "SetAP": "SetAP",
    "IPrec(rel=2)@0.25": "IPrec(recall=0.25,rel=2)",
    "NumRelRet": "NumRelRet",
    "Success(rel=2)@3": "Success(rel=2)@3",
}
# On its own: asked for together with others, ir-measures may score those with this one's gains.
TABLE = {"nDCG(gains={1: 3, 2: 1, 4: 7})@5": "nDCG(gain={1:3,2:1,4:7})@5"}
ASCENDING = {
    "RR(rel=2)@3": "RR(rel=2)@3",
    "Compat(p=0.6)": "Compat(p=0.6)",
    "Compat(p=0.95, normalize=False)": "Compat(p=0.95,normalize=False)",
}


@QUIET
@given(collections())
def test_classic_metrics_match_ir_measures(collection):
    qrels, run = collection
    for names, ties in ((IR_MEASURES, "docid-desc"), (TABLE, "docid-desc"), (ASCENDING, "docid-asc")):
        ranked = evidence(qrels, run, ties)
        measures = {ir_measures.parse_measure(theirs): metric(ours) for theirs, ours in names.items()}
        scores = {
            measure: dict(zip(ranked.judgments.topics, made.score(ranked).tolist(), strict=True))
            for measure, made in measures.items()
        }
        for found in ir_measures.iter_calc(list(measures), qrels, run):
            if found.query_id in qrels and not math.isnan(found.value):
                ours = scores[found.measure][found.query_id]
                assert ours == pytest.approx(found.value, abs=1e-9), (found.measure, found.query_id)


@settings(QUIET, max_examples=100)
@given(collections())
def test_judged_and_unjudged_match_a_plain_count(collection):
    # ir-measures counts grades below 0 as judged, so there is no peer for this one.
    qrels, run = collection
    ranked = evidence(qrels, run)
    judged, unjudged = metric("Judged@4").score(ranked), metric("Unjudged@4").score(ranked)
    for row, topic in enumerate(ranked.judgments.topics):
        top = sorted(run.get(topic, {}), key=lambda doc: (run[topic][doc], doc), reverse=True)[:4]
        known = sum(qrels[topic].get(doc, -1) >= 0 for doc in top)
        assert judged[row] == pytest.approx(known / len(top) if top else 0)
        assert unjudged[row] == pytest.approx((len(top) - known) / 4)
