"""Intervals of taus along depth: those of `similarity` for pairs of depths, of any level."""

import numpy as np
import pytest
import scipy.stats

from metameter.stats.coefficients import coefficients_of_means
from metameter.stats.correlation_bounds import bootstrap_bounds
from metameter.stats.correlation_resamples import long_bootstrap_indices
from metameter.stats.depth_bounds import depth_bounds
from metameter.stats.orderings import orderings


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
