"""Resampled topics and systems: against scores written out, copy by copy."""

import numpy as np
import pytest
import scipy.stats

from metameter.errors import MetameterError
from metameter.stats.consistency.resampled_metrics import (
    SPLITS_OF_A_RESAMPLE,
    approximate_power,
    resampled_power,
    resampled_taus,
)
from metameter.stats.resampling.replicates import Stream
from metameter.stats.resampling.samples import Resamples, bootstrap_systems, resampled_units

RNG = np.random.default_rng(5)
MATRIX = RNG.random((2, 13, 7)).round(1) + np.linspace(0, 0.6, 7)
CLUSTERS = np.array([4, 4, 4, 0, 1, 1, 7])
WAYS = [("topics", None), ("systems", None), ("both", None), ("systems", CLUSTERS), ("both", CLUSTERS)]


def resampled_copies(resample, clusters, resamples=70):
    """How often each topic stands in either half, and how often each system is there, of every resample."""
    both = Resamples.of(MATRIX, resamples, SPLITS_OF_A_RESAMPLE, 3, resample, clusters)
    halves = np.concatenate(list(both.halves))
    ones = np.ones((resamples, MATRIX.shape[2]), dtype=int)
    return halves, ones if both.systems is None else np.concatenate(list(both.systems))


def tau_of_copies(halves, copies):
    means = [np.repeat(MATRIX, half, axis=1).mean(axis=1) for half in halves]
    systems = np.repeat(np.arange(MATRIX.shape[2]), copies)
    taus = [scipy.stats.kendalltau(*(mean[metric].round(9)[systems] for mean in means)).statistic for metric in (0, 1)]
    return np.nan_to_num(taus)


@pytest.mark.parametrize(("resample", "clusters"), WAYS)
def test_taus_match_repeated_topics_and_systems(resample, clusters):
    result = resampled_taus(MATRIX, 70, seed=3, jobs=2, resample=resample, clusters=clusters)
    halves, copies = resampled_copies(resample, clusters)
    every = np.array([[tau_of_copies(split, own) for split in each] for each, own in zip(halves, copies, strict=True)])
    assert result.taus == pytest.approx(every.mean(axis=1))
    within = [[np.cov(each.T) for each in every[block]] for block in (slice(0, 64), slice(64, 70))]
    assert result.noise == pytest.approx(np.array([np.mean(block, axis=0) / 4 for block in within]))


def power_of_copies(topics, copies, alpha):
    """The recipe in words: all pairs of scores written out, those of copies of one system left out."""
    systems = np.repeat(np.arange(MATRIX.shape[2]), copies)
    scores = np.repeat(MATRIX, topics, axis=1)[:, :, systems]
    count, size = scores.shape[1:]
    centred = scores - scores.mean(axis=2, keepdims=True)
    spread = np.sqrt((centred**2).sum(axis=(1, 2)) / ((size - 1) * count) / count)
    required = scipy.stats.studentized_range.ppf(1 - alpha, size, 1e6) * spread
    means = scores.mean(axis=1)
    different = systems[:, None] != systems
    apart = np.abs(means[:, :, None] - means[:, None, :]) > required[:, None, None]
    return (apart & different).sum(axis=(1, 2)) / different.sum()


@pytest.mark.parametrize(("resample", "clusters"), WAYS)
def test_power_matches_repeated_topics_and_systems(resample, clusters):
    found = resampled_power(MATRIX, 66, alpha=0.2, seed=3, jobs=2, resample=resample, clusters=clusters)
    halves, copies = resampled_copies(resample, clusters, 66)
    assert found.shape == (66, 2)
    for row in (0, 17, 65):
        topics = halves[row, 0].sum(axis=0)
        assert found[row] == pytest.approx(power_of_copies(topics, copies[row], 0.2))


def test_every_split_of_a_resample_has_the_same_topics():
    for resample in ("topics", "both", "systems"):
        halves, copies = resampled_copies(resample, None)
        topics = halves.sum(axis=2)
        assert (topics == topics[:, :1]).all()
        assert (topics.sum(axis=-1) == 13).all()
        assert (copies.sum(axis=1) == 7).all()
    # Topics are the same whether systems are drawn too or not.
    assert (resampled_copies("topics", None)[0] == resampled_copies("both", None)[0]).all()
    assert (resampled_copies("systems", None)[1] == resampled_copies("both", None)[1]).all()
    assert (resampled_copies("systems", None)[0].max(axis=(1, 2)) == 1).all()


def test_systems_of_a_cluster_are_resampled_together():
    copies = np.concatenate(list(bootstrap_systems(7, 300, 0, CLUSTERS)))
    assert (copies[:, 0] == copies[:, 1]).all()
    assert (copies[:, 0] == copies[:, 2]).all()
    assert (copies[:, 4] == copies[:, 5]).all()
    assert (copies[:, [0, 3, 4, 6]].sum(axis=1) == 4).all()
    assert copies[:, [0, 3, 4, 6]].mean() == pytest.approx(1.0)
    assert ((copies > 0).sum(axis=1) >= 2).all()  # a single system, four times, would have no pairs
    assert (np.concatenate(list(bootstrap_systems(2, 500))) == 1).all()


def test_stream_numbers_never_change():
    assert {each.name: int(each) for each in Stream if each <= 6 or each == 9} == {
        "SPLIT": 1,
        "PERMUTATION": 2,
        "BOOTSTRAP": 3,
        "BOOTSTRAP_SPLIT": 4,
        "DISJOINT_SUBSETS": 5,
        "BOOTSTRAP_PAIR": 6,
        "SYSTEMS": 9,
    }


def test_fewer_resamples_are_a_prefix_of_more():
    for resample, clusters in WAYS:
        options = {"seed": 1, "resample": resample, "clusters": clusters}
        some, more = (resampled_taus(MATRIX, count, **options) for count in (70, 140))
        assert (more.taus[:70] == some.taus).all()
        continued = resampled_taus(MATRIX, 140, known=some, **options)
        assert (continued.taus == more.taus).all()
        assert (continued.noise == more.noise).all()
        few, many = (resampled_power(MATRIX, count, alpha=0.05, **options) for count in (70, 140))
        assert (many[:70] == few).all()
        assert (resampled_power(MATRIX, 140, alpha=0.05, first=1, **options) == many[64:]).all()


def test_multiples_share_their_resamples():
    matrix = np.concatenate([MATRIX, 3 * MATRIX[:1]])
    for resample in ("topics", "systems"):
        taus = resampled_taus(matrix, 64, seed=0, resample=resample)
        assert (taus.taus[:, 0] == taus.taus[:, 2]).all()
        assert (taus.noise[:, 0] == taus.noise[:, 2]).all()


def test_units_are_topics_systems_or_the_fewer_of_both():
    assert resampled_units(13, 7) == 13
    assert resampled_units(13, 7, "systems") == 7
    assert resampled_units(13, 7, "both", CLUSTERS) == 4


def test_wrong_units_and_clusters_are_refused():
    with pytest.raises(MetameterError, match=r"unknown value of resample \(given 'topic'\). Did you mean topics"):
        resampled_taus(MATRIX, 64, seed=0, resample="topic")
    with pytest.raises(MetameterError, match=r"clusters do not fit the systems \(given \(3,\), allowed: \(7,\)\)"):
        resampled_power(MATRIX, 64, alpha=0.05, seed=0, resample="both", clusters=np.arange(3))


def test_power_of_the_topics_equals_one_resample_without_copies():
    assert approximate_power(MATRIX, 0.2) == pytest.approx(
        power_of_copies(np.ones(13, dtype=int), np.ones(7, dtype=int), 0.2)
    )
