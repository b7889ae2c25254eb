"""Result pages with labels, as tables or JSON: read or refused; every row is counted once."""

from random import Random

from fuzz.labelled import USERS, records
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.labels.pages import read_serps

GROUP = "readers"
GRADES = [
    b"1 0 2",
    b"0 ? 1",
    b'"[1,0,2]"',
    b'"[1, null]"',
    b"3",
    b"",
    b"[]",
    b'"1,0"',
    b"1;0",
    b"0 0 0 nan",
    b"1e999 0",
    b"-1 0",
    b"1.5",
]
LABELS = [b"1", b"2", b"3", b"4", b"0.5", b"-1", b"", b"nan", b"x"]


def make(draw: Random) -> bytes:
    """Tables with a header, lines of JSON, one JSON list; whole, odd or damaged."""
    if draw.random() < 0.4:
        return records(draw, ["grades"], "satisfaction")
    odd = draw.random() < 0.3
    columns = {b"grades": GRADES[: None if odd else 4], b"satisfaction": LABELS[: None if odd else 5]}
    return table(draw, columns | ({b"user": USERS} if draw.random() < 0.4 else {}), [b"id", b"user", b"x", b""])


def hold(data: bytes) -> bool:
    """A table of pages has counts of at least one, and labels that are numbers."""
    path = place(data)
    outcome(lambda: read_serps(path, input="tiangong"))
    pages = outcome(lambda: read_serps(path, max_grade=3 if len(data) % 2 else None))
    if isinstance(pages, Refused):
        return False
    assert pages.table["count"].min() >= 1
    assert pages.table["satisfaction"].is_finite().all()
    assert all(
        grade is None or 0 <= abs(grade) < float("inf") for page in pages.table["grades"].to_list() for grade in page
    )
    return True
