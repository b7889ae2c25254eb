"""Pairs are counted fast; here they are counted one by one."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.stats.consistency.split_half import HalfSums, split_half_tau
from metameter.stats.rank_correlation import concordance
from metameter.stats.rank_correlation.concordance import (
    count_pairs,
    count_pairs_of_scores,
    inversions,
    permutation_codes,
    tied_pairs,
)
from metameter.stats.rank_correlation.kendall import tau_b_of_codes, tau_b_of_scores
from metameter.stats.resampling.samples import bootstrap_splits
from metameter.stats.ties import tied_codes

RNG = np.random.default_rng(5)
# Sums of tenths in another order: equal on paper, not in their last bits; and floats of all sizes.
noisy = st.tuples(st.integers(0, 9), st.sampled_from([0.0, 1e-16, 3e-16, -2e-16])).map(lambda pair: sum(pair) / 10)
anything = st.one_of(noisy, st.floats(-3, 3), st.sampled_from([0.0, -0.0, 1e-300, 5e-324, 1e300]))


def one_by_one(first, second):
    """Concordant and discordant pairs, and those tied in the first, in the second vector, from all pairs of codes."""
    x, y = (np.sign(np.subtract.outer(code, code)) for code in (tied_codes(first), tied_codes(second)))
    later = np.triu_indices(len(first), 1)
    x, y = x[later], y[later]
    return [int(count) for count in ((x * y > 0).sum(), (x * y < 0).sum(), (x == 0).sum(), (y == 0).sum())]


def counted(counts, row=0):
    parts = (counts.concordant, counts.discordant, counts.tied_first, counts.tied_second)
    return [int(part[row]) for part in parts]


@given(st.integers(2, 30).flatmap(lambda n: st.tuples(*[st.lists(anything, min_size=n, max_size=n)] * 2)))
@example(([0.0, 0.0], [0.0, 5e-324]))
def test_pairs_match_a_plain_count_for_any_scores(pair):
    first, second = (np.array([vector]) for vector in pair)
    assert counted(count_pairs_of_scores(first, second)) == one_by_one(*pair)
    assert counted(count_pairs(tied_codes(first), tied_codes(second))) == one_by_one(*pair)


@pytest.mark.parametrize("n", [2, 3, 129, 255, 256, 257, 511, 512, 513])
@pytest.mark.parametrize("distinct", [1, 2, 40, 10**9])
def test_pairs_match_a_plain_count_for_any_length(n, distinct):
    first, second = RNG.integers(0, distinct, (2, 5, n)) / 7 + 0.1
    found, codes = count_pairs_of_scores(first, second), [tied_codes(each) for each in (first, second)]
    for row in range(5):
        assert counted(found, row) == one_by_one(first[row], second[row])
    assert counted(count_pairs(*codes), 3) == one_by_one(first[3], second[3])
    assert tau_b_of_scores(first, second).tobytes() == tau_b_of_codes(*codes).tobytes()


@pytest.mark.parametrize("count", [0, 1, 255, 257, 2049])
def test_tau_works_for_any_number_of_vectors(count):
    first, second = RNG.integers(0, 6, (2, count, 9)) / 8
    wanted = [scipy.stats.kendalltau(*pair).statistic for pair in zip(first, second, strict=True)]
    assert tau_b_of_scores(first, second) == pytest.approx(wanted, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("share", [0.5, 0.74, 0.9, 0.99, 1.01, 1.1, 1.26, 2.0])
def test_scores_within_rounding_are_left_to_the_codes(share):
    first = np.tile(RNG.random((1, 20)), (3, 1))
    second = first.copy()
    first[1, 4] = first[1, 3] + share * 1e-12 * first[1].max()
    second[2, 4] = second[2, 3] + share * 1e-12 * second[2].max()
    written = permutation_codes(first, second)
    assert written.unsure.tolist() == ([1, 2] if 0.75 < share < 1.25 else [])
    for row in range(3):
        assert counted(count_pairs_of_scores(first, second), row) == one_by_one(first[row], second[row])


def test_scores_that_are_not_finite_are_refused():
    with pytest.raises(MetameterError, match="NaN or infinite"):
        count_pairs_of_scores(np.array([[1.0, np.inf], [np.inf, np.inf]]), np.ones((2, 2)))
    with pytest.raises(MetameterError, match="NaN or infinite"):
        count_pairs_of_scores(np.array([[1.0, 2.0]]), np.array([[np.nan, 2.0]]))


def test_fewer_than_two_items_have_no_pairs():
    for n in (0, 1):
        counts = count_pairs_of_scores(np.zeros((3, n)), np.ones((3, n)))
        assert counts.total == 0
        assert counts.discordant.tolist() == counts.tied_first.tolist() == [0, 0, 0]


def test_columns_of_any_memory_order_count_alike():
    columns = np.argsort(RNG.random((7, 60)), axis=1).T.astype(np.uint8)
    wanted = [sum(a > b for i, a in enumerate(row) for b in row[i:]) for row in columns.T.tolist()]
    assert inversions(columns).tolist() == inversions(np.ascontiguousarray(columns)).tolist() == wanted
    assert tied_pairs(np.zeros((4, 3), dtype=bool)).tolist() == [0, 0, 0]


def test_half_sums_match_plain_sums():
    scores = RNG.random((9, 12, 5))
    for weights in (
        np.stack([splits := RNG.permuted(np.tile(np.arange(12) < 6, (30, 1)), axis=1), ~splits], axis=1).astype(int),
        np.concatenate([block.reshape(-1, 2, 12) for block in bootstrap_splits(12, 20, 6)]),
    ):
        for half, found in enumerate(HalfSums(weights)(scores)):
            assert found == pytest.approx(np.einsum("bt,mts->bms", weights[:, half], scores), rel=1e-14)


@pytest.mark.parametrize("scores", [RNG.random((2, 12, 5)) - 0.5, RNG.random((2, 300, 4)), np.eye(12)[None, :, :5]])
def test_a_half_prone_to_cancellation_is_summed_directly(scores):
    topics = scores.shape[1]
    first = np.tile(np.arange(topics) < topics // 2, (8, 1))
    weights = np.stack([first, ~first], axis=1).astype(int)
    _, second = HalfSums(weights)(scores)
    assert (second == scores[:, topics // 2 :].sum(axis=1)).all()


def test_split_halves_match_those_of_codes(monkeypatch):
    scores = RNG.integers(0, 11, (7, 20, 30)) / 10
    fast = split_half_tau(scores, trials=100)
    monkeypatch.setattr(concordance, "MOST_ITEMS", 1)  # then codes are made, and counted in another way
    assert fast.tobytes() == split_half_tau(scores, trials=100).tobytes()
