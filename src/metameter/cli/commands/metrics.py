"""List the browsing models, aggregations and metrics there are."""

from __future__ import annotations

from typing import Literal

from metameter.metric.catalogue import Catalogue, catalogue

__all__ = ["command"]


def command(name: str | None = None, *, kind: Literal["browse", "aggregate", "metric"] | None = None) -> Catalogue:
    """List the browsing models, aggregations and metrics there are.

    Parameters
    ----------
    name : str
        One of them; by default all.
    kind : str
        Only these.
    """
    return catalogue(kind=kind, name=name)
