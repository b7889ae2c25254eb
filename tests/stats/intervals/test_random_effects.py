"""Differences pooled over collections."""

from __future__ import annotations

import numpy as np
import pytest

from metameter.stats.intervals.random_effects import random_effects


def test_paule_mandel_weights_fit_the_degrees_of_freedom():
    values, errors = np.array([0.0, 0.3, 0.1, 0.2]), np.array([0.02, 0.03, 0.05, 0.02])
    found = random_effects(values.tolist(), errors.tolist())
    weights = 1.0 / (errors**2 + found.between**2)
    assert (weights * (values - found.estimate) ** 2).sum() == pytest.approx(3.0)
    assert found.estimate == pytest.approx((weights * values).sum() / weights.sum())
    assert found.collections == 4


def test_one_collection_is_not_pooled():
    assert random_effects([0.1], [0.02]) is None
    assert random_effects([0.0, 0.0], [0.0, 0.0]) is None


@pytest.mark.parametrize("between", [0.0, 0.06])
def test_intervals_of_five_collections_cover_the_truth(between):
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        errors = rng.uniform(0.01, 0.05, 5)
        values = 0.03 + between * rng.normal(size=5) + errors * rng.normal(size=5)
        found = random_effects(values.tolist(), errors.tolist())
        covered += found.low <= 0.03 <= found.high
    assert covered / 400 > 0.93
