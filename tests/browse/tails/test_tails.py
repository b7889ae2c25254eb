"""Beyond the end of the list: closed forms against long lists, with costs and without."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from metameter.browse.base import Browsing
from metameter.browse.bpm import BPM
from metameter.browse.err import NERR10, NERR11
from metameter.browse.ift import IFTC1, IFTC1C2, IFTC2
from metameter.browse.inst import INSQ, INST
from metameter.browse.page import Page
from metameter.browse.rbp import NPV, RBP
from metameter.browse.tails.geometric import geometric_tail
from metameter.browse.tails.quadratic import trigamma
from metameter.browse.tbg import TBG
from metameter.browse.umeasure import UMeasure
from metameter.judge.sums import by_rank, sum_down, sum_where, where_not_zero
from metameter.metric.compose import parse_metric

FAST = [
    RBP(p=0.8),
    TBG(h=7),
    UMeasure(L=25),
    UMeasure(L=11.5),
    UMeasure(L=400.25),
    BPM(T=4, K=12),
    BPM(T=4, K=30, dynamic=True, hb=0.3, hc=0.4, med=0.25),
    BPM(T=4, K=30, dynamic=True, hb=0.3, hc=0.4, med=0.25, bug_compatible=False),
    IFTC1(T=2, b1=0.9, R1=1),
    IFTC2(A=0.2, b2=0.9, R2=1),
    IFTC1C2(T=2, b1=0.9, R1=1, A=0.2, b2=0.9, R2=1),
    NERR10(p=0.9),
    NPV(rate=0.1),
]
SLOW = [INSQ(T=2.25), INSQ(T=0.2), INST(T=2.25), NERR11(T=1)]
GAINS = [[0.5, 0, 0.25, 0, 0.5], [0, 0, 0, 0, 0], [1, 0.5, 1, 0.25, 0.5]]
COSTS = [[2, 0.5, 3, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5], [1, 1, 1, 1, 7]]


def sums(model: Browsing, page: Page, further: int, gain: float) -> dict[str, np.ndarray]:
    """The same sums over a long list."""
    n = page.depth
    state = model.browsing_state(page.resized(n + further, gain))
    view, last, m = state.view[..., n:], state.last[..., n:], np.arange(1, further + 1)
    return {
        "view": view.sum(axis=-1),
        "last": last.sum(axis=-1),
        "last_per_rank": (last / (n + m)).sum(axis=-1),
        "discounted_last": (last * 0.7**m).sum(axis=-1),
    }


@pytest.mark.parametrize("costs", [None, COSTS], ids=["unit", "costs"])
@pytest.mark.parametrize("best", [False, True], ids=["zeros", "ones"])
@pytest.mark.parametrize("model", FAST, ids=repr)
def test_tail_is_the_sum_over_a_long_list(model: Browsing, best: bool, costs: list[list[float]] | None) -> None:
    page = Page(GAINS, costs=costs)
    tail = model.browsing_state(page, best=best).tail
    for name, expected in sums(model, page, 2000, float(best)).items():
        found = tail.discounted_last(0.7) if name == "discounted_last" else getattr(tail, name)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("model", SLOW, ids=repr)
def test_slow_tail_is_the_sum_over_a_long_list(model: Browsing) -> None:
    page = Page(GAINS)
    tail = model.browsing_state(page).tail
    expected = sums(model, page, 200_000, 0.0)
    np.testing.assert_allclose(tail.last_per_rank, expected["last_per_rank"], rtol=1e-9)
    np.testing.assert_allclose(tail.discounted_last(0.7), expected["discounted_last"], rtol=1e-9)
    np.testing.assert_allclose(tail.view, expected["view"], rtol=1e-4)


def test_inst_has_constant_continuation_on_perfect_items() -> None:
    page = Page(GAINS)
    tail = INST(T=2.25).browsing_state(page, best=True).tail
    for name, expected in sums(INST(T=2.25), page, 3000, 1.0).items():
        found = tail.discounted_last(0.7) if name == "discounted_last" else getattr(tail, name)
        np.testing.assert_allclose(found, expected, rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("leaving", [1.0, 0.5, 1e-3, 1e-5])
@pytest.mark.parametrize("n", [0, 1, 10, 1000])
def test_the_geometric_tail_per_rank_matches_a_long_sum(n: int, leaving: float) -> None:
    m = np.arange(0, 4_000_000 if leaving < 1e-3 else 40_000)
    expected = np.sum(leaving * np.exp(m * np.log1p(-leaving)) / (n + 1 + m)) if leaving < 1 else 1 / (n + 1)
    found = geometric_tail(np.array(1.0), n, leaving)
    assert float(found.last_per_rank) == pytest.approx(expected, rel=1e-11)


def test_geometric_tail_is_continuous_at_the_smallest_leaving_rate() -> None:
    near, limit = (geometric_tail(np.array(1.0), 5, q) for q in (1.01e-9, 0.99e-9))
    assert float(near.last_per_rank) / 1.01 == pytest.approx(float(limit.last_per_rank) / 0.99, rel=2e-3)
    endless = geometric_tail(np.array(1.0), 5, 0.0)
    assert np.isinf(endless.view)
    assert float(endless.last_per_rank) == 0
    assert float(endless.discounted_last(0.9)) == 0
    assert float(endless.discounted_last(1.0)) == 1


def test_rational_users_do_not_overflow() -> None:
    gains = [0.0, 1.0, 1.0, 0.5]
    model = IFTC1(T=2, b1=0.9, R1=1e4)
    with np.errstate(all="raise", under="ignore"):
        continuation = model.continuation(Page(gains))
        model.browsing_state(Page(gains))
    np.testing.assert_allclose(continuation, [1, 1, 0.9 / 1.9, 0], atol=1e-12)
    assert (IFTC2(A=0.2, b2=0.9, R2=1e4).continuation(Page(gains)) == [0, 1, 1, 1]).all()


def test_trigamma_matches_scipy():
    x = np.concatenate([np.linspace(0.001, 40, 5001), np.geomspace(40, 4e9, 1000)])
    np.testing.assert_allclose(trigamma(x), scipy.special.polygamma(1, x), rtol=2e-15)
    # One at a time or many: the same bits, also across the pieces in which many are computed.
    many = np.tile(x, 3).reshape(3, -1)
    np.testing.assert_array_equal(trigamma(many), np.tile(trigamma(x), (3, 1)))
    assert [float(trigamma(np.array(each))) for each in x[::500]] == trigamma(x)[::500].tolist()


@pytest.mark.parametrize("shape", [(1, 5000), (2, 3000), (50, 100), (3, 7), (5000,), (2, 3, 900), (4, 0)])
def test_fast_sums_equal_cumulative_sums(shape):
    values = np.random.default_rng(2).random(shape)
    values[values < 0.95] = 0
    plain = np.cumsum(values, axis=-1)[..., -1] if shape[-1] else np.zeros(shape[:-1])
    np.testing.assert_array_equal(sum_down(values), plain)
    np.testing.assert_array_equal(sum_down(by_rank(values)), plain)
    np.testing.assert_array_equal(sum_where(values, lambda: where_not_zero(values)), plain)
    np.testing.assert_array_equal(sum_where(values, lambda: None), plain)


def test_insq_users_with_tiny_goals_read_one_item():
    assert parse_metric("INSQ(T=1e-300)")([1, 0, 0.5]) == 1.0
    assert parse_metric("INSQ(T=1e-300)")([0, 1, 1]) == 0.0
