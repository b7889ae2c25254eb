"""Thrift's compact encoding is read back as it was written; what is cut short, too long or too deep is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.read.thrift import structure

NUMBER, TEXT, LIST, MAP, STRUCTURE = 6, 8, 9, 11, 12
NUMBERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.binary(max_size=200)


def varint(value):
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def number(value):
    return varint(2 * value if value >= 0 else -2 * value - 1)


def kind_of(value):
    return {int: NUMBER, bytes: TEXT, list: LIST, dict: STRUCTURE}[type(value)]


def written(value):
    """A number, a text, a list of values of one kind, or a structure."""
    if isinstance(value, int):
        return number(value)
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, list):
        kind = kind_of(value[0]) if value else NUMBER
        size = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind]) + varint(len(value))
        return size + b"".join(map(written, value))
    fields, before = b"", 0
    for place, each in value.items():
        if isinstance(each, bool):
            kind, content = 1 if each else 2, b""
        else:
            kind, content = kind_of(each), written(each)
        step = place - before
        fields += (bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + number(place)) + content
        before = place
    return fields + b"\0"


def of_one_kind(values):
    return st.lists(NUMBERS, max_size=40) | st.lists(TEXTS, max_size=20) | st.lists(values, max_size=4)


FIELD = st.integers(-100, 2000)
SIMPLE = NUMBERS | TEXTS | st.booleans()
STRUCTURES = st.recursive(
    st.dictionaries(FIELD, SIMPLE, max_size=6),
    lambda inner: st.dictionaries(FIELD, SIMPLE | inner | of_one_kind(inner), max_size=6),
    max_leaves=8,
)


@given(STRUCTURES, st.binary(max_size=5), st.binary(max_size=5))
def test_what_was_written_is_read_back_wherever_it_stands(value, before, after):
    content = written(value)
    end = len(before) + len(content)
    assert structure(before + content + after, len(before)) == (value, end)
    assert structure(before + content + after, len(before), end) == (value, end)


@given(STRUCTURES, st.data())
def test_what_does_not_end_in_time_is_refused(value, data):
    content = written(value)
    end = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(ValueError, match=r"end is missing|longer than what is left"):
        structure(content[:end])
    with pytest.raises(ValueError, match=r"end is missing|longer than what is left"):
        structure(content, 0, end)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_structure_or_a_value_error(data):
    try:
        _, end = structure(data)
    except ValueError:
        return
    assert 0 < end <= len(data)


def test_of_a_field_that_is_there_twice_the_last_counts():
    assert structure(bytes([0x15, 2]) + bytes([0x05]) + number(1) + number(-7) + b"\0") == ({1: -7}, 6)


def test_maps_sets_and_fractions_are_passed_over():
    two = bytes([2, TEXT << 4 | NUMBER]) + written(b"a") + written(5) + written(b"b") + written(6)
    fields = bytes([0x10 | MAP]) + two + bytes([0x10 | MAP, 0]) + bytes([0x1A, 0x11, 1]) + bytes([0x17]) + bytes(8)
    assert structure(fields + bytes([0x13, 9, 0])) == (
        {1: [(b"a", 5), (b"b", 6)], 2: [], 3: [b"\1"], 4: bytes(8), 5: b"\t"},
        len(fields) + 3,
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (bytes([0x1D, 0]), "no such type"),
        (bytes([0x10, 0]), "no such type"),
        (bytes([0x16]) + b"\xff" * 10 + bytes([1, 0]), "number is too long"),
        (bytes([0x19, 0xF6]) + varint(2**40) + bytes(20), "longer than what is left"),
        (bytes([0x1B]) + varint(2**40) + bytes([0x66]) + bytes(20), "longer than what is left"),
        (bytes([0x18]) + varint(2**40) + bytes(20), "end is missing"),
        (bytes([0x1C]) * 100_000, "nest too deeply"),
        (bytes([0x19]) + bytes([0x19]) * 100_000, "nest too deeply"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(data, why):
    with pytest.raises(ValueError, match=why):
        structure(data)
