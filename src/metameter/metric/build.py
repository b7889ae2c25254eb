"""Build the metric that a parsed name stands for."""

from __future__ import annotations

from dataclasses import replace

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.aliases import in_any_case, read_alias, unknown_metric
from metameter.metric.base import Measure
from metameter.metric.product import Product
from metameter.metric.terms import SHORT, make, meanings
from metameter.notation import Expression, Term
from metameter.registry import find, get, names

# Metric names that are not browsing models -> the browsing model probably meant.
_USER_OF = {"RR": "RRbin", "AP": "AP1", "P": "Prec", "nDCG": "DCG", "SDCG": "DCG"}


def build(expression: Expression) -> Measure:
    """The metric that a parsed name stands for.

    Examples
    --------
    >>> build(Expression(Term("RBP", {"p": 0.5}), Term("max"), cut=10))
    RBP(p=0.5)*max@10
    """
    left, right = expression.left, expression.right
    if right is not None:
        return Product(_model(left), _aggregation(right), expression.cut)
    if left.name == SHORT:
        if left.k is None:
            raise MetameterError("SDCG needs a last rank", fix=f"Write {replace(left, k=10)}, say.")
        return build(Expression(replace(left, name="DCG"), Term("ERG")))
    known = find("metric", left.name)
    if known is not None:
        measure: Measure = make(known, left)
        return measure
    if find("browse", left.name) is None:
        raise _no_metric(left.name)
    return _canonical(left)


def _no_metric(name: str) -> MetameterError:
    if find("aggregate", name) is not None:
        return MetameterError(f"{name} is an aggregation, not a metric", fix=f"Write RBP(p=0.8)*{name}.")
    return unknown_metric(name)


def _canonical(term: Term) -> Product:
    """The metric of a bare browsing model; ``@k`` cuts the list, unless k is a parameter of the model."""
    if get("browse", term.name).needs_depth():
        return of_model(_model(term))
    return replace(of_model(_model(replace(term, k=None))), cut=term.k)


def of_model(model: Browsing) -> Product:
    """The metric that has the name of a browsing model.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> of_model(RBP(p=0.8))
    RBP(p=0.8)*ERG
    """
    # The one exception: DCG@k is commonly known as a total, not as a rate.
    aggregation = "ETG" if model.registered_name == "DCG" else model.canonical
    return Product(model, get("aggregate", aggregation)())


def _model(term: Term) -> Browsing:
    term = replace(term, name=in_any_case("browse", term.name))
    if find("browse", term.name) is None:
        metric = _metric_meant(term)
        if metric in _USER_OF or find("metric", metric) is not None:
            near = _USER_OF.get(metric)
            fix = f"Did you mean {near}?" if near else "metameter metrics lists the browsing models."
            raise MetameterError(f"{term.name} is a metric, not a browsing model", fix=fix)
        if find("aggregate", term.name) is not None:
            fix = f"Write the browsing model first: RBP(p=0.8)*{term.name}."
            raise MetameterError(f"{term.name} is an aggregation, not a browsing model", fix=fix)
    model: Browsing = make(get("browse", term.name), term)
    return model


def _metric_meant(term: Term) -> str:
    """The metric of that name regardless of case, or by an alias; the name itself if there is none."""
    read = read_alias(term.name if term.k is None else f"{term.name}@{term.k}")
    return term.name if read is None else read[0].name


def _aggregation(term: Term) -> Aggregation:
    if term.k is not None:
        fix = f"Write it at the end, or left of *: RBP(p=0.8)@{term.k}*{term.name}."
        raise MetameterError("@k is written after the product, or on its browsing model", given=str(term), fix=fix)
    term = replace(term, name=in_any_case("aggregate", term.name))
    if find("aggregate", term.name) is None and meanings(term.name):
        kind = "metric" if find("browse", term.name) is None else "browsing model"
        fix = f"Choose one of {', '.join(names('aggregate'))}."
        raise MetameterError(f"{term.name} is a {kind}, not an aggregation", fix=fix)
    aggregation: Aggregation = make(get("aggregate", term.name), term)
    return aggregation
