"""For authors of plug-ins: the laws that every browsing model, aggregation, metric and procedure must obey.

>>> from metameter import checks
>>> checks.check("RBP")
>>> from metameter.browse.rbp import RBP
>>> checks.check_browsing(RBP(p=0.9))

Each check tries the same lists every time (`metameter.checks.lists`), so it is reproducible and needs no library. It
raises `BrokenLawError`, an `AssertionError`, which names the law and shows a list that
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
from metameter.metric.examples import example_of, examples_of
from metameter.metric.expressions import MetricExpression
from metameter.metric.terms import meanings
from metameter.notation import parse
from metameter.parameters import Parametrised
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


def check_browsing(model: Any) -> None:
    """Check a browsing model: its probabilities, what its users react to, where they leave, its tail sums."""
    _verify(_one(model, BROWSING, "a browsing model"), BROWSING)


def check_aggregation(aggregation: Any) -> None:
    """Check an aggregation: that it depends on items seen only, and its values beyond the end of the list."""
    _verify(_one(aggregation, AGGREGATION, "an aggregation"), AGGREGATION)


def check_metric(metric: Any) -> None:
    """Check a metric, given by its name or as an object: its name, its scores, its curve, what it declares."""
    known = isinstance(metric, type) and issubclass(metric, Measure) and issubclass(metric, Parametrised)
    _verify(parse_metric(example_of(metric) if known else metric), METRIC)


def check_procedure(function: Any, **options: Any) -> None:
    """Check a procedure: its declaration, its texts, its result.

    Parameters
    ----------
    function : callable or str
        A procedure, declared with ``@procedure``, or its name. It is called with small random inputs.
    **options
        Its options, to make the call fast.
    """
    procedure, _ = _one(function, PROCEDURE, "a procedure")
    _verify((procedure, options), PROCEDURE)


def check(thing: Any) -> None:
    """Check an object, a class with example values, a procedure, or whatever is registered under a name.

    Examples
    --------
    >>> check("max")
    """
    for subject, laws in _subjects(thing):
        _verify(subject, laws)


def violations(thing: Any) -> list[BrokenLawError]:
    """All laws that it breaks; a law that depends on a broken one is not tried."""
    return [each for subject, laws in _subjects(thing) for each in broken(subject, laws)]


def _subjects(thing: Any) -> list[tuple[Any, tuple[Law, ...]]]:
    if isinstance(thing, str):
        return _named(thing)
    if isinstance(thing, MetricExpression):
        # A model and an aggregation may share their name.
        meant: list[Any] = examples_of(thing.expression.left) if thing.expression.right is None else []
        return [subject for each in meant or [thing.metric] for subject in _subjects(each)]
    if isinstance(thing, type) and issubclass(thing, Parametrised):
        thing = example_of(thing)
    for kind, laws in ((Browsing, BROWSING), (Aggregation, AGGREGATION), (Measure, METRIC)):
        if isinstance(thing, kind):
            return [(thing, laws)]
    if callable(thing):
        return [((thing, {}), PROCEDURE)]
    fix = "Give a browsing model, an aggregation, a metric or a procedure."
    raise MetameterError(f"there are no laws for a {type(thing).__name__}", given=thing, fix=fix)


def _named(name: str) -> list[tuple[Any, tuple[Law, ...]]]:
    procedure = find("meta", name)
    if procedure is not None:
        return _subjects(procedure)
    if name.isidentifier() and not meanings(name):
        fix = did_you_mean(name, sorted({each for kind in KINDS for each in names(kind)}))
        raise MetameterError("nothing of that name is registered", given=name, fix=fix)
    return _subjects(MetricExpression(parse(name)))


def _one(thing: Any, laws: tuple[Law, ...], kind: str) -> Any:
    for subject, its_laws in _subjects(thing):
        if its_laws is laws:
            return subject
    raise MetameterError(f"that is not {kind}", given=thing, fix="Call check, which finds out what it is.")


def __dir__() -> list[str]:
    return sorted(__all__)


def _verify(subject: Any, laws: tuple[Law, ...]) -> None:
    for problem in broken(subject, laws):
        raise problem
