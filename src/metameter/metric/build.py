"""From a parsed name to the metric: what the words of the notation mean."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.errors import MetameterError, did_you_mean
from metameter.metric.base import Measure
from metameter.metric.cwla import Product
from metameter.notation import Expression, Term
from metameter.registry import find, get, names

__all__ = ["SHORT", "build", "check_parameters", "of_model"]

# Names of metrics that are not names of users; and the users meant.
_USER_OF = {"RR": "RRbin", "AP": "AP1", "P": "Prec", "nDCG": "DCG", "SDCG": "DCG"}
#: The one name that is neither registered nor a user: ``SDCG@k`` is short for ``DCG@k*ERG``.
SHORT = "SDCG"


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
        return build(Expression(Term("DCG", left.arguments, left.k), Term("ERG")))
    known = find("metric", left.name)
    if known is not None:
        measure: Measure = _make(known, left)
        return measure
    if find("browse", left.name) is None:
        raise _no_metric(left.name)
    return _canonical(left)


def _no_metric(name: str) -> MetameterError:
    if find("aggregate", name) is not None:
        return MetameterError(f"{name} is an aggregation, not a metric", fix=f"Write RBP(p=0.8)*{name}.")
    known = [*names("metric"), *names("browse"), SHORT]
    return MetameterError("unknown metric", given=name, fix=did_you_mean(name, known))


def _canonical(term: Term) -> Product:
    """A browsing model on its own is the metric it is known by; ``@k`` then cuts the list, unless k is the model's."""
    if get("browse", term.name).needs_depth():
        return of_model(_model(term))
    return replace(of_model(_model(replace(term, k=None))), cut=term.k)


def of_model(model: Browsing) -> Product:
    """The metric that a browsing model is known by.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> of_model(RBP(p=0.8))
    RBP(p=0.8)*ERG
    """
    # The one exception: everyone knows DCG@k as a total, not as a rate.
    aggregation = "ETG" if model.registered_name == "DCG" else model.canonical
    return Product(model, get("aggregate", aggregation)())


def check_parameters(term: Term) -> None:
    """Refuse parameters that nothing of that name has, or values that they cannot take; a depth may follow later.

    Examples
    --------
    >>> check_parameters(Term("RBP", {"q": 0.8}))
    Traceback (most recent call last):
    metameter.errors.MetameterError: RBP has no parameter q. Known: closure, gain, judged_only, p.
    """
    name = "DCG" if term.name == SHORT else term.name
    problems: list[MetameterError] = []
    for known in filter(None, (find(kind, name) for kind in ("metric", "browse", "aggregate"))):
        try:
            _make(known, replace(term, k=10) if known.needs_depth() else term)
        except MetameterError as problem:
            problems.append(problem)
        else:
            return
    raise problems[0]


def _model(term: Term) -> Browsing:
    if find("browse", term.name) is None and term.name in _USER_OF:
        raise MetameterError(
            f"{term.name} is a metric, not a browsing model", fix=f"Did you mean {_USER_OF[term.name]}?"
        )
    model: Browsing = _make(get("browse", term.name), term)
    return model


def _aggregation(term: Term) -> Aggregation:
    if term.k is not None:
        fix = f"Write it at the end, or left of *: RBP(p=0.8)@{term.k}*{term.name}."
        raise MetameterError("@k is written after the product, or on its browsing model", given=str(term), fix=fix)
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
