"""Make the model, aggregation or metric that one term of a name stands for, such as ``RBP(p=0.8)``."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.notation import Term
from metameter.parameters import Parametrised
from metameter.registry import find

#: The one name that is not registered: ``SDCG@k`` is short for ``DCG@k*ERG``.
SHORT = "SDCG"


def meanings(name: str) -> list[type[Parametrised]]:
    """The classes of that name: a metric, a browsing model, an aggregation, or two of them.

    Examples
    --------
    >>> [known.__module__ for known in meanings("ERR")]
    ['metameter.browse.err', 'metameter.aggregate.err']
    """
    registered = "DCG" if name == SHORT else name
    return [known for kind in ("metric", "browse", "aggregate") if (known := find(kind, registered)) is not None]


def check_parameters(term: Term) -> None:
    """Refuse unknown parameters and values out of range; a required depth may still be missing.

    Examples
    --------
    >>> check_parameters(Term("RBP", {"q": 0.8}))
    Traceback (most recent call last):
    metameter.errors.MetameterError: RBP has no parameter q. Known: closure, gain, judged_only, p.
    """
    problems: list[MetameterError] = []
    for known in meanings(term.name):
        if term.unnamed:
            raise _unnamed(known, term)
        try:
            make(known, replace(term, k=10) if known.needs_depth() else term)
        except MetameterError as problem:
            problems.append(problem)
        else:
            return
    raise problems[0]


def make(known: Any, term: Term) -> Any:
    """Make an object of a class with the parameters and the depth of a term.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> make(RBP, Term("RBP", {"p": 0.5}, 10))
    RBP(p=0.5)@10
    """
    if term.unnamed:
        raise _unnamed(known, term)
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


def _unnamed(known: Any, term: Term) -> MetameterError:
    fix = f"Write {_with_names(known, term)}."
    return MetameterError("parameters are written with their names", given=str(term), fix=fix)


def _with_names(known: Any, term: Term) -> str:
    """The term with names for its unnamed values, if they fit the numbers of the user model or the depth."""
    bounds = known.bounds()
    own = [each.name for each in fields(known) if each.metadata["role"] == "number" and each.name not in term.arguments]
    if len(own) >= len(term.unnamed):
        arguments = dict(zip(own, term.unnamed, strict=False))
        if all(bounds[name].contain(value) for name, value in arguments.items()):
            return str(Term(term.name, {**arguments, **term.arguments}, term.k))
    if term.k is None and "k" in bounds and bounds["k"].contain(term.unnamed[0]):
        return str(Term(term.name, term.arguments, int(term.unnamed[0])))
    return f"{term.name}(name=value)" if known.parameters() else term.name
