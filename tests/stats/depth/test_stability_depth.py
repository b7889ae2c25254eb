"""The depth from which on an order is settled, and its interval."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.stats.depth.orderings import DepthTaus, depth_bounds
from metameter.stats.depth.stability_depth import first_stable_depth, stability_depth

TAUS = st.sampled_from([0.5, 0.89, 0.9, 0.95, 1.0, np.nan])


@given(st.lists(TAUS, min_size=1, max_size=7))
def test_the_first_stable_depth_matches_a_search(taus):
    depths = np.arange(1, len(taus) + 1) * 10
    wanted = [depths[i] for i in range(len(taus) - 1) if all(tau >= 0.9 for tau in taus[i:-1])]
    assert first_stable_depth(taus, depths) == pytest.approx(wanted[0] if wanted else np.nan, nan_ok=True)


def test_the_last_depth_is_no_evidence():
    assert np.isnan(first_stable_depth([0.2, 0.3, 1.0], [1, 2, 3]))
    assert first_stable_depth([0.2, 0.9, 1.0], [1, 2, 3]) == 2
    assert first_stable_depth([0.9 - 1e-14, 0.9, 1.0], [1, 2, 3]) == 1, "rounding"


def test_the_interval_comes_from_the_depths_of_resamples():
    rng = np.random.default_rng(0)
    steps = rng.normal(0, 0.3, (3, 6, 25, 12))
    scores = np.linspace(0, 2, 12) + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
    taus = depth_bounds(scores, resamples=100).tau_to_final
    depths = [1, 2, 5, 10, 20, 50]
    drawn = np.sort([first_stable_depth(each, depths, 0.8) for each in taus.resampled], axis=0)  # NaN comes last
    for together, first, last in ((True, 0, 99), (False, 2, 97)):  # 99 steps: .025 / 3 of them is the first
        found = stability_depth(taus, depths, 0.8, together=together)
        shallow, estimate, deep = (np.nan_to_num(each, nan=99) for each in (found.low, found.depth, found.high))
        ends = np.nan_to_num(drawn, nan=99)
        assert (shallow == np.minimum(ends[first], estimate)).all()
        assert (deep == np.maximum(ends[last], estimate)).all()


def test_few_topics_give_no_interval():
    found = stability_depth(DepthTaus(np.array([[0.95, 0.95, 1.0]]), np.empty((0, 1, 3)), topics=4), [1, 2, 3])
    assert found.depth == 1
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("depths", [[1, 2], [3, 2, 1], [1, 1, 2]])
def test_depths_that_do_not_fit_are_refused(depths):
    with pytest.raises(MetameterError, match="depths do not fit"):
        first_stable_depth([0.2, 0.3, 1.0], depths)


def test_wrong_thresholds_are_refused():
    taus = DepthTaus(np.ones((1, 2)), np.ones((4, 1, 2)), topics=9)
    with pytest.raises(MetameterError, match="threshold"):
        stability_depth(taus, [1, 2], "high")
    with pytest.raises(MetameterError, match="level"):
        stability_depth(taus, [1, 2], 0.9, 95)


@pytest.mark.slow
def test_intervals_cover_the_expected_depth():
    """A small version of benchmarks/coverage_settled.py."""
    path = Path(__file__).parents[3] / "benchmarks" / "coverage_settled.py"
    spec = importlib.util.spec_from_file_location("coverage_settled", path)
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    size = benchmark.Size(population=500, systems=20, cases=40, resamples=100)
    found = benchmark.trials(benchmark.population(size), 25, size)
    for place in range(len(benchmark.THRESHOLDS)):
        shares = benchmark.shares(found[:, place])
        # 40 tables: at the level of .95, more than five that miss come about once in a hundred times.
        assert shares["covered, all rows"] >= 1 - 5 / 40
        assert shares["settled too early, any row"] <= 4 / 40
        assert shares["covered, row alone"] >= 0.93
        assert shares["depths in the interval"] < 10, "an interval of all 15 depths would hold every truth"
