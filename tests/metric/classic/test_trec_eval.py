"""The classical metrics against what trec_eval 10 prints for the test data it comes with."""

import pytest

from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.notation import parse
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.registry import get

NAMES = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "map": "AP",
    "gm_map": "gm_map",
    "gm_bpref": "gm_bpref",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "11pt_avg": "IPrecAvg(rounding=nearest)",
    "utility": "Utility",
    "binG": "BinG",
    "G": "G",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "set_P": "SetP",
    "set_relative_P": "RelP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "utility_2,-1,0,0": "Utility(relevant=2)",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gain={1:3,2:9,4:4.5})",
}
CUTS = {
    "P": "P@{}",
    "recall": "R@{}",
    "ndcg_cut": "nDCG@{}",
    "map_cut": "AP@{}",
    "relative_P": "RelP@{}",
    "success": "Success@{}",
    "unj": "Unjudged@{}",
    "iprec_at_recall": "IPrec(recall={},rounding=nearest)",
    "Rprec_mult": "Rprec(multiple={})",
}
# Not metrics of the classical kind, or (the last) recall points that only this one test asks for.
OTHERS = ("runid", "num_q", "relstring", "relstring_20", "rbp", "rbp_resid", "11pt_avg_.25,.5,.75")
GRADED = ("NumRet", "nDCG", "nDCGRel", "RnDCG", "G", "Unjudged")
# name of the output: qrels, run, relevance level, -M
OUTPUTS = {
    "out.test": ("qrels.test", "results.test", 1, None),
    "out.test.a": ("qrels.test", "results.test", 1, None),
    "out.test.aq": ("qrels.test", "results.test", 1, None),
    "out.test.aqc": ("qrels.test", "results.trunc", 1, None),
    "out.test.aqcM": ("qrels.test", "results.trunc", 1, 100),
    "out.test.aql": ("qrels.rel_level", "results.test", 2, None),
    "out.test.meas_params": ("qrels.test", "results.test", 1, None),
}


def metric(key, level):
    name = NAMES.get(key)
    if name is None:
        stem, _, value = key.rpartition("_")
        name = CUTS[stem].format(value)
    term = parse(name).left
    further = {} if term.name in GRADED else {"rel": level}
    return get("metric", term.name)(**term.arguments, **further, k=term.k)


@pytest.mark.realdata
@pytest.mark.parametrize("output", OUTPUTS)
def test_scores_match_the_printed_numbers(data, output, tmp_path):
    folder = data / "fixtures" / "trec_eval-testdata"
    qrels, run, level, depth = OUTPUTS[output]
    # trec_eval reads past further words at the end of a line, which are in results.trunc; our reader refuses them.
    lines = [line.split()[:6] for line in (folder / run).read_text().splitlines()]
    (tmp_path / run).write_text("".join(" ".join(fields) + "\n" for fields in lines))
    ranked = align(read_run(tmp_path / run), index_judgments(read_qrels(folder / qrels)), depth=depth)
    compared = 0
    for line in (folder / output).read_text().splitlines():
        key, topic, printed = line.split(maxsplit=2)
        if key in OTHERS or (key == "num_rel" and not ranked.length.all()):
            continue  # a topic that is missing from the run counts R documents here, and 0 in ir-measures and ours
        made = metric(key, level)
        scores = made.score(ranked)
        value = made.summarise(scores) if topic == "all" else scores[ranked.judgments.topics.index(topic)]
        assert value == pytest.approx(float(printed), abs=5.1e-5), (key, topic)
        compared += 1
    assert compared > 25
