"""Bootstrap max-t: a plain loop, edges, error rates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.meta.power.procedure import power
from metameter.stats.checks import system_pairs
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.significance import pairs as pairs_module
from metameter.stats.significance.baselines import against_baselines
from metameter.stats.significance.max_t import max_t, small_sample_widening
from metameter.stats.significance.pair_tests import effect_sizes, run_test
from metameter.stats.significance.pairs import compared_pairs
from metameter.types import Scores

RNG = np.random.default_rng(0)
INDICES = np.concatenate(list(bootstrap_indices(7, 120)))
grid = st.integers(0, 8).map(lambda number: number / 8)


def plain_loop(matrix, indices, pairs):
    """Statistics, p-values and maxima by the formula, one pair and one resample after the other."""
    n, differences = len(matrix), [matrix[:, a] - matrix[:, b] for a, b in zip(*pairs, strict=True)]
    errors = [0.0 if np.ptp(d) < 1e-9 else d.std(ddof=1) / np.sqrt(n) for d in differences]
    spread = [error for error in errors if error > 0]
    centred = [d - d.mean() for d, error in zip(differences, errors, strict=True) if error > 0]
    alike = all(min(abs(d - centred[0]).max(), abs(d + centred[0]).max()) < 1e-9 for d in centred)
    several = 1 if alike else min(40 / n, 4)  # n is 7
    offset = several * np.median(spread) if spread else 0.0
    maxima = np.zeros(len(indices))
    for b, drawn in enumerate(indices):
        for d in differences:
            new = (d - d.mean())[drawn]
            if offset > 0:
                maxima[b] = max(maxima[b], abs(new.mean()) / (new.std(ddof=1) / np.sqrt(n) + offset))
    maxima *= small_sample_widening(n)
    t = []
    for d, error in zip(differences, errors, strict=True):
        mean = d.mean() if abs(d.mean()) > 1e-9 else 0.0
        with np.errstate(divide="ignore"):
            t.append(mean / np.float64(error + offset) if mean else 0.0)
    p = [(np.sum(maxima >= abs(one) - 1e-9) + 1) / (len(indices) + 1) for one in t]
    return t, p, maxima


@pytest.mark.parametrize("baselines", [(), (1,), (2, 0)])
@given(arrays(float, (7, 4), elements=grid))
@settings(max_examples=40, deadline=None)
def test_max_t_matches_a_plain_loop(baselines, matrix):
    t, p, maxima = plain_loop(matrix, INDICES, compared_pairs(4, baselines))
    result = max_t(matrix, indices=INDICES, baselines=baselines)
    assert result.statistic == pytest.approx(t, abs=1e-9)
    assert result.maxima == pytest.approx(maxima, abs=1e-6)
    assert result.pvalue == pytest.approx(p, abs=1e-12)


def test_batched_metrics_match_single_metrics_in_any_blocks(monkeypatch):
    scores = RNG.random((30, 12, 9)) * np.linspace(1, 4, 9)
    together = max_t(scores, trials=200, jobs=2)
    for alone, maxima, p in zip(scores, together.maxima, together.pvalue, strict=True):
        one = max_t(alone, trials=200)
        assert (one.maxima == maxima).all()
        assert (one.pvalue == p).all()
    longer = max_t(scores, trials=300)
    assert (longer.maxima[:, :200] == together.maxima).all()
    assert together.power().shape == (30,)
    assert max_t(scores.reshape(5, 6, 12, 9), trials=200).pvalue.shape == (5, 6, 36)
    monkeypatch.setattr(pairs_module, "_PAIRS", 5)
    assert (max_t(scores, trials=200).maxima == together.maxima).all()


@given(arrays(float, (7, 4), elements=grid), st.permutations(range(4)))
@settings(max_examples=40, deadline=None)
def test_p_is_invariant_to_units_and_order(matrix, systems):
    wanted = max_t(matrix, indices=INDICES).pvalue
    for same in (matrix * 4.0, matrix * 2.0**-30, matrix + np.linspace(0, 1, 7)[:, None]):
        assert max_t(same, indices=INDICES).pvalue == pytest.approx(wanted, abs=1e-12)
    table = np.zeros((4, 4))
    table[system_pairs(4)] = wanted
    renamed = (table + table.T)[systems][:, systems][system_pairs(4)]
    assert max_t(matrix[:, systems], indices=INDICES).pvalue == pytest.approx(renamed, abs=1e-12)


def test_constant_differences_have_exact_p():
    same = max_t(np.ones((6, 3)), trials=64)
    assert (same.pvalue == 1).all()
    assert (same.statistic == 0).all()
    assert (same.scale == 0).all()
    constant = max_t(np.repeat(RNG.random((6, 1)), 2, axis=1) + np.array([0.0, 0.1]), trials=64)
    assert (constant.statistic[0], constant.pvalue[0]) == (-np.inf, 1 / 65)
    near = max_t(np.stack([0.1 + 0.2 * np.ones(6), 0.3 * np.ones(6)], axis=1), trials=64)  # the last bit
    assert near.pvalue == [1]


def test_equal_runs_have_p_1_and_zero_width():
    scores = RNG.random((1, 20, 4))
    scores[..., 1] = scores[..., 0]
    result = run_test(scores, "max-t", trials=200, alpha=0.05, seed=0)
    assert (result.pvalue[0, 0], result.difference[0, 0]) == (1, 0)
    assert (result.required[:, None] * result.scale)[0, 0] == 0


@pytest.mark.parametrize("baselines", [(), (0,)])
@pytest.mark.parametrize("constant", [0.0, 0.25])
def test_a_copied_run_keeps_the_p_of_the_pair(baselines, constant):
    two = RNG.random((10, 2)) + np.array([0.0, 0.25])
    copies = [two[:, :1], two[:, 1:] + constant, two[:, 1:]]
    alone = max_t(two, trials=500, baselines=baselines)
    assert 1 / 501 < alone.pvalue[0] < 1
    for more in copies:
        result = max_t(np.hstack([two, more]), trials=500, baselines=baselines)
        assert result.pvalue[0] == alone.pvalue[0]
        assert result.scale[0] == pytest.approx(alone.scale[0], rel=1e-12)
    third = max_t(np.hstack([two, RNG.random((10, 1))]), trials=500, baselines=baselines)
    assert third.scale[0] > 2 * alone.scale[0]  # several pairs: four medians


def test_p_is_never_zero():
    scores = RNG.normal(size=(1, 40, 3)) + np.array([0.0, 0.0, 9.0])
    for test in ("max-t", "tukey-randomised", "bootstrap"):
        every = run_test(scores, test, trials=100, alpha=0.05, seed=0)
        few = against_baselines(scores, test, [0], trials=100, alpha=0.05, seed=0)
        assert every.pvalue[0, 1:].tolist() == pytest.approx([1 / 101] * 2)
        assert few.pvalue[0, 1] == pytest.approx(1 / 101)


@pytest.mark.parametrize("trials", [20, 50, 133, 200])
@pytest.mark.parametrize("test", ["max-t", "tukey-randomised"])
def test_required_difference_agrees_with_p_for_any_trials(test, trials):
    scores = np.random.default_rng(1).normal(size=(30, 15, 6)) + np.arange(6) / 3
    result = run_test(scores, test, trials=trials, alpha=0.05, seed=0)
    above = np.abs(result.difference) > result.required[:, None] * result.scale
    assert (above == (result.pvalue < 0.05)).all()
    assert 0 < above.mean() < 1


def test_too_few_trials_give_no_significance():
    scores = RNG.normal(size=(1, 15, 3)) + 9.0 * np.arange(3)
    for test in ("max-t", "tukey-randomised"):
        result = run_test(scores, test, trials=19, alpha=0.05, seed=0)
        assert np.isnan(result.required).all()
        assert not (result.pvalue < 0.05).any()


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (np.ones((1, 2)), {}),
        (np.ones((3, 1)), {}),
        ([[1, np.nan], [2, 3]], {}),
        (np.ones((2, 2)), {"indices": [[0, 2]]}),
        (np.ones((2, 2)), {"indices": [[0, 1, 1]]}),
        (np.ones((2, 2)), {"trials": 0}),
        (np.ones((2, 2)), {"baselines": [2]}),
    ],
)
def test_wrong_input_is_refused(scores, options):
    with pytest.raises(MetameterError):
        max_t(scores, **options)


def test_unequal_variances_mislead_randomised_tukey_but_not_max_t():
    # Twenty equal systems, two of them with four times the noise of the others.
    scores = np.random.default_rng(7).normal(size=(300, 25, 20))
    scores[..., :2] *= 4.0
    wrong = {
        test: (run_test(scores, test, trials=500, alpha=0.05, seed=1).pvalue < 0.05).any(axis=-1).mean()
        for test in ("tukey-randomised", "max-t")
    }
    error = np.sqrt(0.05 * 0.95 / 300)
    assert wrong["tukey-randomised"] > 0.15
    assert wrong["max-t"] <= 0.05 + 3 * error


def skewed(topics, count=250, systems=15):
    """Equal means, differences as skewed as those of AP: one system in three is far better on one topic in twenty."""
    rng = np.random.default_rng(topics)
    scores = rng.normal(scale=0.1, size=(count, topics, systems))
    scores[..., ::3] += (rng.random((count, topics, len(range(0, systems, 3)))) < 0.05) - 0.05
    return scores


@pytest.mark.parametrize("topics", [10, 25, 50])
def test_skewed_differences_raise_few_false_alarms(topics):
    scores = skewed(topics)
    every = run_test(scores, "max-t", trials=500, alpha=0.05, seed=1)
    few = against_baselines(scores, "max-t", [0], trials=500, alpha=0.05, seed=1)
    for tested in (every, few):
        assert (tested.pvalue < 0.05).any(axis=-1).mean() <= 0.07 + 2.5 * np.sqrt(0.05 * 0.95 / 250)


def test_nearly_equal_runs_do_not_hide_the_other_pairs():
    # Runs 0 and 1 differ on two of 50 topics: resamples that miss these topics have no spread.
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(1, 50, 6)) + np.array([0.0, 0.0, 0.0, 1.5, 1.5, 1.5])
    alone = run_test(scores, "max-t", trials=500, alpha=0.05, seed=0).pvalue < 0.05
    scores[..., 1] = scores[..., 0]
    scores[:, :2, 1] += 0.3
    joined = run_test(scores, "max-t", trials=500, alpha=0.05, seed=0).pvalue < 0.05
    assert joined[0, 1:].sum() >= alone[0, 1:].sum() - 1 >= 8


def scores_of(metrics=2, systems=6, topics=20):
    values = np.random.default_rng(3).random((metrics, systems, topics)) + 0.1 * np.arange(systems)[:, None]
    names = (tuple(f"m{i}" for i in range(metrics)), tuple(f"s{i}" for i in range(systems)))
    return Scores(*names, tuple(map(str, range(topics))), values)


def test_power_accepts_max_t():
    scores = scores_of()
    result = power(scores, test="max-t", trials=300, seed=4)
    expected = max_t(scores.matrix, trials=300, seed=4)
    assert result.tables["power_pairs"]["p"].to_list() == expected.pvalue.ravel().tolist()
    assert result.table["power"].to_list() == expected.power().tolist()
    assert result.table["trials"].to_list() == [300, 300]
    assert (result.table["agreement"] > 0).all()
    dz = effect_sizes(scores.matrix).cohen_dz
    assert result.tables["power_pairs"]["effect"].to_numpy() == pytest.approx(dz.ravel())
    for chart in result.charts().values():
        chart.to_dict()
    with pytest.raises(MetameterError, match="family-wise error already"):
        power(scores, test="max-t", correction="holm")


def test_the_required_difference_is_the_largest_over_pairs():
    scores = scores_of(metrics=1)
    result = power(scores, test="max-t", trials=400)
    tested = max_t(scores.matrix, trials=400)
    critical = np.sort(tested.maxima[0])[::-1][19]  # the 20th of 400
    assert result.table["required_difference"][0] == pytest.approx(critical * tested.scale.max())
    assert result.table["required_difference_error"][0] > 0


def test_convergence_ends_where_the_result_is():
    result = power(scores_of(), test="max-t", trials=300)
    steps = result.tables["power_convergence"]
    last, first = (steps.filter(steps["trials"] == count) for count in (300, 64))
    assert last["power"].to_list() == result.table["power"].to_list()
    assert last["power_error"].to_list() == result.table["power_error"].to_list()
    assert last["required_difference"].to_list() == result.table["required_difference"].to_list()
    assert first["power"].to_list() == power(scores_of(), test="max-t", trials=64).table["power"].to_list()
