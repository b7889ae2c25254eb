"""Max-t with sign flips: enumeration, scipy, invariances, the error rate where variances differ, power by it."""

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter import stats
from metameter.errors import MetameterError
from metameter.meta.power.procedure import power
from metameter.stats.comparisons import comparisons
from metameter.stats.pair_tests import run_test
from metameter.types import Scores

RNG = np.random.default_rng(0)
ALL = np.array(list(product((1, -1), repeat=7)))
# Multiples of 1/8: sums are exact, so every tie must count.
grid = st.integers(0, 8).map(lambda number: number / 8)


def student(z):
    """The t of each column; without spread 0 or infinite."""
    mean, spread = z.mean(axis=0), z.std(axis=0, ddof=1)
    flat = np.ptp(z, axis=0) <= 1e-12
    return np.where(flat, np.where(np.abs(mean) <= 1e-12, 0.0, np.inf), np.abs(mean) / np.where(flat, 1.0, spread))


def plain_loop(matrix, flips, pairs):
    z = matrix[:, pairs[0]] - matrix[:, pairs[1]]
    largest = np.array([student(z * signs[:, None]).max() for signs in flips])
    return (largest[:, None] >= student(z) * (1 - 1e-9)).mean(axis=0)


@pytest.mark.parametrize("baselines", [(), (1,), (2, 0)])
@given(arrays(float, (7, 4), elements=grid))
@settings(max_examples=40, deadline=None)
def test_all_flips_are_the_exact_test(baselines, matrix):
    expected = plain_loop(matrix, ALL, comparisons(4, baselines))
    assert stats.max_t(matrix, flips=ALL, baselines=baselines).pvalue == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("topics", [3, 6, 9])
def test_two_systems_are_scipys_permutation_test(topics):
    x, y = RNG.random((2, topics))
    wanted = scipy.stats.permutation_test(
        (x - y,), lambda z, axis: z.mean(axis=axis), permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    flips = list(product((1, -1), repeat=topics))
    result = stats.max_t(np.stack([x, y], axis=1), flips=flips)
    # With one pair abs(t) orders the flips as abs(mean) does.
    assert result.pvalue == pytest.approx([wanted.pvalue])
    assert result.statistic == pytest.approx([scipy.stats.ttest_rel(x, y).statistic])
    fisher = stats.exact_tukey(np.stack([x, y], axis=1))
    assert result.pvalue == pytest.approx(fisher.pvalue)


def test_the_sample_approaches_the_enumeration():
    matrix = RNG.random((7, 4)) + np.arange(4) / 5
    exact, sampled = stats.max_t(matrix, flips=ALL), stats.max_t(matrix, trials=20_000)
    assert np.abs(exact.pvalue - sampled.pvalue).max() < 4.5 * sampled.pvalue_error.max()


def test_many_metrics_are_as_each_alone_whatever_the_blocks():
    scores = RNG.random((30, 12, 9)) * np.linspace(1, 4, 9)
    together = stats.max_t(scores, trials=200, jobs=2)
    for alone, maxima, p in zip(scores, together.maxima, together.pvalue, strict=True):
        one = stats.max_t(alone, trials=200)
        assert one.maxima == pytest.approx(maxima, rel=1e-12)
        assert (one.pvalue == p).all()
    longer = stats.max_t(scores, trials=300)
    assert (longer.maxima[:, :200] == together.maxima).all()
    assert together.power().shape == (30,)
    assert stats.max_t(scores.reshape(5, 6, 12, 9), trials=200).pvalue.shape == (5, 6, 36)


@given(arrays(float, (7, 4), elements=grid), st.permutations(range(4)))
@settings(max_examples=40, deadline=None)
def test_invariances(matrix, systems):
    wanted = stats.max_t(matrix, flips=ALL[::3]).pvalue
    for same in (matrix * 3.7, matrix * 1e-9, matrix + np.linspace(0, 1, 7)[:, None]):
        assert (stats.max_t(same, flips=ALL[::3]).pvalue == wanted).all()
    table = np.zeros((4, 4))
    table[stats.system_pairs(4)] = wanted
    renamed = (table + table.T)[systems][:, systems][stats.system_pairs(4)]
    assert (stats.max_t(matrix[:, systems], flips=ALL[::3]).pvalue == renamed).all()


def test_edges():
    same = stats.max_t(np.ones((6, 3)), trials=64)
    assert (same.pvalue == 1).all()
    assert (same.statistic == 0).all()
    constant = stats.max_t(np.repeat(RNG.random((6, 1)), 2, axis=1) + np.array([0.0, 0.1]), flips=ALL[:, :6])
    assert (constant.statistic[0], constant.pvalue[0]) == (-np.inf, 2 / 64)
    near = stats.max_t(np.stack([0.1 + 0.2 * np.ones(6), 0.3 * np.ones(6)], axis=1), trials=64)  # the last bit
    assert near.pvalue == [1]


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (np.ones((1, 2)), {}),
        (np.ones((3, 1)), {}),
        ([[1, np.nan], [2, 3]], {}),
        (np.ones((2, 2)), {"flips": [[1, 0]]}),
        (np.ones((2, 2)), {"flips": [[1, 1, 1]]}),
        (np.ones((2, 2)), {"trials": 0}),
        (np.ones((2, 2)), {"baselines": [2]}),
    ],
)
def test_refusals(scores, options):
    with pytest.raises(MetameterError):
        stats.max_t(scores, **options)


def test_unequal_variances_mislead_the_randomised_tukey_but_not_max_t():
    # Twenty equal systems, two of them with four times the noise of the others.
    scores = np.random.default_rng(7).normal(size=(300, 25, 20))
    scores[..., :2] *= 4.0
    wrong = {
        test: (run_test(scores, test, trials=500, alpha=0.05, seed=1).pvalue < 0.05).any(axis=-1).mean()
        for test in ("tukey-randomised", "max-t")
    }
    error = np.sqrt(0.05 * 0.95 / 300)
    assert wrong["tukey-randomised"] > 0.15
    assert wrong["max-t"] <= 0.05 + 3 * error


def test_max_t_is_no_less_sensitive_than_bonferroni():
    scores = RNG.normal(size=(20, 30, 8)) + np.arange(8) / 4
    ours = stats.max_t(scores, trials=2000).power().mean()
    bonferroni = (stats.paired_t(scores).pvalue * 28 < 0.05).mean()
    assert bonferroni - 0.02 < ours < 1


def scores_of(metrics=2, systems=6, topics=20):
    values = np.random.default_rng(3).random((metrics, systems, topics)) + 0.1 * np.arange(systems)[:, None]
    names = (tuple(f"m{i}" for i in range(metrics)), tuple(f"s{i}" for i in range(systems)))
    return Scores(*names, tuple(map(str, range(topics))), values)


def test_power_by_max_t():
    scores = scores_of()
    result = power(scores, test="max-t", trials=300, seed=4)
    expected = stats.max_t(scores.matrix, trials=300, seed=4)
    assert result.tables["power_pairs"]["p"].to_list() == expected.pvalue.ravel().tolist()
    assert result.table["power"].to_list() == expected.power().tolist()
    assert result.table["trials"].to_list() == [300, 300]
    assert (result.table["agreement"] > 0).all()
    dz = expected.statistic / np.sqrt(20)
    assert result.tables["power_pairs"]["effect"].to_numpy() == pytest.approx(dz.ravel())
    for chart in result.charts().values():
        chart.to_dict()
    assert "also where systems differ in variance" in result.notes[0]
    with pytest.raises(MetameterError, match="family-wise error already"):
        power(scores, test="max-t", correction="holm")


def test_the_required_difference_is_the_largest_over_pairs():
    scores = scores_of(metrics=1)
    result = power(scores, test="max-t", trials=400)
    critical = np.sort(stats.max_t(scores.matrix, trials=400).maxima[0])[::-1][19]  # the 20th of 400
    errors = [
        (a - b).std(ddof=1) / np.sqrt(20) for a, b in zip(*scores.values[0][list(stats.system_pairs(6))], strict=True)
    ]
    assert result.table["required_difference"][0] == pytest.approx(critical * max(errors))
    assert result.table["required_difference_error"][0] > 0


def test_convergence_ends_where_the_result_is():
    result = power(scores_of(), test="max-t", trials=300)
    steps = result.tables["power_convergence"]
    last, first = (steps.filter(steps["trials"] == count) for count in (300, 64))
    assert last["power"].to_list() == result.table["power"].to_list()
    assert last["power_error"].to_list() == result.table["power_error"].to_list()
    assert last["required_difference"].to_list() == result.table["required_difference"].to_list()
    assert first["power"].to_list() == power(scores_of(), test="max-t", trials=64).table["power"].to_list()


@pytest.mark.parametrize("topics", [2, 3])
def test_too_few_topics_for_any_t_to_suffice(topics):
    # Of 2^topics flips more than a share .05 make all differences equal in sign and size.
    values = np.broadcast_to(np.array([0.0, 1.0])[:, None], (1, 2, topics)) + 0.0
    result = power(Scores(("m",), ("a", "b"), tuple(map(str, range(topics))), values), test="max-t", trials=200)
    assert result.table["required_difference"][0] is None
    assert result.tables["power_pairs"]["p"][0] > 0.05
