"""Names among bytes do what Python's texts do."""

from __future__ import annotations

import pickle
import tracemalloc
from itertools import combinations, product
from string import ascii_letters, ascii_lowercase

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.types.byte_strings import PADDING, Names, order_of_names
from metameter.types.run_rows import salted

# Few letters, so that names meet, begin alike and end at the ends of words; some of more than one byte.
# Some go on beyond the words that are looked at for all names, or that are looked at as words at all.
lengths = st.sampled_from([0] * 8 + [31, 32, 63, 64, 600])
name = st.builds(lambda front, text: "a" * front + text, lengths, st.text("ab0é\0", max_size=34))
names = st.lists(name, min_size=1, max_size=20)


def of(texts):
    return Names.of(pl.Series(texts, dtype=pl.String))


@given(names)
def test_texts_round_trip(texts):
    assert of(texts).texts() == texts


@given(names, st.randoms())
def test_rows_can_be_selected(texts, random):
    rows = [random.randrange(len(texts)) for _ in range(9)]
    assert of(texts).take(np.array(rows)).texts() == [texts[row] for row in rows]


@given(names, names)
def test_equality_matches_that_of_texts(some, others):
    pairs = list(zip(some, others, strict=False))
    one, other = (of([pair[side] for pair in pairs]) for side in (0, 1))
    assert one.equal(other, np.arange(len(pairs))).tolist() == [left == right for left, right in pairs]
    assert of(some).differ().tolist() == [left != right for left, right in zip(some[1:], some[:-1], strict=True)]


@given(names, st.integers(0, 7))
def test_a_hash_depends_only_on_the_name(texts, seed):
    together = of(texts).hashes(seed).tolist()
    assert together == [of([text]).hashes(seed).item() for text in texts]
    assert len(set(together)) == len(set(texts))


@given(names, st.booleans())
def test_order_matches_that_of_the_bytes(texts, falling):
    expected = sorted(range(len(texts)), key=lambda row: texts[row].encode(), reverse=falling)
    found = order_of_names(of(texts), np.zeros(len(texts), int), falling=falling).tolist()
    assert [texts[row] for row in found] == [texts[row] for row in expected]


@given(names, names)
def test_groups_are_ordered_separately(some, others):
    groups = np.repeat([0, 1], [len(some), len(others)])
    order = order_of_names(of(some + others), groups).tolist()
    assert [(some + others)[row] for row in order] == [
        *sorted(some, key=str.encode),
        *sorted(others, key=str.encode),
    ]


def test_numbered_names_do_not_collide():
    """What collections call their documents: they differ in a digit or two, often at the end."""
    texts = [f"FBIS{part}-{n}" for part in (3, 4) for n in range(70_000)] + [
        f"FT9{n // 999}-{n % 999}" for n in range(60_000)
    ]
    assert np.unique(of(texts).hashes()).size == len(texts)
    # Keys are made of the high bits.
    assert np.unique(of(texts).hashes() >> np.uint64(16)).size == len(texts)


FAMILIES = {
    "two words end alike": [f"{a:08x}-{b:07x}" for a in range(256) for b in range(256)],
    "three words": [f"{a:08d}-{b:07d}-{c:07d}" for a in range(10) for b in range(10) for c in range(10)],
    "letters": [f"section{a}/figure{b}" for a in ascii_letters for b in ascii_letters],
    "first of each word": [f"{a}aaaaaaa{b}aaaaaaa{c}aaaaaaa" for a, b, c in product(ascii_lowercase, repeat=3)],
    "long": [f"{'x' * 39}{a}{'x' * 23}{b}" for a in ascii_letters for b in ascii_letters],
    "numbers": [str(n) for n in range(100_000)],
}


@pytest.mark.parametrize("seed", [0, 1, 7, 1 << 10])
@pytest.mark.parametrize("family", FAMILIES)
def test_names_of_a_family_do_not_collide(family, seed):
    hashes = Names.of_texts(FAMILIES[family]).hashes(seed)
    assert np.unique(hashes).size == hashes.size
    # Slots are chosen by the high bits of keys: nearly as many must be taken as by random ones.
    taken = np.unique(salted(hashes, np.uint64(seed)) >> np.uint64(48)).size
    assert taken > 0.9 * (1 << 16) * (1 - np.exp(-hashes.size / (1 << 16)))


def test_seeds_give_independent_hashes():
    """Names that meet under one seed must not meet under all."""
    names = Names.of_texts(["aaaaaaaabbbbbbbb", "caaaaaaadbbbbbbb", "eaaaaaaafbbbbbbb"])
    some = [names.hashes(seed).tolist() for seed in range(8)]
    apart = [((one - first) % (1 << 64), (two - first) % (1 << 64)) for first, one, two in some]
    assert len({one for one, _ in apart}) == 8
    # Nor are the differences multiples of those of another seed.
    assert all(a * d % (1 << 64) != b * c % (1 << 64) for (a, b), (c, d) in combinations(apart, 2))


def test_empty_byte_strings_are_supported():
    none = of([])
    assert len(none) == none.hashes().size == order_of_names(none, np.zeros(0, int)).size == 0


def test_pickled_names_leave_out_the_rest_of_the_file():
    text = np.frombuffer(b"401 Q0 d1 1 9.5 tag " * 1000 + b"d22" + PADDING, dtype=np.uint8)
    some = Names(text, np.array([7, 20_000]), np.array([2, 3]))
    sent = pickle.dumps(some)
    assert pickle.loads(sent).texts() == some.texts() == ["d1", "d22"]
    assert len(sent) < 1000


def test_one_long_name_does_not_enlarge_the_others():
    texts = [f"d{n}" for n in range(2000)] + ["x" * 1_000_000]
    long = of(texts)
    tracemalloc.start()
    try:
        (
            long.hashes(),
            long.differ(),
            order_of_names(long, np.zeros(len(texts), int)),
            long.equal(long, np.arange(len(texts))),
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20e6  # 2,000 names of a megabyte are 2 GB
