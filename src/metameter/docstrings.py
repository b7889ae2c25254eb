"""The one reader of numpydoc docstrings: what a class or function says of itself, section by section."""

from __future__ import annotations

import inspect
import re
from typing import Any

__all__ = ["lead", "parameters", "references", "sections", "summary"]

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_PARAMETER = re.compile(r"^([*\w][\w, ]*)(?: : .*)?\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)


def sections(thing: Any) -> dict[str, str]:
    """Heading -> text; the text before the first heading stands under the empty heading.

    A class that says nothing would inherit what another says of itself: it has no sections.

    Examples
    --------
    >>> sections(sections)[""].partition(";")[0]
    'Heading -> text'
    """
    inherited = isinstance(thing, type) and not thing.__dict__.get("__doc__")
    start, *rest = _SECTION.split("" if inherited else inspect.getdoc(thing) or "")
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
