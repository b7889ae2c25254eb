"""Documents are found as in a dictionary, whatever their keys."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metameter as mm
from metameter.errors import MetameterError
from metameter.judge.lookup import Lookup
from metameter.types.byte_strings import Names
from metameter.types.run_rows import Rows

pairs = st.lists(st.tuples(st.integers(0, 3), st.text("ab", min_size=1, max_size=4)), max_size=60)


def lookup_of(judged):
    topic = np.array([topic for topic, _ in judged], dtype=np.int64)
    return Lookup.of(tuple("0123"), topic, Names.of_texts([doc for _, doc in judged]))


def found_in(lookup, asked):
    topic, doc = np.array([topic for topic, _ in asked], dtype=np.int64), Names.of_texts([doc for _, doc in asked])
    rows, at = lookup.find(lookup.keys_of(topic, doc), doc)
    return dict(zip(rows.tolist(), at.tolist(), strict=True))


def expected(judged, asked):
    place = {pair: at for at, pair in enumerate(judged)}
    return {row: place[pair] for row, pair in enumerate(asked) if pair in place}


@given(pairs, pairs)
def test_lookup_matches_a_dictionary(judged, asked):
    judged = list(dict.fromkeys(judged))
    lookup = lookup_of(judged)
    assert found_in(lookup, asked) == expected(judged, asked)
    assert found_in(pickle.loads(pickle.dumps(lookup)), asked) == expected(judged, asked)


@given(pairs, pairs)
def test_all_rows_of_a_run_are_found_in_one_call(judged, asked):
    """From the run's side, whichever topics it has."""
    judged, asked = list(dict.fromkeys(judged)), sorted(dict.fromkeys(asked))
    topics = [str(topic) for topic, _ in asked]
    begin = np.array([row for row, topic in enumerate(topics) if not row or topic != topics[row - 1]], dtype=np.int64)
    rows = Rows(
        begin, tuple(topics[row] for row in begin), Names.of_texts([doc for _, doc in asked]), np.zeros(len(asked))
    )
    found, at = lookup_of(judged).find_all(rows)
    assert dict(zip(found.tolist(), at.tolist(), strict=True)) == expected(judged, asked)
    assert at.tolist() == sorted(at)


# A short vector d of the lattice in which the sum of d[n] * m ** (2 * n + 1) is 0 mod 2**64, m the hash's multiplier.
SHORT = (-4, -4, 3, 7, -18, -6, 2, 6, -1, 4, 9, 6, 4, -1, -7, 0)
GOLDEN = 0x9E3779B97F4A7C15


def colliding_names():
    """Two names of 128 bytes with one hash under every seed: of one byte of a word the hash is linear."""
    one, other = bytearray(128), bytearray(128)
    for number, step in enumerate(SHORT):
        back = pow(pow(GOLDEN, 2 * number + 1, 256), -1, 256)
        letters = ((first * back % 256, (first - step) * back % 256) for first in range(256) if 0 <= first - step < 256)
        one[8 * number + 7], other[8 * number + 7] = next(pair for pair in letters if max(pair) < 128 and min(pair))
    return one.decode(), other.decode()


def test_colliding_names_are_distinguished():
    one, other = colliding_names()
    assert one != other
    both = Names.of_texts([one, other])
    for seed in range(8):
        first, second = both.hashes(seed).tolist()
        assert first == second
    lookup = lookup_of([(0, one), (0, other)])
    assert found_in(lookup, [(0, other), (0, "x"), (0, one)]) == {0: 1, 2: 0}
    assert found_in(pickle.loads(pickle.dumps(lookup)), [(0, one), (0, other)]) == {0: 0, 1: 1}
    scores = mm.score({"1": {one: 1, other: 0}}, {"1": {other: 2.0, one: 1.0}}, ["RR", "P@1"])
    assert scores.values.tolist() == [[[0.5]], [[0.0]]]
    topics = mm.score({one: {"a": 1}, other: {"b": 1}}, {one: {"a": 1.0}, other: {"a": 1.0}}, "RR")
    assert dict(zip(topics.topics, topics.values[0, 0].tolist(), strict=True)) == {one: 1.0, other: 0.0}


def test_a_document_that_is_judged_twice_is_refused():
    with pytest.raises(MetameterError, match="judged twice"):
        lookup_of([(0, "a"), (0, "a")])
