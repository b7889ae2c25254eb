"""The seven numeric properties, against what is known of well-known metrics."""

import numpy as np
import pytest

from metameter.metric.properties.lists import DEPTH, Lists, at_depth
from metameter.metric.properties.seven import seven
from metameter.registry import names

NAMES = (
    "boundedness",
    "monotonicity",
    "convergence",
    "top-weightedness",
    "localisation",
    "completeness",
    "realisability",
)
# B M C T L C R, as follows from the definitions at a fixed depth; c: by convention.
KNOWN = {
    ("metric", "P"): "y n y n y y n",
    ("metric", "R"): "y y y n n c n",
    ("metric", "RR"): "y y n n y y y",
    ("metric", "AP"): "y y y y n c n",
    ("metric", "nDCG"): "y n y y n c y",
    ("metric", "Success"): "y y n n y y y",
    ("metric", "NumRelRet"): "n y y n y y n",
    ("browse", "RBP"): "y y y y y y n",
    ("browse", "DCG"): "n y y y y y n",
    ("browse", "INSQ"): "y y y y y y n",
    ("browse", "ERR"): "y y n n y y y",
    ("browse", "Prec"): "y n y n y y n",
}
LETTERS = {"yes": "y", "no": "n", "by convention": "c", "not decidable": "?"}


@pytest.mark.parametrize("which", KNOWN, ids="-".join)
def test_well_known_metrics(which):
    found = seven(*which)
    assert tuple(each.name for each in found) == NAMES
    assert " ".join(LETTERS[each.holds] for each in found) == KNOWN[which]


@pytest.mark.parametrize("which", [(kind, name) for kind in ("browse", "metric") for name in names(kind)], ids="-".join)
def test_everything_registered_is_decided(which):
    assert {each.holds for each in seven(*which)} <= {"yes", "no", "by convention"}


def test_a_counterexample_is_one():
    evidence = {each.name: each.evidence for each in seven("metric", "P")}
    assert evidence["monotonicity"] == "the list 1 0 0 0 0 0 falls from 1 to 0.5 between depth 1 and 2"
    measure = at_depth("metric", "P")
    assert (measure(1)([1, 0, 0, 0, 0, 0]), measure(2)([1, 0, 0, 0, 0, 0])) == (1, 0.5)


@pytest.mark.parametrize(("kind", "name"), [("metric", "P"), ("browse", "RBP")])
def test_swapped_lists_are_the_lists_swapped(kind, name):
    lists = Lists(at_depth(kind, name))
    before, after = lists.swapped(1, DEPTH + 1)
    expected = lists.gains[before].copy()
    expected[:, [1, DEPTH + 1]] = expected[:, [DEPTH + 1, 1]]
    np.testing.assert_array_equal(lists.gains[after], expected)
    assert (lists.gains[before][:, DEPTH + 1] > lists.gains[before][:, 1]).all()
