"""Which two of many estimates differ: like a double loop over all pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metameter.stats.intervals.metric_pairs import differing_pairs
from metameter.stats.intervals.simultaneous import critical_value, normal_to_t


def by_hand(estimate, drawn, units, alpha):
    """All pairs by loops, stepping down."""
    count = len(estimate)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    left = {pair: drawn[:, pair[0]] - drawn[:, pair[1]] for pair in pairs}
    left = {pair: values for pair, values in left.items() if values.std() > 1e-12}
    differ = np.zeros((count, count), dtype=bool)
    while left:
        away = [np.abs(values - values.mean()) / values.std(ddof=1) for values in left.values()]
        c = normal_to_t(critical_value(np.max(away, axis=0), alpha), units)
        decided = [(a, b) for (a, b), d in left.items() if abs(estimate[a] - estimate[b]) > c * d.std(ddof=1)]
        if not decided:
            break
        for a, b in decided:
            differ[a, b] = differ[b, a] = True
            del left[a, b]
    return differ


@given(
    st.integers(0, 2**32),
    st.integers(2, 7),
    st.integers(2, 200),
    st.integers(2, 400),
    st.sampled_from([0.01, 0.05, 0.3]),
)
def test_differing_pairs_match_a_double_loop(seed, count, trials, units, alpha):
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(trials, count)) + rng.normal(size=(trials, 1))
    drawn[:, -1] = drawn[:, 0]  # two that order all pages alike
    estimate = rng.normal(0, 3, count)
    estimate[-1] = estimate[0]
    found = differing_pairs(estimate, drawn, units=units, alpha=alpha)
    np.testing.assert_array_equal(found, by_hand(estimate, drawn, units, alpha))
    assert not found[0, -1]


def test_too_few_resamples_show_no_difference():
    far = np.array([0.0, 100.0])
    assert not differing_pairs(far, np.zeros((1, 2)), units=50, alpha=0.05).any()
    assert not differing_pairs(far, np.random.default_rng(0).normal(size=(15, 2)), units=50, alpha=0.05).any()
    assert differing_pairs(far, np.random.default_rng(0).normal(size=(25, 2)), units=50, alpha=0.05).sum() == 2


def test_at_most_alpha_of_families_have_false_differences():
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(200):
        sample = rng.normal(size=(40, 6))
        times = rng.multinomial(40, np.full(40, 1 / 40), size=400) / 40
        wrong += differing_pairs(sample.mean(axis=0), times @ sample, units=40, alpha=0.1).any()
    assert wrong <= 34  # 20 expected at most; 3.3 standard errors above
