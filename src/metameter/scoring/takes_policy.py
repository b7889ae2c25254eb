"""`takes_policy`: the options of `Policy` as keywords of a function, the same for all that read runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

from metameter.arguments import bound_arguments, check_arguments
from metameter.docstrings import docstring, sections
from metameter.read.files.content import reading_pipes_once
from metameter.scoring.policy import Policy

R = TypeVar("R")

#: The names of the options.
POLICY_OPTIONS = tuple(each.name for each in fields(Policy))


def takes_policy(function: Callable[..., R]) -> Callable[..., R]:
    """Let a function with a parameter ``policy`` be called with the options of `Policy` as keywords instead.

    Signature and docstring of the result list every option, so that help(), notebooks and the command line show them.

    Examples
    --------
    >>> @takes_policy
    ... def rule(run, *, policy):
    ...     '''The rule for ties.
    ...
    ...     Parameters
    ...     ----------
    ...     run : str
    ...         A run.
    ...     '''
    ...     return run, policy.ties
    >>> rule("bm25", ties="input"), list(inspect.signature(rule).parameters)[:3]
    (('bm25', 'input'), ['run', 'ties', 'precision'])
    >>> rule("bm25", tie="input")
    Traceback (most recent call last):
    metameter.errors.MetameterError: rule has no such option (given 'tie'). Did you mean ties? Known: contributing,
    costs, max_grade, name_by, on_duplicate, pool_depth, precision, qrels_duplicates, run, strip_names, ties, topics,
    unjudged.
    """
    signature = _signature(function)

    @wraps(function)
    def called(*args: Any, **given: Any) -> R:
        # Of the signature without the parameter policy, which callers do not see.
        bound = bound_arguments(signature, function.__name__, args, given)
        check_arguments(function, bound.arguments)
        policy = Policy(**{name: given.pop(name) for name in POLICY_OPTIONS if name in given})
        # What reads runs may read each twice: for the pool, and for its scores.
        with reading_pipes_once():
            return function(*args, **given, policy=policy)

    called.__signature__ = signature  # type: ignore[attr-defined]
    called.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    called.__doc__ = _documented(function)
    return called


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The function's own parameters, and the options in the place of ``policy``."""
    own = inspect.signature(function, eval_str=True)
    options = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in inspect.signature(Policy, eval_str=True).parameters.values()
    ]
    return own.replace(parameters=[each for each in own.parameters.values() if each.name != "policy"] + options)


def _documented(function: Callable[..., Any]) -> str:
    """The function's docstring with the options at the end of its parameters."""
    text = docstring(function)
    options = sections(Policy).get("Parameters", "")
    if "Parameters" not in sections(function):
        return text
    start = re.search(r"^Parameters\n-+\n", text, re.MULTILINE)
    following = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE).search(text, start.end() if start else 0)
    end = following.start() if following else len(text)
    return f"{text[:end].rstrip()}\n{options}\n\n{text[end:]}".rstrip() + "\n"
