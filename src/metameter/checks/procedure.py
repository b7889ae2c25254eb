"""Laws of procedures."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from metameter.checks.identity import cited_wrongly, is_ours
from metameter.checks.law import Law
from metameter.docstrings import summary
from metameter.meta.base import Procedure
from metameter.types import Scores
from metameter.view.result import Result

Subject = tuple[Callable[..., Any], dict[str, Any]]


def sample() -> Scores:
    """Scores of three metrics, six systems and twenty topics; the same ones every time."""
    rng = np.random.default_rng(2022)
    quality = np.linspace(0.2, 0.8, 6)[:, None]
    values = np.stack([np.clip(quality + rng.normal(0, noise, (6, 20)), 0, 1) for noise in (0.05, 0.2, 0.6)])
    metrics = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*avg")
    return Scores(metrics, tuple("abcdef"), tuple(str(401 + topic) for topic in range(20)), values)


def sample_runs() -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments of eight topics and the runs of four systems; the same ones every time."""
    rng = np.random.default_rng(2022)
    docs, topics = [f"d{number}" for number in range(12)], [str(401 + topic) for topic in range(8)]
    qrels = {topic: {doc: int(rng.integers(0, 2)) for doc in docs[:9]} for topic in topics}
    lists = {system: {topic: rng.permutation(docs).tolist() for topic in topics} for system in "abcd"}
    runs = {
        system: {topic: {doc: -float(rank) for rank, doc in enumerate(listed)} for topic, listed in by_topic.items()}
        for system, by_topic in lists.items()
    }
    return qrels, runs


def sample_serps() -> list[dict[str, Any]]:
    """Result pages of six users: how satisfied they were, how far they looked; the same ones every time."""
    rng = np.random.default_rng(2022)
    lists = [rng.integers(0, 4, 5).tolist() for _ in range(60)]
    labels = [int(np.clip(max(grades) + rng.integers(-1, 2), 0, 4)) for grades in lists]
    return [
        {"user": f"u{number % 6}", "grades": grades, "satisfaction": label, "last": 1 + number * number % 5}
        for number, (grades, label) in enumerate(zip(lists, labels, strict=True))
    ]


def sample_pairs() -> list[dict[str, Any]]:
    """Pairs of those pages with which one is preferred; the same ones every time."""
    pages = sample_serps()
    return [
        {"grades_a": a["grades"], "grades_b": b["grades"], "preference": b["satisfaction"] - a["satisfaction"]}
        for a, b in pairwise(pages)
    ]


#: First parameter of a procedure -> the positional arguments of the calls.
_INPUTS: dict[str | None, Callable[[], list[Any]]] = {
    "scores": lambda: [sample()],
    "qrels": lambda: list(sample_runs()),
    "serps": lambda: [sample_serps()],
    "pairs": lambda: [sample_pairs()],
}


def _declared(subject: Subject) -> Procedure | None:
    declared = inspect.getattr_static(subject[0], "procedure", None)
    return declared if isinstance(declared, Procedure) else None


def _undeclared(subject: Subject) -> str | None:
    declared = _declared(subject)
    if declared is None:
        return "it is not declared with @procedure"
    return None if issubclass(declared.result, Result) else f"its result {declared.result.__name__} is no Result"


def _without_texts(subject: Subject) -> str | None:
    declared = subject[0].procedure  # type: ignore[attr-defined]
    silent = [name for name in ("title", "question", "method", "reading") if not getattr(declared.words, name)]
    if silent:
        return f"its words have no {', '.join(silent)}"
    if not summary(declared.function):
        return "its docstring has no first line"
    named = [name for name in declared.signature.parameters if name not in declared.parameters]
    return f"its docstring does not say what {named[0]} is" if named else None


def _without_references(subject: Subject) -> str | None:
    cited = subject[0].procedure.references()  # type: ignore[attr-defined]
    if is_ours(subject[0]) and not cited:
        return "its docstring has no References"
    return cited_wrongly(cited)


def _out_of_bounds(subject: Subject) -> str | None:
    declared = subject[0].procedure  # type: ignore[attr-defined]
    for name, bounds in declared.options.items():
        parameter = declared.parameter(name)
        if (
            parameter not in inspect.signature(declared.stage).parameters
            and parameter not in declared.signature.parameters
        ):
            return f"it has no parameter for the option {name}"
        default = declared.default(name) if parameter in declared.signature.parameters else None
        if bounds is not None and isinstance(default, int | float) and not bounds.contain(default):
            return f"the default {default} of {name} is outside {bounds}"
    return None


def _call(subject: Subject, **more: Any) -> Any:
    function, options = subject
    takes = inspect.signature(function).parameters
    first = _INPUTS.get(next(iter(takes), None), list)()
    return function(*first, **{**options, **{name: value for name, value in more.items() if name in takes}})


def _without_result(subject: Subject) -> str | None:
    result = _call(subject, jobs=1)
    declared = subject[0].procedure  # type: ignore[attr-defined]
    if not isinstance(result, declared.result):
        return f"it returns {type(result).__name__}, but is declared to return {declared.result.__name__}"
    if not result.tables:
        return "its result has no table"
    if declared.key not in result.tables:
        return f"no table of its result is called {declared.key}: there are {', '.join(result.tables)}"
    json.dumps(result.manifest)
    result.to_latex(), result._repr_html_()
    return None


def _nondeterministic(subject: Subject) -> str | None:
    first, second = _call(subject, jobs=1), _call(subject, jobs=2)
    other = [name for name, table in first.tables.items() if not table.equals(second.tables[name], null_equal=True)]
    return f"called twice, with one thread and with two, its table {other[0]} is another" if other else None


_DECLARED = ("declaration",)
PROCEDURE = (
    Law("declaration", "it is declared with @procedure and names its Result", _undeclared),
    Law("words", "it says in words what it asks, does and takes, and how it is read", _without_texts, _DECLARED),
    Law(
        "reference",
        "what stands under References are keys of references.bib; what is of this package has one",
        _without_references,
        _DECLARED,
    ),
    Law("options", "the options of a study are its own, their defaults within bounds", _out_of_bounds, _DECLARED),
    Law("result", "it returns its Result, with a table of its key, and can be shown", _without_result, _DECLARED),
    Law(
        "twice",
        "the same call gives the same tables, on one thread or several",
        _nondeterministic,
        (*_DECLARED, "result"),
    ),
)
