"""Under which names a product is known: those of the metrics that it gives the scores of."""

from __future__ import annotations

from metameter.browse.page import Page
from metameter.metric.product import Product
from metameter.metric.taxonomy.known import KNOWN, Known
from metameter.metric.taxonomy.probing import Probes, same

__all__ = ["names_of"]


def names_of(product: Product, probes: Probes) -> list[str]:
    """The names of the known metrics whose scores these are; with a star those that hold for binary gains only.

    A product that matches none of them has the model's name, if that is what the bare name stands for.

    Examples
    --------
    >>> from metameter.metric.examples import product
    >>> names_of(product("AP1", "ERG"), Probes(longest=5)), names_of(product("BPM", "ERG"), Probes(longest=5))
    (['AP*', 'grAP'], ['BPM'])
    """
    known_as = [known.name + "*" * known.binary for known in KNOWN if _is(product, known, probes)]
    return known_as or ([product.model.registered_name] if product.canonical else [])


def _is(product: Product, known: Known, probes: Probes) -> bool:
    page: Page = probes.binary if known.binary else probes.graded
    defined = known.definition(page.gains, product)
    return defined is not None and same(product.score_page(page), defined)
