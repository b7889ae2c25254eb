"""tau_b of items that occur many times is scipy's on the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metameter.stats.rank_correlation.kendall import weighted_tau_b
from metameter.stats.ties import tied_codes


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
