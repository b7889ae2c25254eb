"""How tables with a header are drawn: comma- or tab-separated, nearly in the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from fuzz.draw import NUMBERS, STARTS, WORDS, damaged, one_in

__all__ = ["ODD_CELLS", "table"]

ODD_CELLS = [
    b"",
    b" ",
    b'""',
    b'"',
    b'"a,b"',
    b'"a\nb"',
    b"'x'",
    b"NA",
    b"nan",
    b"all",
    b"[1,0]",
    b"{}",
    b"null",
    b"-",
    b"\xc2\xa01",
]


def table(draw: Random, columns: Mapping[bytes, Sequence[bytes]], further: Sequence[bytes] = ()) -> bytes:
    """A header and rows; a column is given by its name and the cells that fit."""
    names = [name for name in columns if not one_in(draw, 20)]
    if one_in(draw, 8):
        draw.shuffle(names)
    if further and one_in(draw, 4):
        names.insert(draw.randint(0, len(names)), draw.choice(further))
    between, end = draw.choice([b",", b",", b",", b"\t", b";"]), draw.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    odd = one_in(draw, 3)
    rows = [names]
    for _ in range(draw.randrange(9)):
        rows.append([_cell(draw, columns.get(name, ODD_CELLS), odd) for name in names])
        if one_in(draw, 60):
            rows[-1] = rows[-1][:-1]
    data = draw.choice(STARTS) + end.join(between.join(row) for row in rows) + end * draw.choice([0, 1, 1, 2])
    return damaged(draw, data) if one_in(draw, 4) else data


def _cell(draw: Random, fitting: Sequence[bytes], odd: bool) -> bytes:
    if odd and one_in(draw, 8):
        return draw.choice(ODD_CELLS + NUMBERS + WORDS)
    return draw.choice(fitting)
