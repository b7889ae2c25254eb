"""Exact expectations of any metric: score the list in all distinct orders, up to a limit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.scoring.tie_expectation.groups import Group, arranged

State: TypeAlias = tuple[int, ...]

MOST_ORDERS = 20_000
_MOST_CELLS = 100_000_000
_BLOCK_CELLS = 1_000_000


def expected_in_any_order(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """Return the mean score of a topic over all orders within each group."""
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


@dataclass(frozen=True, eq=False)
class Draw:
    """One rank is filled: what may be left before, and what is left after each kind.

    Attributes
    ----------
    left : ndarray, states x kinds
        How many documents of each kind are left, for whatever may have been drawn so far, in any order.
    after : ndarray, states x kinds
        Which state follows when the kind is drawn.
    """

    left: NDArray[np.int64]
    after: NDArray[np.int64]


def draws(counts: State, reached: int, most: int) -> list[Draw] | None:
    """What may happen at each rank; None if there are more than ``most`` sequences.

    What is left does not depend on the order of what was drawn, so there are few states where there are many
    sequences. Longer sequences are never fewer, so too many are noticed early.
    """
    listed: list[Draw] = []
    ways: dict[State, int] = {counts: 1}
    for rank in range(reached):
        if sum(number * sum(map(bool, state)) for state, number in ways.items()) > most:
            return None
        last = rank == reached - 1
        left = np.array(list(ways))
        after = np.zeros(left.shape, dtype=np.int64)
        # After the last rank, what is left makes no difference.
        ways = {} if last else _drawn(ways, after)
        listed.append(Draw(left, after))
    return listed


def _drawn(ways: dict[State, int], after: NDArray[np.int64]) -> dict[State, int]:
    """In how many ways each state is reached by one more document; which one it is, is set in ``after``."""
    place: dict[State, int] = {}
    reached: dict[State, int] = {}
    for row, (state, number) in enumerate(ways.items()):
        for kind in filter(state.__getitem__, range(len(state))):
            left = (*state[:kind], state[kind] - 1, *state[kind + 1 :])
            after[row, kind] = place.setdefault(left, len(place))
            reached[left] = reached.get(left, 0) + number
    return reached


def _completions(listed: list[Draw]) -> list[NDArray[np.int64]]:
    """In how many ways the ranks from each one on can be filled, for each state; behind the last, in one."""
    ways = [np.ones(1, dtype=np.int64)]
    for draw in reversed(listed):
        ways.append(np.where(draw.left > 0, ways[-1][draw.after], 0).sum(axis=1))
    return ways[::-1]


def number_of_sequences(listed: list[Draw]) -> int:
    """Return the number of sequences.

    Examples
    --------
    >>> number_of_sequences(draws((2, 2), 4, most=10)), draws((2, 2), 4, most=5)
    (6, None)
    """
    return int(_completions(listed)[0][0])


def sequences(listed: list[Draw]) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float64]]:
    """The kind at each rank of each sequence (ranks x sequences, in rising order), and how likely each one is.

    Examples
    --------
    >>> kinds, chance = sequences(draws((2, 1), 2, most=10))
    >>> kinds.T.tolist(), chance.round(4).tolist()
    ([[0, 0], [0, 1], [1, 0]], [0.3333, 0.3333, 0.3333])
    """
    ways = _completions(listed)
    kinds = np.empty((len(listed), int(ways[0][0])), dtype=np.min_scalar_type(listed[0].left.shape[1]))
    state, chance = np.zeros(1, dtype=np.int64), np.ones(1)
    for rank, draw in enumerate(listed):
        left = draw.left[state]
        row, kind = np.nonzero(left)
        chance = chance[row] * left[row, kind] / draw.left[0].sum()
        state = draw.after[state[row], kind]
        # All sequences that begin in the same way stand together.
        kinds[rank] = np.repeat(kind, ways[rank + 1][state])
    return kinds, chance
