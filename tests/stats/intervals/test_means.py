"""Studentised intervals of means: against a plain loop, properties, edges."""

from importlib import import_module

import numpy as np
import pytest
import scipy.stats

from metameter.errors import MetameterError
from metameter.stats.intervals.means import mean_intervals
from metameter.stats.resampling.samples import bootstrap_indices

RNG = np.random.default_rng(0)


def plain_width(x, trials, seed, alpha=0.05):
    n, drawn = len(x), np.concatenate(list(bootstrap_indices(len(x), trials, seed)))
    error = x.std(ddof=1) / np.sqrt(n)
    away = np.abs(x[drawn].mean(axis=1) - x.mean())
    own = np.maximum(x[drawn].std(axis=1, ddof=1) / np.sqrt(n), error / n)
    largest = np.sort(away / own)[::-1][int(np.ceil(alpha * trials - 1e-9)) - 1]
    return max(largest, scipy.stats.t.ppf(1 - alpha / 2, n - 1)) * error


@pytest.mark.parametrize("topics", [5, 12, 40])
def test_widths_match_a_plain_loop(topics):
    scores = RNG.beta(0.4, 1.7, size=(3, topics, 4))
    result = mean_intervals(scores, trials=300, seed=2, jobs=2)
    wanted = [[plain_width(column, 300, 2) for column in matrix.T] for matrix in scores]
    assert result.width == pytest.approx(np.array(wanted))
    assert result.mean == pytest.approx(scores.mean(axis=1))
    wide = mean_intervals(scores, trials=300, seed=2, level=0.99)
    assert (wide.width > result.width).all()


def test_normal_scores_give_nearly_students_interval():
    result = mean_intervals(RNG.normal(size=(200, 50, 1)))
    student = scipy.stats.t.ppf(0.975, 49)
    assert np.median(result.width) == pytest.approx(student / np.sqrt(50), rel=0.05)


def test_blocks_of_columns_change_nothing(monkeypatch):
    module = import_module("metameter.stats.intervals.means")
    scores = RNG.random((2, 8, 5))
    wanted = mean_intervals(scores, trials=200)
    monkeypatch.setattr(module, "_CELLS", 1)
    again = mean_intervals(scores, trials=200)
    assert again.width == pytest.approx(wanted.width, rel=1e-12)
    assert again.width_error == pytest.approx(wanted.width_error, rel=1e-9)


def test_constant_scores_have_no_width():
    result = mean_intervals(np.stack([np.full(6, 0.3), np.zeros(6), RNG.random(6)], axis=1), trials=100)
    assert result.width[:2].tolist() == [0, 0]
    assert np.isfinite(result.width).all()
    # A single success in five: resamples without it have no spread, yet the interval has bounds.
    rare = mean_intervals(np.array([[0.0], [0], [0], [0], [1]]))
    assert 0.2 < rare.width[0] < 2


def test_the_error_matches_the_spread_over_seeds():
    scores = RNG.beta(0.4, 1.7, size=(15, 1))
    drawn = [mean_intervals(scores, trials=400, seed=seed) for seed in range(40)]
    spread = np.std([each.width[0] for each in drawn])
    assert 0.5 < np.mean([each.width_error[0] for each in drawn]) / spread < 2.0


@pytest.mark.parametrize(
    ("scores", "options"), [([[1.0]], {}), ([[1.0], [2.0]], {"level": 1.5}), ([[1.0], [np.nan]], {})]
)
def test_wrong_input_is_refused(scores, options):
    with pytest.raises(MetameterError):
        mean_intervals(scores, **options)
