"""Gain maps."""

from __future__ import annotations

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.judge.gain import gain_map, gains_of, ideal_gains
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked

GRADE = np.array([[3.0, 0.0, 1.0, 0.0, 0.0]])
STATUS = np.array([[JUDGED, ABSENT, JUDGED, POOLED, BEYOND]], dtype=np.int8)


def ranked():
    judgments = Judgments(("1",), np.array([[3.0, 1.0, 0.0, -1.0]]), 3)
    return Ranked("s", judgments, GRADE, STATUS, np.array([4]))


@pytest.mark.parametrize(
    ("spec", "gains", "ideal"),
    [
        ("linear", [1, 0, 1 / 3, 0, 0], [1, 1 / 3, 0, 0]),
        ("exp", [7 / 8, 0, 1 / 8, 0, 0], [7 / 8, 1 / 8, 0, 0]),
        ("binary", [1, 0, 1, 0, 0], [1, 1, 0, 0]),
        ("binary(2)", [1, 0, 0, 0, 0], [1, 0, 0, 0]),
        ("binary(0.5)", [1, 0, 1, 0, 0], [1, 1, 0, 0]),
        ({0: 0.1, 1: 1, 3: 0.5}, [0.5, 0, 1, 0, 0], [1, 0.5, 0.1, 0]),
    ],
)
def test_gain_maps_give_the_listed_gains(spec, gains, ideal):
    run = ranked()
    np.testing.assert_allclose(gains_of(run, spec), [gains], rtol=0, atol=0)
    np.testing.assert_allclose(ideal_gains(run.judgments, spec), [ideal], rtol=0, atol=0)
    assert gains_of(run, spec) is gains_of(run, gain_map(spec))
    assert ideal_gains(run.judgments, spec) is ideal_gains(run.judgments, spec)


@pytest.mark.parametrize("spec", ["linear", "exp", "binary", {1: 1}])
def test_gains_are_not_mapped_again(spec):
    run = Ranked.of_gains([0.7, None, 0, 1])
    assert gains_of(run, spec).tolist() == [[0.7, 0, 0, 1]]
    assert ideal_gains(run.judgments, spec).tolist() == [[1, 0.7, 0, 0]]


def test_any_positive_gain_is_relevant():
    run = Ranked.of_gains([0.7, None, 0, 1])
    assert run.relevant().tolist() == [[True, False, False, True]]
    assert run.judgments.relevant(2).tolist() == [2]


def test_only_judged_documents_are_relevant():
    run = ranked()
    assert run.relevant(1).tolist() == [[True, False, True, False, False]]
    assert run.relevant(0).tolist() == [[True, False, True, False, False]]
    assert run.relevant(2).tolist() == [[True, False, False, False, False]]
    assert run.judgments.relevant(0).tolist() == [3]


def test_ideal_gains_are_zero_without_relevant_documents():
    judgments = Judgments(("1",), np.zeros((1, 2)), 0.0)
    assert ideal_gains(judgments, "linear").tolist() == [[0, 0]]
    assert ideal_gains(judgments, "exp").tolist() == [[0, 0]]


@pytest.mark.parametrize("spec", ["cubic", "binary(0)", "binary(x)", "", {}, {1: 2}, {1: -0.1}])
def test_unknown_gain_maps_are_refused(spec):
    with pytest.raises(MetameterError):
        gain_map(spec)


def test_a_gain_table_that_lacks_a_grade_is_refused():
    with pytest.raises(MetameterError, match=r"lacks a grade \(given 3.0, allowed: 0, 1\)"):
        gains_of(ranked(), {0: 0, 1: 1})
