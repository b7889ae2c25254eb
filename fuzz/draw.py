"""How inputs are drawn: from words that mean something to some parser, so that most get past the first check."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

__all__ = ["NUMBERS", "WORDS", "damaged", "lines", "one_in"]

NUMBERS = [b"0", b"1", b"2", b"3", b"-1", b"-3", b"+2", b"1.5", b".5", b"5.", b"1e3", b"1E-3", b"-0.0", b"00", b"1e999"]
NUMBERS += [
    b"1e-999",
    b"nan",
    b"inf",
    b"-inf",
    b"NaN",
    b"1_0",
    b"0x1",
    b"1,5",
    b"1.",
    b".",
    b"-",
    b"+-1",
    b"1e",
    b"9" * 25,
]
NUMBERS += [b"0.1000000000000000055511151231257827", b"4.9e-324", b"1.7976931348623157e308", b"1.8e308", b"16777217"]
NUMBERS += [b"1023", b"1024", b"5000", b"9" * 400, b"\xd9\xa1", b"1\xc2\xa0", b"None", b"null", b"true", b"\\N", b"NA"]
WORDS = [
    b"t",
    b"Q0",
    b"d1",
    b"d2",
    b"d3",
    b"1",
    b"2",
    b"401",
    b"01",
    b"all",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"\xe2\x80\x83",
]
WORDS += [
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b'"',
    b'""',
    b"'",
    b"#",
    b"#x",
    b"d#1",
    b"\x00",
    b"\x1b[31m",
    b"\x1c",
    b"\x85",
]
WORDS += [b"\\", b",", b";", b"=1+1", b"<b>", b"../x", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae", b"x" * 300, b"%s", b"{}"]
BLANKS = [b" "] * 8 + [b"\t"] * 3 + [b"  ", b" \t", b"\v", b"\f", b"\r", b"\x00", b"", b"\xc2\xa0", b"\x1f"]
ENDS = [b"\n"] * 8 + [b"\r\n", b"\n\n", b" \n", b"\n# x\n", b"\r", b"", b"\n\xef\xbb\xbf", b"\n \t\n", b"\n#"]
STARTS = [b""] * 12 + [
    b"\xef\xbb\xbf",
    b"#c\n",
    b"# c\n\xef\xbb\xbf",
    b"\n",
    b" ",
    b"\xef\xbb\xbf#\n",
    b"\xff\xfe",
    b"PAR1",
    b"\x1f\x8b",
]


def one_in(draw: Random, many: int) -> bool:
    """Whether a chance of one in many has come."""
    return draw.randrange(many) == 0


def lines(draw: Random, columns: Sequence[Sequence[bytes]]) -> bytes:
    """Lines that are nearly in the format; a column is given by the words that fit."""
    blank, end = draw.choice(BLANKS[:11]), draw.choice(ENDS[:9])
    text = [draw.choice(STARTS)]
    for _ in range(draw.randrange(7)):
        words = [draw.choice(WORDS + NUMBERS if one_in(draw, 25) else column) for column in columns]
        if one_in(draw, 30):
            words = words[:-1] if one_in(draw, 2) else [*words, draw.choice(WORDS)]
        between = draw.choice(BLANKS) if one_in(draw, 12) else blank
        text += [between.join(words), draw.choice(ENDS) if one_in(draw, 10) else end]
    return b"".join(text[:-1] if one_in(draw, 4) else text)


def damaged(draw: Random, data: bytes, times: int = 3) -> bytes:
    """The same with bytes changed, taken out, put in, repeated or cut off."""
    for _ in range(draw.randint(1, times)):
        at, to = draw.randint(0, len(data)), draw.randint(0, len(data))
        how = draw.randrange(6)
        if how == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]
        elif how == 1:
            data = data[:at] + draw.choice(WORDS + NUMBERS + BLANKS + ENDS) + data[at:]
        elif how == 2:
            data = data[: min(at, to)] + data[max(at, to) :]
        elif how == 3 and len(data) < 4000:
            data = data[:at] + data[min(at, to) : max(at, to)] + data[at:]
        elif how == 4:
            data = data[:at]
        else:
            data = data[:at] + draw.randbytes(draw.randint(1, 4)) + data[at + draw.randrange(2) :]
    return data
