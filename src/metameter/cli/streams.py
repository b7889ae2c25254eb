"""Standard output and standard error, whatever they are: a terminal, a pipe, a full disk, an old encoding, closed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from metameter.errors import MetameterError
from metameter.utf8 import in_utf8
from metameter.view.escape import visible
from metameter.view.tables.wrapping import wrapped_lines

_NO_TERMINAL = 80
#: What our own texts are drawn and written with, for an encoding that lacks it; of names the number is written.
_ASCII = {
    "─": "-",
    "█": "#",
    **dict.fromkeys("▏▎▍", " "),
    **dict.fromkeys("▌▋▊▉", "#"),
    "–": "-",
    "’": "'",
    "·": "*",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "∈": " in ",
    "∩": "and",
    "∪": "union",
    "∞": "inf",
    "Σ": "sum",
    "Π": "product",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "⁺": "+",
    "²": "^2",
    "₁": "_1",
    "₂": "_2",
}


def set_up() -> None:
    """Make both streams take any text: of what their encoding lacks, the number is written."""
    # A stream that was closed before we began (`>&-`) is as good as one that nobody reads.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, errors="backslashreplace")


def print_answer(text: str, *, for_programs: bool = False) -> None:
    """Print on standard output, at once; refuse where that cannot be written to.

    Parameters
    ----------
    text : str
        Without a line end after the last line.
    for_programs : bool
        A program reads it, unless a terminal does: as UTF-8, whatever the locale, so that names arrive unchanged.

    Examples
    --------
    >>> print_answer("metric,power")
    metric,power
    """
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    elif for_programs:
        _reconfigure(sys.stdout, encoding="utf-8")
    try:
        sys.stdout.write((text if for_programs else _in_encoding_of(sys.stdout, text)) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _give_up(sys.stdout)
        fix = "Make room, or write somewhere else."
        raise MetameterError(f"cannot write: {error.strerror}", where="standard output", fix=fix) from error


def say(text: str) -> None:
    """Print on standard error; where that cannot be written to, nobody is told, and the work is none the worse."""
    try:
        # A name from a file may hold anything: it must not move the cursor or break the line.
        print(_in_encoding_of(sys.stderr, visible_lines(text)), file=sys.stderr)
    except (OSError, ValueError):
        _give_up(sys.stderr)
    # Half an answer may be waiting for a disk that is full: that is known by now, and must not be said a second time.
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _give_up(sys.stdout)


def remark(text: str) -> None:
    """Print sentences on standard error; on a terminal they break between words, elsewhere a sentence is one line."""
    say(wrapped_lines(visible_lines(text), width_of(sys.stderr)) if sys.stderr.isatty() else text)


def visible_lines(text: str) -> str:
    """Lines of text without what does not print."""
    return "\n".join(visible(in_utf8(line)) for line in text.split("\n"))


def width_of(stream: TextIO) -> int:
    """How many columns a stream has: what COLUMNS says, or its terminal; 80 where it is none.

    Examples
    --------
    >>> import io
    >>> width_of(io.StringIO()) == int(os.environ.get("COLUMNS", 80))
    True
    """
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        # Some terminals say that they are 0 wide: they do not know.
        return os.get_terminal_size(stream.fileno()).columns or _NO_TERMINAL
    except (OSError, ValueError):
        return _NO_TERMINAL


def _in_encoding_of(stream: TextIO, text: str) -> str:
    try:
        text.encode(stream.encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        lacking = {ord(each): written for each, written in _ASCII.items() if _lacks(stream, each)}
        return text.translate(lacking)
    return text


def _lacks(stream: TextIO, character: str) -> bool:
    try:
        character.encode(stream.encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return True
    return False


def _reconfigure(stream: TextIO, **settings: str) -> None:
    # A notebook or a test may have put something simpler in the place of the stream.
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(**settings)


def _give_up(stream: TextIO) -> None:
    """Send the rest nowhere, lest Python tries again at the end, and complains."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
