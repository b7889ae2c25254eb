"""`Policy`: the options of reading runs and of matching them with judgments; and functions that take these options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, Literal, TypeVar

from metameter.arguments import bound_arguments, check_arguments
from metameter.docstrings import docstring, sections
from metameter.errors import MetameterError
from metameter.parameters import DEPTHS
from metameter.read.files.content import reading_pipes_once

R = TypeVar("R")

_PRECISIONS = {"float64": "double", "float32": "single"}
#: The options that also apply to tables of scores, which have names of systems.
FOR_SCORES = ("strip_names",)


@dataclass(frozen=True, eq=False)
class Policy:
    """How runs are read and matched with judgments.

    Parameters
    ----------
    ties : str
        The order of documents with equal scores: by document name, falling or rising, by the rank column, or as in the
        file; ``mean`` is the exact expectation over random orders.
    precision : str
        How scores are compared: ``double`` (or ``float64``), or ``single`` (or ``float32``) as trec_eval 9 does.
    unjudged : str
        Documents without judgment count as not relevant (``zero``), or are removed first (``condense``).
    pool_depth : int, optional
        Keep only the judgments of documents that some contributing run ranks within its first ``pool_depth``.
    contributing : like runs, or names of runs, optional
        The runs that made the pool: runs, paths, or names of given runs; by default all given runs.
    topics : str
        Score all judged topics, a missing one as an empty list (``qrels``), or those that every run has (``common``).
    max_grade : float, optional
        The top of the grade scale; by default the highest grade of the qrels.
    costs : path, dict or data frame, optional
        The cost of reading each document: columns topic, document, cost, or document, cost. By default 1 per document.
    name_by : str
        A system is named after its file, or after its run tag.
    strip_names : bool
        Leave out of the systems' names what all of them begin and end with, such as ``input.`` and ``.txt``.
    on_duplicate : str
        What to do when a run lists a document twice: refuse it, or keep the best-ranked (``first``).
    qrels_duplicates : str
        What to do when a document is judged twice: refuse it, or keep the ``first``, the ``last`` or the highest
        (``max``) grade.

    Examples
    --------
    >>> Policy(unjudged="condens")
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown value of unjudged (given 'condens'). Did you mean condense?
    Known: condense, zero.
    """

    ties: Literal["docid-desc", "docid-asc", "rank", "input", "mean"] = "docid-desc"
    precision: Literal["double", "single", "float64", "float32"] = "double"
    unjudged: Literal["zero", "condense"] = "zero"
    pool_depth: int | None = None
    contributing: Any = None
    topics: Literal["qrels", "common"] = "qrels"
    max_grade: float | None = None
    costs: Any = None
    name_by: Literal["file", "tag"] = "file"
    strip_names: bool = False
    on_duplicate: Literal["error", "first"] = "error"
    qrels_duplicates: Literal["error", "first", "last", "max"] = "error"

    def __post_init__(self) -> None:
        check_arguments(Policy, vars(self))
        object.__setattr__(self, "precision", _PRECISIONS.get(self.precision, self.precision))
        check_positive_integer("pool_depth", self.pool_depth)
        if self.max_grade is not None and self.max_grade < 0:
            fix, allowed = "Give the highest grade that the judgments may have.", "0 or more"
            raise MetameterError("max_grade is not the top of a scale", given=self.max_grade, allowed=allowed, fix=fix)

    @property
    def reading(self) -> dict[str, Any]:
        """The keyword arguments of `read_run` and `as_runs`; they are part of the key of cached scores."""
        return {"name_by": self.name_by, "on_duplicate": self.on_duplicate, "need_rank": self.ties == "rank"}

    @property
    def condensed(self) -> bool:
        """Whether documents without judgment are removed before lists are scored."""
        return self.unjudged == "condense"

    def without_inputs(self) -> Policy:
        """A copy without ``contributing`` and ``costs``, which are read before work is sent to workers."""
        # Not `replace`, which would check all options again.
        policy = copy(self)
        for name in ("contributing", "costs"):
            object.__setattr__(policy, name, None)
        return policy

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults.

        Examples
        --------
        >>> Policy(ties="input", max_grade=3).changed()
        {'ties': 'input', 'max_grade': 3}
        """
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        # Where the default is None the value may be a data frame, which cannot be compared.
        return {
            name: value
            for name, (value, default) in values.items()
            if value is not None and (default is None or value != default)
        }


#: The names of the options.
POLICY_OPTIONS = tuple(each.name for each in fields(Policy))


def check_positive_integer(name: str, value: Any) -> None:
    """Refuse what is neither None nor a whole number of ranks.

    Examples
    --------
    >>> check_positive_integer("pool_depth", 0.5)
    Traceback (most recent call last):
    metameter.errors.MetameterError: pool_depth is out of range (given 0.5, allowed: 1 to 1,000,000). Give a whole
    number.
    """
    if value is not None and not DEPTHS.contain(value):
        allowed = f"1 to {DEPTHS.high:,}"
        raise MetameterError(f"{name} is out of range", given=value, allowed=allowed, fix="Give a whole number.")


def takes_policy(function: Callable[..., R]) -> Callable[..., R]:
    """Decorate a function with a parameter ``policy`` so that it takes the options of `Policy` as keywords instead.

    Its signature and its docstring then list every option, so that help() and notebooks show them.

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
    # For ``__init__``, messages use the name of the class, and ``self`` does not count as an argument.
    is_constructor = function.__name__ == "__init__"
    name = function.__qualname__.split(".")[-2] if is_constructor else function.__name__
    seen = signature.replace(parameters=list(signature.parameters.values())[is_constructor:])

    @wraps(function)
    def called(*args: Any, **options: Any) -> R:
        values = bound_arguments(seen, name, args[is_constructor:], options).arguments
        check_arguments(called, {name: value for name, value in values.items() if name not in POLICY_OPTIONS})
        policy = Policy(**{name: options.pop(name) for name in POLICY_OPTIONS if name in options})
        # A run may be read twice: for the pool, and for its scores.
        with reading_pipes_once():
            return function(*args, **options, policy=policy)

    called.checks = {}  # type: ignore[attr-defined]
    called.__signature__ = signature  # type: ignore[attr-defined]
    called.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    called.__doc__ = _documented(function)
    return called


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function with the options of `Policy` instead of ``policy``."""
    own = inspect.signature(function, eval_str=True)
    options = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in inspect.signature(Policy, eval_str=True).parameters.values()
    ]
    return own.replace(parameters=[each for each in own.parameters.values() if each.name != "policy"] + options)


def _documented(function: Callable[..., Any]) -> str:
    """The docstring of a function with the options at the end of its parameters."""
    text = docstring(function)
    options = sections(Policy).get("Parameters", "")
    if "Parameters" not in sections(function):
        return text
    start = re.search(r"^Parameters\n-+\n", text, re.MULTILINE)
    following = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE).search(text, start.end() if start else 0)
    end = following.start() if following else len(text)
    return f"{text[:end].rstrip()}\n{options}\n\n{text[end:]}".rstrip() + "\n"
