"""Judgments and runs with named columns: rows, a generator of them and a data frame say the same, or none is read."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import polars as pl

from fuzz.draw import NUMBERS, damaged, one_in
from fuzz.laws import Refused, outcome
from metameter.errors import in_utf8
from metameter.read.columns import SPELLINGS, spellings
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run

GROUP, SHARE = "readers", 2
WORDS = [word for name in SPELLINGS for word in spellings(name)] + ["rank", "text", "Q0", "QID", "query-id"]
GOOD = [["1", "401", 401], ["d1", "d2", 7], ["0", "1", 2]]
ODD = ["", " ", "nan", "é", "\ud800", None, 1.5, 401.0, True, 2**70, *(number.decode() for number in NUMBERS[:12])]


def make(draw: Random) -> bytes:
    """A header of known words, mostly those that are wanted, and rows of cells that may be odd; some of it damaged."""
    wanted = [draw.choice(spellings(name)) for name in ("topic", "doc", draw.choice(["grade", "score"]))]
    header = [*wanted, *draw.sample(WORDS, draw.choice([0, 0, 1, 2]))]
    odd = one_in(draw, 2)
    pools = [*(each + ODD if odd else each for each in GOOD), *[ODD] * (len(header) - 3)]
    rows = [[draw.choice(pool) for pool in pools] for _ in range(draw.randrange(1, 5))]
    data = json.dumps([header, *rows]).encode()
    return damaged(draw, data) if one_in(draw, 6) else data


def hold(data: bytes) -> bool:
    """What is read from rows is read from the frame of their cells."""
    try:
        header, *rows = json.loads(data.decode("utf-8", errors="replace"))
        cells = [dict(zip(header, row, strict=True)) for row in rows]
    except (ValueError, TypeError, RecursionError):
        return False
    if not cells or any(isinstance(cell, list | dict) for row in rows for cell in row):
        return False
    accepted = False
    for reader in (read_qrels, read_run):
        told = [_rows(reader, cells), _rows(reader, iter(cells))]
        if all(isinstance(cell, str) for row in [header, *rows] for cell in row) and cells[0]:
            frame = {in_utf8(name): [in_utf8(row[name]) for row in cells] for name in cells[0]}
            told.append(_rows(reader, pl.DataFrame(frame)))
        assert all(each == told[0] for each in told), f"{header}: {told}"
        accepted = accepted or told[0] is not None
    return accepted


def _rows(reader: Callable[..., Any], source: Any) -> list[tuple[Any, ...]] | None:
    read = outcome(lambda: reader(source, on_duplicate="first"))
    return None if isinstance(read, Refused) else read.table.rows()
