"""Named metrics, implemented directly from the definitions in papers.

Each definition takes gains (lists x ranks) and a product, of which it uses only the parameters of the user model; it
returns None where the metric does not exist for that user. Definitions share no code with the products that they are
compared with.
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
class NamedMetric:
    """A named metric and its definition; ``binary`` if it is defined for binary relevance only."""

    name: str
    definition: Definition
    binary: bool = False


def _ranks(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.arange(1.0, gains.shape[-1] + 1)


def _first(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64] | None:
    # The first k items, where k is part of the model.
    return None if product.model.k is None else gains[..., : product.model.k]


def _of_first(value: Callable[[NDArray[np.float64]], Any]) -> Definition:
    def definition(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64] | None:
        first = _first(gains, product)
        return None if first is None else np.asarray(value(first))

    return definition


def _dcg(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((gains / np.log2(_ranks(gains) + 1)).sum(-1))


def _rbp(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    # A list of one perfect item scores 1 - p, which gives p whatever the model calls its parameter.
    p = 1 - product([1.0])
    return np.asarray(((1 - p) * p ** (_ranks(gains) - 1) * gains).sum(-1))


def _average_precision(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    at = np.cumsum(gains, axis=-1) / _ranks(gains)
    return np.asarray((gains * at).sum(-1) / gains.sum(-1))


def _reciprocal_rank(gains: NDArray[np.float64], product: Product) -> NDArray[np.float64]:
    viewed_gains = gains[..., : product.model.k]
    return np.asarray((viewed_gains.max(-1) > 0) / (1.0 + viewed_gains.argmax(-1)))


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
    # The continuation is ((a + i - 1) / (a + i))^2; beyond the list, a stays constant.
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


KNOWN: tuple[NamedMetric, ...] = (
    NamedMetric("RelRet@k", _of_first(lambda first: first.sum(-1))),
    NamedMetric("Prec@k", _of_first(lambda first: first.mean(-1))),
    NamedMetric("Succ@k", _of_first(lambda first: first.max(-1))),
    NamedMetric("DCG@k", _of_first(_dcg)),
    NamedMetric("SDCG@k", _of_first(lambda first: _dcg(first) / _dcg(np.ones(first.shape[-1])))),
    NamedMetric("RBP", _rbp),
    NamedMetric("AP", _average_precision, binary=True),
    NamedMetric("grAP", _average_precision),
    NamedMetric("RR", _reciprocal_rank, binary=True),
    NamedMetric("ERR", _expected_reciprocal_rank),
    NamedMetric("INST", lambda gains, product: _squares(gains, product, np.cumsum(gains, axis=-1))),
    NamedMetric("INSQ", lambda gains, product: _squares(gains, product, np.zeros_like(gains))),
    NamedMetric("TBG", lambda gains, product: _discounted(gains, product, "h", lambda spent, h: 2 ** (-spent / h))),
    NamedMetric(
        "U", lambda gains, product: _discounted(gains, product, "L", lambda spent, L: np.maximum(0, 1 - spent / L))
    ),
    NamedMetric("NPV", lambda gains, product: _discounted(gains, product, "rate", lambda spent, r: (1 + r) ** -spent)),
)


def names_of(product: Product, probes: Probes) -> list[str]:
    """The names of the metrics that a product equals; a star marks those that it equals for binary gains only.

    A product that equals none of them has the name of its model, if that is what the bare name stands for.

    Examples
    --------
    >>> from metameter.metric.examples import product
    >>> names_of(product("AP1", "ERG"), Probes(longest=5)), names_of(product("BPM", "ERG"), Probes(longest=5))
    (['AP*', 'grAP'], ['BPM'])
    """
    known_as = [known.name + "*" * known.binary for known in KNOWN if _is(product, known, probes)]
    return known_as or ([product.model.registered_name] if product.canonical else [])


def _is(product: Product, known: NamedMetric, probes: Probes) -> bool:
    page: Page = probes.binary if known.binary else probes.graded
    defined = known.definition(page.gains, product)
    return defined is not None and same(product.score_page(page), defined)
