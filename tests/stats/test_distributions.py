"""The level of a tail, against SciPy's root finder and its distributions."""

import pytest
from scipy.optimize import brentq
from scipy.stats import norm, studentized_range

from metameter.stats.distributions import (
    dunnett_quantile,
    dunnett_tail,
    level_reached,
    studentized_range_quantile,
    studentized_range_tail,
)


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.05, 0.01, 1e-6, 1e-12])
def test_the_normal_quantile_is_found(alpha):
    assert level_reached(lambda x: 2 * norm.sf(x), alpha) == pytest.approx(norm.isf(alpha / 2), abs=1e-10)


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.001])
@pytest.mark.parametrize(("k", "df"), [(2, 5), (10, 49), (129, 1000)])
def test_quantiles_match_scipys_roots(alpha, k, df):
    for quantile, tail in (
        (studentized_range_quantile, studentized_range_tail),
        (dunnett_quantile, dunnett_tail),
    ):
        root = brentq(lambda x, tail=tail: float(tail(x, k, df)) - alpha, 0.0, 64.0, xtol=1e-12)
        assert quantile(alpha, k, df) == pytest.approx(root, rel=1e-10)


def test_quantiles_match_the_tables():
    assert studentized_range_quantile(0.05, 3, 10) == pytest.approx(studentized_range.isf(0.05, 3, 10), rel=1e-6)


def test_few_evaluations_find_a_quantile():
    """Each costs a double integral."""
    asked = []
    level_reached(lambda x: asked.append(x) or 2 * float(norm.sf(x)), 0.05)
    assert len(asked) <= 16
