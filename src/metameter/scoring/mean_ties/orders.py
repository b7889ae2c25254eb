"""Any metric: score the list in all orders that differ, as long as they are not too many."""

from __future__ import annotations

from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.scoring.mean_ties.groups import Group, arranged

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_ORDERS", "expected_in_any_order"]

MOST_ORDERS = 20_000
_BLOCK_CELLS = 1_000_000


def expected_in_any_order(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """The mean score of a topic over all orders within each group."""
    ways = []
    for group in groups:
        orders_of_group = _orders(group)
        ways.append(orders_of_group or [])
        if orders_of_group is None or prod(map(len, ways)) > MOST_ORDERS:
            raise _too_many(measure, listed, topic, max(groups, key=lambda each: each.size))
    total = 0.0
    joint = product(*ways)
    while block := list(islice(joint, max(_BLOCK_CELLS // listed.depth, 1))):
        orders = np.tile(np.arange(listed.depth), (len(block), 1))
        likely = np.array([prod(chance for _, chance in choice) for choice in block])
        for position, group in enumerate(groups):
            inside = np.array([choice[position][0] for choice in block])
            orders[:, group.start : group.start + group.reached] = inside
        total += float(likely @ _scores(measure, listed, topic, orders))
    return total


def _scores(measure: Measure, listed: Ranked, topic: int, orders: NDArray[np.int64]) -> NDArray[np.float64]:
    return measure.score(arranged(listed, topic, orders))


def _orders(group: Group) -> list[tuple[NDArray[np.int64], float]] | None:
    """Every sequence of kinds (each given by an example) in the ranks reached, and how likely it is; None if too many.

    Each step adds a rank to all sequences; their number never falls, so too many are noticed early.
    """
    left, chance = np.array([group.counts]), np.ones(1)
    orders = np.zeros((1, 0), dtype=np.int64)
    for _ in range(group.reached):
        row, kind = np.nonzero(left)
        if row.size > MOST_ORDERS:
            return None
        chance = chance[row] * left[row, kind] / left[row].sum(axis=1)
        left = left[row]
        left[np.arange(row.size), kind] -= 1
        orders = np.column_stack([orders[row], np.array(group.examples)[kind]])
    return list(zip(orders, chance.tolist(), strict=True))


def _too_many(measure: Measure, listed: Ranked, topic: int, group: Group) -> MetameterError:
    return MetameterError(
        f"{measure}: there are too many orders of documents with equal scores to take the exact mean: "
        f"{group.size} tie from rank {group.start + 1} on, for topic {listed.judgments.topics[topic]!r}",
        where=listed.system,
        allowed=f"{MOST_ORDERS} orders",
        fix="Cut the list (@10, say), or set ties to docid-desc.",
    )
