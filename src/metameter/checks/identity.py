"""Laws of everything with a name and parameters: the name identifies it, and it can be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

from metameter.checks.law import Law
from metameter.metric.product import Product
from metameter.notation import parse
from metameter.parameters import Parametrised
from metameter.reporting.bibliography import entries
from metameter.reporting.cards.card import keys


def _renamed(thing: Any) -> str | None:
    if isinstance(thing, Product):
        return _renamed(thing.model) or _renamed(thing.aggregation) or _rewritten(thing)
    return _rewritten(thing) or _remade(thing)


def _rewritten(thing: Any) -> str | None:
    name = str(parse(repr(thing)))
    return None if name == repr(thing) else f"its name {thing!r} is read as {name}"


def _remade(thing: Parametrised) -> str | None:
    term = parse(repr(thing)).left
    depth = {} if term.k is None else {"k": term.k}
    copy = type(thing)(**term.arguments, **depth)
    return None if copy == thing else f"what its name {thing!r} makes is not equal to it: a parameter is not printed"


def _left_behind(thing: Any) -> str | None:
    copy = pickle.loads(pickle.dumps(thing))  # noqa: S301  pickled in this line
    return None if copy == thing and hash(copy) == hash(thing) else "what comes out of a pickle is not equal to it"


#: Laws of browsing models, aggregations and metrics alike.
IDENTITY = (
    Law("name", "the printed name, read again, gives an equal object", _renamed),
    Law("pickle", "it can be pickled, and what comes out is equal to it", _left_behind),
)


def is_ours(thing: Any) -> bool:
    """Whether a class or function belongs to this package; only a plug-in may have no reference.

    Examples
    --------
    >>> is_ours(Product), is_ours(dict)
    (True, False)
    """
    return f"{thing.__module__}.".startswith("metameter.")


def cited_wrongly(cited: Iterable[str]) -> str | None:
    """A sentence on the first key that the bibliography lacks; None if it has all of them.

    Examples
    --------
    >>> cited_wrongly(["moffat2008", "mofat2008"])
    'references.bib has no entry mofat2008'
    """
    unknown = next((key for key in cited if key not in entries()), None)
    return None if unknown is None else f"references.bib has no entry {unknown}"


def _unfounded(thing: Any) -> str | None:
    if isinstance(thing, Product):
        return _unfounded(thing.model) or _unfounded(thing.aggregation)
    if is_ours(type(thing)) and not thing.reference:
        return "its class does not say `reference`"
    return cited_wrongly(keys(type(thing)))


#: The law of browsing models, aggregations and metrics alike.
REFERENCE = Law(
    "reference",
    "`reference` and what stands under References are keys of references.bib; what is of this package has one",
    _unfounded,
)
