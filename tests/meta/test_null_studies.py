"""Whole studies of metrics that do not differ: how many contain a false verdict; benchmarks/calibration.py has more."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import metameter
from metameter.parallel import Workers

pytestmark = pytest.mark.slow
SIX = ["nDCG@10", "AP", "RBP(p=0.8)", "ERR@10", "P@10", "RR"]
STUDIES = 60


@pytest.fixture(scope="module")
def calibration():
    path = Path(__file__).parents[2] / "benchmarks" / "calibration.py"
    spec = importlib.util.spec_from_file_location("calibration", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def population():
    made = metameter.simulate(topics=400, systems=16, depth=50, seed=3)
    return metameter.score(made.qrels, made.runs, SIX, max_grade=3)


@pytest.mark.parametrize("topics", [12, 30, 50])
def test_few_null_studies_contain_a_false_verdict(calibration, population, topics):
    work = {"scores": population, "topics": topics, "resamples": 192}
    found = np.array(list(Workers.of(1).map(calibration.study, range(STUDIES), null=True, **work)))
    _, _, _, alone, rows = (found > 0).sum(axis=0)
    false = (found[:, :3] > 0).any(axis=1).sum()
    assert rows == STUDIES
    # So many or more would be seen in one of a thousand tests if 5% of the studies were false.
    assert false < binom.ppf(0.999, STUDIES, 0.05)
    # The same rows, tested separately, are false far more often: the shuffling leaves enough to be wrong about.
    assert alone > max(false, STUDIES // 10)


def test_real_differences_are_found(calibration, population):
    work = {"scores": population, "topics": 50, "resamples": 192}
    found = np.array(list(Workers.of(1).map(calibration.study, range(6), null=False, **work)))
    assert (found[:, 0] > 0).all()
    assert (found[:, 0] <= found[:, 3]).all()
