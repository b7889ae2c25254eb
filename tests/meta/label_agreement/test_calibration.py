"""The benchmark that says how often marks are false goes the way that `satisfaction` goes."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "calibration_satisfaction.py"


@pytest.fixture(scope="module")
def calibration():
    names = runpy.run_path(str(SCRIPT))
    names["pool"].__wrapped__.__globals__["POOL"] = 2000  # distinct lists to draw from: fewer, and faster
    return SimpleNamespace(**names)


def test_the_shortcut_agrees_with_the_procedure(calibration):
    calibration._check()


@pytest.mark.parametrize("each", [None, 10])
def test_null_tables_report_their_false_marks(calibration, each):
    found = calibration.null_table(0, setting=calibration._spread(30, each, "null"), resamples=100)
    assert len(found) == 4
    better, beats, *_ = found
    assert beats or not better
