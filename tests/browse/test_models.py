"""The further browsing models: identities with the ones we know, their names, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metameter.browse.base import Browsing
from metameter.browse.bpm import BPM
from metameter.browse.cart import Cart1, Cart2
from metameter.browse.err import NERR8, NERR9, NERR10, NERR11
from metameter.browse.ift import IFTC1, IFTC2
from metameter.browse.inst import INSQ
from metameter.browse.page import Page
from metameter.browse.rbp import NPV, RBP
from metameter.browse.set import SET
from metameter.browse.tbg import TBG
from metameter.browse.umeasure import UMeasure
from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric

GAINS = [0.7, 0.4, 0, 1, 0.5, 0.3]
AGGREGATIONS = ["ERG", "ETG", "ERR", "avg", "max", "fin", "fgt(delta=0.8)", "PE(beta=0.5)"]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NPV(rate=0.25)", "RBP(p=0.8)"),
        (f"TBG(h={-1 / math.log2(0.8)!r})", "RBP(p=0.8)"),
        ("SET(beta=1)@5", "Prec@5"),
        ("NERR8@5", "ERR(gain=linear)@5"),
        ("IFTC1(T=3,b1=4,R1=0)", "RBP(p=0.8)"),
        ("IFTC2(A=3,b2=0.25,R2=0)", "RBP(p=0.8)"),
        ("BPM(T=100,K=5)", "Prec@5"),
        ("Empirical(continuation=[0.8],tail=repeat)", "RBP(p=0.8)"),
    ],
)
def test_equivalent_models_score_alike(one: str, other: str, aggregation: str) -> None:
    first, second = parse_metric(f"{one}*{aggregation}"), parse_metric(f"{other}*{aggregation}")
    assert first(GAINS) == pytest.approx(second(GAINS), rel=1e-12)


def test_models_of_gain_equal_static_ones_without_gain() -> None:
    page = Page(np.zeros(6))
    for adaptive, static in [
        (NERR10(p=0.8), RBP(p=0.8)),
        (NERR11(T=2), INSQ(T=2)),
        (NERR9(k=6), Cart1(k=6)),
    ]:
        np.testing.assert_allclose(adaptive.view(page), static.view(page), rtol=1e-14)
        assert adaptive.browsing_state(page).viewed == pytest.approx(static.browsing_state(page).viewed, rel=1e-12)


def test_insq_views_match_the_formula() -> None:
    """V(i) = (2T / (i + 2T - 1))^2; the expected number of items viewed is (2T)^2 trigamma(2T)."""
    state = INSQ(T=2.25).browsing_state(Page(GAINS))
    np.testing.assert_allclose(state.view, [(4.5 / (i + 3.5)) ** 2 for i in range(1, 7)], rtol=1e-14)
    assert state.viewed == pytest.approx(5.0366833, abs=1e-7)


def test_carterette_models_match_their_definitions() -> None:
    assert Cart1(k=4).browsing_state(Page(GAINS)).viewed == pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 4)
    binary = [0, 1, 1, 0, 1, 0]
    found = np.cumsum(binary)
    np.testing.assert_allclose(Cart2(k=6).view(Page(binary)), [1 / (1 + r) for r in [0, *found[:-1]]], rtol=1e-14)


def test_bpm_matches_a_hand_calculation() -> None:
    """T=1 grows by 0.5 with each perfect item; K=3 grows likewise only in the intended form."""
    page = Page([1, 1, 1, 1, 1, 1, 1])
    static, moving = BPM(T=1, K=3), BPM(T=2, K=3, dynamic=True, med=0)
    intended = BPM(T=2, K=3, dynamic=True, med=0, hc=0.5, bug_compatible=False)
    assert static.browsing_state(page).viewed == 1
    assert moving.browsing_state(page).viewed == 3
    assert intended.browsing_state(page).viewed == 5
    # Beyond the list each item costs 1 and brings nothing.
    assert BPM(T=1, K=10).browsing_state(Page([0.5, 0.2])).viewed == 10
    assert BPM(T=1, K=10).browsing_state(Page([0.5, 0.2], costs=[4, 4.5])).viewed == 4


def test_costs_change_the_scores_of_cost_aware_users() -> None:
    gains, costs = [1, 1, 1], [2, 4, 1]
    assert parse_metric("TBG(h=2)*ETG")(gains, costs=costs) == pytest.approx(1 + 1 / 2 + 1 / 8)
    assert parse_metric("UMeasure(L=8)*ETG")(gains, costs=costs) == pytest.approx(1 + 6 / 8 + 2 / 8)
    assert parse_metric("BPM(T=9,K=6)*ETG")(gains, costs=costs) == 2
    assert parse_metric("RBP(p=0.8)")(gains, costs=costs) == parse_metric("RBP(p=0.8)")(gains)
    assert parse_metric("TBG(h=2)*ETG@2")(gains, costs=costs) == pytest.approx(1.5)
    assert parse_metric("TBG(h=2,judged_only=True)*ETG")([1, None, 1], costs=costs) == pytest.approx(1 + 1 / 2)
    assert parse_metric("TBG(h=2)*ETG")([1, None, 1], costs=costs) == pytest.approx(1 + 1 / 8)


@pytest.mark.parametrize(
    "name",
    [
        "INSQ(T=2.25)*ERG",
        "Cart1@10*ERG",
        "Cart2@10*max",
        "TBG(h=224)*ERG",
        "UMeasure(L=1000)*ETG",
        "BPM(T=1,K=10)*ERG",
        "BPM(T=1,K=10,dynamic=True,hb=1,hc=1,med=0.5)*ERG",
        "BPM(T=1,K=10,bug_compatible=False,dynamic=True,hb=1,hc=1,med=0.5)*ERG",
        "IFTC1(T=2,b1=0.9,R1=1)*ERG",
        "IFTC2(A=0.2,b2=0.9,R2=1)*ERG",
        "IFTC1C2(T=2,b1=0.9,R1=1,A=0.2,b2=0.9,R2=1)*ERG",
        "NERR8@10*ERG",
        "NERR9@10*ERG",
        "NERR10(p=0.9)*ERG",
        "NERR11(T=1)*ERG",
        "NPV(rate=0.1)*ERG",
        "SET(beta=0.5)@10*ERG",
    ],
)
def test_names_round_trip(name: str) -> None:
    assert repr(parse_metric(name)) == name
    assert repr(parse_metric(name.split("*")[0])).split("*")[0] == name.split("*")[0]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Cart1", "Cart1 needs a last rank"),
        ("Cart2", "Cart2@10"),
        ("NERR8", "NERR8 needs a last rank"),
        ("NERR9*max", "NERR9 needs a last rank"),
        ("SET(beta=0.5)", "SET needs a last rank"),
        ("SET(beta=0)@5", r"\[1e-09, 1\]"),
        ("TBG(h=0)", "h is out of range"),
        ("BPM(T=1,K=0)", "K is out of range"),
        ("BPM(T=1,K=5,hb=2)", "dynamic=True"),
        ("IFTC1(T=2,b1=0,R1=1)", "b1 is out of range"),
        ("IFTC2(A=0.2)", "IFTC2 needs b2, R2"),
        ("NERR10(p=1)", r"\[0, 1\)"),
        ("NPV(rate=0)", "rate is out of range"),
        ("INSQ(T=0)", "T is out of range"),
        ("UMeasure(L=-1)", "L is out of range"),
    ],
)
def test_error_messages_give_the_fix(name: str, says: str) -> None:
    with pytest.raises(MetameterError, match=says):
        parse_metric(name)


def test_costs_must_be_positive_and_as_many_as_gains() -> None:
    with pytest.raises(MetameterError, match="positive"):
        Page([1, 0], costs=[1, 0])
    with pytest.raises(MetameterError, match="differ"):
        Page([1, 0], costs=[1])
    with pytest.raises(MetameterError, match="differ"):
        parse_metric("TBG(h=2)")([1, 0], costs=[1])
    assert (Page([1, 0], costs=[2, np.nan]).cumulative_cost == [2, 3]).all()


@pytest.mark.parametrize(
    "model", [NERR8(k=3), UMeasure(L=1000), TBG(h=224), NPV(rate=0.1), SET(beta=0.5, k=3)], ids=repr
)
def test_batched_lists_score_as_single_lists(model: Browsing) -> None:
    page = Page([GAINS, GAINS[::-1]], costs=[[1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1]])
    both = model.browsing_state(page)
    for row in range(2):
        alone = model.browsing_state(Page(page.gains[row], costs=page.costs[row]))
        np.testing.assert_allclose(both.view[row], alone.view, rtol=1e-14)
        assert both.viewed[row] == pytest.approx(float(alone.viewed), rel=1e-12)


def test_continuations_of_goal_and_rate_multiply() -> None:
    page = Page(GAINS)
    both = parse_metric("IFTC1C2(T=2,b1=0.9,R1=3,A=0.2,b2=0.8,R2=4)").model  # type: ignore[attr-defined]
    goal, rate = IFTC1(T=2, b1=0.9, R1=3), IFTC2(A=0.2, b2=0.8, R2=4)
    np.testing.assert_allclose(both.continuation(page), goal.continuation(page) * rate.continuation(page))
