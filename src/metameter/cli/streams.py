"""Standard output and standard error: terminals, pipes, full disks, limited encodings, closed streams."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from metameter.errors import MetameterError, in_utf8
from metameter.view.escape import visible
from metameter.view.tables.wrapping import wrapped_lines

_NO_TERMINAL = 80
#: ASCII for the characters of our own texts, for encodings that lack them; characters of names become their numbers.
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
    """Make both streams take any text: a character that their encoding lacks is written as its number."""
    # A stream that was closed before the start (`>&-`) is replaced by the null device.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, errors="backslashreplace")


def print_answer(text: str, *, for_programs: bool = False) -> None:
    """Print on standard output at once, or raise an error if that cannot be written to.

    Parameters
    ----------
    text : str
        Without a newline at the end.
    for_programs : bool
        Write UTF-8 whatever the locale, except to a terminal: names must arrive unchanged.

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
    """Print on standard error; if that cannot be written to, the text is dropped and the work goes on."""
    try:
        # A name from a file may hold control characters: they must not move the cursor or break the line.
        print(_in_encoding_of(sys.stderr, visible_lines(text)), file=sys.stderr)
    except (OSError, ValueError):
        _give_up(sys.stderr)
    # Part of an answer may be buffered for a disk that is full: that error was reported, and is not raised again.
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _give_up(sys.stdout)


def remark(text: str) -> None:
    """Print sentences on standard error: on a terminal wrapped between words, elsewhere one line each."""
    say(wrapped_lines(visible_lines(text), width_of(sys.stderr)) if sys.stderr.isatty() else text)


def visible_lines(text: str) -> str:
    """The text with control characters made visible, line by line."""
    return "\n".join(visible(in_utf8(line)) for line in text.split("\n"))


def width_of(stream: TextIO) -> int:
    """The width of a stream in columns: the value of COLUMNS, or the width of the terminal; otherwise 80.

    Examples
    --------
    >>> import io
    >>> width_of(io.StringIO()) == int(os.environ.get("COLUMNS", 80))
    True
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        # Terminals that do not know their width report 0.
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
    # A notebook or a test may have replaced the stream by a simpler object.
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(**settings)


def _give_up(stream: TextIO) -> None:
    """Send the rest to the null device, so that Python does not try again at exit and print an error."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
