"""A law, and the error for an object that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from metameter.errors import MetameterError


class BrokenLawError(MetameterError, AssertionError):
    """A law does not hold; the message names the law, the object and a list that breaks it.

    Attributes
    ----------
    law : str
        The name of the law.
    """

    law: str = ""


@dataclass(frozen=True)
class Law:
    """Something that must hold of every model, aggregation, metric or procedure.

    Attributes
    ----------
    name : str
        A short name, which messages use.
    says : str
        What must hold, as a sentence.
    counterexample : callable
        Returns a sentence on what breaks it; None if nothing does.
    after : tuple of str
        The laws that it presupposes; if one of them is broken, this one is not tested.
    """

    name: str
    says: str
    counterexample: Callable[[Any], str | None]
    after: tuple[str, ...] = ()


def broken(subject: Any, laws: tuple[Law, ...]) -> Iterator[BrokenLawError]:
    """The laws that are broken, one after the other."""
    unfit: set[str] = set()
    for law in laws:
        if unfit & set(law.after):
            unfit.add(law.name)
            continue
        problem = _tried(law, subject)
        if problem is not None:
            unfit.add(law.name)
            yield problem


def _tried(law: Law, subject: Any) -> BrokenLawError | None:
    try:
        counterexample = law.counterexample(subject)
    except BrokenLawError:
        raise
    except Exception as problem:  # code of a plug-in: any error in it breaks the law that is being tried
        reason = problem.what if isinstance(problem, MetameterError) else f"{type(problem).__name__}: {problem}"
        counterexample = f"it raises {reason}"
    if counterexample is None:
        return None
    who = subject[0].__name__ if isinstance(subject, tuple) else repr(subject)
    error = BrokenLawError(f"{who} breaks the law `{law.name}`: {counterexample}", fix=f"What must hold: {law.says}")
    error.law = law.name
    return error
