"""Paired tests, analysis of variance, corrections, effect sizes: against scipy."""

import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.stats import distributions
from metameter.stats.checks import system_pairs
from metameter.stats.distributions import studentized_range_quantile, studentized_range_tail
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.pair_tests import effect_sizes
from metameter.stats.significance.pairs import ADJUSTMENTS, adjust_pvalues
from metameter.stats.significance.pairwise import paired_t, sign, wilcoxon

RNG = np.random.default_rng(0)
grid = st.integers(-6, 6).map(lambda number: number / 8)
matrices = st.tuples(st.integers(2, 15), st.integers(2, 4)).flatmap(lambda shape: arrays(float, shape, elements=grid))


def columns(matrix):
    for place, (i, j) in enumerate(zip(*system_pairs(matrix.shape[1]), strict=True)):
        yield place, matrix[:, i], matrix[:, j]


@given(matrices)
def test_paired_t_matches_scipy(matrix):
    found = paired_t(matrix)
    for place, x, y in columns(matrix):
        if np.ptp(x - y) > 0:
            wanted = scipy.stats.ttest_rel(x, y)
            assert found.statistic[place] == pytest.approx(wanted.statistic, abs=1e-12)
            assert found.pvalue[place] == pytest.approx(wanted.pvalue, abs=1e-12)
        else:
            assert found.pvalue[place] == (0 if x[0] != y[0] else 1)


@given(matrices)
def test_wilcoxon_with_ties_matches_scipy(matrix):
    found = wilcoxon(matrix)
    for place, x, y in columns(matrix):
        z = np.abs(x - y)
        exact = len(np.unique(z)) == len(z) and z.all()
        if not z.any():
            assert found.pvalue[place] == 1
            continue
        wanted = scipy.stats.wilcoxon(x, y, method="exact" if exact else "asymptotic")
        assert found.statistic[place] == wanted.statistic
        assert found.pvalue[place] == pytest.approx(wanted.pvalue, abs=1e-12)


@pytest.mark.parametrize("n", [2, 10, 50, 51, 70])
def test_wilcoxon_without_ties_matches_scipy(n):
    matrix = RNG.random((n, 3))
    found = wilcoxon(matrix)
    for place, x, y in columns(matrix):
        assert found.pvalue[place] == pytest.approx(scipy.stats.wilcoxon(x, y).pvalue, abs=1e-12)


@given(matrices)
def test_the_sign_test_matches_scipy(matrix):
    found = sign(matrix)
    for place, x, y in columns(matrix):
        wins, losses = int((x > y).sum()), int((x < y).sum())
        wanted = scipy.stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
        assert found.statistic[place] == wins
        assert found.pvalue[place] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign])
def test_leading_axes_and_edges_are_supported(test):
    scores = RNG.random((2, 3, 8, 4))
    found = test(scores)
    assert found.pvalue.shape == (2, 3, 6)
    assert (found.pvalue[1, 2] == test(scores[1, 2]).pvalue).all()
    assert found.power().shape == (2, 3)
    assert (test(np.ones((5, 3))).pvalue == 1).all()
    assert np.isnan(test(scores[0, 0, :1]).pvalue).all()
    noisy = np.stack([0.1 + 0.2 * np.ones(6), 0.3 * np.ones(6)], axis=1)  # differ in the last bit only
    assert test(noisy).pvalue == [1]


def test_a_constant_difference_has_p_zero():
    matrix = np.stack([RNG.random(7)] * 2, axis=1) + np.array([0.0, 0.1])
    found = paired_t(matrix)
    assert (found.statistic[0], found.pvalue[0]) == (-np.inf, 0)
    effect = effect_sizes(matrix)
    assert (effect.cohen_dz[0], effect.hsd[0]) == (-np.inf, np.inf)
    same = effect_sizes(np.ones((4, 2)))
    assert (same.cohen_dz[0], same.hsd[0]) == (0, 0)
    assert two_way_anova(matrix).tukey_pvalue == 0


def test_anova_matches_least_squares():
    scores = RNG.random((2, 9, 4))
    found = two_way_anova(scores)
    assert found.tukey_pvalue.shape == (2, 6)
    assert (found.tukey_pvalue[1] == two_way_anova(scores[1]).tukey_pvalue).all()
    design = np.array(
        [[*(t == np.arange(9)), *(s == np.arange(1, 4))] for t in range(9) for s in range(4)], dtype=float
    )
    for matrix, residual in zip(scores, found.ss_residual, strict=True):
        assert np.linalg.lstsq(design, matrix.ravel(), rcond=None)[1][0] == pytest.approx(residual)


def test_anova_without_residual_has_p_0_or_1():
    additive = np.add.outer([0.1, 0.2, 0.4], [0.0, 0.0, 0.5])
    found = two_way_anova(additive)
    assert found.tukey_pvalue.tolist() == [1, 0, 0]
    assert found.power() == pytest.approx(2 / 3)
    flat = two_way_anova(np.ones((3, 3)))
    assert (flat.tukey_pvalue.tolist(), flat.power()) == ([1, 1, 1], 0)
    one = two_way_anova([[1.0, 2.0, 3.0]])
    assert np.isnan([one.required_difference(), *one.tukey_pvalue]).all()


@pytest.mark.parametrize(("k", "df"), [(2, 1), (2, 7), (3, 2), (4, 57), (39, 1000), (129, 6272)])
def test_studentized_range_matches_scipy(k, df):
    q = np.array([0.05, 0.7, 1.9, 3.3, 4.8, 6.0, 11.0])
    assert studentized_range_tail(q, k, df) == pytest.approx(scipy.stats.studentized_range.sf(q, k, df), abs=1e-9)
    critical = studentized_range_quantile(0.05, k, df)
    assert scipy.stats.studentized_range.sf(critical, k, df) == pytest.approx(0.05, abs=1e-9)


def test_batched_studentized_ranges_match_single_ones():
    q = np.append(RNG.random(600) * 15, [0.0, np.inf, 400.0, np.nan])
    found = studentized_range_tail(q, 40, 1500)
    wanted = distributions._integrated_range(q[:-1], 40, 1500)
    assert found[:-1] == pytest.approx(wanted, abs=1e-11)
    assert (found[600], *found[601:603]) == (pytest.approx(1), 0, 0)
    assert np.isnan(found[603])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=50)
def test_adjusted_p_values_are_ordered_and_bounded(pvalues):
    p = np.array(pvalues)
    adjusted = {method: adjust_pvalues(p, method) for method in ADJUSTMENTS}
    for values in adjusted.values():
        assert (values >= p * (1 - 1e-12)).all()
        assert (values <= 1).all()
        assert (np.diff(values[np.argsort(p, kind="stable")]) >= -1e-12).all()
    assert (adjusted["holm"] <= adjusted["bonferroni"] + 1e-12).all()
    assert (adjusted["hommel"] <= adjusted["holm"] + 1e-12).all()
    assert adjusted["fdr_bh"] == pytest.approx(scipy.stats.false_discovery_control(p, method="bh"), abs=1e-12)
    assert adjusted["fdr_by"] == pytest.approx(scipy.stats.false_discovery_control(p, method="by"), abs=1e-12)


@pytest.mark.parametrize(
    ("pvalues", "method"), [([0.1], "bonferoni"), ([1.2], "holm"), ([[0.1]], "holm"), ([np.nan], "holm")]
)
def test_wrong_input_of_adjustments_is_refused(pvalues, method):
    with pytest.raises(MetameterError):
        adjust_pvalues(pvalues, method)


def test_empty_and_certain_p_values_are_adjusted():
    assert adjust_pvalues([], "holm").shape == (0,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adjust_pvalues([1.0, 0.0], "sidak").tolist() == [1, 0]


def test_tolerant_wilcoxon_ties_rounding_differences():
    matrix = np.array([[0.3, 0.1], [0.1, 0.3], [0.5, 0.3], [0.9, 0.4]])  # .3 - .1 and .5 - .3 differ in the last bit
    tolerant, whole = wilcoxon(matrix, tolerant=True), wilcoxon(np.round(matrix * 10))
    assert tolerant.pvalue == whole.pvalue != wilcoxon(matrix).pvalue
    assert tolerant.statistic == whole.statistic == 2.0
