"""Pairs of result pages with preferences, as tables or JSON: read or refused."""

from random import Random

from fuzz.labelled import USERS, records
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.labels.pairs import read_pairs

GROUP = "readers"
GRADES = [b"1 0 2", b"0 ? 1", b'"[1,0,2]"', b"3", b"", b"[]", b'"1,0"', b"0 0 0 nan", b"-1 0"]
LABELS = [b"1", b"-1", b"0", b"2", b"-0.5", b"", b"nan", b"x", b"1e999"]


def make(draw: Random) -> bytes:
    """Tables with a header, lines of JSON, one JSON list; whole, odd or damaged."""
    if draw.random() < 0.4:
        return records(draw, ["grades_a", "grades_b"], "preference")
    odd = draw.random() < 0.3
    grades = GRADES[: None if odd else 4]
    columns = {b"grades_a": grades, b"grades_b": grades, b"preference": LABELS[: None if odd else 5]}
    identified = {b"id": [b"1", b"2", b"3", b""]} if draw.random() < 0.4 else {}
    return table(draw, columns | identified | ({b"user": USERS} if draw.random() < 0.4 else {}), [b"x", b""])


def hold(data: bytes) -> bool:
    """A pair's preference is a sign."""
    path = place(data)
    pairs = outcome(lambda: read_pairs(path))
    if isinstance(pairs, Refused):
        return False
    assert pairs.table["count"].min() >= 1
    assert set(pairs.table["preference"].to_list()) <= {-1.0, 0.0, 1.0}
    return True
