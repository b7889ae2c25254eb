"""The order of the systems along depth: against scipy, against the formula of tau_AP, by counting."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.stats.depth.orderings import depth_bounds, orderings
from metameter.stats.rank_correlation.tau_ap import tau_ap, tau_ap_of_codes
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.ties import tied_codes


@st.composite
def curves(draw):
    """Means (depths, systems) of few distinct values: ties are common."""
    depths, systems = draw(st.integers(1, 6)), draw(st.integers(2, 9))
    values = st.lists(st.integers(0, draw(st.integers(1, 12))), min_size=systems, max_size=systems)
    return np.array(draw(st.lists(values, min_size=depths, max_size=depths))) / 8


def kendall(x, y):
    return np.nan if min(len(set(x)), len(set(y))) == 1 else scipy.stats.kendalltau(x, y).statistic


def tau_ap_by_definition(truth, estimate):
    """The mean over all orders of the tied items, of the formula for lists; a tie in the truth is half above."""
    n = len(truth)
    values = []
    for order in itertools.permutations(range(n)):
        if any(estimate[a] < estimate[b] for a, b in itertools.pairwise(order)):
            continue
        above = [
            sum((truth[x] > truth[item]) + 0.5 * (truth[x] == truth[item]) for x in order[:i]) / i
            for i, item in enumerate(order)
            if i
        ]
        values.append(2 / (n - 1) * sum(above) - 1)
    return np.mean(values)


@given(curves())
def test_taus_match_scipy(means):
    found = orderings(means)
    wanted = [kendall(row, means[-1]) for row in means]
    assert found.tau_to_final == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    wanted = [np.nan, *(kendall(*pair) for pair in itertools.pairwise(means))]
    assert found.tau_to_previous == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(curves())
def test_tau_ap_matches_that_of_one_pair(means):
    constant = [len(set(row)) == 1 or len(set(means[-1])) == 1 for row in means]
    wanted = np.where(constant, np.nan, [tau_ap(means[-1], row) for row in means])
    assert orderings(means).tau_ap_to_final == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_tau_ap_averages_all_orders_of_tied_items(pairs):
    truth, estimate = zip(*pairs, strict=True)
    assert tau_ap(truth, estimate) == pytest.approx(tau_ap_by_definition(truth, estimate), abs=1e-12)


@pytest.mark.parametrize("n", [2, 255, 256, 257, 600])
@pytest.mark.parametrize("distinct", [3, 100, 10**6])
def test_tau_ap_works_at_any_length(n, distinct):
    # The published examples are short: here the sum of Yilmaz et al. is taken over comparisons of all pairs.
    rng = np.random.default_rng(n + distinct)
    truth, estimate = tied_codes(rng.integers(0, distinct, (2, 3, n)).astype(float))
    found = tau_ap_of_codes(truth, estimate)
    for t, e, value in zip(truth, estimate, found, strict=True):
        p = np.array([(e > one).sum() for one in e])
        m = np.array([(e == one).sum() for one in e])
        above = np.array([((t > one) + 0.5 * (t == one))[e > mine].sum() for one, mine in zip(t, e, strict=True)])
        mates = np.array(
            [((t > one) + 0.5 * (t == one))[e == mine].sum() - 0.5 for one, mine in zip(t, e, strict=True)]
        )
        total = 0.0
        for i in range(n):
            for s in range(1, m[i] + 1):
                if p[i] + s > 1:
                    of_mates = (s - 1) / (m[i] - 1) * mates[i] if m[i] > 1 else 0.0
                    total += (above[i] + of_mates) / (p[i] + s - 1) / m[i]
        assert value == pytest.approx(2 / (n - 1) * total - 1, abs=1e-9)


def test_many_vectors_give_the_same_as_one():
    rng = np.random.default_rng(3)
    codes = tied_codes(rng.integers(0, 200, (2, 5000, 129)).astype(float))  # more than are compared at a time
    one = [tau_ap_of_codes(t[None], e[None])[0] for t, e in zip(*codes[:, ::100], strict=True)]
    assert (tau_ap_of_codes(*codes)[::100] == one).all()
    equal = np.argsort(rng.random((40, 129)), axis=-1)
    assert (tau_ap_of_codes(equal, equal) == 1.0).all()
    assert tau_ap_of_codes(codes[0, :0], codes[1, :0]).shape == (0,)
    assert np.isnan(tau_ap_of_codes(codes[0, :2, :1], codes[1, :2, :1])).all()


@given(curves())
def test_crossings_falls_and_range_match_plain_counts(means):
    found = orderings(means)
    crossings, falls = [0], [0]
    for before, after in itertools.pairwise(means):
        pairs = itertools.combinations(range(means.shape[1]), 2)
        crossings.append(sum((before[a] - before[b]) * (after[a] - after[b]) < 0 for a, b in pairs))
        falls.append(sum(after < before))
    assert found.crossings.tolist() == crossings
    assert found.falls.tolist() == falls
    assert found.range.tolist() == [max(row) - min(row) for row in means]


@given(curves(), st.integers(0, 5))
def test_rounding_changes_no_ordering(means, seed):
    rng = np.random.default_rng(seed)
    noisy = means * (1 + rng.uniform(-2e-14, 2e-14, means.shape))
    one, other = orderings(means), orderings(noisy)
    for name in ("tau_to_final", "tau_to_previous", "tau_ap_to_final", "crossings", "falls"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name


def test_rows_are_independent_and_accept_a_final_order():
    rng = np.random.default_rng(0)
    means = rng.integers(0, 9, (2, 3, 7, 5)) / 8
    whole = orderings(means)
    for place in np.ndindex(2, 3):
        one = orderings(means[place])
        assert all(np.array_equal(getattr(whole, k)[place], v, equal_nan=True) for k, v in vars(one).items())
    longer, shorter = orderings(means), orderings(means[..., :4, :], means[..., -1, :])
    for name in ("tau_to_final", "tau_ap_to_final", "crossings"):
        assert np.array_equal(getattr(longer, name)[..., :4], getattr(shorter, name), equal_nan=True)


def test_a_depth_without_an_ordering_has_no_tau():
    found = orderings([[0.0, 0.0], [0.2, 0.1], [0.2, 0.1]])
    assert np.array_equal(found.tau_to_final, [np.nan, 1, 1], equal_nan=True)
    assert np.array_equal(found.tau_ap_to_final, [np.nan, 1, 1], equal_nan=True)
    assert np.array_equal(found.tau_to_previous, [np.nan, np.nan, 1], equal_nan=True)
    nothing = orderings([[0.2, 0.1], [0.3, 0.3]])
    assert np.isnan(nothing.tau_to_final).all()


def test_a_final_order_of_other_systems_is_refused():
    with pytest.raises(MetameterError, match="final means do not fit"):
        orderings([[0.1, 0.2]], [0.1, 0.2, 0.3])


def noisy(seed=0, rows=2, depths=4, topics=20, systems=9):
    """Systems that change places with depth, with noise that the depths share."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.4, (rows, depths, 1, systems)) + rng.normal(0, 0.4, (rows, depths, topics, systems))
    return np.linspace(0, 2, systems) + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]


def test_resamples_are_of_topics():
    scores = noisy(rows=1)
    found = depth_bounds(scores, resamples=70, seed=1)
    indices = np.concatenate(list(bootstrap_indices(20, 70, 1)))
    for number in (0, 1, 69):
        means = scores[0][:, indices[number]].mean(axis=1)
        wanted = [scipy.stats.kendalltau(row, means[-1]).statistic for row in means]
        assert found.tau_to_final.resampled[number, 0] == pytest.approx(wanted, abs=1e-12)
        wanted = [scipy.stats.kendalltau(*pair).statistic for pair in itertools.pairwise(means)]
        assert found.tau_to_previous.resampled[number, 0, 1:] == pytest.approx(wanted, abs=1e-12)


def test_the_interval_is_centred_on_the_estimate():
    taus = depth_bounds(noisy(), resamples=70).tau_to_final
    low, high = taus.interval(0.9)
    spread = np.std(taus.resampled, axis=0, ddof=1) * scipy.stats.t.ppf(0.95, 19)
    assert low == pytest.approx(np.maximum(taus.estimate - spread, -1.0))
    assert high == pytest.approx(np.minimum(taus.estimate + spread, 1.0))


def test_estimates_match_those_of_the_means():
    scores = noisy()
    found, wanted = depth_bounds(scores, resamples=10), orderings(scores.mean(axis=-2))
    for name in ("tau_to_final", "tau_to_previous", "tau_ap_to_final"):
        assert np.array_equal(getattr(found, name).estimate, getattr(wanted, name), equal_nan=True)
        low, high = getattr(found, name).interval()
        defined = ~np.isnan(getattr(wanted, name))
        assert (low[defined] <= getattr(wanted, name)[defined]).all()
        assert (high[defined] >= getattr(wanted, name)[defined]).all()
        assert np.isnan(low[~defined]).all()
    assert np.isnan(found.tau_to_previous.interval().low[:, 0]).all()
    low, high = found.tau_to_final.interval()
    assert (low[:, -1] == 1).all()
    assert (high[:, -1] == 1).all()


def test_another_final_order_can_be_given():
    scores = noisy()
    whole = depth_bounds(scores, resamples=70)
    part = depth_bounds(scores[:, :2], scores[:, -1], resamples=70)
    for name in ("tau_to_final", "tau_ap_to_final"):
        assert (getattr(part, name).resampled == getattr(whole, name).resampled[..., :2]).all()
    assert np.array_equal(part.tau_to_previous.resampled, whole.tau_to_previous.resampled[..., :2], equal_nan=True)


def test_higher_levels_are_wider_and_rows_independent():
    scores = noisy()
    both, one = (depth_bounds(scores[:count], resamples=100) for count in (2, 1))
    assert (both.tau_ap_to_final.resampled[:, :1] == one.tau_ap_to_final.resampled).all()
    (low, high), (lower, higher) = (both.tau_to_final.interval(level) for level in (0.95, 0.998))
    assert (lower <= low).all()
    assert (higher >= high).all()
    assert (lower < low)[:, :-1].any()


def test_constant_depths_and_few_topics_have_no_interval():
    scores = noisy(rows=1)
    scores[0, 0] = 0.5
    found = depth_bounds(scores, resamples=10)
    low, high = found.tau_to_final.interval()
    assert np.isnan([low[0, 0], high[0, 0]]).all()
    assert np.isfinite(low[0, 1:]).all()
    few = depth_bounds(noisy(topics=4), resamples=10).tau_to_final
    assert np.isnan(few.interval()).all()
    assert np.isfinite(few.estimate).all()
    assert np.isfinite(depth_bounds(noisy(topics=5), resamples=10).tau_to_final.interval()).all()
