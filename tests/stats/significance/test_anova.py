"""One two-way analysis: weighted topics are topics written out, and power is the share of significant pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.stats.consistency.resampled_metrics import approximate_power, resampled_power
from metameter.stats.resampling.samples import multiplicities
from metameter.stats.significance.anova import TopicSums, two_way_anova
from metameter.stats.significance.tukey import randomised_tukey

RNG = np.random.default_rng(8)
grid = st.integers(0, 4).map(lambda number: number / 4)


@given(arrays(float, (2, 7, 4), elements=grid), arrays(int, (3, 7), elements=st.integers(0, 6)))
@settings(max_examples=60)
def test_weights_match_repeated_topics(matrix, indices):
    analysis = TopicSums.of(matrix).analysis(multiplicities(indices, 7))
    for number, topics in enumerate(indices):
        wanted = two_way_anova(matrix[:, topics])
        assert analysis.ss_system[number] == pytest.approx(wanted.ss_system, abs=1e-12)
        assert analysis.ss_residual[number] == pytest.approx(wanted.ss_residual, abs=1e-12)
        assert analysis.mean_difference[number] == pytest.approx(wanted.mean_difference, abs=1e-12)
        assert analysis.required_difference()[number] == pytest.approx(wanted.required_difference(), abs=1e-6)


@given(arrays(float, (2, 6, 5), elements=st.floats(0, 1, width=16)), st.sampled_from([0.01, 0.05, 0.3]))
@settings(max_examples=60)
def test_power_is_the_share_of_significant_pairs(matrix, alpha):
    found = two_way_anova(matrix)
    required = np.maximum(found.required_difference(alpha), found.zero)
    assert (found.power(alpha) == (np.abs(found.mean_difference) > required[:, None]).mean(axis=-1)).all()


def test_zero_one_weights_match_a_subset_of_topics():
    matrix, half = RNG.random((3, 11, 5)), np.arange(11) < 5
    analysis = TopicSums.of(matrix).analysis(half[None])
    assert analysis.topics == 5
    assert analysis.ms_residual[0] == pytest.approx(two_way_anova(matrix[:, half]).ms_residual)


def test_the_approximate_requirement_is_close_to_the_randomised_test():
    matrix = RNG.random((4, 40, 8)) + 0.1 * np.arange(8)
    analysis = TopicSums.of(matrix).analysis(np.ones((1, 40), dtype=np.int64))
    randomised = randomised_tukey(matrix, trials=2000).required_difference()
    assert analysis.required_when_shuffled()[0] == pytest.approx(randomised, rel=0.05)
    # The randomised test counts differences between systems as noise.
    assert (analysis.required_when_shuffled() > analysis.required_difference()).all()


def test_approximate_power_is_close_to_the_randomised_test():
    matrix = (
        np.linspace(0, 1, 12) + RNG.normal(0, 1, (6, 40, 12)) * np.array([0.3, 0.5, 1.0, 1.5, 2.0, 4.0])[:, None, None]
    )
    power, wanted = approximate_power(matrix, 0.05), randomised_tukey(matrix, trials=2000).power(0.05)
    assert np.ptp(wanted) > 0.5
    assert power == pytest.approx(wanted, abs=0.04)
    # On resamples that happen to hold every topic once it is the same; on others it moves about it.
    resampled = resampled_power(matrix, 200, alpha=0.05, seed=0)
    assert resampled.mean(axis=0) == pytest.approx(power, abs=0.1)
