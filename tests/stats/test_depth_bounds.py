"""Intervals of taus along depth: those of `similarity` for pairs of depths, of any level."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metameter.stats.broken_ties import most_tau
from metameter.stats.coefficients import coefficients_of_means
from metameter.stats.correlation_bounds import bootstrap_bounds
from metameter.stats.correlation_resamples import long_bootstrap_indices
from metameter.stats.depth_bounds import depth_bounds
from metameter.stats.extrapolation import extrapolated_interval
from metameter.stats.kendall import tau_b_of_codes
from metameter.stats.orderings import orderings
from metameter.stats.ties import tied_codes


def noisy(seed=0, rows=2, depths=4, topics=20, systems=9):
    """Systems that change places with depth, with noise that the depths share."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.4, (rows, depths, 1, systems)) + rng.normal(0, 0.4, (rows, depths, topics, systems))
    return np.linspace(0, 2, systems) + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]


def test_the_intervals_are_those_of_similarity_between_depths():
    scores = noisy()
    found = depth_bounds(scores, resamples=100, seed=3)
    wanted = {"tau_to_final": [(k, 3) for k in range(4)], "tau_to_previous": [(k, k - 1) for k in range(1, 4)]}
    for name, pairs in wanted.items():
        low, high = getattr(found, name).interval()
        first, second = np.array(pairs).T
        statistic = coefficients_of_means(first, second, "tau_b")
        for row, one in enumerate(scores):
            ends = bootstrap_bounds(one, statistic, statistic(one.mean(axis=-2)), 100, 3, 1)
            assert low[row, -len(pairs) :] == pytest.approx(ends["low"], abs=1e-12)
            assert high[row, -len(pairs) :] == pytest.approx(ends["high"], abs=1e-12)


def test_the_resamples_are_of_topics():
    scores = noisy(rows=1)
    found = depth_bounds(scores, resamples=70, seed=1)
    indices = np.concatenate(list(long_bootstrap_indices(20, 70, 1)))
    for number in (0, 1, 69):
        for taus, drawn in (
            (found.tau_to_final.long, indices[number]),
            (found.tau_to_final.short, indices[number, :19]),
        ):
            means = scores[0][:, drawn].mean(axis=1)
            wanted = [scipy.stats.kendalltau(row, means[-1]).statistic for row in means]
            assert taus[number, 0] == pytest.approx(wanted, abs=1e-12)


def test_estimates_are_those_of_the_means():
    scores = noisy()
    found, wanted = depth_bounds(scores, resamples=10), orderings(scores.mean(axis=-2))
    for name in ("tau_to_final", "tau_to_previous", "tau_ap_to_final"):
        assert np.array_equal(getattr(found, name).estimate, getattr(wanted, name), equal_nan=True)
        low, high = getattr(found, name).interval()
        defined = ~np.isnan(getattr(wanted, name))
        assert (low[defined] <= getattr(wanted, name)[defined]).all()
        assert (high[defined] >= getattr(wanted, name)[defined]).all()
        assert np.isnan(low[~defined]).all()
    assert np.isnan(found.tau_to_previous.interval().low[:, 0]).all()
    low, high = found.tau_to_final.interval()
    assert (low[:, -1] == 1).all()
    assert (high[:, -1] == 1).all()


def test_another_final_order():
    scores = noisy()
    whole = depth_bounds(scores, resamples=70)
    part = depth_bounds(scores[:, :2], scores[:, -1], resamples=70)
    for name in ("tau_to_final", "tau_ap_to_final"):
        assert (getattr(part, name).short == getattr(whole, name).short[..., :2]).all()
    assert np.array_equal(part.tau_to_previous.long, whole.tau_to_previous.long[..., :2], equal_nan=True)


def test_a_higher_level_is_wider_and_rows_do_not_matter_to_each_other():
    scores = noisy()
    both, one = (depth_bounds(scores[:count], resamples=100) for count in (2, 1))
    assert (both.tau_ap_to_final.long[:, :1] == one.tau_ap_to_final.long).all()
    (low, high), (lower, higher) = (both.tau_to_final.interval(level) for level in (0.95, 0.998))
    assert (lower <= low).all()
    assert (higher >= high).all()
    assert (lower < low)[:, :-1].any()


def test_a_depth_that_orders_nothing_and_few_topics():
    scores = noisy(rows=1)
    scores[0, 0] = 0.5
    found = depth_bounds(scores, resamples=10)
    low, high = found.tau_to_final.interval()
    assert np.isnan([low[0, 0], high[0, 0]]).all()
    assert np.isfinite(low[0, 1:]).all()
    few = depth_bounds(noisy(topics=4), resamples=10).tau_to_final
    assert np.isnan(few.interval()).all()
    assert np.isfinite(few.estimate).all()
    assert np.isfinite(depth_bounds(noisy(topics=5), resamples=10).tau_to_final.interval()).all()


def test_ties_that_may_hide_agreement_raise_the_upper_end():
    scores = noisy(topics=12)
    tied = scores.copy()
    tied[:, 0] = tied[:, 0] > 1  # coarse scores at the first depth: many ties
    taus = depth_bounds(tied, resamples=70).tau_to_final
    plain = extrapolated_interval(taus.long, taus.short, taus.estimate, 12)
    low, high = taus.interval()
    assert (low == plain.low).all()
    assert (high[:, 1:] == plain.high[:, 1:]).all(), "no ties"
    for row in range(2):
        first, last = tied[row, [0, -1]].mean(axis=-2)
        codes = scipy.stats.rankdata(first, method="dense") * 100 + scipy.stats.rankdata(last)  # ties broken alike
        wanted = scipy.stats.kendalltau(codes, last).statistic
        assert taus.most[row, 0] == pytest.approx(wanted)
        assert wanted > taus.estimate[row, 0]
        assert high[row, 0] == pytest.approx(min(1.0, plain.high[row, 0] + wanted - taus.estimate[row, 0]))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=6))
def test_broken_ties_are_the_best_of_all_ways_to_break_them(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    codes = [tied_codes(side.astype(float)) for side in (first, second)]
    if min(side.max() for side in codes) == 0:
        return
    found, plain = most_tau(*codes), tau_b_of_codes(*(side[None] for side in codes))[0]
    assert found >= plain - 1e-12
    n = len(first)
    if len(set(pairs)) < n:
        return  # systems tied in both stay tied: no order without ties to compare with
    orders = list(itertools.permutations(range(n)))
    fits = [[o for o in orders if all(side[a] <= side[b] for a, b in itertools.pairwise(o))] for side in codes]
    ranks = [[np.argsort(o) for o in some] for some in fits]
    best = max(scipy.stats.kendalltau(x, y).statistic for x in ranks[0][:30] for y in ranks[1][:30])
    assert found >= best - 1e-12
