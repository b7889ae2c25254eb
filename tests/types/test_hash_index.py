"""Keys are found as in a dictionary, also where they fall into few slots."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metameter.types.hash_index import HashIndex

# Many of them begin, or end, with the same bits.
key = st.builds(lambda number, shift: number << shift & (1 << 64) - 1, st.integers(0, 99), st.integers(0, 63))
keys = st.lists(key, max_size=200)


def array(numbers):
    return np.array(numbers, dtype=np.uint64)


@given(keys, keys)
def test_the_index_matches_a_dictionary(known, asked):
    known = list(dict.fromkeys(known))
    places = HashIndex.of(array(known))
    found, at = places.find(array(asked))
    where = {number: place for place, number in enumerate(known)}
    expected = [(row, where[number]) for row, number in enumerate(asked) if number in where]
    assert list(zip(found.tolist(), at.tolist(), strict=True)) == expected
    assert not places.has_duplicates


@given(keys)
def test_repeated_keys_are_detected(known):
    assert HashIndex.of(array(known)).has_duplicates == (len(set(known)) < len(known))


def test_many_random_keys_are_found():
    known = np.random.default_rng(1).integers(0, 1 << 63, 50_000).astype(np.uint64) * np.uint64(2)
    places = HashIndex.of(known)
    assert len(places.tables) > 2
    found, at = places.find(np.append(known, known + np.uint64(1)))
    assert found.tolist() == at.tolist() == list(range(50_000))
    assert HashIndex.of(np.append(known, known[17])).has_duplicates
