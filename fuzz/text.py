"""The laws of TREC's text files: three ways to read them, and all of them agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from fuzz.laws import Refused, outcome, place
from metameter.read.trec.parse import Layout, parse, read_line_by_line

__all__ = ["readers_agree"]


def readers_agree(data: bytes, layout: Layout, read: Callable[[Path], Any], inspect: Callable[[Path], Any]) -> bool:
    """The fast reader gives what the patient one gives; checking finds a problem if, and only if, reading does."""
    fast = outcome(lambda: parse(data, layout, "input").rows())
    patient = outcome(lambda: read_line_by_line(data, layout, "input").rows())
    assert fast == patient, f"fast: {fast!r}\npatient: {patient!r}"
    if data.startswith(PACKED) or crc32(data) % 3:  # files are slow: a third of them will do
        return not isinstance(fast, Refused)
    path = place(data)
    whole = outcome(lambda: read(path).table.rows())
    problems = inspect(path).problems
    assert isinstance(whole, Refused) == bool(problems), f"read: {whole!r}\nchecked: {problems!r}"
    if isinstance(whole, Refused):
        said = (f"{problem.where}: {problem.statement}" for problem in problems)
        assert any(map(whole.startswith, said)), f"read: {whole!r}\nchecked: {problems!r}"
        return False
    assert whole == fast, f"read: {whole!r}\nparsed: {fast!r}"
    return True


# Then it is not text that is read: other targets see to that.
PACKED = (b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1")
