"""A call's arguments and the names they go by, or one line that says which function was called in which wrong way."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from metameter.errors import MetameterError, did_you_mean

__all__ = ["bound_arguments"]


def bound_arguments(
    signature: inspect.Signature, name: str, args: tuple[Any, ...], given: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments by the names of their parameters; a call that the function does not allow is refused.

    Parameters
    ----------
    signature : inspect.Signature
    name : str
        What the function is called.
    args, given
        The arguments without and with a name.

    Examples
    --------
    >>> signature = inspect.Signature.from_callable(lambda scores, *, trials=5: None)
    >>> bound_arguments(signature, "power", ("s.csv",), {"trials": 7}).arguments
    {'scores': 's.csv', 'trials': 7}
    >>> bound_arguments(signature, "power", ("s.csv",), {"trial": 7})
    Traceback (most recent call last):
    metameter.errors.MetameterError: power has no such option (given 'trial'). Did you mean trials? Known: scores,
    trials.
    >>> bound_arguments(signature, "power", (), {})
    Traceback (most recent call last):
    metameter.errors.MetameterError: power: missing a required argument: 'scores'. Call it as power(scores, ...).
    """
    parameters = signature.parameters.values()
    known = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    if not any(each.kind is each.VAR_KEYWORD for each in parameters):
        for word in given:
            if word not in known:
                raise MetameterError(f"{name} has no such option", given=word, fix=did_you_mean(word, known))
    try:
        return signature.bind(*args, **given)
    except TypeError as problem:
        # Python's own message would say neither which function nor what it takes.
        raise MetameterError(f"{name}: {problem}", fix=f"Call it as {_usual_call(signature, name)}.") from None


def _usual_call(signature: inspect.Signature, name: str) -> str:
    needed = [
        each.name if each.kind is not each.KEYWORD_ONLY else f"{each.name}=..."
        for each in signature.parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    more = ["..."] if len(needed) < len(signature.parameters) else []
    return f"{name}({', '.join(needed + more)})"
