"""Runs as text: the fast reader, the patient one and `check` agree; so do the two ways to know a run's tag."""

from random import Random

from fuzz.draw import NUMBERS, damaged, lines, one_in
from fuzz.laws import Refused, outcome
from fuzz.text import PACKED, readers_agree
from metameter.read.files.content import Content
from metameter.read.runs import ReadOptions, read_run, run_of, tag_of
from metameter.read.trec.parse import RUN
from metameter.scoring.check.problems import inspect_run

GROUP, SHARE = "readers", 3
COLUMNS = ([b"1", b"2", b"401", b"t"], [b"Q0"], [b"d%d" % number for number in range(20)], [b"1", b"2", b"x"])


def make(draw: Random) -> bytes:
    """Lines of six columns, whole or damaged; now and then bytes at random."""
    if one_in(draw, 40):
        return draw.randbytes(draw.randrange(80))
    data = lines(draw, [*COLUMNS, NUMBERS if one_in(draw, 3) else NUMBERS[:12], [b"tag"]])
    return damaged(draw, data) if one_in(draw, 3) else data


def hold(data: bytes) -> bool:
    """All readers agree; a run that can be named by its tag has the tag of its first line."""
    accepted = readers_agree(data, RUN, read_run, inspect_run)
    if accepted and not data.startswith(PACKED):
        named = outcome(lambda: run_of(Content("input", data), ReadOptions(name_by="tag")).name)
        assert isinstance(named, Refused) or named == tag_of(Content("input", data))
        outcome(lambda: run_of(Content("input", data), ReadOptions(need_rank=True, on_duplicate="first")))
    return accepted
