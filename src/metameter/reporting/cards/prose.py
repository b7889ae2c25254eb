"""What a class says of itself, as Markdown."""

from __future__ import annotations

import re
from typing import Any

from metameter import docstrings
from metameter.reporting.cards.blocks import Block, Formula, Paragraph

_FORMULA = re.compile(r"^\.\. math::(.*(?:\n[ ]+\S.*)*)", re.MULTILINE)


def summary(thing: Any) -> str:
    """The first line: what the user is assumed to do.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> summary(RBP)
    'A user who, after every item, goes on with the same probability p.'
    """
    return _markdown(docstrings.summary(thing))


def described(thing: Any) -> list[Block]:
    r"""What follows the first line, formulas as display mathematics.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> described(RBP)
    [Formula(text='C(i) = p')]
    """
    body = docstrings.lead(thing).partition("\n")[2].strip()
    # What matches stands between what does not.
    parts = [each.strip() for each in _FORMULA.split(body)]
    blocks: list[Block] = []
    for place, part in enumerate(parts):
        if place % 2:
            blocks.append(Formula(" ".join(part.split())))
        else:
            blocks += [Paragraph(_markdown(each)) for each in re.split(r"\n\n+", part) if each]
    return blocks


def described_parameters(thing: Any) -> dict[str, str]:
    """Parameter -> what it means.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> described_parameters(RBP)["k"]
    'The user stops at rank k at the latest.'
    """
    return {name: _markdown(text) for name, text in docstrings.parameters(thing).items()}


def keys(thing: Any) -> list[str]:
    """The keys of the references; the one of the class attribute first.

    Examples
    --------
    >>> from metameter.metric.classic.ndcg import NDCG
    >>> keys(NDCG)
    ['jarvelin2002', 'burges2005']
    """
    listed = docstrings.references(thing)
    return list(dict.fromkeys([thing.reference, *listed] if thing.reference else listed))


def _markdown(text: str) -> str:
    return re.sub(r":math:`([^`]*)`", r"$`\1`$", text.replace("``", "`").replace("\n", " "))
