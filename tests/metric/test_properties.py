"""The seven numeric properties, against what is known of well-known metrics."""

from dataclasses import replace

import numpy as np
import pytest

from metameter.judge.ranked import Ranked
from metameter.metric import properties
from metameter.metric.compose import parse_metric
from metameter.metric.product import Product
from metameter.metric.properties import DEPTH, GRADES, Lists, at_depth, seven
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
    # Whatever stands above, some users of ERR read on, for no document has the gain 1: a better one further up always
    # satisfies more of them sooner. And a second relevant document always satisfies some whom the first did not.
    ("browse", "ERR"): "y y y y y y n",
    # The best list is that of the same documents, whatever their order: it changes scores by a factor, and reaches 1.
    ("metric", "nERR"): "y n y y n c y",
    # With linear gain a document of the highest grade satisfies everyone, and what stands below it counts for nothing.
    ("browse", "NERR8"): "y n n n y y y",
    ("browse", "NERR10"): "y y n n y y y",
    ("browse", "Prec"): "y n y n y y n",
}
LETTERS = {"yes": "y", "no": "n", "by convention": "c", "not decidable": "?"}
REGISTERED = [(kind, name) for kind in ("browse", "metric") for name in names(kind)]
TOP = GRADES[-1]


def letters(which):
    return " ".join(LETTERS[each.holds] for each in seven(*which))


def graded(grades):
    """Lists of grades that metrics must turn into gains themselves."""
    gains = Ranked.of_gains(grades)
    return replace(gains, judgments=replace(gains.judgments, max_grade=float(TOP), mapped=False))


@pytest.mark.parametrize("which", KNOWN, ids="-".join)
def test_well_known_metrics_have_their_known_properties(which):
    assert tuple(each.name for each in seven(*which)) == NAMES
    assert letters(which) == KNOWN[which]


@pytest.mark.parametrize("which", REGISTERED, ids="-".join)
def test_every_property_of_every_metric_is_decided(which):
    assert {each.holds for each in seven(*which)} <= {"yes", "no", "by convention"}


@pytest.mark.parametrize("which", REGISTERED, ids="-".join)
def test_documents_with_grades_have_the_same_properties(which, monkeypatch):
    found = letters(which)

    class Grades:
        """Takes the levels for what they stand for: the numbers of the grades."""

        @staticmethod
        def of_gains(gains):
            levels = np.unique(at_depth(*which)(DEPTH).attainable(np.array(GRADES, dtype=float), TOP))
            return graded(np.searchsorted(levels, gains).astype(float))

    monkeypatch.setattr(properties, "Ranked", Grades)
    assert letters(which) == found


@pytest.mark.parametrize("which", REGISTERED, ids="-".join)
def test_attainable_gains_are_those_of_grades(which):
    measure = at_depth(*which)(DEPTH)
    grades = np.array([[2.0, 0, 1, 1, 0, 2], [0, 1, 2, 0, 0, 0], [1, 1, 1, 0, 2, 2]])
    gains = measure.attainable(grades, TOP)
    assert gains.min() >= 0
    assert gains.max() <= 1
    if isinstance(measure, Product):
        np.testing.assert_array_equal(measure.page(graded(grades)).gains, measure.page(Ranked.of_gains(gains)).gains)
    if isinstance(measure, Product) or which[1] in ("nERR", "nDCG"):  # other metrics do not scale their gains to [0, 1]
        np.testing.assert_allclose(measure.score(graded(grades)), measure.score(Ranked.of_gains(gains)), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "gains"),
    [
        ("AP", (0, 0.5, 1)),
        ("RBP(p=0.8)", (0, 0.5, 1)),
        ("RBP(p=0.8,gain=exp)", (0, 0.25, 0.75)),
        ("ERR", (0, 0.25, 0.75)),
        ("ERR(gain=linear)", (0, 0.5, 1)),
        ("nERR", (0, 0.25, 0.75)),
        ("nERR(gain=linear)", (0, 1 / 3, 2 / 3)),
        ("nERR(gain={1:1,2:9})", (0, 0.1, 0.9)),
        ("nDCG", (0, 0.5, 1)),
        ("nDCG(gain=exp)", (0, 1 / 3, 1)),
        ("nDCG(gain={1:4,2:1})", (0, 1, 0.25)),
    ],
)
def test_gains_of_grades_0_to_2_are_attainable(name, gains):
    np.testing.assert_allclose(parse_metric(name).attainable(np.array(GRADES, dtype=float), TOP), gains)


def test_err_is_bounded_by_its_attainable_gains():
    evidence = {each.name: each.evidence for each in seven("browse", "ERR")}
    # 3/4 + 1/4 x 3/4 x 1/2 + 1/4 x 1/4 x 3/4 x 1/3
    best = "with 1 relevant document no list scores more than 0.75; others reach 0.859375"
    assert evidence["realisability"] == best


def test_unattainable_gains_refute_no_property():
    # With a gain of 1 at rank 1 nobody reads on: that is what made ERR look indifferent to the ranks below.
    err = at_depth("browse", "ERR")(DEPTH)
    assert err([1, 0.5, 0]) == err([1, 0, 0.5]) == 1
    assert err([0.75, 0.25, 0]) > err([0.75, 0, 0.25]) > err([0.75, 0, 0])


def test_a_counterexample_refutes_its_property():
    evidence = {each.name: each.evidence for each in seven("metric", "P")}
    assert evidence["monotonicity"] == "the list 1 0 0 0 0 0 falls from 1 to 0.5 between depth 1 and 2"
    measure = at_depth("metric", "P")
    assert (measure(1)([1, 0, 0, 0, 0, 0]), measure(2)([1, 0, 0, 0, 0, 0])) == (1, 0.5)


@pytest.mark.parametrize(("kind", "name"), [("metric", "P"), ("browse", "RBP")])
def test_swapped_lists_exchange_the_two_ranks(kind, name):
    lists = Lists(at_depth(kind, name))
    before, after = lists.swapped(1, DEPTH + 1)
    expected = lists.gains[before].copy()
    expected[:, [1, DEPTH + 1]] = expected[:, [DEPTH + 1, 1]]
    np.testing.assert_array_equal(lists.gains[after], expected)
    assert (lists.gains[before][:, DEPTH + 1] > lists.gains[before][:, 1]).all()
