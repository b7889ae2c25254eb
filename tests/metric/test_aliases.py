"""Names of other tools: understood, printed as ours, and the number is the one of the tool."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval

import metameter as mm
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.metric.aliases import aliases, read_alias
from metameter.registry import names
from tests.other_tools import TOP, collection

RANX = json.loads((Path(__file__).parents[1] / "golden" / "ranx.json").read_text())


def quietly(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mm.parse_metric(name)


# What people type, and our name for it.
TYPED = {
    "ndcg": "nDCG",
    "NDCG@10": "nDCG@10",
    "ndcg@10": "nDCG@10",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "ndcg_burges@10": "nDCG(gain=exp)@10",
    "map": "AP",
    "MAP": "AP",
    "map@100": "AP@100",
    "map_cut_1000": "AP@1000",
    "map(rel=2)": "AP(rel=2)",
    "mrr": "RR",
    "MRR@10": "RR@10",
    "recip_rank": "RR",
    "recall@100": "R@100",
    "Recall@10": "R@10",
    "recall_100": "R@100",
    "recall": "SetR",
    "P_10": "P@10",
    "P.10": "P@10",
    "p@10": "P@10",
    "precision@10": "P@10",
    "precision": "SetP",
    "rprec": "Rprec",
    "R-prec": "Rprec",
    "r-precision": "Rprec",
    "r_precision": "Rprec",
    "bpref": "Bpref",
    "err@10": "ERR*ERR@10",
    "rbp(p=0.8)": "RBP(p=0.8)*ERG",
    "rbp(p=0.8)*MAX@10": "RBP(p=0.8)*max@10",
    "prec@10*erg": "Prec@10*ERG",
    "success@10": "Success@10",
    "success_1": "Success@1",
    "hit_rate@10": "Success@10",
    "hits": "NumRelRet",
    **dict.fromkeys(("hit@5", "hits@5", "Hit@5", "HITS@5", "hit-rate@5", "SUCCESS@5"), "Success@5"),
    "judged@10": "Judged@10",
    "set_F": "SetF(beta=1)",
    "f1": "SetF(beta=1)",
    "iprec_at_recall_0.10": "IPrec(recall=0.1)",
    "11pt_avg": "IPrecAvg",
    "infap": "infAP",
    "GMAP": "gm_map",
    "dcg@10": "DCG@10*ETG",
    "alpha-ndcg@10": "alpha_nDCG@10",
    "α_nDCG@10": "alpha_nDCG@10",
    "strec@10": "StRecall@10",
    "AP_IA": "MAP_IA",
}


@pytest.mark.parametrize("typed", TYPED)
def test_common_spellings_are_understood(typed):
    assert str(quietly(typed)) == TYPED[typed]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("sdcg@10", r"Write SDCG@10 or sDCG@10\.$"),
        ("PREC@5", r"Write Prec@5 or prec@5\.$"),
        ("ndcg_cut_0", "not a positive whole number"),
        ("ndcg_cut_10@5", "unknown metric"),
        ("map*max", r"^map is a metric, not a browsing model\. Did you mean AP1\?$"),
        ("rr*max", r"Did you mean RRbin\?$"),
        ("mrr@10*max", r"Did you mean RRbin\?$"),
        ("xyzzy*max", "unknown browsing model"),
        ("recal@10", r"\(given 'recal'\)\. Did you mean R@10 or StRecall\? metameter metrics lists all\.$"),
        ("f1@10", "unknown metric"),
        ("xyzzy", r"Write it like nDCG@10, AP or RBP\(p=0\.8\); metameter metrics lists all\.$"),
        ("map(foo=1)", "AP has no parameter foo"),
        ("map(2)@10", "parameters are written with their names"),
        ("rbp.80", r"the RBP of ranx takes grades for gains .* Write RBP\(p=0\.80\), and multiply"),
    ],
)
def test_ambiguous_names_are_refused(typed, message):
    with pytest.raises(MetameterError, match=message) as refused:
        mm.parse_metric(typed)
    assert len(str(refused.value)) < 250


def test_a_notice_names_aliases_but_not_capitals():
    with pytest.warns(mm.MetameterWarning, match="^map: read as AP$"):
        mm.parse_metric("map")
    with pytest.warns(mm.MetameterWarning, match="^dcg@5: read as .*ETG; its gains are grades divided by"):
        mm.parse_metric("dcg@5")
    with pytest.warns(mm.MetameterWarning, match="^hits@5: read as Success@5; ranx counts the relevant"):
        mm.parse_metric("hits@5")
    assert [str(mm.parse_metric(name)) for name in ("ndcg@10", "bpref", "NDCG")] == ["nDCG@10", "Bpref", "nDCG"]


def test_tables_use_our_name_and_aliases_find_it():
    qrels, run = collection(ties=False)
    with pytest.warns(mm.MetameterWarning, match="read as"):
        scores = mm.score(qrels, run, ["map", "ndcg_cut_10", "AP"])
    assert scores.metrics == ("AP", "nDCG@10")
    assert np.array_equal(scores["map"], scores["AP"])
    assert "ndcg@10" in scores
    assert "recip_rank" not in scores


def test_tables_keep_foreign_names():
    cells = [(metric, system, topic) for metric in ("map", "AP") for system in "ab" for topic in "12"]
    table = [{"metric": metric, "system": system, "topic": topic, "score": 0.1} for metric, system, topic in cells]
    scores = mm.read_scores(table)
    assert scores.metrics == ("map", "AP")
    assert scores["map"].shape == (2, 2)


def test_no_alias_is_a_registered_name_or_ambiguous():
    words: dict[str, set[str]] = {}
    for each in aliases():
        words.setdefault(each.name.casefold(), set()).add(each.meaning)
    several = {word: meant for word, meant in words.items() if len(meant) > 1}
    # These are refused; what is written in our notation is never looked up here.
    assert several == {
        "prec": {"prec", "Prec"},
        "prec@{}": {"prec@{}", "Prec@{}"},
        "sdcg": {"sDCG", "SDCG"},
        "sdcg@{}": {"sDCG@{}", "SDCG@{}"},
    }


@pytest.mark.parametrize("name", sorted({name for kind in ("metric", "browse", "aggregate") for name in names(kind)}))
def test_every_registered_name_is_unchanged(name):
    assert read_alias(name) is None
    assert read_alias(f"{name}@10") is None


@pytest.mark.parametrize("alias", [each for each in aliases() if each.declared], ids=lambda alias: alias.name)
def test_every_alias_leads_to_a_canonical_name(alias):
    number = "0.1" if "recall={" in alias.meaning else "10"
    text = alias.name.replace("{}", number)
    term, _ = read_alias(text)
    try:
        metric = mm.parse_metric(str(term))
    except MetameterError:
        metric = mm.parse_metric(f"{term}@10")  # it has no value without a depth
    assert mm.parse_metric(str(metric)) == metric
    assert text.upper() == str(term) or read_alias(text.upper())[0] == term


TREC = [
    *("map", "recip_rank", "ndcg", "bpref", "Rprec", "infAP", "ndcg_rel", "Rndcg", "G", "binG", "utility", "11pt_avg"),
    *("set_P", "set_recall", "set_F", "set_map", "set_relative_P"),
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
    *(
        "P_5",
        "P_10",
        "recall_10",
        "ndcg_cut_5",
        "ndcg_cut_10",
        "map_cut_10",
        "success_1",
        "success_10",
        "relative_P_10",
    ),
    *("iprec_at_recall_0.00", "iprec_at_recall_0.30"),
]


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
def test_aliases_of_trec_eval_score_alike(ties):
    qrels, run = collection(ties=ties)
    families = {name.rpartition("_")[0] if name[-1].isdigit() else name for name in TREC}
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, families & pytrec_eval.supported_measures).evaluate(run)
    missing = [name for name in TREC if name not in evaluated["0"]]
    further = {f"{name.rpartition('_')[0]}.{name.rpartition('_')[2]}" for name in missing}
    if further:
        for topic, values in pytrec_eval.RelevanceEvaluator(qrels, further).evaluate(run).items():
            evaluated[topic] |= values
    scores = mm.score(qrels, run, [quietly(name) for name in TREC], max_grade=TOP)
    for name in TREC:
        theirs = [evaluated[topic][name] for topic in scores.topics]
        assert scores[name][0].tolist() == pytest.approx(theirs, abs=1e-9), name


# Not the same numbers, or not the same word elsewhere; the page of names says more.
OTHERWISE = ("rbp.80", "hits@10", "dcg_burges@10", "dcg@10", "f1@10")


@pytest.mark.parametrize("name", [name for name in RANX["expected"] if name not in OTHERWISE])
def test_aliases_of_ranx_score_alike(name):
    qrels, run = RANX["input"]["qrels"], RANX["input"]["run"]
    scores = mm.score(qrels, run, quietly(name), max_grade=TOP)
    theirs = [RANX["expected"][name][topic] for topic in scores.topics]
    assert scores.values[0, 0].tolist() == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", ["MAP@5", "MRR", "MRR@10", "NDCG@10", "Precision@5", "Recall@10", "BPref", "RPrec"])
def test_aliases_of_ir_measures_score_alike(name):
    qrels, run = collection(ties=False)
    measure = ir_measures.parse_measure(name)
    theirs = {each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)}
    scores = mm.score(qrels, run, quietly(name))
    assert scores.values[0, 0].tolist() == pytest.approx([theirs[topic] for topic in scores.topics], abs=1e-9)


def test_the_command_line_accepts_aliases(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "bm25").write_text("1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n")
    asked = ["-m", "map", "-m", "ndcg@10", "--format", "csv"]
    assert run(["score", str(tmp_path / "qrels"), str(tmp_path / "bm25"), *asked]) == 0
    printed = capsys.readouterr()
    assert [line.split(",")[0] for line in printed.out.splitlines()] == ["metric", "AP", "nDCG@10"]
    assert printed.err.count("map: read as AP") == 1
    assert "ndcg@10" not in printed.err
    assert run(["metrics", "map"]) == 0
    assert "\nmetric,AP," in capsys.readouterr().out
    assert run(["score", str(tmp_path / "qrels"), str(tmp_path / "bm25"), "-m", "mapp"]) == 2
    assert "Did you mean AP" in capsys.readouterr().err
