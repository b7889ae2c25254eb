"""What the arguments of a function may be: told by its signature, checked before it does anything.

A user may give anything for an option: from Python, from a study file, on the command line. Words, numbers and truth
values are checked here, from the annotations, for all functions alike; what is of any other type is read by whoever
takes it.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Mapping
from functools import cache, wraps
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from metameter.errors import MetameterError, did_you_mean, refuse_after_fork
from metameter.notation import plain

F = TypeVar("F", bound=Callable[..., Any])
#: Given a value, refuses it or returns.
Check = Callable[[Any], object]


def checks_arguments(function: F, *, checks: Mapping[str, Check] | None = None) -> F:
    """Let a function refuse what its annotations do not allow, before it does anything.

    Parameters
    ----------
    function : callable
    checks : mapping, optional
        Parameter -> what refuses its values besides; None is not checked.

    Examples
    --------
    >>> @checks_arguments
    ... def drawn(trials: int = 5, *, by: Literal["browse", "all"] = "all"):
    ...     return trials
    >>> drawn(7)
    7
    >>> drawn(by="brows")
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown value of by (given 'brows'). Did you mean browse? Known: all, browse.
    >>> drawn(float("nan"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: trials is not a whole number (given nan). Give trials as a whole number.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: Any, **given: Any) -> Any:
        check_arguments(called, bound_arguments(signature, function.__name__, args, given).arguments)
        return function(*args, **given)

    called.checks = dict(checks or {})  # type: ignore[attr-defined]
    return cast("F", called)


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse values that a function's annotations, or its own ``checks``, do not allow; and any call after a fork that
    would wait for ever for threads that only the parent has.

    Examples
    --------
    >>> check_arguments(check_arguments, {"function": print, "given": {}})
    """
    refuse_after_fork()
    further: Mapping[str, Check] = getattr(function, "checks", {})
    for name, kinds in _kinds(function).items():
        if name not in given:
            continue
        value = given[name]
        if kinds and not any(_fits(value, kind) for kind in kinds):
            raise _refusal(name, value, kinds)
        if name in further and value is not None:
            further[name](value)


@cache
def _kinds(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """Parameter -> the kinds of values that it may have; none where that cannot be told."""
    known = vars(inspect.getmodule(inspect.unwrap(function)) or inspect)
    return {name: _parts(each, known) for name, each in inspect.signature(function).parameters.items()}


def _parts(parameter: inspect.Parameter, known: dict[str, Any]) -> tuple[Any, ...]:
    kind = parameter.annotation
    if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
        return ()
    if isinstance(kind, str):
        try:
            kind = eval(kind, known)  # noqa: S307  the annotation that stands in our own source
        except NameError:  # imported for type checkers only
            return ()
    parts = get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,)
    return parts if all(_is_checked(part) for part in parts) else ()


def _is_checked(kind: Any) -> bool:
    return kind in (int, float, bool, str, NoneType) or get_origin(kind) is Literal


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is int:
        return whole_number(value) is not None
    if kind is float:
        return _is_number(value)
    # NumPy's truth values are not Python's.
    return isinstance(value, kind) or (kind is bool and type(value).__name__ == "bool")


def whole_number(value: Any) -> int | None:
    """A whole number of any library as Python's own; None for anything else, such as a truth value or 2.0.

    Examples
    --------
    >>> import numpy as np
    >>> whole_number(np.int64(5)), whole_number(5.0), whole_number(True)
    (5, None, None)
    """
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def check_seconds(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a number of seconds to wait, refusing anything else.

    Parameters
    ----------
    value : object
    name : str
        The name of the option.
    zero : bool
        Whether 0 is allowed, which does not wait.

    Examples
    --------
    >>> check_seconds(2, "lock_timeout")
    2.0
    >>> check_seconds(float("nan"), "lock_timeout")
    Traceback (most recent call last):
    metameter.errors.MetameterError: lock_timeout is out of range (given nan, allowed: a positive number of seconds).
    Give a number of seconds.
    """
    if not _is_number(value) or value < 0 or (value == 0 and not zero):
        allowed = "a number of seconds, 0 or more" if zero else "a positive number of seconds"
        raise MetameterError(f"{name} is out of range", given=value, allowed=allowed, fix="Give a number of seconds.")
    return float(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(plain(value))
    except OverflowError:  # a whole number that no float can hold
        return False


def _refusal(name: str, value: Any, kinds: tuple[Any, ...]) -> MetameterError:
    given = "None" if value is None else value
    words = [str(word) for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if words:
        near = did_you_mean(value, words) if isinstance(value, str) else f"Known: {', '.join(sorted(words))}."
        return MetameterError(f"unknown value of {name}", given=given, fix=near)
    what = next(_NAMES[kind] for kind in (int, float, bool, str, NoneType) if kind in kinds)
    if what == _NAMES[float] and isinstance(value, Real) and not isinstance(value, bool):
        what = "a finite number"
    return MetameterError(f"{name} is not {what}", given=given, fix=f"Give {name} as {what}.")


_NAMES = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    NoneType: "None",
}


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
