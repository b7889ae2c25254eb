"""Randomised Tukey HSD: enumeration, Fisher's test, invariances, same bits whatever the jobs."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.stats.checks import system_pairs
from metameter.stats.resampling.samples import row_permutations
from metameter.stats.significance.tukey import randomised_tukey
from tests.stats.exact_tukey import exact_tukey

RNG = np.random.default_rng(0)
PERMUTATIONS = np.concatenate(list(row_permutations(6, 4, 150)))
# Multiples of 1/8: sums are exact, so every tie must count.
grid = st.integers(0, 8).map(lambda number: number / 8)


def plain_loop(matrix, permutations):
    rows = np.arange(len(matrix))[:, None]
    means = np.array([matrix[rows, permutation].mean(axis=0) for permutation in permutations])
    return means.max(axis=1) - means.min(axis=1)


@given(arrays(float, (3, 3), elements=grid))
@settings(max_examples=30)
def test_enumeration_matches_the_definition(matrix):
    orders = list(itertools.permutations(range(3)))
    ranges = plain_loop(matrix, np.array(list(itertools.product(orders, repeat=3))))
    found = exact_tukey(matrix)
    difference = np.abs(found.statistic)
    wanted = [(ranges >= d - 1e-12).mean() for d in difference]
    assert found.pvalue == pytest.approx(wanted, abs=1e-12)


def test_the_sample_approaches_the_enumeration():
    matrix = RNG.random((5, 3))
    exact, sampled = exact_tukey(matrix), randomised_tukey(matrix, trials=20_000)
    assert np.abs(exact.pvalue - sampled.pvalue).max() < 4.5 * sampled.pvalue_error.max()


def test_two_systems_match_fishers_randomisation_test():
    matrix = RNG.random((9, 2)) + np.array([0.0, 0.2])
    wanted = scipy.stats.permutation_test(
        (matrix[:, 0], matrix[:, 1]), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert exact_tukey(matrix).pvalue == pytest.approx([wanted.pvalue])


def test_batched_metrics_match_single_metrics():
    scores = RNG.random((70, 6, 4))
    together = randomised_tukey(scores, trials=150)
    for alone, ranges in zip(scores, together.ranges, strict=True):
        assert (randomised_tukey(alone, trials=150).ranges == ranges).all()
    assert together.ranges[3] == pytest.approx(plain_loop(scores[3], PERMUTATIONS), abs=1e-12)
    assert together.power().shape == together.required_difference().shape == (70,)
    assert randomised_tukey(scores.reshape(7, 10, 6, 4), trials=150).pvalue.shape == (7, 10, 6)


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_any_number_of_jobs_gives_the_same_bits(jobs):
    scores = RNG.random((3, 7, 9))
    one, several = (randomised_tukey(scores, trials=700, jobs=count) for count in (1, jobs))
    assert (one.ranges == several.ranges).all()
    assert (one.pvalue == several.pvalue).all()
    longer = randomised_tukey(scores, trials=900, jobs=jobs)
    assert (longer.ranges[:, :700] == one.ranges).all()


def tukey(matrix, permutations=PERMUTATIONS):
    return randomised_tukey(matrix, permutations=permutations).pvalue


@given(arrays(float, (6, 4), elements=grid), st.permutations(range(4)), st.permutations(range(6)))
@settings(max_examples=40)
def test_p_is_invariant_with_given_permutations(matrix, systems, topics):
    wanted = tukey(matrix)
    assert (tukey(matrix * 3.7) == wanted).all()
    assert (tukey(matrix * 1e-9) == wanted).all()
    assert (tukey(matrix + np.linspace(0, 1, 6)[:, None]) == wanted).all()
    assert (tukey(matrix[topics], PERMUTATIONS[:, topics]) == wanted).all()
    table = np.zeros((4, 4))
    table[system_pairs(4)] = wanted
    table += table.T
    renamed = (table[systems][:, systems])[system_pairs(4)]
    # Column j of the renamed matrix is column systems[j]: the shuffles must name the same columns.
    place = np.argsort(systems)
    assert (tukey(matrix[:, systems], place[PERMUTATIONS]) == renamed).all()


def test_equal_systems_are_never_different():
    matrix = np.repeat(RNG.random((6, 1)), 4, axis=1)
    assert (tukey(matrix) == 1).all()
    assert (tukey(np.zeros((6, 4))) == 1).all()
    assert (randomised_tukey(RNG.random((1, 3)), trials=70).pvalue == 1).all()


def test_the_tolerance_counts_exact_ties():
    # The observed order and its mirror are among the 2**n shuffles; rounding must not lose them.
    for n in range(2, 12):
        matrix = np.stack([RNG.random(n), RNG.random(n) + 10], axis=1)
        assert exact_tukey(matrix).pvalue == [2.0 ** (1 - n)]


def test_the_required_difference_separates_significant_pairs():
    result = randomised_tukey(RNG.random((20, 6)) + np.arange(6) / 12, trials=1000)
    for alpha in (0.01, 0.05, 0.07, 0.3):
        above = np.abs(result.statistic) > result.required_difference(alpha)
        assert (above == (result.pvalue < alpha)).all()


def test_smooth_p_is_never_zero():
    matrix = RNG.random((30, 2)) + np.array([0, 5])
    assert randomised_tukey(matrix, trials=200).pvalue == [1 / 201]
    assert randomised_tukey(matrix, trials=200, smooth=False).pvalue == [0]


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (np.ones((3, 1)), {}),
        ([1, 2, 3], {}),
        ([[1, np.nan], [2, 3]], {}),
        (np.ones((0, 3)), {}),
        (np.ones((2, 0, 3)), {}),
        (np.ones((2, 2)), {"permutations": [[[0, 1], [0, 0]]]}),
        (np.ones((2, 2)), {"permutations": [[[0, 1]]]}),
        (np.ones((2, 2)), {"permutations": [[[0.0, 1.0], [0.0, 1.0]]]}),
        (np.ones((2, 2)), {"permutations": [[[0, 1], [0]]]}),
        (np.ones((2, 2)), {"jobs": 0}),
        (np.ones((2, 2)), {"trials": 0}),
        ("abc", {}),
    ],
)
def test_wrong_input_is_refused(scores, options):
    with pytest.raises(MetameterError):
        randomised_tukey(scores, **options)
