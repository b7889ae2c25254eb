"""Any metric: score the list in all orders that differ, as long as they are not too many."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.scoring.mean_ties.groups import Group, arranged
from metameter.scoring.mean_ties.sequences import Draw, draws, number_of_sequences, sequences

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_ORDERS", "expected_in_any_order"]

MOST_ORDERS = 20_000
_MOST_CELLS = 100_000_000
_BLOCK_CELLS = 1_000_000


def expected_in_any_order(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """The mean score of a topic over all orders within each group."""
    ways = [sequences(each) for each in _counted(measure, listed, topic, groups)]
    total = 0.0
    joint = product(*(range(chance.size) for _, chance in ways))
    while block := list(islice(joint, max(_BLOCK_CELLS // listed.depth, 1))):
        orders = np.tile(np.arange(listed.depth), (len(block), 1))
        likely = np.ones(len(block))
        for group, (kinds, chance), chosen in zip(groups, ways, np.array(block).T, strict=True):
            likely = likely * chance[chosen]
            orders[:, group.start : group.start + group.reached] = np.array(group.examples)[kinds[:, chosen]].T
        total += float(likely @ _scores(measure, listed, topic, orders))
    return total


def _counted(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> list[list[Draw]]:
    """What may be drawn from each group; refused before anything large is made of it."""
    found: list[list[Draw]] = []
    number, last = 1, groups[-1].start + groups[-1].reached
    for group in groups:
        drawn = draws(group.counts, group.reached, MOST_ORDERS)
        number *= MOST_ORDERS + 1 if drawn is None else number_of_sequences(drawn)
        if drawn is None or number > MOST_ORDERS or number * last > _MOST_CELLS:
            more = f"more than {MOST_ORDERS}" if number > MOST_ORDERS else f"{number} or more"
            largest = max(groups, key=lambda each: each.size)
            raise _too_many(measure, listed, topic, largest, f"{more} orders of {last} ranks")
        found.append(drawn)
    return found


def _scores(measure: Measure, listed: Ranked, topic: int, orders: NDArray[np.int64]) -> NDArray[np.float64]:
    return measure.score(arranged(listed, topic, orders))


def _too_many(measure: Measure, listed: Ranked, topic: int, group: Group, size: str) -> MetameterError:
    return MetameterError(
        f"{measure}: there are too many orders of documents with equal scores to take the exact mean: "
        f"{group.size} tie from rank {group.start + 1} on, for topic {listed.judgments.topics[topic]!r}: {size}",
        where=listed.system,
        allowed=f"{MOST_ORDERS} orders, and {_MOST_CELLS} ranks in all of them",
        fix="Cut the list (@10, say), or set ties to docid-desc (--ties docid-desc).",
    )
