"""Replicates: fixed blocks, prefixes, uniform draws, explicit lists."""

import itertools

import numpy as np
import pytest
import scipy.stats

from metameter.errors import MetameterError
from metameter.stats.resampling.samples import (
    bootstrap_indices,
    bootstrap_splits,
    random_permutations,
    row_permutations,
    topic_splits,
)

KINDS = {
    "splits": lambda trials, seed=3: topic_splits(11, trials, seed),
    "permutations": lambda trials, seed=3: row_permutations(5, 4, trials, seed),
    "indices": lambda trials, seed=3: bootstrap_indices(11, trials, seed),
    "bootstrap_splits": lambda trials, seed=3: bootstrap_splits(11, trials, 3, seed),
}


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_trials_are_a_prefix(kind):
    few, many = (np.concatenate(list(KINDS[kind](trials))) for trials in (100, 200))
    assert len(few) == 100
    assert (few == many[:100]).all()
    assert not (np.concatenate(list(KINDS[kind](100, seed=4))) == few).all()
    assert {len(block) for block in KINDS[kind](200)} == {64, 8}


def test_a_block_draws_from_its_own_seed_sequence():
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(3, 2)))
    assert (bootstrap_indices(11, 1000, 3).block(2) == rng.integers(0, 11, size=(64, 11))).all()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_permutations_are_uniform(n):
    drawn = random_permutations(np.random.default_rng(5), 24_000, n)
    seen, counts = np.unique(drawn, axis=0, return_counts=True)
    assert seen.tolist() == [list(order) for order in itertools.permutations(range(n))]
    assert n == 1 or scipy.stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("n", [129, 512, 513, 3000])
def test_long_permutations_are_uniform(n):
    drawn = random_permutations(np.random.default_rng(6), 50, n)
    assert (np.sort(drawn, axis=1) == np.arange(n)).all()
    assert np.abs(drawn.mean(axis=0) - (n - 1) / 2).max() < n * 0.29 * 5 / np.sqrt(50)


def test_splits_are_halves_that_use_all_topics():
    splits = np.concatenate(list(topic_splits(9, 6400)))
    assert set(splits.sum(axis=1)) == {4}
    assert splits.mean(axis=0) == pytest.approx(4 / 9, abs=0.04)


def test_copies_of_a_topic_stay_in_one_half():
    block = bootstrap_splits(12, 64, 5).block(0)
    assert block.shape == (64, 5, 2, 12)
    assert (block.min(axis=2) == 0).all()
    copies = block.sum(axis=2)
    assert (copies == copies[:, :1]).all()
    assert (copies.sum(axis=-1) == 12).all()
    distinct = (block > 0).sum(axis=-1)
    assert (distinct[..., 0] == distinct.sum(axis=-1) // 2).all()
    assert (block[:, 0] != block[:, 1]).any()


@pytest.mark.parametrize(
    "call",
    [
        lambda: topic_splits(1),
        lambda: topic_splits(5, trials=0),
        lambda: topic_splits(5, seed=-1),
        lambda: bootstrap_indices(0),
    ],
)
def test_wrong_input_is_refused(call):
    with pytest.raises(MetameterError):
        call()
