"""Calls in a wrong way, and whole numbers of other libraries: refused, or taken, alike by every function."""

import json

import numpy as np
import pytest

import metameter as mm

SCORES = mm.Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.7], [0.4, 0.2]]]))
QRELS, RUN = {"1": {"d": 1}}, {"1": {"d": 1.0}}


@pytest.mark.parametrize(
    ("args", "given", "message"),
    [
        ((SCORES,), {"trial": 3}, r"^power has no such option \(given 'trial'\)\. Did you mean trials"),
        ((), {}, r"^power: missing a required argument: 'scores'\. Call it as power\(scores, \.\.\.\)\.$"),
        ((SCORES,), {"scores": SCORES}, r"^power: multiple values for argument 'scores'\. Call it as power\(scores"),
        ((SCORES,) * 30, {}, r"^power: too many positional arguments\. Call it as power\(scores"),
    ],
)
def test_wrong_calls_name_the_function(args, given, message):
    with pytest.raises(mm.MetameterError, match=message):
        mm.power(*args, **given)


@pytest.mark.parametrize("jobs", [2.0, np.float64(2), True, 0, 10_001, "2"])
def test_jobs_must_be_a_whole_number(jobs):
    with pytest.raises(mm.MetameterError, match=r"^jobs is "):
        mm.score(QRELS, RUN, ["AP"], jobs=jobs)


def test_jobs_can_be_a_numpy_integer():
    assert mm.score(QRELS, RUN, ["AP"], jobs=np.int64(2)).values.tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("simulate", "sizes", "what"),
    [
        (mm.simulate, {"topics": 3, "systems": 2, "depth": 9, "pool_depth": 5, "documents": 200}, "qrels"),
        (mm.simulate_sessions, {"topics": 3, "systems": 2, "seed": 7}, "truth"),
        (mm.simulate_pages, {"pages": 200, "users": 2, "seed": 7}, "pages"),
    ],
)
def test_simulations_accept_numpy_integers(simulate, sizes, what):
    theirs, ours = simulate(**{name: np.uint8(size) for name, size in sizes.items()}), simulate(**sizes)
    assert getattr(theirs, what).table.equals(getattr(ours, what).table)


def test_manifests_accept_numpy_integers():
    pages = mm.simulate_pages(pages=60, users=3, seed=1).pages
    result = mm.satisfaction(pages, ["AP", "RBP(p=0.8)"], max_grade=3, resamples=np.int64(20), seed=np.int64(1))
    assert json.loads(json.dumps(result.manifest))["options"]["resamples"] == 20
