"""Do tests err as rarely, and intervals cover as often, as they claim?"""

import numpy as np
import pytest

import metameter
from metameter.stats.rank_correlation.correlation_intervals import correlation_interval
from metameter.stats.rank_correlation.kendall import tau_b
from metameter.stats.significance.paired_bootstrap import paired_bootstrap
from metameter.stats.significance.tukey import randomised_tukey
from tests.stats.exact_tukey import exact_tukey

pytestmark = pytest.mark.slow
RNG = np.random.default_rng(2024)


def upper(rate, count):
    return rate + 3 * np.sqrt(rate * (1 - rate) / count)


@pytest.mark.parametrize("shape", ["normal", "skewed", "discrete"])
def test_randomised_tukey_keeps_the_familywise_error(shape):
    # 600 collections at once: leading axes share the permutations, which leaves each of them valid.
    size = (600, 12, 6)
    topic = RNG.random((600, 12, 1)) * 3
    noise = {
        "normal": RNG.normal(size=size),
        "skewed": RNG.exponential(size=size) ** 2,
        "discrete": RNG.random(size) < 0.3,
    }
    result = randomised_tukey(noise[shape] * topic, trials=1000, seed=5)
    assert ((result.pvalue < 0.05).any(axis=-1)).mean() <= upper(0.05, 600)
    if shape == "normal":
        assert ((result.pvalue < 0.05).any(axis=-1)).mean() >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / 600)


def test_simulated_collections_keep_the_familywise_error():
    # Equally good systems, from rankings and judgments through a metric to the test: the whole way a user goes.
    sizes = {"topics": 15, "systems": 6, "depth": 10, "documents": 100, "null": True}
    made = (metameter.simulate(**sizes, seed=seed) for seed in range(300))
    scored = [metameter.score(one.qrels, one.runs, ["P@10", "nDCG@10"]).values for one in made]
    scores = np.stack(scored, axis=1).transpose(0, 1, 3, 2)
    wrong = (randomised_tukey(scores, trials=1000, seed=3).pvalue < 0.05).any(axis=-1)
    assert (wrong.mean(axis=1) > 0).all()
    assert (wrong.mean(axis=1) <= upper(0.05, 300)).all()


def test_power_rises_with_the_effect():
    noise = RNG.normal(size=(200, 15, 4))
    powers = [randomised_tukey(noise + np.arange(4) * effect, trials=500).power().mean() for effect in (0, 0.3, 0.6, 1)]
    assert (np.diff(powers) > 0).all()
    assert powers[0] < 0.05 < 0.5 < powers[-1]


def test_each_bootstrap_pair_keeps_its_error_rate():
    result = paired_bootstrap(RNG.normal(size=(800, 25, 2)), trials=500)
    assert (result.pvalue < 0.05).mean() <= upper(0.05, 800)


def test_fieller_intervals_cover_the_truth():
    x = RNG.normal(size=(2000, 39))
    y = 0.7 * x + np.sqrt(1 - 0.49) * RNG.normal(size=x.shape)
    low, high = correlation_interval(tau_b(x, y), 39)
    truth = 2 / np.pi * np.arcsin(0.7)
    assert ((low <= truth) & (high >= truth)).mean() == pytest.approx(0.95, abs=0.02)


def test_sampled_p_values_are_within_their_error():
    matrix = RNG.normal(size=(5, 3)) + np.array([0, 0.3, 0.6])
    exact = exact_tukey(matrix).pvalue
    sampled = np.stack([randomised_tukey(matrix, trials=640, seed=seed).pvalue for seed in range(200)])
    error = np.sqrt(exact * (1 - exact) / 640)
    assert sampled.std(axis=0) == pytest.approx(error, rel=0.2, abs=1e-9)
    assert np.abs(sampled.mean(axis=0) - exact).max() < 4 * error.max() / np.sqrt(200)
