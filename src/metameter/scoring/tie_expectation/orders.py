"""Exact expectations of metrics without a closed form: score one topic's list in as many orders as it takes.

Where only the set of documents above a rank matters, combinations of them are enough; otherwise every distinct order is
scored. Both have a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.base import Summed, divide
from metameter.metric.product import Product
from metameter.scoring.tie_expectation.groups import Group, in_orders, log_choose

#: How many documents each kind has.
Counts: TypeAlias = tuple[int, ...]

#: The most orders of a topic's list that are scored, and the most ranks that they may have together.
MOST_ORDERS, _MOST_RANKS = 20_000, 100_000_000
#: The most ranks of the lists that are scored to learn what each kind adds below every combination of the others.
_MOST_RANKS_ABOVE = 40_000_000
_BLOCK_CELLS = 1_000_000


def is_feasible(groups: list[Group]) -> bool:
    """Whether the number of lists that must be scored is within the limit."""
    return sum(_lists(group) * (group.start + group.size) for group in groups) <= _MOST_RANKS_ABOVE


def _lists(group: Group) -> int:
    return sum(prod(count + 1 for count in _without(group.counts, kind)) for kind in range(len(group.counts)))


def expected_above(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """The score of a topic, expected over random orders within each group.

    What a rank adds depends on its document and on how many documents of each kind are above it. So it is enough to
    score, for each kind, lists in which its documents follow every combination of the others, and to weight what they
    add by the hypergeometric probability of that combination. The order within the groups above makes no difference.
    """
    order = np.arange(listed.depth)[None]
    added = contributions(measure, in_orders(listed, topic, order))[0]
    fixed = np.ones(added.size, dtype=np.bool_)
    total = 0.0
    for group in groups:
        fixed[group.start : group.start + group.size] = False
        for kind in range(len(group.counts)):
            for before in _blocks(group, kind):
                total += _added_below(measure, listed, topic, group, kind, before)
    return float(added[fixed].sum() + total)


def _blocks(group: Group, kind: int) -> Iterator[NDArray[np.int64]]:
    """Yield, in blocks, all combinations of how many documents of each other kind are above the first of this kind."""
    others = [range(1) if each == kind else range(count + 1) for each, count in enumerate(group.counts)]
    combinations = product(*others)
    most = max(_BLOCK_CELLS // (group.start + group.size), 1)
    while block := list(islice(combinations, most)):
        before = np.array(block, dtype=np.int64)
        yield before[before.sum(axis=1) < group.reached]


def _added_below(
    measure: Measure, listed: Ranked, topic: int, group: Group, kind: int, before: NDArray[np.int64]
) -> float:
    """Return what the documents of one kind add to the expectation, below these numbers of documents of other kinds."""
    counts = np.array(group.counts)
    these = np.where(np.arange(counts.size) == kind, counts, 0)
    # The documents before, then all of the kind, then the rest: each row fills the ranks of the group.
    parts = np.concatenate([before, np.broadcast_to(these, before.shape), counts - these - before], axis=1)
    inside = np.repeat(np.tile(group.examples, 3 * len(before)), parts.reshape(-1)).reshape(len(before), group.size)
    above = np.broadcast_to(np.arange(group.start), (len(before), group.start))
    # Nothing below the group changes what its ranks add.
    added = contributions(measure, in_orders(listed, topic, np.concatenate([above, inside], axis=1)))
    offset = before.sum(axis=1)[:, None] + np.arange(counts[kind])
    reached = offset < min(group.size, added.shape[1] - group.start)
    taken = np.take_along_axis(added, np.where(reached, group.start + offset, 0), axis=1)
    return float((taken * _probability(counts, before, kind) * reached).sum())


def _probability(counts: NDArray[np.int64], before: NDArray[np.int64], kind: int) -> NDArray[np.float64]:
    """Return the probability that exactly ``before`` and j of the kind come first, then one more of it; for all j."""
    size, j = int(counts.sum()), np.arange(counts[kind])
    above = before.sum(axis=1)[:, None] + j
    others = log_choose(counts, before).sum(axis=1)[:, None]
    likely = np.exp(others + log_choose(counts[kind], j) - log_choose(size, above))
    return np.asarray(likely * (counts[kind] - j) / (size - above), dtype=np.float64)


def _without(counts: tuple[int, ...], kind: int) -> tuple[int, ...]:
    return counts[:kind] + counts[kind + 1 :]


def contributions(measure: Measure, listed: Ranked) -> NDArray[np.float64]:
    """Return what each rank adds to the score, topics x ranks."""
    if isinstance(measure, Product):
        page, state = measure.page(listed), measure.browsing_state(listed)
        return np.asarray(state.last * measure.aggregation.aggregate(page))
    if not isinstance(measure, Summed):
        raise TypeError(f"{measure} is no sum over ranks")
    gain, discount = measure.parts(listed.cut(measure.k))
    divisor = np.broadcast_to(measure.divisor(listed), len(listed.length))
    return divide(gain * discount, divisor[:, None])


def expected_in_any_order(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> float:
    """Return the mean score of a topic over all orders within each group."""
    ways = [sequences(each) for each in _draws_of_groups(measure, listed, topic, groups)]
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


def _draws_of_groups(measure: Measure, listed: Ranked, topic: int, groups: list[Group]) -> list[list[Draw]]:
    """Return the draws from each group; refuse too many orders before any large array is made of them."""
    by_group: list[list[Draw]] = []
    number, last = 1, groups[-1].start + groups[-1].reached
    for group in groups:
        group_draws = draws(group.counts, group.reached, MOST_ORDERS)
        number *= MOST_ORDERS + 1 if group_draws is None else number_of_sequences(group_draws)
        if group_draws is None or number > MOST_ORDERS or number * last > _MOST_RANKS:
            more = f"more than {MOST_ORDERS}" if number > MOST_ORDERS else f"{number} or more"
            largest = max(groups, key=lambda each: each.size)
            raise _too_many(measure, listed, topic, largest, f"{more} orders of {last} ranks")
        by_group.append(group_draws)
    return by_group


def _scores(measure: Measure, listed: Ranked, topic: int, orders: NDArray[np.int64]) -> NDArray[np.float64]:
    return measure.score(in_orders(listed, topic, orders))


def _too_many(measure: Measure, listed: Ranked, topic: int, group: Group, size: str) -> MetameterError:
    return MetameterError(
        f"{measure}: there are too many orders of documents with equal scores to take the exact mean: "
        f"{group.size} tie from rank {group.start + 1} on, for topic {listed.judgments.topics[topic]!r}: {size}",
        where=listed.system,
        allowed=f"{MOST_ORDERS} orders, and {_MOST_RANKS} ranks in all of them",
        fix="Cut the list (@10, say), or set ties to docid-desc (--ties docid-desc).",
    )


@dataclass(frozen=True, eq=False)
class Draw:
    """The draw of the document for one rank: the possible states before it, and the state after each kind.

    Attributes
    ----------
    left : ndarray, states x kinds
        How many documents of each kind are left. The order of earlier draws makes no difference.
    after : ndarray, states x kinds
        The number of the state that follows if the kind is drawn.
    """

    left: NDArray[np.int64]
    after: NDArray[np.int64]


def draws(counts: Counts, reached: int, most: int) -> list[Draw] | None:
    """Return the draw at each rank; None if there are more than ``most`` sequences.

    What is left does not depend on the order of earlier draws, so there are far fewer states than sequences. The number
    of sequences never falls from rank to rank, so too many are noticed early.
    """
    listed: list[Draw] = []
    ways: dict[Counts, int] = {counts: 1}
    for rank in range(reached):
        if sum(number * sum(map(bool, state)) for state, number in ways.items()) > most:
            return None
        last = rank == reached - 1
        left = np.array(list(ways))
        after = np.zeros(left.shape, dtype=np.int64)
        # After the last rank, what is left makes no difference.
        ways = {} if last else _next_states(ways, after)
        listed.append(Draw(left, after))
    return listed


def _next_states(ways: dict[Counts, int], after: NDArray[np.int64]) -> dict[Counts, int]:
    """Return in how many ways each state is reached by one more draw, and fill in ``after`` with their numbers."""
    number_of: dict[Counts, int] = {}
    reached: dict[Counts, int] = {}
    for row, (state, number) in enumerate(ways.items()):
        for kind in filter(state.__getitem__, range(len(state))):
            left = (*state[:kind], state[kind] - 1, *state[kind + 1 :])
            after[row, kind] = number_of.setdefault(left, len(number_of))
            reached[left] = reached.get(left, 0) + number
    return reached


def _completions(listed: list[Draw]) -> list[NDArray[np.int64]]:
    """Return, for each rank and state, in how many ways the ranks from there on can be filled; after the last, one."""
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
    """Return the kind at each rank of each sequence (ranks x sequences, in rising order), and their probabilities.

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
        # Sequences that begin in the same way are next to each other.
        kinds[rank] = np.repeat(kind, ways[rank + 1][state])
    return kinds, chance
