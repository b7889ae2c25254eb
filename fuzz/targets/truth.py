"""Judgments by subtopic, as XML, text or tables: read or refused."""

from random import Random

from fuzz.draw import NUMBERS, WORDS, damaged, lines, one_in
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.sessions.truth import read_truth

GROUP = "readers"
TOPIC, SUBTOPIC, DOC = [b"1", b"2", b"mars"], [b"1.1", b"1.2", b"2.1"], [b"d%d" % number for number in range(12)]
HEADS = [b"", b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="latin-1"?>', b"\xef\xbb\xbf", b"\n "]
# Each entity is ten of the one before: ten levels are ten billion.
ENTITIES = b"".join(b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 10))
BOMB = b'<!DOCTYPE truth [<!ENTITY e0 "bomb">' + ENTITIES + b"]>"
OUTSIDE = b'<!DOCTYPE truth [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>'


def make(draw: Random) -> bytes:
    """Any of the forms; XML with declarations that must not be followed, too."""
    form = draw.random()
    if form < 0.35:
        data = _xml(draw)
        return damaged(draw, data) if one_in(draw, 2) else data
    if form < 0.7:
        columns = [TOPIC, SUBTOPIC, DOC, [b"p1", b"p2", b"p3"], NUMBERS if one_in(draw, 3) else NUMBERS[:12]]
        data = lines(draw, columns if one_in(draw, 2) else columns[:3] + columns[4:])
        return damaged(draw, data) if one_in(draw, 4) else data
    columns = {b"topic": TOPIC, b"subtopic": SUBTOPIC, draw.choice([b"doc", b"docno"]): DOC, b"rating": NUMBERS[:12]}
    return table(draw, columns, [b"passage", b"nugget", b"grade", b"x", b""])


def _xml(draw: Random) -> bytes:
    def word(fitting: list[bytes]) -> bytes:
        return draw.choice(WORDS + NUMBERS + [b"&e9;", b"&lt;", b"&#0;", b"&x;"] if one_in(draw, 15) else fitting)

    text = draw.choice(HEADS) + (draw.choice([BOMB, OUTSIDE]) if one_in(draw, 10) else b"") + b"<truth><domain>"
    for _ in range(draw.randrange(3)):
        text += b'<topic id="%s">' % word(TOPIC)
        for _ in range(draw.randrange(3)):
            text += b'<subtopic id="%s">' % word(SUBTOPIC)
            for number in range(draw.randrange(3)):
                parts = word(DOC), word(NUMBERS[:12]), word([b"MANUAL", b"MATCHED"])
                text += b'<passage id="%d"><docno>%s</docno><rating>%s</rating><type>%s</type></passage>' % (
                    number,
                    *parts,
                )
            text += b"</subtopic>"
        text += b"</topic>"
    return text + b"</domain></truth>"


def hold(data: bytes) -> bool:
    """Ratings are numbers, and nothing of another file is in the names."""
    truth = outcome(lambda: read_truth(place(data)))
    if isinstance(truth, Refused):
        return False
    assert truth.table["rating"].is_finite().all()
    assert "root:" not in "".join(truth.table["doc"].to_list())
    return True
