"""Compact letter display."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metameter.stats.significance.compact_letter_display import abbreviated_letters, cliques, letter, letter_groups


@st.composite
def graphs(draw: st.DrawFn) -> np.ndarray:
    count = draw(st.integers(1, 12))
    bits = draw(st.lists(st.booleans(), min_size=count * count, max_size=count * count))
    upper = np.triu(np.array(bits, dtype=bool).reshape(count, count), 1)
    return upper | upper.T


def shared(a: str, b: str) -> bool:
    parts = [set(name.split(" ")) if " " in name else set(name) for name in (a, b)]
    return bool(parts[0] & parts[1])


@given(graphs(), st.randoms(use_true_random=False))
def test_two_systems_share_a_letter_iff_they_do_not_differ(different, random):
    order = list(range(len(different)))
    random.shuffle(order)
    names = letter_groups(different, order)
    assert all(names)
    for i in range(len(different)):
        for j in range(i):
            assert shared(names[i], names[j]) == (not different[i, j])


@given(st.lists(st.integers(0, 30), min_size=1, max_size=25), st.integers(0, 10))
def test_a_monotone_test_gives_the_maximal_intervals(means, required):
    values = np.sort(np.array(means))[::-1]
    alike = np.abs(values[:, None] - values[None, :]) <= required
    furthest = [int(np.flatnonzero(row).max()) for row in alike]
    intervals = {(int(np.flatnonzero(alike[:, end]).min()), end) for end in set(furthest)}
    found = {(bits.bit_length() - 1, (bits & -bits).bit_length() - 1) for bits in cliques(alike)}
    assert found == {(end, start) for start, end in intervals}
    assert all(bits.bit_count() == end - start + 1 for bits in cliques(alike) for end, start in [_ends(bits)])


def _ends(bits: int) -> tuple[int, int]:
    return bits.bit_length() - 1, (bits & -bits).bit_length() - 1


def test_letters_start_with_the_best():
    different = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) > 1
    assert letter_groups(different, [4, 3, 2, 1, 0]) == ["d", "cd", "bc", "ab", "a"]


def test_more_than_26_groups_are_separated_by_spaces():
    different = ~np.eye(30, dtype=bool)
    names = letter_groups(different, range(30))
    assert names == [letter(number) for number in range(30)]
    assert names[26] == "aa"
    near = np.abs(np.subtract.outer(np.arange(40), np.arange(40))) > 1
    assert letter_groups(near, range(40))[26] == "z aa"


def test_a_non_monotone_test_of_129_systems_is_tractable():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((129, 129)) < 0.5, 1)
    different = upper | upper.T
    names = letter_groups(different, range(129))
    for i, j in rng.integers(0, 129, (500, 2)):
        if i != j:
            assert shared(names[i], names[j]) == (not different[i, j])


def test_long_runs_of_letters_are_abbreviated():
    assert abbreviated_letters("abcd") == "a-d"
    assert abbreviated_letters("abd") == "abd"
    assert abbreviated_letters("") == ""
