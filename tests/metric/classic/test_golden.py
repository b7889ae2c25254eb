"""The classical metrics against the numbers of trec_eval, gdeval, ir-measures, NTCIREVAL and paper 001."""

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.judge.pool import pool_ranks
from metameter.notation import parse
from metameter.registry import get
from metameter.types import Qrels, Run

GOLDEN = Path(__file__).parents[2] / "golden"


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def qrels_of(qrels):
    rows = [(topic, doc, float(grade)) for topic, docs in qrels.items() for doc, grade in docs.items()]
    return Qrels(pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row"))


def run_of(run, name="run"):
    rows = [(topic, doc, float(score)) for topic, docs in run.items() for doc, score in docs.items()]
    return Run(name, pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row"))


def metric(text, **further):
    term = parse(text).left
    return get("metric", term.name)(**term.arguments, **further, k=term.k)


def scored(made, ranked):
    return dict(zip(ranked.judgments.topics, made.score(ranked).tolist(), strict=True))


def ranking(docs):
    return {doc: float(-rank) for rank, doc in enumerate(docs)}


TREC_EVAL = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "map": "AP",
    "gm_map": "gm_map",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "11pt_avg": "IPrecAvg",
    "binG": "BinG",
    "G": "G",
    "ndcg": "nDCG",
    "Rndcg": "RnDCG",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
}
CUT = {
    "P": "P",
    "recall": "R",
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "relative_P": "RelP",
    "success": "Success",
    "unj": "Unjudged",
}
GRADED = ("nDCG", "RnDCG", "G", "NumRet", "Unjudged")


def ours(key):
    """Our name for trec_eval's."""
    if key in TREC_EVAL:
        return TREC_EVAL[key]
    stem, _, value = key.rpartition("_")
    return f"IPrec(recall={value})" if stem == "iprec_at_recall" else f"{CUT[stem]}@{value}"


def with_level(name, level, judged_only):
    further = {} if name.partition("@")[0] in GRADED else {"rel": level}
    return metric(name, judged_only=judged_only, **further)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
def test_scores_match_trec_eval_by_topic(level, judged_only):
    data = golden("trec_eval_pytrec")
    expected = data["expected"][f"level={level},judged_only={str(judged_only).lower()}"]
    ranked = align(run_of(data["input"]["run"]), index_judgments(qrels_of(data["input"]["qrels"])))
    for key in next(iter(expected.values())):
        scores = scored(with_level(ours(key), level, judged_only), ranked)
        for topic, values in expected.items():
            if key == "Rndcg" and values["num_rel"] == 0:
                continue  # trec_eval gives 0 where no document reaches the level, though the gains do not depend on it
            assert scores[topic] == pytest.approx(values[key], abs=data["tolerance"]), (key, topic)


@pytest.mark.parametrize("flags", ["-c", "-c -l2", "-c -J", "-c -M5"])
def test_scores_match_trec_eval_10_with_flags(flags):
    data = golden("trec_eval_cli")
    depth = 5 if "-M5" in flags else None
    index = index_judgments(qrels_of(data["input"]["qrels"]))
    ranked = align(run_of(data["input"]["run"]), index, depth=depth)
    expected = data["expected"][flags]
    for key in next(iter(expected.values())):
        scores = scored(with_level(ours(key), 2 if "-l2" in flags else 1, "-J" in flags), ranked)
        scores["all"] = np.mean(list(scores.values()))
        for topic, values in expected.items():
            assert scores[topic] == pytest.approx(values[key], abs=data["tolerance"]), (key, topic)


@pytest.mark.parametrize("k", [5, 10, 20])
def test_scores_match_gdeval(k):
    data = golden("gdeval")
    ranked = align(run_of(data["input"]["run"]), index_judgments(qrels_of(data["input"]["qrels"])))
    scores = scored(metric(f"nDCG(gain=exp)@{k}"), ranked)
    for topic, values in data["expected"][f"k={k}"].items():
        if topic != "amean":
            assert scores[topic] == pytest.approx(values["ndcg"], abs=data["tolerance"]), topic
    # gdeval leaves out topics without a relevant document, even with -c.
    complete = [score for topic, score in scores.items() if topic != "103"]
    assert np.mean(complete) == pytest.approx(data["expected"][f"k={k},-c"]["amean"]["ndcg"], abs=data["tolerance"])


IR_MEASURES = {
    "Judged@5": "Judged@5",
    "Judged@10": "Judged@10",
    "AP(rel=1)@5": "AP@5",
    "nDCG@5": "nDCG@5",
    'nDCG(dcg="exp-log2")@5': "nDCG(gain=exp)@5",
    "RR@5": "RR@5",
    "RR(rel=2)": "RR(rel=2)",
    "P(rel=2,judged_only=True)@5": "P(rel=2,judged_only=True)@5",
    "Rprec": "Rprec",
    "Bpref": "Bpref",
    "infAP": "infAP",
    "SetP": "SetP",
    "SetR": "SetR",
    "SetF": "SetF",
    "Success@5": "Success@5",
    "IPrec@0.2": "IPrec(recall=0.2)",
    "Compat(p=0.8)": "Compat(p=0.8)",
    "NumRet": "NumRet",
    "NumRel": "NumRel",
}
CWL = ("RBP", "SDCG", "INST", "INSQ", "BPM", "NERR")


@pytest.mark.parametrize("theirs", IR_MEASURES)
def test_scores_match_ir_measures(theirs):
    data = golden("ir_measures")
    ascending = "ascending" in data["tie_break"][theirs] or theirs == "RR@5"  # known: its note on ties is wrong
    index = index_judgments(qrels_of(data["input"]["qrels"]))
    ranked = align(run_of(data["input"]["run"]), index, ties="docid-asc" if ascending else "docid-desc")
    made = metric(IR_MEASURES[theirs])
    scores = scored(made, ranked)
    tolerance = data["tolerance_override"].get(theirs, data["tolerance"])
    expected = data["expected"][theirs]
    exact = [topic for topic in expected["per_topic"] if not (made.registered_name == "Judged" and topic == "106")]
    for topic in exact:  # known: for topic 106 ir-measures counts negative grades as judged
        assert scores[topic] == pytest.approx(expected["per_topic"][topic], abs=tolerance), topic
    if len(exact) == len(scores):
        total = made.summarise(np.array(list(scores.values())))
        assert total == pytest.approx(expected["aggregate"], abs=tolerance)


def test_every_measure_of_ir_measures_is_tested():
    named = [theirs for theirs in golden("ir_measures")["expected"] if not theirs.startswith(CWL)]
    assert sorted(named) == sorted(IR_MEASURES)


def ntcir(key, table):
    """Our name for NTCIREVAL's."""
    stem, _, k = key.partition("@")
    names = {
        "Q(beta=1)": ("Q", {}),
        "Q(beta=10)": ("Q", {"beta": 10}),
        "AP": ("AP", {"norm": "min"}),
        "O(beta)": ("O", {}),
        "P+(beta)": ("PPlus", {}),
        "NCU_gu_P": ("NCU", {"beta": 0, "stop": "graded"}),
        "NCU_gu_BR": ("NCU", {"stop": "graded"}),
        "NCU_rb_P(gamma=0.95)": ("NCU", {"beta": 0}),
        "NCU_rb_BR(gamma=0.95)": ("NCU", {}),
        "nDCG_JK(b=2)": ("nDCG", {"discount": "jk"}),
        "MSnDCG": ("nDCG", {}),
        "Hit": ("Success", {}),
    }
    name, given = names.get(stem, (stem, {}))
    made = get("metric", name)
    gain = {"gain": table} if hasattr(made, "gain_of") else {}
    return made(**given, **gain, k=int(k) if k else None)


@pytest.mark.parametrize("case", golden("ntcireval")["cases"])
def test_scores_match_ntcireval(case):
    data = golden("ntcireval")
    given = data["cases"][case]
    index = index_judgments(qrels_of({"1": given["qrels"]}), max_grade=3)
    ranked = align(run_of({"1": ranking(given["ranked_list"])}), index)
    table = {int(level): gain for level, gain in given["gain_per_level"].items()}
    for key, expected in given["expected"].items():
        if key.startswith(("RBP", "ERR")) or expected is None:
            continue
        made = ntcir(key, table)
        made = type(made)(**{**vars(made), "judged_only": given["condensed"]})
        assert made.score(ranked)[0] == pytest.approx(expected, abs=data["tolerance"]), key
        if case.endswith("exp") and "gain" in vars(made):  # the same as the map of that name
            assert type(made)(**{**vars(made), "gain": "exp"}).score(ranked)[0] == pytest.approx(expected, abs=1e-9)


def test_average_precision_matches_paper_001():
    data = golden("ap_variants_001")
    runs = [run_of({"1": ranking(docs)}, name) for name, docs in data["input"]["runs"].items()]
    index = index_judgments(qrels_of({"1": data["input"]["qrels"]}))
    index = pool_ranks(runs, index, pool_depth=data["input"]["pool_depth"])
    lists = {run.name: align(run, index) for run in runs}
    for case, expected in data["expected"].items():
        name, kind, k = case.split("|")
        further = {"k": int(k.removeprefix("k=")), "judged_only": kind == "condensed"}
        assert index.judgments.relevant_in_pools(np.array([further["k"]])).item() == expected["R_k"]
        for norm, key in (("min", "AP_min(k,R)"), ("R", "AP'_R"), ("pool", "AP''_Rk")):
            made = get("metric", "AP")(norm=norm, **further)
            assert made.score(lists[name])[0] == pytest.approx(expected[key], abs=data["tolerance"]), (case, norm)
            curve = made.curve(lists[name], range(1, 16))[0]
            assert curve[further["k"] - 1] == made.score(lists[name])[0], (case, norm)


def test_the_worked_example_of_the_specification_matches():
    qrels = {"1": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1, "f": 1, "n": 0, "p": -1}}
    ranked = align(run_of({"1": ranking("abucpde")}), index_judgments(qrels_of(qrels)))
    expected = {"AP": 0.4821429, "P@5": 0.4, "R@5": 0.5, "Rprec": 0.5, "RR": 1, "AP@4": 0.375, "Bpref": 0.5}
    for name, value in (expected | {"infAP": 0.5, "nDCG@5": 0.5585076}).items():
        assert metric(name).score(ranked)[0] == pytest.approx(value, abs=1e-5), name


def test_the_graded_examples_of_the_specification_match():
    qrels = {"1": {"a": 3, "b": 0, "c": 2, "d": 1, "e": 2}}
    ranked = align(run_of({"1": ranking("abcd")}), index_judgments(qrels_of(qrels)))
    expected = {
        "nDCG": 0.778331,
        "nDCG(gain=exp)": 0.825122,
        "nDCG(discount=jk)": 0.704223,
        "nDCG@2": 0.703918,
        "Q": 0.6125,
        "AP": 0.6041667,
    }
    for name, value in expected.items():
        assert metric(name).score(ranked)[0] == pytest.approx(value, abs=1e-6), name
    assert metric("nDCG").dcg(ranked)[0] == pytest.approx(4.430677, abs=1e-6)
    assert metric("nDCG").ideal(ranked)[0] == pytest.approx(5.692536, abs=1e-6)
    assert math.isclose(metric("Q(beta=0)").score(ranked)[0], metric("AP").score(ranked)[0])
