"""P-values adjusted over all statistics say what the simultaneous intervals say."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metameter.stats.intervals.simultaneous import max_t_pvalues, normal_to_t, simultaneous_intervals


def correlated(seed, trials, statistics):
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(trials, statistics)) @ rng.normal(size=(statistics, statistics))
    estimate = drawn.std(axis=0) * rng.normal(0, 2.5, statistics)
    return estimate, drawn + estimate


@settings(max_examples=40)
@example(0, 65, 1, 3, 0.01)  # two blocks of resamples, of which the second has one
@given(
    st.integers(0, 2**32),
    st.integers(20, 300),
    st.integers(1, 12),
    st.integers(3, 500),
    st.sampled_from([0.01, 0.04, 0.05, 0.2, 0.5]),
)
def test_p_is_below_alpha_where_intervals_exclude_zero(seed, trials, statistics, units, alpha):
    estimate, drawn = correlated(seed, trials, statistics)
    nothing = np.zeros((-(-trials // 64), statistics))
    clear = simultaneous_intervals(
        estimate, drawn, nothing, np.zeros(statistics), topics=units, alpha=alpha, by_tail=True
    ).clear()
    p = max_t_pvalues(estimate, drawn, units=units)
    np.testing.assert_array_equal(p <= alpha + 1e-12, clear)


@given(st.integers(0, 2**32), st.integers(1, 10))
def test_p_matches_a_plain_step_down(seed, statistics):
    estimate, drawn = correlated(seed, 99, statistics)
    sd = drawn.std(axis=0, ddof=1)
    away, t = np.abs(drawn - drawn.mean(axis=0)) / sd, np.abs(estimate) / sd
    left, p, highest = list(range(statistics)), np.empty(statistics), 0.0
    while left:
        first = max(left, key=lambda each: t[each])
        highest = max(highest, (1 + sum(normal_to_t(row[left].max(), 30) >= t[first] for row in away)) / 100)
        p[first] = highest
        left.remove(first)
    np.testing.assert_allclose(max_t_pvalues(estimate, drawn, units=30), p)


def test_one_statistic_is_unadjusted_and_more_give_larger_p():
    estimate, drawn = correlated(3, 999, 6)
    alone = [max_t_pvalues(estimate[[k]], drawn[:, [k]], units=50)[0] for k in range(6)]
    sd = drawn.std(axis=0, ddof=1)
    away = np.vectorize(normal_to_t)(np.abs(drawn - drawn.mean(axis=0)) / sd, 50)
    assert alone == pytest.approx((1 + (away >= np.abs(estimate) / sd).sum(axis=0)) / 1000)
    assert (max_t_pvalues(estimate, drawn, units=50) >= alone).all()


def test_copies_of_a_statistic_change_no_p():
    estimate, drawn = correlated(4, 500, 3)
    once = max_t_pvalues(estimate, drawn, units=50)
    thrice = max_t_pvalues(np.tile(estimate, 3), np.tile(drawn, 3), units=50)
    np.testing.assert_allclose(thrice, np.tile(once, 3))


def test_constant_statistics_have_exact_p():
    drawn = np.stack([np.zeros(50), np.full(50, 0.2), np.random.default_rng(0).normal(size=50)], axis=1)
    p = max_t_pvalues(np.array([0.0, 0.2, 0.0]), drawn, units=50)
    assert p.tolist() == [1.0, 1 / 51, 1.0]
    assert max_t_pvalues(np.array([0.0]), drawn[:, :1], units=50).tolist() == [1.0]
