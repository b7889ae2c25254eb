"""Documents are found as in a dictionary, whatever their keys."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.judge.lookup import Lookup
from metameter.types.names import Names

pairs = st.lists(st.tuples(st.integers(0, 3), st.text("ab", min_size=1, max_size=4)), max_size=60)


def lookup_of(judged):
    topic = np.array([topic for topic, _ in judged], dtype=np.int64)
    return Lookup.of(tuple("0123"), topic, Names.of_texts([doc for _, doc in judged]))


def found_in(lookup, asked):
    topic, doc = np.array([topic for topic, _ in asked], dtype=np.int64), Names.of_texts([doc for _, doc in asked])
    rows, at = lookup.find(topic, lookup.keyed(topic, doc), doc)
    return dict(zip(rows.tolist(), at.tolist(), strict=True))


def expected(judged, asked):
    place = {pair: at for at, pair in enumerate(judged)}
    return {row: place[pair] for row, pair in enumerate(asked) if pair in place}


@given(pairs, pairs)
def test_as_in_a_dictionary(judged, asked):
    judged = list(dict.fromkeys(judged))
    lookup = lookup_of(judged)
    assert found_in(lookup, asked) == expected(judged, asked)
    assert found_in(pickle.loads(pickle.dumps(lookup)), asked) == expected(judged, asked)


@pytest.mark.parametrize("shared", [8, 40])
def test_keys_that_fall_into_few_slots(monkeypatch, shared):
    """All keys begin with so many equal bits: most find their slot taken, and are found in the tables behind."""
    bits = np.uint64(shared)
    monkeypatch.setattr("metameter.judge.lookup.salted", lambda hashes, salt: (hashes ^ salt) >> bits)
    judged = [(n % 4, f"d{n}") for n in range(400)]
    asked = [(n % 4, f"d{n}") for n in range(800)] + [(1, f"d{n}") for n in range(40)]
    lookup = lookup_of(judged)
    assert len(lookup.further) > 1
    assert found_in(lookup, asked) == expected(judged, asked)
