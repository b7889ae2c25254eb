"""What a class says of itself: the parts of its numpydoc docstring, as Markdown."""

from __future__ import annotations

import inspect
import re
from typing import Any

__all__ = ["described", "described_parameters", "keys", "summary"]

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_FORMULA = re.compile(r"^\.\. math::(.*(?:\n[ ]+\S.*)*)", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w[\w, ]*) : (.*)\n((?:(?: {4}.*)?\n?)+)", re.MULTILINE)


def _sections(thing: Any) -> dict[str, str]:
    # The text before the first heading, then heading, text, heading, text, ...
    # A class that says nothing would inherit what another says of itself.
    own = inspect.getdoc(thing) if thing.__dict__.get("__doc__") else None
    start, *rest = _SECTION.split(own or "")
    return {"": start.strip()} | {title: text.strip("\n") for title, text in zip(rest[::2], rest[1::2], strict=True)}


def summary(thing: Any) -> str:
    """The first line: what the user is assumed to do.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> summary(RBP)
    'A user who, after every item, goes on with the same probability p.'
    """
    return _markdown(_sections(thing)[""].partition("\n")[0])


def described(thing: Any) -> str:
    r"""What follows the first line, formulas as display mathematics.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> print(described(RBP))
    ```math
    C(i) = p
    ```
    """
    body = _sections(thing)[""].partition("\n")[2].strip()
    blocks = _FORMULA.sub(lambda found: f"```math\n{' '.join(found[1].split())}\n```", body)
    return "\n\n".join(
        each if each.startswith("```") else _markdown(each) for each in re.split(r"\n\n+", blocks) if each
    )


def described_parameters(thing: Any) -> dict[str, str]:
    """Parameter -> what it means, from the class or, where that is silent, from those it is made from.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> described_parameters(RBP)["k"]
    'The user stops at rank k at the latest.'
    """
    texts: dict[str, str] = {}
    for each in thing.__mro__:
        for names, _, text in _PARAMETER.findall(_sections(each).get("Parameters", "") + "\n"):
            for name in names.split(", "):
                texts.setdefault(name, _markdown(" ".join(text.split())))
    return texts


def keys(thing: Any) -> list[str]:
    """The keys of the references; the one of the class attribute first.

    Examples
    --------
    >>> from metameter.metric.classic.ndcg import NDCG
    >>> keys(NDCG)
    ['jarvelin2002', 'burges2005']
    """
    listed = re.findall(r"[\w]+", _sections(thing).get("References", ""))
    return list(dict.fromkeys([thing.reference, *listed] if thing.reference else listed))


def _markdown(text: str) -> str:
    return re.sub(r":math:`([^`]*)`", r"$`\1`$", text.replace("``", "`").replace("\n", " "))
