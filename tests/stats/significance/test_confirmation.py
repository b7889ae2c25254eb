"""Verdicts on halves of the topics: against the tests themselves, run on each half."""

import numpy as np
import pytest

from metameter.stats.distributions import studentized_range_quantile
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.confirmation import confirmed_verdicts, split_count
from metameter.stats.significance.pairwise import paired_t, sign
from metameter.stats.significance.tukey import randomised_tukey


def make(metrics, systems, topics):
    rng = np.random.default_rng(0)
    return np.ascontiguousarray(
        (rng.random((metrics, systems, topics)) + 0.15 * np.arange(systems)[:, None]).transpose(0, 2, 1)
    )


@pytest.mark.parametrize("test", ["tukey", "t", "sign"])
def test_agreement_counts_verdicts_on_both_halves(test):
    matrix = make(metrics=2, systems=5, topics=21)
    count = split_count(test)
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
    shares, errors, *_ = confirmed_verdicts(matrix, test, alpha=0.05, seed=4)
    assert shares[0] == pytest.approx(counts[0] / (count * 2 * 10))
    assert shares[1:] == pytest.approx(counts[1:] / counts[0])
    assert (errors[:2] > 0).all()


def test_the_approximation_is_close_to_the_randomised_test():
    matrix = make(metrics=1, systems=6, topics=30)
    said, both = 0, 0
    for split in np.concatenate(list(topic_splits(30, 50, 0))):
        first, second = (randomised_tukey(matrix[:, half], trials=300) for half in (split, ~split))
        one, two = (np.where(each.pvalue < 0.05, np.sign(each.statistic), 0) for each in (first, second))
        said += np.count_nonzero(one) + np.count_nonzero(two)
        both += 2 * np.count_nonzero(one * two > 0)
    shares = confirmed_verdicts(matrix, "tukey-randomised", alpha=0.05).shares
    assert shares[0, 0] == pytest.approx(said / (50 * 2 * 15), abs=0.03)
    assert shares[1, 0] == pytest.approx(both / said, abs=0.06)


def test_three_topics_have_no_halves():
    none = confirmed_verdicts(make(2, 4, 3), "tukey", alpha=0.05, against=[(0, 1)])
    assert [each.shape for each in none] == [(4, 2), (4, 2), (6, 1), (6, 1)]
    assert all(np.isnan(each).all() for each in none)


def test_a_constant_difference_is_always_confirmed():
    matrix = np.zeros((1, 8, 2)) + np.array([0.0, 1.0]) + 0.01 * np.arange(16).reshape(8, 2) % 0.03
    for test in ("tukey", "tukey-randomised", "t"):
        shares = confirmed_verdicts(matrix, test, alpha=0.05).shares
        assert shares[:, 0].tolist() == [1.0, 1.0, 0.0, 0.0], test


def told_on_halves(matrix, test, split):
    """-1, 0 or 1 per metric and pair, on either half: which of the two is significantly better."""
    told = []
    for topics in (split, ~split):
        half = matrix[:, topics]
        if test == "tukey":
            result = two_way_anova(half)
            critical = studentized_range_quantile(0.05, half.shape[2], (half.shape[2] - 1) * (half.shape[1] - 1))
            significant = result.tukey_statistic > critical
        else:
            result = paired_t(half)
            significant = result.pvalue < 0.05
        told.append(np.sign(result.mean_difference) * significant)
    return told


@pytest.mark.parametrize("test", ["tukey", "t"])
def test_added_verdicts_are_counted_pair_by_pair(test):
    matrix = make(metrics=3, systems=6, topics=20)
    against = [(0, 1), (1, 0), (2, 1), (1, 1)]
    counts = np.zeros((len(against), 6))
    for split in np.concatenate(list(topic_splits(20, split_count(test), 2))):
        halves = told_on_halves(matrix, test, split)
        for here, there in (halves, halves[::-1]):
            for place, (a, b) in enumerate(against):
                for pair in range(15):
                    said = here[a, pair]
                    if said and here[b, pair] != -said:
                        row = 3 if here[b, pair] else 0
                        counts[place, row : row + 3] += 1, there[a, pair] == said, there[b, pair] == said
    result = confirmed_verdicts(matrix, test, alpha=0.05, seed=2, against=against)
    whole = 2 * 15 * split_count(test)
    assert result.added[[0, 3]] == pytest.approx(counts[:, [0, 3]].T / whole)
    some = counts[:3]
    assert result.added[1:3, :3] == pytest.approx((some[:, 1:3] / some[:, :1]).T)
    assert result.added[4:, :3] == pytest.approx((some[:, 4:] / some[:, 3:4]).T)
    assert (result.added_errors[:, :3] > 0).all()
    # Against itself a metric adds nothing; what it shares is all that it finds.
    assert result.added[0, 3] == 0
    assert np.isnan(result.added[1:3, 3]).all()
    assert result.added[3:5, 3] == pytest.approx(result.shares[:2, 1])


def test_opposite_verdicts_are_neither_added_nor_shared():
    matrix = np.stack([np.tile([0.0, 1.0], (8, 1)), np.tile([1.0, 0.0], (8, 1))])
    matrix += 0.01 * (np.arange(32).reshape(2, 8, 2) % 3)
    result = confirmed_verdicts(matrix, "tukey", alpha=0.05, against=[(0, 1), (1, 0)])
    assert result.shares[0].tolist() == [1.0, 1.0]
    assert result.added[[0, 3]].tolist() == [[0.0, 0.0], [0.0, 0.0]]
