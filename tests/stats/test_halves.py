"""Split-half consistency and the swap method: against plain loops."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter import stats
from metameter.errors import MetameterError

RNG = np.random.default_rng(0)
SPLITS = np.concatenate(list(stats.topic_splits(7, 90)))
grid = st.integers(0, 3).map(lambda number: number / 10)


@given(arrays(float, (7, 4), elements=grid))
@settings(max_examples=40)
def test_split_half_is_the_plain_loop(matrix):
    found = stats.split_half_tau(matrix, splits=SPLITS[:20])
    # Whole tenths, summed exactly: ties are what they are on paper.
    tenths = np.rint(matrix * 10)
    wanted = [scipy.stats.kendalltau(tenths[s].sum(axis=0), tenths[~s].sum(axis=0)).statistic for s in SPLITS[:20]]
    assert found == pytest.approx(wanted, nan_ok=True)


def test_split_half_shapes_jobs_and_prefix():
    scores = RNG.random((3, 7, 5))
    found = stats.split_half_tau(scores, trials=200)
    assert found.shape == (200, 3)
    assert (found == stats.split_half_tau(scores, trials=200, jobs=4)).all()
    assert (found == stats.split_half_tau(scores, trials=300)[:200]).all()
    assert (found[:, 1] == stats.split_half_tau(scores[1], trials=200)).all()
    wanted = stats.split_half_tau(scores, splits=SPLITS)
    scaled = scores * 7.3 + np.arange(7)[:, None]
    assert (stats.split_half_tau(scaled, splits=SPLITS) == wanted).all()
    systems = RNG.permutation(5)
    assert (stats.split_half_tau(scores[..., systems], splits=SPLITS) == wanted).all()


def test_constant_scores_have_no_tau():
    assert np.isnan(stats.split_half_tau(np.ones((4, 3)), trials=3)).all()
    assert (stats.bootstrap_split_half_tau(np.ones((2, 3)), stats.bootstrap_splits(2, 100)) == 0).all()


def test_bootstrap_splits_are_weighted_means():
    matrix = RNG.random((9, 4))
    replicates = stats.bootstrap_splits(9, trials=70, splits=3)
    found = stats.bootstrap_split_half_tau(matrix, replicates, jobs=2)
    block = replicates.block(0)
    halves = np.einsum("bsht,tk->bshk", block, matrix) / block.sum(axis=-1, keepdims=True)
    wanted = stats.tau_b(halves[:, :, 0], halves[:, :, 1]).mean(axis=1)
    assert found.shape == (70,)
    assert found[:64] == pytest.approx(wanted)
    assert stats.bootstrap_split_half_tau(matrix, block) == pytest.approx(wanted)
    assert stats.bootstrap_split_half_tau(np.stack([matrix] * 2), block).shape == (64, 2)


@pytest.mark.parametrize("splits", [[[True] * 3], [[True, False]], [[0.5, 0.5, 1.0]], []])
def test_split_refusals(splits):
    with pytest.raises(MetameterError):
        stats.split_half_tau(np.ones((3, 2)), splits=splits)


def plain_swaps(matrix, subsets, width, bins):
    pairs, swaps = np.zeros((2, bins), dtype=int)
    for first, second in subsets:
        means = [weights @ matrix / weights.sum() for weights in (first, second)]
        for i, j in zip(*stats.system_pairs(matrix.shape[1]), strict=True):
            d1, d2 = (round(mean[i] - mean[j], 12) for mean in means)
            place = int(abs(d1) / width + 1e-9)
            pairs[place] += 1
            swaps[place] += d1 * d2 < 0
    return pairs, swaps


@pytest.mark.parametrize("bootstrap", [False, True])
def test_swaps_are_the_plain_loop(bootstrap):
    matrix = RNG.integers(0, 10, (8, 4)) / 10
    draw = stats.bootstrap_pairs if bootstrap else stats.disjoint_subsets
    subsets = np.concatenate(list(draw(8, 100)))
    found = stats.swap_rates(matrix, trials=100, bootstrap=bootstrap, width=0.05, jobs=2)
    pairs, swaps = plain_swaps(matrix, subsets, 0.05, len(found.lower))
    assert (found.pairs == pairs).all()
    assert (found.swaps == swaps).all()
    given_subsets = stats.swap_rates(np.stack([matrix] * 2), subsets=subsets, width=0.05)
    assert (given_subsets.swaps == swaps).all()
    assert len(given_subsets.sensitivity()) == 2


def test_sensitivity():
    rates = stats.SwapRates(
        np.array([0.0, 0.1, 0.2, 0.3, 0.4]), np.array([40, 30, 20, 0, 10]), np.array([10, 1, 2, 0, 0])
    )
    assert rates.rate[:3] == pytest.approx([0.25, 1 / 30, 0.1])
    assert rates.sensitivity() == (0.4, 0.1)  # .1 is low by luck: the rate does not stay low
    assert rates.sensitivity(0.1) == (0.1, 0.6)
    never = stats.SwapRates(np.array([0.0]), np.array([4]), np.array([4])).sensitivity()
    assert np.isnan(never.difference)
    assert never.fraction == 0


def test_ties_are_no_swaps():
    found = stats.swap_rates(np.ones((4, 3)), trials=10)
    assert found.pairs.sum() == 30
    assert found.swaps.sum() == 0
    with pytest.raises(MetameterError):
        stats.swap_rates(np.ones((4, 3)), width=0)
