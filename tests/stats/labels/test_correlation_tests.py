"""Tests of two correlations with one set of labels: printed examples, then what each says of the others."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metameter.stats.labels.correlation_tests import FORMULAS, TauTriple, bootstrap_pvalues, formula_pvalue
from metameter.stats.rank_correlation.dependent_correlations import fisher_independent, zou_interval

# Zou (2007) prints the interval; Williams' t and Steiger's Z of the same example are those of R's package cocor.
ZOU, N = TauTriple(0.396, 0.179, 0.088), 66
CORRELATIONS = st.floats(-0.95, 0.95).map(lambda value: round(value, 3))


def possible(taus):
    """Three correlations that can occur together, and that are not nearly the same."""
    one, other, between = taus
    determinant = 1 - one**2 - other**2 - between**2 + 2 * one * other * between
    return determinant > 0.01 and abs(one - other) > 0.01


def test_printed_examples_are_reproduced():
    assert formula_pvalue("williams", ZOU, N) == pytest.approx(0.172174, abs=1e-6)
    assert formula_pvalue("steiger", ZOU, N) == pytest.approx(0.171383, abs=1e-6)
    assert formula_pvalue("williams", TauTriple(0.5, 0.4, 0.3), 100) == pytest.approx(0.328617, abs=1e-6)
    assert formula_pvalue("fisher", TauTriple(0.357, 0.335, 0.9), 7500) > 0.05
    assert formula_pvalue("fisher", TauTriple(0.362, 0.334, 0.9), 7500) == fisher_independent(0.362, 0.334, 7500).pvalue


def test_zous_p_is_one_minus_the_level_ending_at_zero():
    p = formula_pvalue("zou", ZOU, N)
    assert zou_interval(*ZOU, N, 1 - p)[0] == pytest.approx(0, abs=1e-9)
    # The printed interval at 95% is (-.093, .517): zero is within.
    assert 0.05 < p < 0.2


@given(CORRELATIONS, CORRELATIONS, CORRELATIONS, st.integers(5, 9000), st.floats(0.01, 0.99))
def test_zous_p_agrees_with_the_interval_at_every_level(one, other, between, n, level):
    assume(possible((one, other, between)))
    p = formula_pvalue("zou", TauTriple(one, other, between), n)
    assume(abs(p - (1 - level)) > 1e-9)
    low, high = zou_interval(one, other, between, n, level)
    assert (p < 1 - level) == (not low <= 0 <= high)


@given(CORRELATIONS, CORRELATIONS, CORRELATIONS, st.integers(5, 9000), st.sampled_from(FORMULAS))
def test_the_order_of_the_two_metrics_does_not_matter(one, other, between, n, test):
    assume(possible((one, other, between)))
    there, back = (formula_pvalue(test, TauTriple(*pair, between), n) for pair in ((one, other), (other, one)))
    assert there == pytest.approx(back, abs=1e-9)
    assert 0 <= there <= 1


@pytest.mark.parametrize("test", FORMULAS)
def test_more_pages_give_smaller_p(test):
    found = [formula_pvalue(test, TauTriple(0.4, 0.3, 0.5), n) for n in (10, 100, 1000)]
    assert found[0] > 0.5 > 0.05 > found[2]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("test", FORMULAS)
def test_equal_correlations_do_not_differ(test):
    assert formula_pvalue(test, TauTriple(0.3, 0.3 + 1e-15, 0.99), 50) == 1


@given(st.integers(0, 2**32), st.integers(1, 200))
def test_bootstrap_p_matches_a_plain_count(seed, trials):
    drawn = np.random.default_rng(seed).integers(-3, 6, (trials, 4)) / 10.0
    for place, found in enumerate(bootstrap_pvalues(drawn)):
        at_most = sum(value <= 0 for value in drawn[:, place])
        at_least = sum(value >= 0 for value in drawn[:, place])
        assert found == pytest.approx(min(2 * (min(at_most, at_least) + 1) / (trials + 1), 1))


def test_bootstrap_p_of_zero_differences_is_one():
    drawn = np.zeros((10, 3))
    drawn[:, 1] = 1e-16
    drawn[:, 2] = 1.0
    assert bootstrap_pvalues(drawn).tolist() == [1.0, 1.0, 2 / 11]
