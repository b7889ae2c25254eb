"""Rank correlations: against scipy, against brute force, and the examples printed in the specification."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metameter.stats.rank_correlation.correlation_intervals import correlation_interval
from metameter.stats.rank_correlation.kendall import tau_b, weighted_tau_b
from metameter.stats.rank_correlation.spearman import rho_pvalue, spearman
from metameter.stats.rank_correlation.tau_ap import tau_ap, tau_ap_symmetric
from metameter.stats.ties import average_ranks, tied_codes

# Few distinct values make ties common; floats of one magnitude keep scipy, which has no tolerance, comparable.
scores = st.integers(0, 12).map(lambda number: number / 8)


@st.composite
def vectors(draw, least=2, most=40, count=2):
    n = draw(st.integers(least, most))
    return [draw(st.lists(scores, min_size=n, max_size=n)) for _ in range(count)]


def same(found, wanted, within=1e-12):
    assert found == pytest.approx(wanted, abs=within, nan_ok=True)


@given(vectors())
def test_kendall_matches_scipy(pair):
    same(tau_b(*pair), scipy.stats.kendalltau(*pair).statistic)


@given(vectors(least=3))
def test_spearman_matches_scipy(pair):
    found = spearman(*pair)
    if any(len(set(vector)) == 1 for vector in pair):
        assert np.isnan(found)
        return
    wanted = scipy.stats.spearmanr(*pair)
    same(found, wanted.statistic)
    if abs(found) < 1 - 1e-9:
        same(rho_pvalue(np.array(found), len(pair[0])), wanted.pvalue, within=1e-9)


@pytest.mark.parametrize("n", [2, 255, 256, 257, 400, 511, 512, 513, 600, 3000])
@pytest.mark.parametrize("distinct", [3, 10**6])
def test_every_length_matches_scipy(n, distinct):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, distinct, (2, 3, n))
    wanted = [scipy.stats.kendalltau(*pair).statistic for pair in zip(x, y, strict=True)]
    same(tau_b(x, y), wanted)
    same(tau_b(x, x[:, ::-1]), tau_b(x[:, ::-1], x))


def test_batches_broadcast_to_any_shape():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (2, 2100, 7))
    same(tau_b(x, y), [scipy.stats.kendalltau(*pair).statistic for pair in zip(x, y, strict=True)])
    metrics = rng.random((4, 9))
    table = tau_b(metrics[:, None], metrics[None])
    assert table.shape == (4, 4)
    assert (np.diag(table) == 1).all()
    same(table[1, 2], tau_b(metrics[1], metrics[2]))


def test_equal_orders_give_exactly_one():
    rng = np.random.default_rng(1)
    for n in (2, 3, 39, 129, 1000):
        x = rng.integers(0, n, n) if n > 3 else np.arange(n)
        assert tau_b(x, 3.7 * x + 1) == 1.0
        assert tau_b(x, -x) == -1.0
    assert tau_ap([3, 2, 1], [30, 20, 10]) == 1.0


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1.0, 1e200])
@pytest.mark.parametrize("n", [5, 600])
def test_only_rounding_noise_is_a_tie(scale, n):
    x = np.linspace(0.5, 1.0, n)
    x[1] = x[0] + 0.9e-12
    x[2] = x[1] + 0.9e-12  # a chain: 1.8e-12 from the first, but tied through the second
    x[3] = x[2] + 1.2e-12
    codes = tied_codes(np.sort(x) * scale)
    assert codes[:4].tolist() == [0, 0, 0, 1]
    assert codes[-1] == len(codes) - 3


def test_zeros_negatives_and_empty_input_have_codes():
    assert tied_codes([0.0, -0.0, 0.0]).tolist() == [0, 0, 0]
    assert tied_codes([[-1.0, -3.0, 2.0], [0.0, 0.0, 0.0]]).tolist() == [[1, 0, 2], [0, 0, 0]]
    assert tied_codes(np.empty((0, 3))).shape == (0, 3)
    assert tied_codes([]).shape == (0,)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_codes_match_their_definition(values):
    tolerance = 1e-12 * max(map(abs, values))
    order = np.argsort(values, kind="stable")
    gaps = np.diff(np.array(values)[order])
    if (np.abs(gaps - tolerance) < 1e-3 * tolerance).any():
        return  # too close to call in floating point
    wanted = np.empty(len(values), dtype=int)
    wanted[order] = np.concatenate([[0], np.cumsum(gaps > tolerance)])
    assert tied_codes(values).tolist() == wanted.tolist()


def test_average_ranks_match_scipy():
    values = np.random.default_rng(2).integers(0, 4, (5, 11))
    assert (average_ranks(values) == scipy.stats.rankdata(values, axis=1)).all()


def test_undefined_correlations_are_nan():
    for x, y in (([1, 1, 1], [1, 2, 3]), ([1], [1]), ([], [])):
        assert np.isnan(tau_b(x, y))
        assert np.isnan(spearman(x, y))
    assert np.isnan(tau_ap([1], [1]))
    assert spearman([1e-200, 2e-200, 3e-200], [1, 2, 3]) == pytest.approx(1.0)


PRINTED = {
    39: """.784 .684 .855  .827 .744 .885  .846 .771 .898  .719 .596 .809  .895 .841 .931
           .957 .934 .972  .987 .979 .991  .209 -.007 .406  .304 .094 .487  .274 .062 .462""",
    38: """.741 .624 .826  .545 .370 .682  .400 .198 .569  .752 .639 .834
           .795 .698 .864  .886 .828 .926  .724 .600 .814  .926 .887 .952""",
}


@pytest.mark.parametrize("n", PRINTED)
def test_fieller_intervals_match_the_printed_ones(n):
    tau, low, high = np.array(PRINTED[n].split(), dtype=float).reshape(-1, 3).T
    found = correlation_interval(tau, n)
    assert found.low == pytest.approx(low, abs=0.0011)
    assert found.high == pytest.approx(high, abs=0.0011)


def test_intervals_at_the_edges_are_exact():
    assert correlation_interval(1.0, 10) == (1.0, 1.0)
    assert correlation_interval(-1.0, 10) == (-1.0, -1.0)
    assert np.isnan(correlation_interval(0.5, 4)).all()
    assert np.isnan(correlation_interval([0.5, 1.0], 3, "fieller_rho")).all()
    wide, narrow = (correlation_interval(0.5, 30, "fieller_rho", level) for level in (0.99, 0.9))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_fisher_intervals_match_scipy():
    wanted = scipy.stats.pearsonr(*np.random.default_rng(3).normal(size=(2, 20)))
    same(correlation_interval(wanted.statistic, 20, "fisher"), wanted.confidence_interval())


@pytest.mark.parametrize(
    ("estimate", "wanted"),
    [([4, 5, 3, 2, 1], 0.5), ([5, 4, 3, 1, 2], 0.875), ([1, 2, 3, 4, 5], -1), ([3, 3, 2, 2, 1], 2 / 3), ([0] * 5, 0)],
)
def test_tau_ap_matches_the_examples(estimate, wanted):
    assert tau_ap([5, 4, 3, 2, 1], estimate) == pytest.approx(wanted)


def plain_tau_ap(truth, order):
    total = 0.0
    for i in range(1, len(order)):
        above = [(truth[j] > truth[order[i]]) + 0.5 * (truth[j] == truth[order[i]]) for j in order[:i]]
        total += sum(above) / i
    return 2 / (len(order) - 1) * total - 1


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)))
def test_tau_ap_averages_all_tie_orders(pair):
    truth, estimate = pair
    orders = [o for o in itertools.permutations(range(len(truth))) if sorted(o, key=lambda i: -estimate[i]) == list(o)]
    assert tau_ap(truth, estimate) == pytest.approx(np.mean([plain_tau_ap(truth, o) for o in orders]), abs=1e-12)
    forth, back = tau_ap(truth, estimate), tau_ap(estimate, truth)
    assert tau_ap_symmetric(truth, estimate) == (forth + back) / 2


@given(st.integers(0, 2**32), st.integers(2, 80), st.sampled_from([1, 2, 5, 1000]), st.sampled_from([1, 3, 1000]))
def test_weighted_tau_matches_scipy_on_repeated_rows(seed, items, levels, others):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, levels, items), rng.integers(0, others, items)
    weights = rng.integers(0, 6, items)
    rows = [np.repeat(each, weights) for each in (first, second)]
    found = weighted_tau_b(*tied_codes(np.stack([first, second]) / 7.0), weights)
    if min(len(np.unique(each)) for each in rows) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(kendalltau(*rows).statistic, abs=1e-12)


@pytest.mark.parametrize("often", [1, 2_000_000, 20_000_000])  # up to 24 billion rows
def test_huge_weights_do_not_overflow(often):
    codes, weights = np.arange(50), np.arange(50) * often
    assert weighted_tau_b(codes, codes, weights) == pytest.approx(1, abs=1e-12)
    assert weighted_tau_b(codes, codes[::-1], weights) == pytest.approx(-1, abs=1e-12)


def test_fewer_than_two_items_have_no_tau():
    assert np.isnan(weighted_tau_b(np.array([0]), np.array([0]), np.array([9])))
    assert np.isnan(weighted_tau_b(np.array([], dtype=int), np.array([], dtype=int), np.array([], dtype=int)))
