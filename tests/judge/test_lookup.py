"""Documents are found as in a dictionary, whatever their keys."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.lookup import Lookup
from metameter.types.names import Names
from metameter.types.rows import Rows

pairs = st.lists(st.tuples(st.integers(0, 3), st.text("ab", min_size=1, max_size=4)), max_size=60)


def lookup_of(judged):
    topic = np.array([topic for topic, _ in judged], dtype=np.int64)
    return Lookup.of(tuple("0123"), topic, Names.of_texts([doc for _, doc in judged]))


def found_in(lookup, asked):
    topic, doc = np.array([topic for topic, _ in asked], dtype=np.int64), Names.of_texts([doc for _, doc in asked])
    rows, at = lookup.find(lookup.keyed(topic, doc), doc)
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


@given(pairs, pairs)
def test_all_rows_of_a_run_at_once(judged, asked):
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


def test_names_that_no_hash_tells_apart_are_not_called_duplicates(monkeypatch):
    monkeypatch.setattr(Names, "hashes", lambda names, seed=0: np.zeros(len(names), dtype=np.uint64))
    with pytest.raises(MetameterError, match="cannot be told apart"):
        lookup_of([(0, "a"), (0, "b")])
