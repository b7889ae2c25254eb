"""Compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def letter(number: int) -> str:
    """Return the name of a group by its number: a, b, ..., z, aa, ab, ...

    Examples
    --------
    >>> letter(0), letter(25), letter(26), letter(27), letter(702)
    ('a', 'z', 'aa', 'ab', 'aaa')
    """
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name


def letter_groups(different: NDArray[np.bool_], order: Sequence[int] | NDArray[Any]) -> list[str]:
    """Return the letters of every system, such as ``ab``; with more than 26 groups, separated by spaces.

    Two systems share a letter if and only if they do not differ significantly.

    Parameters
    ----------
    different : ndarray of bool, (systems, systems)
        Whether two systems differ significantly; symmetric.
    order : sequence of int
        The systems, best first; letters are assigned in this order.

    Examples
    --------
    >>> letter_groups(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool), [0, 1, 2])
    ['a', 'ab', 'b']
    """
    ranked = np.asarray(order)
    groups = cliques(~np.asarray(different)[np.ix_(ranked, ranked)])
    letters: list[list[str]] = [[] for _ in ranked]
    for number, group in enumerate(groups):
        for member in _members(group):
            letters[ranked[member]].append(letter(number))
    return [("" if len(groups) <= 26 else " ").join(names) for names in letters]


def cliques(alike: NDArray[np.bool_]) -> list[int]:
    """Return groups of systems that do not differ, as bit sets, such that any two that do not differ share a group.

    The insert-and-absorb algorithm of Piepho (2004) lists all maximal groups, which may be exponentially many if a test
    is not monotone in the difference. Here every two such systems that do not share a group yet open one, to which
    every system is added, best first, that differs from none of its members. That gives at most K(K-1)/2 groups, and
    for monotone tests (Tukey's) exactly the maximal intervals. Redundant groups are dropped at the end.

    References
    ----------
    piepho2004

    Examples
    --------
    >>> [f"{group:03b}" for group in cliques(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))]
    ['011', '110']
    """
    count = len(alike)
    rows = [sum(1 << int(j) for j in np.flatnonzero(row)) & ~(1 << i) for i, row in enumerate(alike)]
    open_pairs = list(rows)  # for each system, those it does not differ from and shares no group with yet
    groups = []
    for system in range(count):
        if not rows[system]:
            groups.append(1 << system)
        while later := open_pairs[system] >> (system + 1) << (system + 1):
            group = _grown(system, later.bit_length() - 1, rows)
            for member in _members(group):
                open_pairs[member] &= ~group
            groups.append(group)
    return sorted(_needed(groups, count), key=_outline)


def _grown(first: int, second: int, rows: list[int]) -> int:
    group = 1 << first | 1 << second
    candidates = rows[first] & rows[second]
    while candidates:
        best = candidates & -candidates
        group |= best
        candidates &= rows[best.bit_length() - 1]
    return group


def _needed(groups: list[int], count: int) -> list[int]:
    shared = np.zeros((count, count), dtype=np.int64)  # the number of groups that two systems share
    sets = [np.array(list(_members(group))) for group in groups]
    for members in sets:
        shared[np.ix_(members, members)] += 1
    needed = []
    # Later groups were opened for pairs that earlier ones left out, so earlier ones are more likely redundant.
    for group, members in zip(groups, sets, strict=True):
        block = np.ix_(members, members)
        if (shared[block] > 1).all():
            shared[block] -= 1
        else:
            needed.append(group)
    return needed


def _outline(group: int) -> list[int]:
    return list(_members(group))


def _members(group: int) -> Iterator[int]:
    while group:
        lowest = group & -group
        yield lowest.bit_length() - 1
        group ^= lowest


def sharing(groups: Sequence[str]) -> NDArray[np.bool_]:
    """Return which systems share a letter, (systems, systems): the opposite of `letter_groups`.

    Parameters
    ----------
    groups : sequence of str
        The letters of every system, as `letter_groups` returns them.

    Examples
    --------
    >>> sharing(["a", "ab", "b"]).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    # More than 26 groups are separated by spaces, and the 27th is called aa.
    spaced = any(" " in group or group == letter(26) for group in groups)
    letters = [group.split(" ") if spaced else list(group) for group in groups]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for each in letters for name in each))}
    members = np.zeros((len(groups), len(numbers)), dtype=np.int64)
    for system, names in enumerate(letters):
        members[system, [numbers[name] for name in names]] = 1
    return np.asarray(members @ members.T > 0)


def rank_ranges(groups: Sequence[str]) -> list[str]:
    """Return the ranks of the systems that each system does not differ from, its own included.

    Parameters
    ----------
    groups : sequence of str
        The letters of every system, best first.

    Examples
    --------
    >>> rank_ranges(["a", "b", "bc", "bd", "cd"])
    ['no other', 'ranks 2-4', 'ranks 2-5', 'ranks 2-5', 'ranks 3-5']
    >>> rank_ranges(["ab", "c", "a", "b"])
    ['3 of ranks 1-4', 'no other', '2 of ranks 1-3', '2 of ranks 1-4']
    """
    return [_ranks([int(rank) + 1 for rank in np.flatnonzero(row)]) for row in sharing(groups)]


def _ranks(ranks: list[int]) -> str:
    first, last = ranks[0], ranks[-1]
    if first == last:
        return "no other"
    return f"ranks {first}-{last}" if len(ranks) == last - first + 1 else f"{len(ranks)} of ranks {first}-{last}"


def abbreviated_letters(letters: str) -> str:
    """Return letters as a range if they are more than three and consecutive, otherwise unchanged.

    Examples
    --------
    >>> [abbreviated_letters(letters) for letters in ("abc", "bcdef", "x y z aa ab", "abcx")]
    ['abc', 'b-f', 'x-ab', 'abcx']
    """
    names = letters.split(" ") if " " in letters else list(letters)
    numbers = [_number(name) for name in names]
    if len(names) > 3 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{names[0]}-{names[-1]}"
    return letters


def _number(name: str) -> int:
    number = 0
    for char in name:
        number = 26 * number + ord(char) - ord("a") + 1
    return number
