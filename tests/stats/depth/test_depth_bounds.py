"""Intervals of taus along depth, from resampled topics."""

import itertools

import numpy as np
import pytest
import scipy.stats

from metameter.stats.depth.orderings import depth_bounds, orderings
from metameter.stats.resampling.samples import bootstrap_indices


def noisy(seed=0, rows=2, depths=4, topics=20, systems=9):
    """Systems that change places with depth, with noise that the depths share."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.4, (rows, depths, 1, systems)) + rng.normal(0, 0.4, (rows, depths, topics, systems))
    return np.linspace(0, 2, systems) + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]


def test_resamples_are_of_topics():
    scores = noisy(rows=1)
    found = depth_bounds(scores, resamples=70, seed=1)
    indices = np.concatenate(list(bootstrap_indices(20, 70, 1)))
    for number in (0, 1, 69):
        means = scores[0][:, indices[number]].mean(axis=1)
        wanted = [scipy.stats.kendalltau(row, means[-1]).statistic for row in means]
        assert found.tau_to_final.resampled[number, 0] == pytest.approx(wanted, abs=1e-12)
        wanted = [scipy.stats.kendalltau(*pair).statistic for pair in itertools.pairwise(means)]
        assert found.tau_to_previous.resampled[number, 0, 1:] == pytest.approx(wanted, abs=1e-12)


def test_the_interval_is_centred_on_the_estimate():
    taus = depth_bounds(noisy(), resamples=70).tau_to_final
    low, high = taus.interval(0.9)
    spread = np.std(taus.resampled, axis=0, ddof=1) * scipy.stats.t.ppf(0.95, 19)
    assert low == pytest.approx(np.maximum(taus.estimate - spread, -1.0))
    assert high == pytest.approx(np.minimum(taus.estimate + spread, 1.0))


def test_estimates_match_those_of_the_means():
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


def test_another_final_order_can_be_given():
    scores = noisy()
    whole = depth_bounds(scores, resamples=70)
    part = depth_bounds(scores[:, :2], scores[:, -1], resamples=70)
    for name in ("tau_to_final", "tau_ap_to_final"):
        assert (getattr(part, name).resampled == getattr(whole, name).resampled[..., :2]).all()
    assert np.array_equal(part.tau_to_previous.resampled, whole.tau_to_previous.resampled[..., :2], equal_nan=True)


def test_higher_levels_are_wider_and_rows_independent():
    scores = noisy()
    both, one = (depth_bounds(scores[:count], resamples=100) for count in (2, 1))
    assert (both.tau_ap_to_final.resampled[:, :1] == one.tau_ap_to_final.resampled).all()
    (low, high), (lower, higher) = (both.tau_to_final.interval(level) for level in (0.95, 0.998))
    assert (lower <= low).all()
    assert (higher >= high).all()
    assert (lower < low)[:, :-1].any()


def test_constant_depths_and_few_topics_have_no_interval():
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
