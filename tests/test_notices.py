"""A notice is one plain line wherever it is shown, and a warning like others wherever it is caught."""

import subprocess
import sys
import warnings

import pytest

from metameter.notices import MetameterWarning, notice

# What a cell of a notebook does: a kernel shows warnings as any Python does, on standard error.
CELL = """
import metameter as mm
mm.score({"1": {"a": 2}}, {"mine": {"1": {"a": 1.0}}}, ["nDCG@10", "ERR@10"])
"""
LINE = "notice: the top of the grade scale is taken to be 2, the highest grade of qrels\n"


def test_the_scale_notice_is_one_line_shown_once():
    done = subprocess.run([sys.executable, "-c", CELL + CELL], capture_output=True, text=True, check=True)
    assert done.stderr == LINE


def test_warnings_of_other_packages_look_unchanged():
    usual = warnings.formatwarning
    with pytest.warns(MetameterWarning, match="^said$"):
        notice("said")
    assert warnings.formatwarning is usual
    with warnings.catch_warnings(action="error"), pytest.raises(MetameterWarning):
        notice("said")
    assert warnings.formatwarning is usual
