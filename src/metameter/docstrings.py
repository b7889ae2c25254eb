"""Read numpydoc docstrings section by section; options, help and documentation are made from them."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_PARAMETER = re.compile(r"^([*\w][\w, ]*)(?: : .*)?\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)


def docstring(thing: Any) -> str:
    """The docstring of a class or function without its indentation; of a class its own, never an inherited one.

    ``python -OO`` drops docstrings, so they are then read from the source: options and help are made from them.

    Examples
    --------
    >>> docstring(lead)
    'The text above the first section (Parameters, Examples, ...).'
    """
    is_class = isinstance(thing, type)
    # A dataclass without a docstring gets its signature as one.
    if sys.flags.optimize >= 2 and (is_class or not thing.__doc__):
        return _docstrings_in_source(thing.__module__).get(thing.__qualname__, "")
    inherited = is_class and not thing.__dict__.get("__doc__")
    return "" if inherited else inspect.getdoc(thing) or ""


@cache
def _docstrings_in_source(module: str) -> dict[str, str]:
    """Qualified name -> docstring, of all classes and functions of a module; empty if its source is not available."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, SyntaxError):
        return {}
    return dict(_docstrings_of(tree, ""))


def _docstrings_of(tree: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield f"{prefix}{node.name}", ast.get_docstring(node) or ""
            yield from _docstrings_of(node, f"{prefix}{node.name}.")


def sections(thing: Any) -> dict[str, str]:
    """Heading -> text; the text before the first heading is under the empty heading.

    A class without a docstring of its own has no sections.

    Examples
    --------
    >>> sections(sections)[""].partition(";")[0]
    'Heading -> text'
    """
    start, *rest = _SECTION.split(docstring(thing))
    return {"": start.strip()} | {title: text.strip("\n") for title, text in zip(rest[::2], rest[1::2], strict=True)}


def summary(thing: Any) -> str:
    """The first line.

    Examples
    --------
    >>> summary(summary)
    'The first line.'
    """
    return lead(thing).partition("\n")[0]


def lead(thing: Any) -> str:
    """The text above the first section (Parameters, Examples, ...)."""
    return sections(thing)[""]


def parameters(thing: Any) -> dict[str, str]:
    """Parameter -> its description; for a class also those of its base classes that it does not describe itself.

    Examples
    --------
    >>> def f(p):
    ...     '''Do.
    ...
    ...     Parameters
    ...     ----------
    ...     p : float
    ...         How far
    ...         down.
    ...     '''
    >>> parameters(f)
    {'p': 'How far down.'}
    """
    texts: dict[str, str] = {}
    for each in thing.__mro__ if isinstance(thing, type) else (thing,):
        for names, text in _PARAMETER.findall(sections(each).get("Parameters", "") + "\n"):
            for name in names.split(", "):
                texts.setdefault(name.strip("*"), " ".join(text.split()))
    return texts


def references(thing: Any) -> list[str]:
    """The keys under References.

    Examples
    --------
    >>> from metameter.meta.similarity.procedure import similarity
    >>> references(similarity)
    ['chen2023', 'fieller1957']
    """
    return re.findall(r"\w+", sections(thing).get("References", ""))
