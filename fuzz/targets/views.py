"""Result pages with ranks viewed or clicked last, as tables or JSON: read or refused."""

from random import Random

from fuzz.labelled import USERS, records
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.labels.views import read_views

GROUP = "readers"
GRADES = [b"1 0 2", b"0 ? 1", b'"[1,0,2]"', b"3 0 0", b"", b"[]", b"0 0 0 nan", b"-1 0"]
LAST = [b"1", b"2", b"3", b"", b"4", b"0", b"1.5", b"nan", b"x", b"1e999"]
CLICKS = [b"1 0 1", b"0 0 0", b"[0,1,0]", b"1", b"3", b"", b"[]", b"-1", b"x", b"1e999", b"0.5 1", b"? 1"]


def make(draw: Random) -> bytes:
    """Tables with a header, lines of JSON, one JSON list; whole, odd or damaged."""
    if draw.random() < 0.4:
        return records(draw, ["grades"], "last") if draw.random() < 0.5 else records(draw, ["grades", "clicks"], "x")
    odd = draw.random() < 0.3
    seen = {b"last": LAST[: None if odd else 4]} if draw.random() < 0.5 else {b"clicks": CLICKS[: None if odd else 5]}
    columns = {b"grades": GRADES[: None if odd else 4], **seen}
    return table(draw, columns | ({b"user": USERS} if draw.random() < 0.4 else {}), [b"id", b"user", b"x", b""])


def hold(data: bytes) -> bool:
    """The rank viewed last is one of the page's."""
    path = place(data)
    views = outcome(lambda: read_views(path))
    if isinstance(views, Refused):
        return False
    assert views.table["count"].min() >= 1
    for grades, last in views.table.select("grades", "last").iter_rows():
        assert last == int(last)
        assert 1 <= last <= len(grades)
    return True
