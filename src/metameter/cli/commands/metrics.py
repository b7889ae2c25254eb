"""List the browsing models, aggregations and metrics there are, or print the card of one."""

from __future__ import annotations

from typing import Literal

from metameter.reporting.cards.result import Cards, cards


def command(name: str | None = None, *, kind: Literal["browse", "aggregate", "metric"] | None = None) -> Cards:
    """List the browsing models, aggregations and metrics there are, or print the card of one.

    A card says what the user is assumed to do, with formula, example, parameters, properties and reference.

    Parameters
    ----------
    name : str
        The name of one: print its card; by default all are listed.
    kind : str
        List only browsing models, aggregations or metrics.
    """
    return cards(kind=kind, name=name)
