"""Check the arguments of a function against its annotations before it runs.

Values come from Python, from a study file or from a command line. Texts, numbers and truth values are checked here
against the annotations, for all functions alike; the function itself reads values of any other type.
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
#: A function that raises an error if a value is not allowed.
Check = Callable[[Any], object]


def checks_arguments(function: F, *, checks: Mapping[str, Check] | None = None) -> F:
    """Decorate a function so that it refuses arguments that its annotations do not allow, before it does anything.

    Parameters
    ----------
    function : callable
        If it checks its arguments already, as `metameter.scoring.policy.takes_policy` makes it, ``checks`` are added.
    checks : mapping, optional
        Parameter -> a further check of its values; None is not checked.

    Examples
    --------
    >>> @checks_arguments
    ... def shuffle(trials: int = 5, *, by: Literal["browse", "all"] = "all"):
    ...     return trials
    >>> shuffle(7)
    7
    >>> shuffle(by="brows")
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown value of by (given 'brows'). Did you mean browse? Known: all, browse.
    >>> shuffle(float("nan"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: trials is not a whole number (given nan). Give trials as a whole number.
    """
    if _checks_itself(function):
        function.checks.update(checks or {})  # type: ignore[attr-defined]
        return function
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        check_arguments(checked, bound_arguments(signature, function.__name__, args, options).arguments)
        return function(*args, **options)

    checked.checks = dict(checks or {})  # type: ignore[attr-defined]
    return cast("F", checked)


def unchecked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without its check, for callers that have checked the arguments already.

    Commands and studies check all options before they read anything, and once is enough.

    Examples
    --------
    >>> @checks_arguments
    ... def shuffle(trials: int = 5):
    ...     return trials
    >>> unchecked(shuffle)("not checked")
    'not checked'
    """
    own: Callable[..., Any] = function.__wrapped__ if _checks_itself(function) else function  # type: ignore[attr-defined]
    return own


def _checks_itself(function: Callable[..., Any]) -> bool:
    return hasattr(function, "checks")


def check_arguments(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Refuse values that the annotations of a function, or its own ``checks``, do not allow.

    In a process forked from one that had used Polars, every call raises an error: the child lacks Polars' threads and
    would wait for them for ever.

    Examples
    --------
    >>> check_arguments(check_arguments, {"function": print, "values": {}})
    """
    refuse_after_fork()
    checks: Mapping[str, Check] = getattr(function, "checks", {})
    for name, kinds in _kinds(function).items():
        if name not in values:
            continue
        _check_kind(name, values[name], kinds)
        if name in checks and values[name] is not None:
            checks[name](values[name])


def check_value(name: str, value: Any, annotation: Any) -> None:
    """Refuse a value of an option that its annotation does not allow.

    Examples
    --------
    >>> check_value("trials", 2.5, int)
    Traceback (most recent call last):
    metameter.errors.MetameterError: trials is not a whole number (given 2.5). Give trials as a whole number.
    """
    _check_kind(name, value, _alternatives(annotation, {}))


def _check_kind(name: str, value: Any, kinds: tuple[Any, ...]) -> None:
    if kinds and not any(_fits(value, kind) for kind in kinds):
        raise _refusal(name, value, kinds)


@cache
def _kinds(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    """Parameter -> the types that its values may have; an empty tuple where any value is allowed."""
    known = vars(inspect.getmodule(inspect.unwrap(function)) or inspect)
    return {
        name: () if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) else _alternatives(each.annotation, known)
        for name, each in inspect.signature(function).parameters.items()
    }


def _alternatives(annotation: Any, known: dict[str, Any]) -> tuple[Any, ...]:
    """The types that an annotation allows; an empty tuple, which allows any value, if one cannot be checked."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, known)  # noqa: S307  an annotation in our own source
        except NameError:  # imported for type checkers only
            return ()
    kinds = get_args(annotation) if get_origin(annotation) in (UnionType, Union) else (annotation,)
    return kinds if all(_can_be_checked(kind) for kind in kinds) else ()


def _can_be_checked(kind: Any) -> bool:
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
    """A whole number of any library as a Python int; None for anything else, truth values and 2.0 included.

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
        Whether 0, which does not wait, is allowed.

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
    printed = "None" if value is None else value
    choices = [str(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices:
        near = did_you_mean(value, choices) if isinstance(value, str) else f"Known: {', '.join(sorted(choices))}."
        return MetameterError(f"unknown value of {name}", given=printed, fix=near)
    what = next(_NAMES[kind] for kind in (int, float, bool, str, NoneType) if kind in kinds)
    if what == _NAMES[float] and isinstance(value, Real) and not isinstance(value, bool):
        what = "a finite number"
    return MetameterError(f"{name} is not {what}", given=printed, fix=f"Give {name} as {what}.")


_NAMES = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    NoneType: "None",
}


def bound_arguments(
    signature: inspect.Signature, name: str, args: tuple[Any, ...], options: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments of a call by the names of their parameters; a call that the signature does not allow is refused.

    Parameters
    ----------
    signature : inspect.Signature
    name : str
        What the function is called.
    args, options
        The positional arguments, and those by keyword.

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
        for option in options:
            if option not in known:
                raise MetameterError(f"{name} has no such option", given=option, fix=did_you_mean(option, known))
    try:
        return signature.bind(*args, **options)
    except TypeError as problem:
        # Python's own message says neither which function was called nor what it takes.
        raise MetameterError(f"{name}: {problem}", fix=f"Call it as {_usual_call(signature, name)}.") from None


def _usual_call(signature: inspect.Signature, name: str) -> str:
    needed = [
        each.name if each.kind is not each.KEYWORD_ONLY else f"{each.name}=..."
        for each in signature.parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    more = ["..."] if len(needed) < len(signature.parameters) else []
    return f"{name}({', '.join(needed + more)})"
