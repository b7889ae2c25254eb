"""Correlations extrapolated to means without noise."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import (
    LEAST_TOPICS,
    at_two_noise_levels,
    bootstrap_bounds,
    extrapolated_interval,
)
from metameter.stats.resampling.samples import long_bootstrap_indices

PAIR = np.array([0]), np.array([1])


def tau_of(r):
    return 2 / np.pi * np.arcsin(r)


def bounds_of(matrix, resamples=200, seed=0, coefficient="tau_b", jobs=1):
    statistic = coefficients_of_means(*PAIR, coefficient)
    estimates = statistic(matrix.mean(axis=1))
    return estimates, bootstrap_bounds(matrix, statistic, estimates, resamples, seed, jobs, coefficient)


def noisy(seed=0, topics=25, systems=30, noise=1.0, apart=0.3):
    """Two metrics of systems that differ, with noise that they share in part."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(1, topics, systems)), rng.normal(size=(2, topics, systems))
    systems_differ = rng.normal(size=systems) + apart * rng.normal(size=(2, 1, systems))
    return systems_differ + noise * (shared + own)


def test_noise_proportional_to_pearsons_r_is_removed_exactly():
    # Kendall's tau of normal scores is 2/pi arcsin r, as scipy finds; r is to fall by .1 for each unit of noise.
    x, y = np.random.default_rng(1).multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 200_000).T
    assert scipy_stats.kendalltau(x, y).statistic == pytest.approx(tau_of(0.9), abs=0.003)
    long, short = (np.full((50, 1), tau_of(0.9 - 0.1 * noise)) for noise in (1.25, 2.0))
    low, high = extrapolated_interval(long, short, np.array([tau_of(0.8)]), 50)
    assert low == pytest.approx(tau_of(0.8)), "widened to hold the estimate"
    assert high == pytest.approx(tau_of(0.9))


def test_spearman_uses_another_scale():
    long, short = (np.full((50, 1), 6 / np.pi * np.arcsin((0.9 - 0.1 * noise) / 2)) for noise in (1.25, 2.0))
    _, high = extrapolated_interval(long, short, np.array([0.5]), 50, half_turn=3.0)
    assert high == pytest.approx(6 / np.pi * np.arcsin(0.45))


def test_the_width_matches_students_t():
    # Both lengths vary about r = 0, where only the long resamples count: twice their deviation, t with n - 1 degrees.
    r = np.random.default_rng(2).normal(0, 0.05, (400, 1))
    r -= r.mean()
    low, high = extrapolated_interval(tau_of(r), tau_of(r), np.array([0.0]), 9)
    half = scipy_stats.t.ppf(0.975, 8) * 2 * r.std(ddof=1)
    assert (low[0], high[0]) == pytest.approx((tau_of(-half), tau_of(half)))


def test_undefined_resamples_are_left_out():
    draws = np.random.default_rng(3).uniform(0.5, 0.6, (40, 2))
    holes = draws.copy()
    holes[:, 1] = np.nan
    holes[:20, 0] = np.nan
    estimates = np.array([0.55, 0.55])
    some = extrapolated_interval(holes, holes, estimates, 20)
    assert np.isnan([some.low[1], some.high[1]]).all()
    fewer = extrapolated_interval(draws[20:], draws[20:], estimates, 20)
    assert (some.low[0], some.high[0]) == pytest.approx((fewer.low[0], fewer.high[0]))


def test_long_resamples_have_a_quarter_of_the_noise():
    scores = np.random.default_rng(4).exponential(size=(1, 12, 1))
    resamples = long_bootstrap_indices(12, 64 * 100)
    blocks = [at_two_noise_levels(b, replicates=resamples, matrix=scores, statistic=np.ravel) for b in range(100)]
    # The variance of a mean of 12 topics, without the bias of 11/12 that as many draws as topics have.
    of_mean = scores.var(ddof=1) / 12
    assert np.concatenate(blocks).var(axis=0) == pytest.approx([of_mean / 4, of_mean], rel=0.06)


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap", "rho", "rbo"])
@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0, 30.0])
def test_intervals_stay_on_the_scale_around_the_estimate(coefficient, noise):
    for seed in range(3):
        matrix = noisy(seed, topics=6, systems=5, noise=noise)
        estimate, bounds = bounds_of(matrix, 20, coefficient=coefficient)
        lowest = 0.0 if coefficient == "rbo" else -1.0
        assert lowest <= bounds["low"] <= estimate <= bounds["high"] <= 1.0
        assert np.isfinite([bounds["low_se"], bounds["high_se"]]).all()


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap", "rho", "rbo"])
def test_multiples_correlate_exactly_one(coefficient):
    one = noisy()[0]
    matrix = np.stack([one, 3.7 * one])
    estimate, bounds = bounds_of(matrix, 20, coefficient=coefficient)
    assert (estimate, bounds["low"], bounds["high"], bounds["low_se"], bounds["high_se"]) == (1, 1, 1, 0, 0)
    if coefficient in ("tau_b", "rho"):
        _, inverted = bounds_of(np.stack([one, -one]), 20, coefficient=coefficient)
        assert (inverted["low"][0], inverted["high"][0]) == pytest.approx((-1, -1), abs=1e-9)


def test_fewer_than_five_topics_have_no_interval():
    assert LEAST_TOPICS == 5
    for topics, empty in ((4, True), (5, False)):
        _, bounds = bounds_of(noisy(topics=topics))
        assert [bool(np.isnan(bound[0])) for bound in bounds.values()] == [empty] * 6


def test_errors_match_the_spread_over_seeds():
    matrix = noisy(7, noise=2.0, apart=1.5)
    found = [bounds_of(matrix, 200, seed)[1] for seed in range(40)]
    for end in ("low", "high"):
        seen = np.std([each[end] for each in found], ddof=1)
        told = np.mean([each[f"{end}_se"] for each in found])
        assert 0.65 < told / seen < 1.55, end


def test_fewer_resamples_are_a_prefix_of_more():
    few, many = (long_bootstrap_indices(9, trials, 3) for trials in (100, 200))
    assert (np.concatenate(list(few)) == np.concatenate(list(many))[:100]).all()


def test_a_mostly_constant_metric_has_an_interval():
    matrix = noisy(topics=40)
    matrix[1, 1:] = 0.0  # the systems differ on one topic only: a third of the short resamples miss it
    estimate, bounds = bounds_of(matrix, 50)
    assert bounds["low"] <= estimate <= bounds["high"]
    _, few = bounds_of(matrix, 2)
    assert np.isnan(few["low_se"]).all()


def _benchmark():
    path = Path(__file__).parents[3] / "benchmarks" / "coverage_similarity.py"
    spec = importlib.util.spec_from_file_location("coverage_similarity", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("topics", [25, 50])
def test_intervals_cover_at_their_nominal_level(topics):
    """A small version of benchmarks/coverage_similarity.py."""
    benchmark = _benchmark()
    size = benchmark.Size(population=800, systems=24, depth=50, blends=30, samples=3, resamples=100)
    truth, _, low, high, old_low, old_high = benchmark.trials(benchmark.population(size), topics, size, "tau_b")
    covered, percentiles = (low <= truth) & (truth <= high), (old_low <= truth) & (truth <= old_high)
    for lower, upper in ((0.5, 0.8), (0.8, 0.95), (0.95, 0.9999)):
        some = (truth >= lower) & (truth < upper)
        # The cases of one population are not independent: three errors of a third of them.
        error = 3 * np.sqrt(0.05 * 0.95 / (some.sum() / 3))
        assert covered[some].mean() >= 0.95 - error, (lower, upper)
    some = (truth >= 0.5) & (truth < 0.9999)
    assert 0.93 <= covered[some].mean() <= 0.995
    assert percentiles[some].mean() < 0.6, "a method without correction must not pass"
    assert (high - low)[some].mean() < 0.35
