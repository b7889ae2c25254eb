"""Metrics as Python expressions are the metrics that the notation names."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import metameter as mm
from metameter import registry
from metameter.aggregate.max import Max
from metameter.browse.rbp import RBP
from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric, parse_metrics
from metameter.metric.examples import example
from metameter.registry import get, names

PAIRS = [
    (mm.nDCG @ 10, "nDCG@10"),
    (mm.nDCG(gain="exp"), "nDCG(gain=exp)"),
    (mm.nDCG(gain={1: 2, 2: 5}) @ 10, "nDCG(gain={1:2,2:5})@10"),
    (mm.AP, "AP"),
    (mm.AP(norm="min") @ 100, "AP(norm=min)@100"),
    (mm.P(rel=2) @ 5, "P(rel=2)@5"),
    (mm.RBP, "RBP"),
    (mm.RBP(p=0.8) * mm.Max(), "RBP(p=0.8)*max"),
    (mm.RBP(p=0.8) * mm.max, "RBP(p=0.8)*max"),
    (mm.RBP(p=0.8) @ 10 * mm.ERG(), "RBP(p=0.8)@10*ERG"),
    (mm.RBP(p=0.8) * mm.Max() @ 10, "RBP(p=0.8)*max@10"),
    ((mm.RBP(p=0.8) * mm.Max()) @ 10, "RBP(p=0.8)*max@10"),
    (mm.RBP(p=0.8) @ 10, "RBP(p=0.8)@10"),
    (mm.INST(T=2.25) * mm.PE(beta=0.3), "INST(T=2.25)*PE(beta=0.3)"),
    (mm.INST(T=2.25) * mm.Fgt(delta=0.5), "INST(T=2.25)*fgt(delta=0.5)"),
    (mm.Prec @ 10, "Prec@10"),
    (mm.ERR @ 10, "ERR@10"),
    (mm.ERR @ 10 * mm.ERG(), "ERR@10*ERG"),
    (mm.ERR(gain="linear") * mm.ERR(), "ERR(gain=linear)*ERR"),
    (mm.SDCG @ 10, "SDCG@10"),
    (mm.Empirical(continuation=[0.5, 0.4]) * mm.Avg(), "Empirical(continuation=[0.5,0.4])*avg"),
    (mm.RBP(p=np.float32(0.5)) @ np.int64(10), "RBP(p=0.5)@10"),
    (mm.RBP(p=np.float64(0.8)) * mm.PE(beta=np.float64(0.3)), "RBP(p=0.8)*PE(beta=0.3)"),
    (mm.nDCG(gain={np.int64(1): np.float32(2)}) @ np.int32(10), "nDCG(gain={1:2})@10"),
    (mm.parse_metric("P(rel=2)@3").at(np.int64(5)), "P(rel=2)@5"),
    (mm.parse_metric("RBP(p=0.8)") @ np.int64(5), "RBP(p=0.8)@5"),
    (RBP(p=0.8) * mm.Max(), "RBP(p=0.8)*max"),
    (mm.RBP(p=0.8) * Max(), "RBP(p=0.8)*max"),
]


@pytest.mark.parametrize(("expression", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_an_expression_equals_its_text(expression, text):
    metric = mm.parse_metric(text)
    assert expression == metric
    assert metric == expression
    assert hash(expression) == hash(metric)
    assert repr(expression) == repr(metric)
    assert mm.parse_metric(expression) == metric
    assert expression != mm.parse_metric("R@7")
    assert pickle.loads(pickle.dumps(expression)) == metric
    assert expression([1, 0, 0.5]) == metric([1, 0, 0.5])
    assert {expression: 1}[metric] == 1


@pytest.mark.parametrize("kind", ["metric", "browse", "aggregate"])
def test_everything_registered_is_a_python_name(kind):
    for name in names(kind):
        assert name in dir(mm)
        expression = getattr(mm, name)(**get(kind, name).__dict__.get("example", {}))
        if kind != "aggregate":
            made = example(kind, name)
            wanted = expression if made.k is None else expression @ made.k
            assert wanted == mm.parse_metric(repr(made))
    assert {"Max", "Avg", "Fin", "Fgt", "PE", "SDCG"} <= set(dir(mm))


WRONG = [
    (lambda: mm.RBP(p=2), "RBP(p=2)"),
    (lambda: mm.RBP(q=1), "RBP(q=1)"),
    (lambda: mm.RBP(0.8), "RBP(0.8)"),
    (lambda: mm.RBP(10), "RBP(10)"),
    (lambda: mm.nDCG(10), "nDCG(10)"),
    (lambda: mm.nDCG @ 0, "nDCG@0"),
    (lambda: mm.nDCG @ True, "nDCG@True"),
    (lambda: mm.nDCG(gain="cubic"), "nDCG(gain=cubic)"),
    (lambda: mm.IFTC2(A=0.2), "IFTC2(A=0.2)"),
    (lambda: mm.Prec.metric, "Prec"),
    (lambda: mm.Prec([1, 0]), "Prec"),
    (lambda: mm.Prec * mm.ERG(), "Prec*ERG"),
    (lambda: mm.SDCG.metric, "SDCG"),
    (lambda: mm.ERR * mm.ERG(), "ERR*ERG"),
    (lambda: mm.AP * mm.Max(), "AP*max"),
    (lambda: mm.RR * mm.Max(), "RR*max"),
    (lambda: mm.Bpref * mm.Max(), "Bpref*max"),
    (lambda: mm.RBP() * mm.RBP(), "RBP*RBP"),
    (lambda: mm.Max() * mm.RBP(), "max*RBP"),
    (lambda: mm.Max().metric, "max"),
    (lambda: mm.RBP * mm.nDCG, "RBP*nDCG"),
    (lambda: mm.RBP * (mm.Max() @ 10), "RBP*(max@10)"),
]


@pytest.mark.parametrize(("make", "text"), WRONG, ids=[text for _, text in WRONG])
def test_expressions_and_notation_give_the_same_errors(make, text):
    with pytest.raises(MetameterError) as theirs:
        mm.parse_metric(text)
    with pytest.raises(MetameterError) as ours:
        make()
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: (mm.nDCG @ 10) @ 5,
        lambda: mm.RBP * mm.Max() * mm.ERG(),
        lambda: mm.RBP * 3,
        lambda: 3 * mm.Max(),
        lambda: (mm.RBP * mm.Max())(p=0.8),
        lambda: mm.parse_metric("AP@10") @ 5,
        lambda: mm.parse_metric("RBP*max@10") @ 5,
        lambda: mm.parse_metric("AP") @ 1.5,
        lambda: mm.parse_metric(7),
    ],
)
def test_expressions_without_a_text_form_are_refused(make):
    with pytest.raises(MetameterError, match=r"\. \S"):
        make()


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: mm.RBP(0.8), "RBP(p=0.8)"),
        (lambda: mm.RBP(10), "RBP@10"),
        (lambda: mm.P(rel=2)(5), "P(rel=2)@5"),
        (lambda: mm.Fgt(0.5), "fgt(delta=0.5)"),
        (lambda: mm.parse_metric("INST(2.25)*max"), "INST(T=2.25)"),
        (lambda: mm.nDCG("exp"), "nDCG(name=value)"),
    ],
)
def test_positional_values_are_refused_with_the_named_form(make, wanted):
    with pytest.raises(MetameterError) as refused:
        make()
    assert refused.value.fix == f"Write {wanted}."


def test_an_expression_has_its_metrics_attributes_and_help():
    assert {"curve", "score", "at", "bounds"} <= set(dir(mm.nDCG))
    assert all(hasattr(mm.nDCG, name) for name in dir(mm.nDCG))
    assert "curve" not in dir(mm.Max())
    assert not hasattr(mm.Max(), "shape")
    assert not hasattr(mm.nDCG, "shape")
    assert mm.nDCG.__doc__ == get("metric", "nDCG").__doc__
    assert (mm.RBP(p=0.5) @ 10).__doc__ == RBP.__doc__
    assert mm.RBP.bounds() == RBP.bounds()
    assert mm.Fgt().bounds().keys() == {"delta"}
    with pytest.raises(MetameterError, match="is already a product"):
        (mm.RBP * mm.Max()).bounds()


def test_the_operator_at_sets_the_depth():
    for text in ("AP", "nDCG(gain=exp)", "RBP(p=0.8)", "RBP(p=0.8)*max", "ERR", "RBP(p=0.8)@20*max"):
        assert mm.parse_metric(text) @ 10 == mm.parse_metric(f"{text}@10")


def test_an_incomplete_expression_has_a_name_and_identity():
    assert repr(mm.Prec) == "Prec"
    assert repr(mm.Max()) == "max"
    assert mm.Max() == mm.max
    assert hash(mm.Max()) == hash(mm.max)
    assert mm.Max() != mm.Avg()


def test_expressions_and_texts_are_interchangeable():
    qrels, runs = {"1": {"a": 2, "b": 1}}, {"s": {"1": {"b": 2.0, "a": 1.0}}, "t": {"1": {"a": 2.0}}}
    scores = mm.score(qrels, runs, [mm.nDCG @ 10, "AP", RBP(p=0.8), mm.parse_metric("P@1")], max_grade=2)
    assert scores.metrics == ("nDCG@10", "AP", "RBP(p=0.8)*ERG", "P@1")
    assert mm.score(qrels, runs, mm.nDCG @ 10, max_grade=2).values.tolist() == scores.values[:1].tolist()
    assert scores[mm.nDCG @ 10].tolist() == scores["nDCG@10"].tolist()
    assert mm.score(qrels, runs, mm.AP, preset="lu-2016", max_grade=2).metrics[0] == "AP"
    assert mm.explain(mm.RBP(p=0.5) * mm.Max(), gains="1 0").metric == "RBP(p=0.5)*max"
    assert parse_metrics(mm.AP) == parse_metrics("AP")


def test_importing_loads_no_metric():
    asked = (
        "import sys, metameter\n"
        "for name in ('__path__', '__wrapped__', '_repr_html_', '__spec__'): getattr(metameter, name, None)\n"
        "print(sorted(m for m in sys.modules if m.startswith('metameter.') or m in ('numpy', 'polars')))"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_a_name_means_the_current_registration(monkeypatch):
    """Metrics are kept by name, as long as nothing else has been registered under it."""
    first = parse_metric("RBP(p=0.8)*max")
    assert parse_metric("RBP(p=0.8)*max") is first

    @dataclass(frozen=True, repr=False)
    class Other(RBP):
        """A user of the same name who goes on for half as long."""

        def continuation(self, page):
            return super().continuation(page) / 2

    monkeypatch.setitem(registry._classes["browse"], "RBP", Other)
    assert isinstance(parse_metric("RBP(p=0.8)*max").model, Other)
    monkeypatch.undo()
    assert parse_metric("RBP(p=0.8)*max") == first
    with pytest.raises(MetameterError, match="unknown metric"):
        parse_metric("Tired")
    monkeypatch.setitem(registry._classes["browse"], "Tired", RBP)
    assert parse_metric("Tired").model == RBP()
