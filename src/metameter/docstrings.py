"""The one reader of numpydoc docstrings: what a class or function says of itself, section by section."""

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
    """The docstring of a class or function without its indentation; of a class only its own, never an inherited one.

    ``python -OO`` drops docstrings. Options and help come from them, so they are then read from the source.

    Examples
    --------
    >>> docstring(lead)
    'What stands above the first section (Parameters, Examples, ...): it is for everyone.'
    """
    is_class = isinstance(thing, type)
    # A dataclass without a docstring is given one, its signature.
    if sys.flags.optimize >= 2 and (is_class or not thing.__doc__):
        return _docstrings_in_source(thing.__module__).get(thing.__qualname__, "")
    inherited = is_class and not thing.__dict__.get("__doc__")
    return "" if inherited else inspect.getdoc(thing) or ""


@cache
def _docstrings_in_source(module: str) -> dict[str, str]:
    """Qualified name -> docstring, of all classes and functions of a module; none where its source is not at hand."""
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
    """Heading -> text; the text before the first heading stands under the empty heading.

    A class that says nothing would inherit what another says of itself: it has no sections.

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
    """What stands above the first section (Parameters, Examples, ...): it is for everyone."""
    return sections(thing)[""]


def parameters(thing: Any) -> dict[str, str]:
    """Parameter -> its description; of a class also those of the classes it is made from, where it is silent.

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
