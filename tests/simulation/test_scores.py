"""Score matrices like a given one."""

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.simulation import ScoreParameters, fit, simulate_scores

KNOWN = ScoreParameters(0.2, 0.5, 0.3, tuple(np.linspace(0, 1, 101) ** 2))


def test_fit_recovers_the_simulated_parameters():
    found = fit(simulate_scores(KNOWN, topics=400, systems=300).values[0])
    assert (found.system, found.topic, found.interaction) == pytest.approx((0.2, 0.5, 0.3), abs=0.05)
    assert np.interp([0.25, 0.5, 0.75], np.linspace(0, 1, 1001), found.marginal) == pytest.approx(
        np.array([0.25, 0.5, 0.75]) ** 2, abs=0.06
    )


def test_clustered_scores_stay_clustered():
    random = np.random.default_rng(0)
    given = 1 / random.integers(1, 5, size=(30, 60)) * (random.random((30, 60)) > 0.3)
    made = simulate_scores(fit(given), topics=60, systems=30).values
    assert np.mean(made == 0) == pytest.approx(np.mean(given == 0), abs=0.06)
    assert np.mean(made == 1) == pytest.approx(np.mean(given == 1), abs=0.06)
    assert made.min() >= 0
    assert made.max() <= 1


def test_more_systems_and_topics_keep_earlier_scores():
    small, large = simulate_scores(KNOWN, topics=5, systems=4), simulate_scores(KNOWN, topics=9, systems=7)
    assert (small.values == large.values[:, :4, :5]).all()
    assert small.systems == large.systems[:4]


def test_null_has_no_system_effect():
    assert fit(simulate_scores(KNOWN, topics=200, systems=100, null=True)["simulated"]).system < 0.01


@pytest.mark.parametrize("wrong", [[1.0, 2.0], [[1.0, 2.0]], [[1.0, np.nan], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]])
def test_degenerate_scores_are_refused(wrong):
    with pytest.raises(MetameterError, match="cannot be fitted"):
        fit(wrong)


def test_sizes_out_of_range_are_refused():
    with pytest.raises(MetameterError, match="seed is out of range"):
        simulate_scores(KNOWN, topics=0)
