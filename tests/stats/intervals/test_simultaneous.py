"""Intervals that hold all at once: against the recipe spelled out, and against chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metameter.stats.consistency.resampled_metrics import approximate_power, resampled_power, resampled_taus
from metameter.stats.consistency.split_half import split_taus
from metameter.stats.intervals.metric_pairs import MetricResamples, pair_differences
from metameter.stats.intervals.simultaneous import (
    max_t_pvalues,
    normal_to_t,
    simultaneous_intervals,
    small_sample_factor,
)
from metameter.stats.proportional_metrics import first_proportional


def by_the_recipe(estimate, resampled, noise, centre, topics, alpha):
    """The steps of a step-down max-|t|, one statistic and one resample at a time."""
    deviation = [np.std(column, ddof=1) for column in resampled.T]
    error = [np.sqrt(max(d**2 - n, 0) + c) for d, n, c in zip(deviation, noise.mean(axis=0), centre, strict=True)]
    factor = scipy_stats.t.ppf(1 - alpha / 2, topics - 1) / scipy_stats.norm.ppf(1 - alpha / 2)
    family = [i for i, d in enumerate(deviation) if d > 1e-12]
    clear = set()
    while family:
        largest = [max(abs(row[i] - resampled[:, i].mean()) / deviation[i] for i in family) for row in resampled]
        c = factor * sorted(largest)[int(np.ceil((1 - alpha) * (len(largest) + 1))) - 1]
        new = {i for i in family if abs(estimate[i]) > c * error[i]}
        if not new:
            break
        clear |= new
        family = [i for i in family if i not in new]
    return clear


@pytest.fixture
def drawn():
    rng = np.random.default_rng(4)
    common = rng.normal(size=(320, 1))
    resampled = common + rng.normal(size=(320, 12)) * np.linspace(0.1, 2, 12)
    resampled[:, 5] = 0.25  # nothing varies: an identical pair
    estimate = np.linspace(-9, 9, 12)
    estimate[5] = 0.0
    return estimate, resampled, np.full((5, 12), 0.1), np.full(12, 0.02)


@pytest.mark.parametrize(("topics", "alpha"), [(12, 0.05), (50, 0.01), (200, 0.2)])
def test_differences_from_zero_match_the_plain_recipe(drawn, topics, alpha):
    found = simultaneous_intervals(*drawn, topics=topics, alpha=alpha)
    wanted = by_the_recipe(*drawn, topics, alpha)
    assert 0 < len(wanted) < 11
    assert set(np.flatnonzero(found.clear())) == wanted
    low, high = found.ends()
    assert ((low > 0) | (high < 0)).tolist() == found.clear().tolist()
    assert (low[5], high[5], found.se[5]) == (0.0, 0.0, 0.0)


def test_stepping_down_and_single_rows_find_no_fewer_differences(drawn):
    estimate, resampled, noise, centre = drawn
    found = simultaneous_intervals(*drawn, topics=50)
    first = found.critical[~found.clear() & (found.se > 0)]
    assert np.ptp(first) == 0
    assert (found.critical[found.clear()] <= first[0]).all()
    low, high = found.ends(row=True)
    together = found.ends()
    assert (low >= together[0]).all()
    assert (high <= together[1]).all()
    assert found.critical_row == pytest.approx(scipy_stats.t.ppf(0.975, 49))
    wide = simultaneous_intervals(estimate, resampled, np.zeros_like(noise), centre, topics=50)
    assert (wide.se[found.se > 0] > found.se[found.se > 0]).all()


def test_the_small_sample_factor_matches_students_t():
    for topics in (3, 12, 1000):
        wanted = scipy_stats.t.ppf(0.975, topics - 1) / scipy_stats.norm.ppf(0.975)
        assert small_sample_factor(topics) == pytest.approx(wanted)


def test_monte_carlo_errors_match_the_spread_over_seeds():
    rng = np.random.default_rng(0)
    estimate, centre = np.zeros(6), np.full(6, 0.05**2)
    ends, errors = [], []
    for _ in range(60):
        resampled = rng.normal(size=(640, 6)) * np.linspace(1, 3, 6)
        moved = estimate + rng.normal(0, 0.05, 6)
        found = simultaneous_intervals(moved, resampled, np.zeros((10, 6)), centre, topics=50)
        ends.append(found.ends()[1])
        errors.append(found.error)
    seen, said = np.std(ends, axis=0, ddof=1), np.sqrt(np.mean(np.square(errors), axis=0))
    assert said == pytest.approx(seen, rel=0.45)


def test_one_block_of_resamples_has_an_unknown_error(drawn):
    estimate, resampled, _, centre = drawn
    found = simultaneous_intervals(estimate, resampled[:64], np.zeros((1, 12)), centre, topics=50)
    assert np.isinf(found.error[found.se > 0]).all()


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(2)
    quality = np.linspace(0, 1, 12)
    return np.stack([quality + rng.normal(0, noise, (24, 12)) for noise in (0.3, 0.4, 2.0)])


def draws_of(matrix, resamples=200, seed=0):
    taus = np.nan_to_num(split_taus(matrix, 200, None, seed, 1))
    return MetricResamples.of(matrix, taus, resampled_taus(matrix, resamples, seed=seed), alpha=0.05, seed=seed)


def test_split_noise_matches_that_of_more_splits(matrix):
    found = resampled_taus(matrix, 640, seed=0)
    alone = np.nan_to_num(split_taus(matrix, 4000, None, 0, 1)).var(axis=0) / 4
    noise = np.array([found.noise.mean(axis=0)[i, i] for i in range(3)])
    # Halves of a resample hold fewer topics than those of all topics, so their taus vary more.
    assert (noise > 0.8 * alone).all()
    assert (noise < 4 * alone).all()


def test_power_and_taus_use_the_same_resamples(matrix):
    from metameter.stats.resampling.samples import bootstrap_splits

    copies = np.concatenate([block[:, 0].sum(axis=1) for block in bootstrap_splits(24, 70, 4, 3)])
    found = resampled_power(matrix, 70, alpha=0.05, seed=3)
    for number in (0, 63, 64, 69):
        topics = np.repeat(np.arange(24), copies[number])
        assert np.array_equal(found[number], approximate_power(matrix[:, topics], 0.05))


def test_extended_draws_continue_the_earlier_ones(matrix):
    some = draws_of(matrix, 100)
    more = some.extended(matrix, 200, 300, alpha=0.05, seed=0)
    whole = draws_of(matrix, 200)
    assert np.array_equal(more.power, whole.power)
    assert np.array_equal(more.halves.taus, whole.halves.taus)
    assert np.array_equal(more.halves.noise, whole.halves.noise)
    assert len(more.split_taus) == 300
    assert np.array_equal(more.split_taus[:200], some.split_taus)


def test_differing_pairs_match_the_intervals_of_all_pairs(matrix):
    draws = draws_of(np.concatenate([matrix, 3 * matrix[:1]]))
    pairs = np.array([(i, j) for i in range(4) for j in range(i)])
    found = simultaneous_intervals(*draws.differences(*pairs.T), topics=24, alpha=0.05).clear().reshape(2, -1)
    for apart, wanted in zip(pair_differences(draws, topics=24, alpha=0.05).differs(), found, strict=True):
        assert apart[tuple(pairs.T)].tolist() == wanted.tolist()
        assert np.array_equal(apart, apart.T)
    assert found.any()
    both = simultaneous_intervals(*draws.differences(*pairs.T), topics=24, alpha=0.05)
    wide = pair_differences(draws, topics=24, alpha=0.05).half_any
    assert np.concatenate([each[tuple(pairs.T)] for each in wide]) == pytest.approx(both.critical * both.se)
    assert not pair_differences(draws, topics=24, alpha=0.05).differs()[1][0, 3]


def test_only_multiples_are_proportional(matrix):
    more = np.concatenate([matrix, 3 * matrix[[1]], matrix[[0]] + 1e-6, np.zeros((2, 24, 12))])
    assert first_proportional(more).tolist() == [0, 1, 2, 1, 4, 5, 5]
    taus = resampled_taus(more, 70, seed=0).taus
    assert np.array_equal(taus[:, 3], taus[:, 1])


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
