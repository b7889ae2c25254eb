"""Simple metrics, sets of them, their weights and the iterations, by whatever a user writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metameter
from metameter.meta.dimension_tests.question import iteration_list
from metameter.meta.dimension_tests.simple_sets import DimensionSets, complex_metrics, weights_of
from metameter.meta.framework.metric_names import find_metric
from metameter.notation import split_outside

SESSION = ["ACT", "nCT", "alpha-nDCG", "nERR-IA", "RBU(p=0.99,e=0.05)", "prec", "st-rec", "tot-time", "r-it", "neg-it"]
AUTHORS = ["act", "nct", "rbu_0.990_0.050", "p", "strec", "ttime", "rtime", "ntime"]


@pytest.mark.parametrize(
    ("name", "metrics", "found"),
    [
        ("alpha_nDCG", SESSION, "alpha-nDCG"),
        ("nERR_IA", SESSION, "nERR-IA"),
        ("RBU", SESSION, "RBU(p=0.99,e=0.05)"),
        ("RBU(e=0.05,p=0.99)", SESSION, "RBU(p=0.99,e=0.05)"),
        ("act", SESSION, "ACT"),
        ("st_rec", AUTHORS, "strec"),
        ("RBP(p=0.80)", ["RBP(p=0.8)*ERG"], "RBP(p=0.8)*ERG"),
        ("P", ["P@5", "P@10"], None),
        ("P", ["P@10"], "P@10"),
        ("P@10", ["P@100"], None),
    ],
)
def test_metrics_are_found_under_any_spelling(name, metrics, found):
    assert find_metric(name, metrics) == found


def test_a_name_may_contain_a_separator():
    metrics = ["a+b", "a,b", "a", "b", "p"]
    assert DimensionSets.of(["a+b", "b+a"], metrics).members == (("a+b",), ("b", "a"))
    assert complex_metrics("a,b", metrics, ["p"]) == ("a,b",)
    assert complex_metrics("b,a", metrics, ["p"]) == ("b", "a")


@given(st.lists(st.text("abc()=,+", max_size=6), min_size=1, max_size=4))
def test_splitting_and_joining_round_trip(parts):
    text = "+".join(parts)
    assert "+".join(split_outside(text, "+")) == text


@pytest.mark.parametrize("metrics", [SESSION, AUTHORS])
def test_the_sets_of_the_paper_are_the_default(metrics):
    sets = DimensionSets.of((), metrics)
    rel, div, eff = ("p", "strec", "ttime") if metrics is AUTHORS else ("prec", "st-rec", "tot-time")
    assert sets.labels == ("Rel", "Div", "Eff", "Rel+Div", "Rel+Div+Eff")
    assert sets.members == ((rel,), (div,), (eff,), (rel, div), (rel, div, eff))
    assert sets.legend == f"Rel is {rel}, Div is {div}, Eff is {eff}"
    assert sets.positions == ((0,), (1,), (2,), (0, 1), (0, 1, 2))


@pytest.mark.parametrize(
    ("simple", "labels"),
    [
        ("prec", ("prec",)),
        (["p", "strec + p"], ("prec", "st-rec+prec")),
        ("rel+eff", ("Rel+Eff",)),
        ([("prec", "st_rec")], ("prec+st-rec",)),
        (["prec", "Rel", "p+p"], ("prec",)),
        ([metameter.prec], ("prec",)),
    ],
)
def test_sets_can_be_written_in_several_ways(simple, labels):
    assert DimensionSets.of(simple, SESSION).labels == labels


def test_simple_metrics_are_not_tested_by_default():
    assert complex_metrics(None, SESSION, ["prec"]) == tuple(SESSION[:5])
    assert complex_metrics(None, AUTHORS, ["p"]) == tuple(AUTHORS[:3])
    assert complex_metrics(["r_it", "ACT"], SESSION, ["prec"]) == ("r-it", "ACT")


@pytest.mark.parametrize("simple", ["", "p+", ["prec", "+"]])
def test_an_empty_name_is_refused(simple):
    with pytest.raises(metameter.MetameterError, match="a set of simple metrics has an empty name"):
        DimensionSets.of(simple if simple else [""], SESSION)


@pytest.mark.parametrize(
    ("given", "weights"),
    [
        ("rel=.5,div=.3,eff=.2", (0.5, 0.3, 0.2)),
        ({"prec": 1, "strec": 2, "tot_time": "0"}, (1.0, 2.0, 0.0)),
        (" Rel = 1 , st-rec=1,tot-time=1e-1", (1.0, 1.0, 0.1)),
        (None, None),
        ({}, None),
    ],
)
def test_weights_are_parsed(given, weights):
    assert weights_of(given, DimensionSets.of((), SESSION)) == weights


def test_names_with_parentheses_have_weights():
    sets = DimensionSets.of("P(rel=2)@5+AP", ["P(rel=2)@5", "AP", "RR"])
    assert weights_of("P(rel=2)@5=0.25,AP=0.75", sets) == (0.25, 0.75)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("rel=1,rel=2,div=1,eff=1", "a simple metric has two weights"),
        ("rel,div=1", "a weight has no name"),
        ("=1", "a weight has no name"),
        ("rel=x,div=1,eff=1", "a weight is not a number from 0 on"),
        ({"rel": True, "div": 1, "eff": 1}, "a weight is not a number from 0 on"),
        ({"rel": float("inf"), "div": 1, "eff": 1}, "a weight is not a number from 0 on"),
        ("rel=0,div=0,eff=1", "all weights of a set are zero"),
    ],
)
def test_meaningless_weights_are_refused(given, says):
    with pytest.raises(metameter.MetameterError, match=says):
        weights_of(given, DimensionSets.of((), SESSION))


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ("1-3,10", (1, 2, 3, 10)),
        ("3", (3,)),
        ("3-99", (3, 10)),
        ([3, 1, 3], (1, 3)),
        (2, (2,)),
        (None, (1, 2, 3, 10)),
        ((), (1, 2, 3, 10)),
    ],
)
def test_iterations_are_parsed(given, listed):
    assert iteration_list(given, [1, 2, 3, 10]) == listed


@pytest.mark.parametrize("given", ["3-1", "1-", "-1", "a", "", "1,,2", [True], [1.0], "11-20", [], 99])
def test_wrong_iterations_are_refused(given):
    with pytest.raises(metameter.MetameterError, match="iteration"):
        iteration_list(given, [1, 2, 3, 10])
