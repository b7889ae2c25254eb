"""Example objects of every registered model, aggregation and metric, made without user parameters."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.product import Product
from metameter.metric.terms import meanings
from metameter.notation import Term
from metameter.parameters import Parametrised
from metameter.registry import get

P = TypeVar("P", bound=Parametrised)

#: The last rank of examples that need one, as in Moffat et al. (2022).
DEPTH = 5
#: The gains of the page of Tables 1 and 2 of Moffat et al. (2022).
GAINS = (0.7, 0.4, 0.0, 1.0, 0.5, 0.3)


def example(kind: str, name: str, k: int | None = None) -> Any:
    """Return the model, aggregation or metric of that name with defaults and, where it has none, example values.

    Examples
    --------
    >>> example("browse", "RBP"), example("browse", "Prec"), example("metric", "nDCG", k=10)
    (RBP(p=0.8), Prec@5, nDCG@10)
    """
    return example_of(get(kind, name), **({} if k is None else {"k": k}))


def example_of(known: type[P], **parameters: Any) -> P:
    """Return an object of a class with these parameters, its defaults and, where it has none, its example values.

    Examples
    --------
    >>> from metameter.browse.prec import Prec
    >>> example_of(Prec), example_of(Prec, k=3)
    (Prec@5, Prec@3)
    """
    # Example values belong together: they may conflict with a parameter that is passed.
    arguments = parameters if parameters.keys() - {"k"} else {**known.example, **parameters}
    if known.needs_depth():
        arguments.setdefault("k", DEPTH)
    missing = [each.name for each in fields(known) if _unset(each) and each.name not in arguments]
    if missing:
        raise MetameterError(
            f"{known.registered_name or known.__name__} has no example value for {', '.join(missing)}",
            fix=f"Give the class {known.__name__} an `example`, such as {{{missing[0]!r}: 1}}.",
        )
    return known(**arguments)


def examples_of(term: Term) -> list[Parametrised]:
    """The objects that a term may stand for, completed with example values.

    Examples
    --------
    >>> examples_of(Term("ERR")), examples_of(Term("Prec"))
    ([ERR, ERR], [Prec@5])
    """
    parameters = term.arguments if term.k is None else {**term.arguments, "k": term.k}
    classes = (known for known in meanings(term.name) if parameters.keys() <= {*known.parameters(), *known.bounds()})
    return [example_of(known, **parameters) for known in classes]


def _unset(each: Any) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def product(browse: str, aggregate: str) -> Product:
    """The product of two examples; with a last rank where it has no value without one.

    Total gain is the rate of gain times the number of items viewed by the same user: where the rate needs a last rank
    because some users never leave, the total has one, too.

    Examples
    --------
    >>> product("RBP", "max"), product("ERR", "ERR"), product("ERR", "ERG"), product("ERR", "ETG")
    (RBP(p=0.8)*max, ERR*ERR, ERR@5*ERG, ERR@5*ETG)
    """
    model: Browsing = example("browse", browse)
    aggregation: Aggregation = example("aggregate", aggregate)
    if model.refusal(repr(aggregation), rate=aggregation.additive):
        model = example("browse", browse, k=DEPTH)
    return Product(model, aggregation)
