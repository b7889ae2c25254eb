"""For authors of plug-ins: the laws that every model, aggregation, metric and procedure must keep.

>>> from metameter import checks
>>> checks.check("RBP")
>>> from metameter.browse.rbp import RBP
>>> checks.check_browsing(RBP(p=0.9))

Each check tries the same lists every time (`metameter.checks.lists`), so that it needs no further library and passes
today if it passed yesterday. It raises `BrokenLawError`, an `AssertionError`, which names the law and shows a list that
breaks it; `violations` returns all that are broken.
"""

from __future__ import annotations

from typing import Any

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.checks.aggregation import AGGREGATION
from metameter.checks.browsing import BROWSING
from metameter.checks.law import BrokenLawError, Law, broken
from metameter.checks.metric import METRIC
from metameter.checks.procedure import PROCEDURE
from metameter.errors import MetameterError, did_you_mean
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.metric.named import Named
from metameter.registry import KINDS, find, names

__all__ = [
    "BrokenLawError",
    "check",
    "check_aggregation",
    "check_browsing",
    "check_metric",
    "check_procedure",
    "violations",
]


def check_browsing(model: Browsing) -> None:
    """Check a browsing model: probabilities, what moves its users, where they leave, its sums beyond the list."""
    _verify(model, BROWSING)


def check_aggregation(aggregation: Aggregation) -> None:
    """Check an aggregation: that it goes by what was seen, and what it says of items beyond the list."""
    _verify(aggregation, AGGREGATION)


def check_metric(metric: Any) -> None:
    """Check a metric, given by its name or as an object: its name, its scores, its curve, what it declares."""
    _verify(parse_metric(metric), METRIC)


def check_procedure(function: Any, **options: Any) -> None:
    """Check a procedure: its declaration, its words, its result.

    Parameters
    ----------
    function : callable
        Declared with ``@procedure``. If it takes scores it is called with a few drawn at random.
    **options
        Given to it, to make the call short.
    """
    _verify((function, options), PROCEDURE)


def check(thing: Any) -> None:
    """Check what is given: an object, a class with example values, a procedure, or whatever is registered by that name.

    Examples
    --------
    >>> check("max")
    """
    for subject, laws in _subjects(thing):
        _verify(subject, laws)


def violations(thing: Any) -> list[BrokenLawError]:
    """All laws that it breaks; those that rest on a broken one are not tried."""
    return [each for subject, laws in _subjects(thing) for each in broken(subject, laws)]


def _subjects(thing: Any) -> list[tuple[Any, tuple[Law, ...]]]:
    if isinstance(thing, str):
        return _registered(thing)
    if isinstance(thing, type) and hasattr(thing, "example"):
        thing = thing(**thing.example)
    if isinstance(thing, Named):
        thing = thing.metric
    for kind, laws in ((Browsing, BROWSING), (Aggregation, AGGREGATION), (Measure, METRIC)):
        if isinstance(thing, kind):
            return [(thing, laws)]
    if callable(thing):
        return [((thing, {}), PROCEDURE)]
    fix = "Give a browsing model, an aggregation, a metric or a procedure."
    raise MetameterError("there are no laws for that", given=thing, fix=fix)


def _registered(name: str) -> list[tuple[Any, tuple[Law, ...]]]:
    # A model and an aggregation may share their name.
    kinds = [kind for kind in KINDS if find(kind, name) is not None]
    if not kinds:
        try:
            return [(parse_metric(name), METRIC)]
        except MetameterError:
            fix = did_you_mean(name, sorted({each for kind in KINDS for each in names(kind)}))
            raise MetameterError("nothing of that name is registered", given=name, fix=fix) from None
    made = [find(kind, name) if kind == "meta" else example(kind, name) for kind in kinds]
    return [subject for each in made for subject in _subjects(each)]


def _verify(subject: Any, laws: tuple[Law, ...]) -> None:
    for problem in broken(subject, laws):
        raise problem
