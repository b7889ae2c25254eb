"""From a metric's name to the metric: what the words of the notation mean."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.errors import MetameterError, did_you_mean
from metameter.metric.base import Measure
from metameter.metric.cwla import Product
from metameter.notation import Expression, Term, parse
from metameter.registry import find, get, names, reads_metric_names

__all__ = ["build", "parse_metric"]

# Names of metrics that are not names of users; and the users meant.
_USER_OF = {"RR": "RRbin", "AP": "AP1", "P": "Prec", "nDCG": "DCG", "SDCG": "DCG"}


@reads_metric_names
def parse_metric(name: str) -> Measure:
    """The metric of that name.

    Examples
    --------
    >>> parse_metric("RBP(p=0.8)"), parse_metric("ERR@10"), parse_metric("DCG@10"), parse_metric("SDCG@10")
    (RBP(p=0.8)*ERG, ERR*ERR@10, DCG@10*ETG, DCG@10*ERG)
    >>> parse_metric("RBP(p=0.5)")([1, 0, 1])
    0.625
    """
    return build(parse(name))


def build(expression: Expression) -> Measure:
    """The metric that a parsed name stands for."""
    left, right = expression.left, expression.right
    if right is not None:
        return Product(_model(left), _aggregation(right), expression.cut)
    if left.name == "SDCG":
        if left.k is None:
            raise MetameterError("SDCG needs a last rank", fix=f"Write {replace(left, k=10)}, say.")
        return build(Expression(Term("DCG", left.arguments, left.k), Term("ERG")))
    found = find("metric", left.name)
    if found is not None:
        measure: Measure = _make(found, left)
        return measure
    if find("browse", left.name) is None:
        if find("aggregate", left.name) is not None:
            raise MetameterError(f"{left.name} is an aggregation, not a metric", fix=f"Write RBP(p=0.8)*{left.name}.")
        known = [*names("metric"), *names("browse"), "SDCG"]
        raise MetameterError("unknown metric", given=left.name, fix=did_you_mean(left.name, known))
    return _canonical(left)


def _canonical(term: Term) -> Product:
    """A browsing model on its own is the metric it is known by; ``@k`` then cuts the list, unless k is the model's."""
    known = get("browse", term.name)
    needs_depth = any(each.metadata.get("required") for each in fields(known))
    # The one exception: everyone knows DCG@k as a total, not as a rate.
    aggregation = "ETG" if term.name == "DCG" else known.canonical
    model = _model(term if needs_depth else Term(term.name, term.arguments))
    return Product(model, get("aggregate", aggregation)(), None if needs_depth else term.k)


def _model(term: Term) -> Browsing:
    if find("browse", term.name) is None and term.name in _USER_OF:
        raise MetameterError(
            f"{term.name} is a metric, not a browsing model", fix=f"Did you mean {_USER_OF[term.name]}?"
        )
    model: Browsing = _make(get("browse", term.name), term)
    return model


def _aggregation(term: Term) -> Aggregation:
    if term.k is not None:
        raise MetameterError("@k is written after the product, or on its browsing model", given=str(term))
    aggregation: Aggregation = _make(get("aggregate", term.name), term)
    return aggregation


def _make(known: Any, term: Term) -> Any:
    arguments = dict(term.arguments)
    if term.k is not None:
        arguments["k"] = term.k
    unknown = [key for key in term.arguments if key not in known.parameters()]
    if unknown:
        fix = did_you_mean(unknown[0], known.parameters()) if known.parameters() else f"Write {term.name}."
        raise MetameterError(f"{term.name} has no parameter {unknown[0]}", fix=fix)
    missing = [
        each.name
        for each in fields(known)
        if each.default is MISSING and each.default_factory is MISSING and each.name not in arguments
    ]
    if missing:
        raise MetameterError(f"{term.name} needs {', '.join(missing)}", fix=f"Write {term.name}({missing[0]}=...).")
    return known(**arguments)
