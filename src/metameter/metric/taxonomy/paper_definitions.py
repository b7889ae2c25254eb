"""The metrics that papers have given a name, written down once more straight from their definitions.

Each takes gains (lists x ranks) and the product in question, of which it uses the numbers of the user model only;
None says that there is no such metric for that user. They share no code with the products they are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.metric.product import Product
from metameter.metric.taxonomy.classification import Probes, same

if TYPE_CHECKING:
    from collections.abc import Callable

    Definition = Callable[[NDArray[np.float64], Product], NDArray[np.float64] | None]


@dataclass(frozen=True)
class Known:
    """A metric with a name; where it was defined for binary relevance, only there."""

    name: str
    definition: Definition
    binary: bool = False


def _ranks(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.arange(1.0, gains.shape[-1] + 1)


def _first(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64] | None:
    # The first k items, of a model whose k is a part of it.
    return None if product.model.k is None else gains[..., : product.model.k]


def _of_first(value: Callable[[NDArray[np.float64]], Any]) -> Definition:
    def definition(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64] | None:
        first = _first(gains, product)
        return None if first is None else np.asarray(value(first))

    return definition


def _dcg(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((gains / np.log2(_ranks(gains) + 1)).sum(-1))


def _rbp(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    # A list of one perfect item scores 1 - p: that is how p is found, whatever the model calls its numbers.
    p = 1 - product([1.0])
    return np.asarray(((1 - p) * p ** (_ranks(gains) - 1) * gains).sum(-1))


def _average_precision(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    at = np.cumsum(gains, axis=-1) / _ranks(gains)
    return np.asarray((gains * at).sum(-1) / gains.sum(-1))


def _reciprocal_rank(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    looked_at = gains[..., : product.model.k]
    return np.asarray((looked_at.max(-1) > 0) / (1.0 + looked_at.argmax(-1)))


def _expected_reciprocal_rank(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    score, unsatisfied = np.zeros(gains.shape[:-1]), np.ones(gains.shape[:-1])
    for rank in range(gains.shape[-1]):
        score += unsatisfied * gains[..., rank] / (rank + 1)
        unsatisfied *= 1 - gains[..., rank]
    return score


def _squares(gains: NDArray[np.float64], product: Product, gathered: NDArray[np.float64]) -> NDArray[np.float64] | None:
    from scipy.special import polygamma

    T = product.model.term().arguments.get("T")
    if T is None:
        return None
    # From one rank to the next, users go on with ((a + i - 1) / (a + i))^2; beyond the list a stays as it is.
    a = 2 * T - gathered
    i = _ranks(gains)
    steps = ((a + i - 1) / (a + i)) ** 2
    view = np.cumprod(np.concatenate([np.ones((*steps.shape[:-1], 1)), steps], axis=-1), axis=-1)
    reach = a[..., -1] + i[-1]
    viewed = view[..., :-1].sum(-1) + view[..., -1] * reach**2 * polygamma(1, reach)
    return np.asarray((view[..., :-1] * gains).sum(-1) / viewed)


def _discounted(gains: NDArray[np.float64], product: Product, number: str, discount: Any) -> NDArray[np.float64] | None:
    value = product.model.term().arguments.get(number)
    return None if value is None else np.asarray((gains * discount(_ranks(gains) - 1, value)).sum(-1))


KNOWN: tuple[Known, ...] = (
    Known("RelRet@k", _of_first(lambda first: first.sum(-1))),
    Known("Prec@k", _of_first(lambda first: first.mean(-1))),
    Known("Succ@k", _of_first(lambda first: first.max(-1))),
    Known("DCG@k", _of_first(_dcg)),
    Known("SDCG@k", _of_first(lambda first: _dcg(first) / _dcg(np.ones(first.shape[-1])))),
    Known("RBP", _rbp),
    Known("AP", _average_precision, binary=True),
    Known("grAP", _average_precision),
    Known("RR", _reciprocal_rank, binary=True),
    Known("ERR", _expected_reciprocal_rank),
    Known("INST", lambda gains, product: _squares(gains, product, np.cumsum(gains, axis=-1))),
    Known("INSQ", lambda gains, product: _squares(gains, product, np.zeros_like(gains))),
    Known("TBG", lambda gains, product: _discounted(gains, product, "h", lambda spent, h: 2 ** (-spent / h))),
    Known("U", lambda gains, product: _discounted(gains, product, "L", lambda spent, L: np.maximum(0, 1 - spent / L))),
    Known("NPV", lambda gains, product: _discounted(gains, product, "rate", lambda spent, r: (1 + r) ** -spent)),
)


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
