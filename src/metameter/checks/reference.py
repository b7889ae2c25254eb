"""The law of references: whatever is cited is in the bibliography, and whatever is of this package cites its paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from metameter.checks.law import Law
from metameter.metric.product import Product
from metameter.reporting.bibliography import entries
from metameter.reporting.cards.prose import keys

__all__ = ["REFERENCE", "cited_wrongly", "is_ours"]


def is_ours(thing: Any) -> bool:
    """Whether a class or function is of this package: a plug-in may do without a reference.

    Examples
    --------
    >>> is_ours(Product), is_ours(dict)
    (True, False)
    """
    return f"{thing.__module__}.".startswith("metameter.")


def cited_wrongly(cited: Iterable[str]) -> str | None:
    """The first key that the bibliography does not have, in words; None if it has them all.

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
