"""Tests of dependent correlations: printed examples and edges."""

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.stats.rank_correlation.dependent_correlations import fisher_independent, steiger, williams, zou_interval

ZOU = (0.396, 0.179, 0.088, 66)
ROUND = (0.5, 0.4, 0.3, 100)


def test_printed_examples_are_reproduced():
    assert williams(*ZOU) == pytest.approx((1.380949, 0.172174), abs=1e-6)
    assert steiger(*ZOU) == pytest.approx((1.367773, 0.171383), abs=1e-6)
    assert zou_interval(*ZOU) == pytest.approx((-0.092902, 0.516760), abs=1e-6)
    assert williams(*ROUND) == pytest.approx((0.981849, 0.328617), abs=1e-6)
    assert steiger(*ROUND).statistic == pytest.approx(0.978554, abs=1e-6)
    assert zou_interval(*ROUND) == pytest.approx((-0.100028, 0.300928), abs=1e-6)


def test_fisher_reproduces_the_marks_of_paper_004():
    critical = 1.959964 * np.sqrt(2 / 7497)
    assert critical == pytest.approx(0.0320, abs=5e-5)
    assert fisher_independent(0.357, 0.335, 7500).pvalue > 0.05
    assert fisher_independent(0.5, 0.4, 7500).pvalue < 0.05


def test_swapping_the_metrics_changes_the_sign():
    for test in (williams, steiger):
        there, back = test(0.5, 0.4, 0.3, 50), test(0.4, 0.5, 0.3, 50)
        assert there.statistic == pytest.approx(-back.statistic)
        assert there.pvalue == pytest.approx(back.pvalue)
        assert test(0.4, 0.4, 0.9, 50) == (0, 1)
    low, high = zou_interval(0.4, 0.5, 0.3, 50)
    assert (-high, -low) == pytest.approx(zou_interval(0.5, 0.4, 0.3, 50))


def test_perfect_correlations_have_finite_results():
    assert williams(1.0, 0.5, 0.5, 50).pvalue == pytest.approx(0, abs=1e-6)
    assert steiger(1.0, 0.5, 0.5, 50).pvalue == 0
    assert np.isfinite(zou_interval(1.0, 0.5, 0.5, 50)).all()
    assert fisher_independent(1.0, 1.0, 50) == (0, 1)


@pytest.mark.parametrize("arguments", [(1.1, 0.4, 0.3, 50), (0.5, 0.4, 0.3, 3), (0.9, -0.9, 0.9, 50)])
@pytest.mark.parametrize("test", [williams, steiger, zou_interval])
def test_wrong_input_is_refused(test, arguments):
    with pytest.raises(MetameterError):
        test(*arguments)
