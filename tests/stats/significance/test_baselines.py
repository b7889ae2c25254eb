"""Comparisons with baselines: Dunnett's tables, scipy, plain loops."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.stats import distributions
from metameter.stats.distributions import dunnett_quantile, dunnett_tail
from metameter.stats.intervals.means import pair_widths
from metameter.stats.resampling.samples import row_permutations
from metameter.stats.significance.baselines import against_baselines, randomised_dunnett
from metameter.stats.significance.pair_tests import run_test
from metameter.stats.significance.pairs import FAMILYWISE, TESTS, compared_pairs
from metameter.stats.significance.tukey import randomised_tukey

RNG = np.random.default_rng(0)
PERMUTATIONS = np.concatenate(list(row_permutations(6, 4, 150)))
grid = st.integers(0, 8).map(lambda number: number / 8)


@pytest.mark.parametrize(
    ("k", "df", "critical"),
    # Two-sided, 5%: C. W. Dunnett, New tables for multiple comparisons with a control, Biometrics 20 (1964).
    [(1, 10, 2.23), (2, 10, 2.57), (3, 10, 2.76), (4, 20, 2.65), (5, 20, 2.73), (9, 20, 2.95), (9, 60, 2.77)],
)
def test_printed_critical_values_are_reproduced(k, df, critical):
    assert dunnett_quantile(0.05, k, df) == pytest.approx(critical, abs=0.0051)


@pytest.mark.parametrize(("k", "df"), [(2, 5), (4, 20), (7, 200)])
def test_the_tail_matches_a_multivariate_t(k, df):
    joint = scipy.stats.multivariate_t(shape=np.full((k, k), 0.5) + 0.5 * np.eye(k), df=df, seed=1)
    for t in (1.0, 2.5, 3.5):
        inside = joint.cdf(np.full(k, t), lower_limit=np.full(k, -t), maxpts=50_000)
        assert dunnett_tail(t, k, df) == pytest.approx(1 - inside, abs=5e-4)


def test_one_comparison_matches_students_t():
    t = np.array([0.0, 0.3, 2.0, 7.0, np.inf, np.nan])
    assert dunnett_tail(t, 1, 8) == pytest.approx(2 * scipy.stats.t.sf(t, 8), abs=1e-12, nan_ok=True)


def test_batched_values_match_single_values():
    t = RNG.random(600) * 8
    assert dunnett_tail(t, 40, 1500) == pytest.approx(distributions._integrated_dunnett(t, 40, 1500), abs=1e-8)


def plain_loop(matrix, permutations, pairs):
    rows = np.arange(len(matrix))[:, None]
    means = np.array([matrix[rows, permutation].mean(axis=0) for permutation in permutations])
    return np.abs(means[:, pairs[0]] - means[:, pairs[1]]).max(axis=1)


@pytest.mark.parametrize("baselines", [[0], [2], [3, 1]])
@given(arrays(float, (6, 4), elements=grid))
@settings(max_examples=30, deadline=None)
def test_randomised_dunnett_matches_a_plain_loop(baselines, matrix):
    pairs = compared_pairs(4, baselines)
    largest = plain_loop(matrix, PERMUTATIONS, pairs)
    result = randomised_dunnett(matrix, baselines, permutations=PERMUTATIONS, smooth=False)
    assert result.ranges == pytest.approx(largest, abs=1e-12)
    wanted = [(largest >= d - 1e-12).mean() for d in np.abs(result.statistic)]
    assert result.pvalue == pytest.approx(wanted, abs=1e-12)


def test_sampled_p_approaches_the_enumeration():
    matrix = RNG.random((3, 3))
    orders = np.array(list(itertools.product(itertools.permutations(range(3)), repeat=3)))
    exact = randomised_dunnett(matrix, [1], permutations=orders).pvalue
    sampled = randomised_dunnett(matrix, [1], trials=20_000)
    assert np.abs(sampled.pvalue - exact).max() < 4.5 * sampled.pvalue_error.max()


def test_two_systems_match_randomised_tukey_bit_for_bit():
    scores = RNG.random((5, 20, 2))
    ours, theirs = randomised_dunnett(scores, [0], trials=500), randomised_tukey(scores, trials=500)
    assert (ours.ranges == theirs.ranges).all()
    assert (ours.pvalue == theirs.pvalue).all()
    assert (ours.statistic == -theirs.statistic).all()


def test_all_systems_as_baselines_match_randomised_tukey():
    scores = RNG.random((2, 15, 5))
    ours = randomised_dunnett(scores, range(5), trials=300)
    theirs = randomised_tukey(scores, trials=300)
    assert ours.ranges == pytest.approx(theirs.ranges, rel=1e-12)
    every = list(zip(*compared_pairs(5), strict=True))
    place = [every.index(tuple(sorted(pair))) for pair in zip(*compared_pairs(5, range(5)), strict=True)]
    assert (ours.pvalue == theirs.pvalue[:, place]).all()


@pytest.mark.parametrize("test", ["tukey-randomised", "max-t", "tukey"])
def test_familywise_error_against_a_baseline_is_kept(test):
    scores = RNG.normal(size=(400, 15, 6)) + RNG.normal(size=(400, 15, 1))
    few = against_baselines(scores, test, [2], trials=400, alpha=0.05, seed=1)
    wrong = (few.pvalue < 0.05).any(axis=-1).mean()
    assert abs(wrong - 0.05) <= 3.5 * np.sqrt(0.05 * 0.95 / 400)


def test_several_baselines_multiply_the_classical_p():
    scores = RNG.random((2, 15, 5)) + np.arange(5) / 5
    one, two = (against_baselines(scores, "tukey", b, trials=0, alpha=0.05, seed=0) for b in ([1], [1, 4]))
    assert two.pvalue[:, :4] == pytest.approx(np.minimum(1, 2 * one.pvalue))
    assert (two.required > one.required).all()
    assert ((np.abs(two.difference) > two.required[:, None]) == (two.pvalue < 0.05)).all()


def test_constant_systems_have_p_1():
    same = against_baselines(np.ones((1, 6, 3)), "tukey", [0], trials=0, alpha=0.05, seed=0)
    assert same.pvalue.tolist() == [[1, 1]]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("baselines", [[3], [0, 4]])
def test_comparisons_equal_those_among_all_pairs(test, baselines):
    scores = np.round(RNG.random((2, 15, 6)), 1)
    scores[1, :, 4] = scores[1, :, 0]
    options = {"trials": 200, "alpha": 0.05, "seed": 0}
    every, few = run_test(scores, test, **options), against_baselines(scores, test, baselines, **options)
    first, second = compared_pairs(6, baselines)
    pairs = list(zip(*compared_pairs(6), strict=True))
    place = [pairs.index(tuple(sorted(pair))) for pair in zip(first, second, strict=True)]
    sign = np.where(first < second, 1.0, -1.0)
    assert (few.difference == sign * every.difference[:, place]).all()
    assert np.array_equal(few.effect, sign * every.effect[:, place])
    if test not in FAMILYWISE:
        assert np.array_equal(few.pvalue, every.pvalue[:, place])
        widths = pair_widths(scores, test, every, correction="none", alpha=0.05, seed=0)
        own = pair_widths(scores, test, few, correction="none", alpha=0.05, seed=0, pairs=(first, second))
        for all_pairs, some in zip(widths, own, strict=True):
            assert np.array_equal(some, all_pairs[:, place], equal_nan=True)


@pytest.mark.parametrize("options", [{"baselines": [4]}, {"baselines": [-1]}, {"baselines": [0], "trials": 0}])
def test_wrong_input_is_refused(options):
    with pytest.raises(MetameterError):
        randomised_dunnett(np.ones((3, 4)), **options)
