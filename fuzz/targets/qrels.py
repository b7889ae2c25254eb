"""Judgments as text: the fast reader, the patient one and `check` agree."""

from random import Random

from fuzz.draw import NUMBERS, damaged, lines, one_in
from fuzz.text import readers_agree
from metameter.read.qrels import read_qrels
from metameter.read.trec.parse import QRELS
from metameter.scoring.check.problems import inspect_qrels

GROUP, SHARE = "readers", 3
COLUMNS = ([b"1", b"2", b"401", b"t"], [b"0", b"Q0"], [b"d%d" % number for number in range(20)], NUMBERS[:12])


def make(draw: Random) -> bytes:
    """Lines of four columns, whole or damaged; now and then bytes at random."""
    if one_in(draw, 40):
        return draw.randbytes(draw.randrange(80))
    data = lines(draw, [*COLUMNS[:3], NUMBERS if one_in(draw, 3) else COLUMNS[3]])
    return damaged(draw, data) if one_in(draw, 3) else data


def hold(data: bytes) -> bool:
    """All readers agree."""
    return readers_agree(data, QRELS, read_qrels, inspect_qrels)
