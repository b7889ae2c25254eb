"""Verdicts on halves of the topics: against the tests themselves, run on each half."""

import numpy as np
import pytest

from metameter.stats import (
    paired_t,
    randomised_tukey,
    sign,
    studentized_range_quantile,
    topic_splits,
    two_way_anova,
)
from metameter.stats.confirmation import agreement, splits_for


def make(metrics, systems, topics):
    rng = np.random.default_rng(0)
    return np.ascontiguousarray(
        (rng.random((metrics, systems, topics)) + 0.15 * np.arange(systems)[:, None]).transpose(0, 2, 1)
    )


@pytest.mark.parametrize("test", ["tukey", "t", "sign"])
def test_agreement_counts_verdicts_on_both_halves(test):
    matrix = make(metrics=2, systems=5, topics=21)
    count = splits_for(test)
    splits = np.concatenate(list(topic_splits(21, count, 4)))
    counts = np.zeros((4, 2))
    critical = {size: studentized_range_quantile(0.05, 5, 4 * (size - 1)) for size in (10, 11)}
    for split in splits:
        verdicts = []
        for topics in (split, ~split):
            half = matrix[:, topics]
            if test == "tukey":
                result = two_way_anova(half)
                significant = result.tukey_statistic > critical[half.shape[1]]
            else:
                result = {"t": paired_t, "sign": sign}[test](half)
                significant = result.pvalue < 0.05
            verdicts.append((significant, np.sign(result.mean_difference)))
        for (said, direction), (other, against) in (verdicts, verdicts[::-1]):
            counts[0] += said.sum(axis=1)
            counts[1] += (said & other & (direction == against)).sum(axis=1)
            counts[2] += (said & (direction == -against)).sum(axis=1)
            counts[3] += (said & other & (direction == -against)).sum(axis=1)
    shares, errors = agreement(matrix, test, alpha=0.05, seed=4)
    assert shares[0] == pytest.approx(counts[0] / (count * 2 * 10))
    assert shares[1:] == pytest.approx(counts[1:] / counts[0])
    assert (errors[:2] > 0).all()


def test_the_approximation_on_halves_is_close_to_the_randomised_test():
    matrix = make(metrics=1, systems=6, topics=30)
    said, both = 0, 0
    for split in np.concatenate(list(topic_splits(30, 50, 0))):
        first, second = (randomised_tukey(matrix[:, half], trials=300) for half in (split, ~split))
        one, two = (np.where(each.pvalue < 0.05, np.sign(each.statistic), 0) for each in (first, second))
        said += np.count_nonzero(one) + np.count_nonzero(two)
        both += 2 * np.count_nonzero(one * two > 0)
    shares, _ = agreement(matrix, "tukey-randomised", alpha=0.05)
    assert shares[0, 0] == pytest.approx(said / (50 * 2 * 15), abs=0.03)
    assert shares[1, 0] == pytest.approx(both / said, abs=0.06)


def test_three_topics_have_no_halves():
    assert np.isnan(agreement(make(2, 4, 3), "tukey", alpha=0.05)).all()


def test_a_difference_that_never_turns_is_always_confirmed():
    matrix = np.zeros((1, 8, 2)) + np.array([0.0, 1.0]) + 0.01 * np.arange(16).reshape(8, 2) % 0.03
    for test in ("tukey", "tukey-randomised", "t"):
        shares, _ = agreement(matrix, test, alpha=0.05)
        assert shares[:, 0].tolist() == [1.0, 1.0, 0.0, 0.0], test
