"""Files beside the runs: costs, lengths of documents, groups of systems, names of runs, study files."""

from random import Random

from fuzz.draw import NUMBERS, WORDS, damaged, lines, one_in
from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.read.document_tables import read_costs, read_lengths
from metameter.scoring.line_files import read_run_names, read_system_groups
from metameter.studies.study_file import plan_of_toml

GROUP = "readers"
DOC = [b"d%d" % number for number in range(12)]
KEYS = [
    b"out",
    b"metrics",
    b"preset",
    b"seed",
    b"alpha",
    b"trials",
    b"qrels",
    b"runs",
    b"name",
    b"margin",
    b"figures",
    b"x",
    b'"a b"',
]
VALUES = [
    b"1",
    b"-1",
    b"1.5",
    b"nan",
    b"inf",
    b"true",
    b'""',
    b'"x"',
    b'["AP"]',
    b"[1, 2]",
    b"[]",
    b"{}",
    b"{a = 1}",
    b"9" * 30,
]
VALUES += [
    b"1979-05-27",
    b"07:32:00",
    b"1e400",
    b'["AP", 1]',
    b"[[1]]",
    b'"q"',
    b'["r"]',
    b'"\\u0000"',
    b"0x1F",
    b"'''x\ny'''",
]


def make(draw: Random) -> bytes:
    """Lines of two or three columns, a table, or TOML."""
    form = draw.randrange(4)
    if form == 0:
        data = lines(draw, [DOC, NUMBERS[:12]] if one_in(draw, 2) else [[b"1", b"2"], DOC, NUMBERS[:12]])
    elif form == 1:
        data = lines(draw, [[b"a", b"b", b"a,b"], [b"one", b"two"]])
    elif form == 2:
        return table(
            draw, {draw.choice([b"docno", b"doc"]): DOC, draw.choice([b"words", b"length"]): NUMBERS[:12]}, WORDS
        )
    else:
        data = b"\n".join(_setting(draw) for _ in range(draw.randrange(8)))
    return damaged(draw, data) if one_in(draw, 4) else data


def _setting(draw: Random) -> bytes:
    if one_in(draw, 3):
        return draw.choice(
            [b"[[collection]]", b"[[collection]]", b"[collection]", b"[x]", b"collection = 1", b"[[collection.x]]"]
        )
    return b"%s = %s" % (draw.choice(KEYS), draw.choice(VALUES))


def hold(data: bytes) -> bool:
    """Each reader accepts or refuses."""
    path = place(data)
    read = [outcome(lambda reader=reader: reader(path)) for reader in READERS]
    return not all(isinstance(each, Refused) for each in read)


READERS = (read_costs, read_lengths, read_system_groups, read_run_names, plan_of_toml)
