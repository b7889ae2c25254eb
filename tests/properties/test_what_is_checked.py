"""Each check takes an object, a class, a name or a Python expression of its kind."""

import pytest

import metameter as mm
from metameter import MetameterError, checks
from metameter.browse.prec import Prec
from metameter.metric.classic.ndcg import NDCG


@pytest.mark.parametrize(
    "thing",
    [mm.Max(), mm.RBP, mm.Prec, mm.IFTC2, mm.Empirical(weight=[1, 0.5]), mm.nDCG @ 10, Prec, NDCG, "RBP(p=0.9)"],
    ids=repr,
)
def test_check_recognises_the_kind(thing):
    checks.check(thing)


def test_each_check_accepts_names_classes_and_instances():
    for model in (Prec, Prec(k=3), mm.Prec @ 3, mm.ERR, "ERR", "RBP(p=0.9)"):
        checks.check_browsing(model)
    for aggregation in (mm.Max(), mm.ERR, "fgt(delta=0.5)"):
        checks.check_aggregation(aggregation)
    for measure in (NDCG, mm.nDCG @ 10, mm.RBP, "RBP(p=0.9)*max"):
        checks.check_metric(measure)
    checks.check_procedure("taxonomy")
    checks.check_procedure(mm.taxonomy)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: checks.check_browsing(mm.Max()),
        lambda: checks.check_aggregation("nDCG"),
        lambda: checks.check_procedure(mm.nDCG),
    ],
)
def test_objects_of_another_kind_are_refused(wrong):
    with pytest.raises(MetameterError, match=r"that is not an? .*Call check"):
        wrong()


def test_objects_of_no_kind_are_refused():
    for thing in (3, None):
        with pytest.raises(MetameterError, match=f"no laws for a {type(thing).__name__}"):
            checks.check(thing)
    with pytest.raises(MetameterError, match="Did you mean power"):
        checks.check("powr")


def test_only_public_names_are_listed():
    assert dir(checks) == sorted(checks.__all__)
