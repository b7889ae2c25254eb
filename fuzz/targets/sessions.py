"""Sessions of systems, as TREC Dynamic Domain runs or tables: read or refused."""

from random import Random

from fuzz.draw import NUMBERS, damaged, lines, one_in
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.sessions.runs import as_session_runs

GROUP = "readers"
TOPIC, DOC = [b"DD16-1", b"DD16-2", b"7"], [b"d%d" % number for number in range(12)]
NUMBER, RANK = [b"0", b"1", b"2", b"3"], [b"1", b"2", b"3", b"1.5"]


def make(draw: Random) -> bytes:
    """Lines of four to six columns, or a table with a header."""
    if draw.random() < 0.5:
        odd = one_in(draw, 3)
        columns = [TOPIC, NUMBERS if odd else NUMBER, DOC, NUMBERS[:12], [b"1", b"0"], [b"DD16-1.2:3|DD16-1.4:2", b"-"]]
        data = lines(draw, columns[: draw.choice([4, 5, 6, 6])])
        return damaged(draw, data) if one_in(draw, 4) else data
    columns = {b"topic": TOPIC, draw.choice([b"iteration", b"turn"]): NUMBER, draw.choice([b"doc", b"docno"]): DOC}
    for name, cells in ((b"rank", RANK), (b"score", NUMBERS[:12]), (b"system", [b"a", b"b", b""])):
        columns |= {name: cells} if one_in(draw, 3) else {}
    return table(draw, columns, [b"run", b"docid", b"x", b""])


def hold(data: bytes) -> bool:
    """Iterations are counted from 1, and every document has a name."""
    runs = outcome(lambda: as_session_runs(place(data)))
    if isinstance(runs, Refused):
        return False
    for run in runs:
        assert run.table["iteration"].min() >= 1
        assert run.table["topic"].null_count() == 0
    return True
