"""Generated lists through cwl-eval itself, and the rows of ir-measures that come from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.aggregate.total_gain import ERG, ETG
from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.metric.compose import parse_metric
from metameter.metric.product import Product
from metameter.registry import get
from metameter.types import Qrels, Run

pytest.importorskip("cwl")

from cwl.ruler.measures.cwl_ap import APCWLMetric
from cwl.ruler.measures.cwl_bpm import BPMCWLMetric, BPMDCWLMetric
from cwl.ruler.measures.cwl_dcg import NDCGCWLMetric
from cwl.ruler.measures.cwl_ift import IFTGoalCWLMetric, IFTGoalRateCWLMetric, IFTRateCWLMetric
from cwl.ruler.measures.cwl_insq import INSQCWLMetric
from cwl.ruler.measures.cwl_inst import INSTCWLMetric
from cwl.ruler.measures.cwl_nerr import NERReq8CWLMetric, NERReq9CWLMetric, NERReq10CWLMetric, NERReq11CWLMetric
from cwl.ruler.measures.cwl_npv import NPVCWLMetric
from cwl.ruler.measures.cwl_precision import PrecisionCWLMetric
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.measures.cwl_rr import RRCWLMetric
from cwl.ruler.measures.cwl_set import SETCWLMetric
from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
from cwl.ruler.measures.cwl_umeasure import UMeasureCWLMetric
from cwl.ruler.ranking import Ranking

N = 1000


def ours(name: str, stop: int | None = None, **numbers: Any) -> Browsing:
    """Sums that end at rank 1000 as cwl-eval's do; or the model's own last rank."""
    model: Browsing = (
        get("browse", name)(**numbers, k=stop) if stop else get("browse", name)(**numbers, k=N, closure="drop")
    )
    return model


ranks = st.integers(1, 20)
target = st.floats(0.5, 6)
share = st.floats(0.05, 0.99)
odds, rational = st.floats(0.05, 3), st.floats(0, 20)

# For each of ours the numbers it takes, and both sides made from them.
PAIRS = {
    "Prec": (st.tuples(ranks), lambda k: (PrecisionCWLMetric(k), ours("Prec", k))),
    "RBP": (st.tuples(share), lambda p: (RBPCWLMetric(p), ours("RBP", p=p))),
    "DCG": (st.tuples(ranks), lambda k: (NDCGCWLMetric(k), ours("DCG", k))),
    "INST": (st.tuples(target), lambda T: (INSTCWLMetric(T), ours("INST", T=T))),
    "INSQ": (st.tuples(target), lambda T: (INSQCWLMetric(T), ours("INSQ", T=T))),
    "AP1": (st.tuples(), lambda: (APCWLMetric(), ours("AP1"))),
    "RRbin": (st.tuples(), lambda: (RRCWLMetric(), ours("RRbin"))),
    "BPM": (
        st.tuples(target, st.floats(1, 30)),
        lambda T, K: (BPMCWLMetric(T, K), ours("BPM", T=T, K=K)),
    ),
    "BPM dynamic": (
        st.tuples(target, st.floats(1, 30), st.floats(0, 2), st.floats(0, 2), st.floats(0, 1)),
        lambda T, K, hb, hc, med: (
            BPMDCWLMetric(T, K, hb, hc, med),
            ours("BPM", T=T, K=K, dynamic=True, hb=hb, hc=hc, med=med),
        ),
    ),
    # These two leave nobody at their last rank; U-measure gives that rank no weight, either.
    "TBG": (st.tuples(st.floats(1, 300)), lambda h: (TBGCWLMetric(h), ours("TBG", N, h=h))),
    "UMeasure": (st.tuples(st.floats(2, 2000)), lambda L: (UMeasureCWLMetric(L), ours("UMeasure", N - 1, L=L))),
    "IFTC1": (
        st.tuples(target, odds, rational),
        lambda T, b1, R1: (IFTGoalCWLMetric(T, b1, R1), ours("IFTC1", T=T, b1=b1, R1=R1)),
    ),
    "IFTC2": (
        st.tuples(share, odds, rational),
        lambda A, b2, R2: (IFTRateCWLMetric(A, b2, R2), ours("IFTC2", A=A, b2=b2, R2=R2)),
    ),
    "IFTC1C2": (
        st.tuples(target, odds, rational, share, odds, rational),
        lambda T, b1, R1, A, b2, R2: (
            IFTGoalRateCWLMetric(T, b1, R1, A, b2, R2),
            ours("IFTC1C2", T=T, b1=b1, R1=R1, A=A, b2=b2, R2=R2),
        ),
    ),
    "NERR8": (st.tuples(ranks), lambda k: (NERReq8CWLMetric(k), ours("NERR8", k))),
    "NERR9": (st.tuples(ranks), lambda k: (NERReq9CWLMetric(k), ours("NERR9", k))),
    "NERR10": (st.tuples(share), lambda p: (NERReq10CWLMetric(p), ours("NERR10", p=p))),
    "NERR11": (st.tuples(target), lambda T: (NERReq11CWLMetric(T), ours("NERR11", T=T))),
    "NPV": (st.tuples(st.floats(0.01, 2)), lambda rate: (NPVCWLMetric(rate), ours("NPV", rate=rate))),
    "SET": (st.tuples(st.floats(0.05, 1), ranks), lambda beta, k: (SETCWLMetric(beta, k), ours("SET", k, beta=beta))),
}
items = st.tuples(st.sampled_from([0.0, 0.0, 0.25, 1 / 3, 0.5, 1.0]), st.floats(0.1, 8))


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=50, deadline=None)
@given(data=st.data(), listed=st.lists(items, min_size=1, max_size=25), costed=st.booleans())
def test_models_match_cwl_eval(name: str, data: st.DataObject, listed: list[tuple[float, float]], costed: bool) -> None:
    numbers, make = PAIRS[name]
    theirs, model = make(*data.draw(numbers))
    gains = [gain for gain, _ in listed]
    costs = [cost if costed else 1.0 for _, cost in listed]
    depth = N
    if name == "AP1":  # cwl-eval's time grows with the square of its depth
        depth, model = 60, replace(model, k=60)
    theirs.measure(Ranking("1", np.array(gains), np.array(costs), max_n=depth))

    page = Page(gains, costs=costs).resized(model.k or N)
    state = model.browsing_state(page)
    spent = page.costs if page.costs is not None else np.ones(page.depth)
    found = [
        Product(model, ERG()).score_page(page),
        Product(model, ETG()).score_page(page),
        state.weight @ spent,
        state.last @ np.cumsum(spent),
        state.viewed,
    ]
    np.testing.assert_allclose(found, theirs.get_scores(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["Prec", "RBP", "DCG", "INST", "INSQ", "RRbin", "NERR8", "NERR10", "NERR11", "NPV", "SET"]
)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), listed=st.lists(st.sampled_from([None, None, 0.0, 0.5, 1.0]), max_size=12))
def test_unjudged_items_and_empty_lists_gain_nothing_in_both(
    name: str, data: st.DataObject, listed: list[float | None]
) -> None:
    numbers, make = PAIRS[name]
    theirs, model = make(*data.draw(numbers))
    gains = np.array([gain or 0.0 for gain in listed])
    theirs.measure(Ranking("1", gains, np.ones(len(gains)), max_n=N))
    assert Product(model, ERG())(listed) == pytest.approx(theirs.get_scores()[0], rel=1e-9, abs=1e-9)


GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "ir_measures.json").read_text())
DROP = f"@{N}*ERG"
FROM_CWL = {
    "RBP(rel=1)": "RBP(p=0.8,closure=drop,gain=binary(1))" + DROP,
    "RBP(p=0.5,rel=2)": "RBP(p=0.5,closure=drop,gain=binary(2))" + DROP,
    "SDCG(max_rel=3)@5": "SDCG@5",
    "INST(T=2.0,max_rel=3)": "INST(T=2,closure=drop)" + DROP,
    "INSQ(T=2.0,max_rel=3)": "INSQ(T=2,closure=drop)" + DROP,
    "BPM(T=1.0,max_rel=3)@5": "BPM(T=1,K=5,closure=drop)" + DROP,
    "NERR8(max_rel=3)@5": "NERR8@5",
    "NERR9(max_rel=3)@5": "NERR9@5",
    "NERR10(p=0.9,max_rel=3)": "NERR10(p=0.9,closure=drop)" + DROP,
    "NERR11(T=1.0,max_rel=3)": "NERR11(T=1,closure=drop)" + DROP,
}


def test_every_row_of_ir_measures_is_tested() -> None:
    assert {name for name, ties in GOLDEN["tie_break"].items() if ties.startswith("input")} == set(FROM_CWL)


@pytest.mark.parametrize("theirs", FROM_CWL)
def test_products_match_ir_measures(theirs: str) -> None:
    rows = [(t, d, float(g)) for t, docs in GOLDEN["input"]["qrels"].items() for d, g in docs.items()]
    found = [(t, d, float(s)) for t, docs in GOLDEN["input"]["run"].items() for d, s in docs.items()]
    qrels = Qrels(pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row"))
    run = Run("s", pl.DataFrame(found, schema=["topic", "doc", "score"], orient="row"))
    ranked = align(run, index_judgments(qrels), ties="input")
    scores = dict(zip(ranked.judgments.topics, parse_metric(FROM_CWL[theirs]).score(ranked), strict=True))
    expected = GOLDEN["expected"][theirs]
    for topic, score in expected["per_topic"].items():
        assert scores[topic] == pytest.approx(score, abs=GOLDEN["tolerance"]), topic
    assert np.mean(list(scores.values())) == pytest.approx(expected["aggregate"], abs=GOLDEN["tolerance"])
