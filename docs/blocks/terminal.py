"""Run commands as on a terminal of 100 columns: this program's in this process, others by the shell."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import metameter
from metameter.cli.program import run

__all__ = ["COLUMNS", "folded", "on_terminal", "printed_by", "prompt"]

COLUMNS = 100
# Colours would be signs in the page; tables of Polars have their own idea of how wide a terminal is.
_SIZE = {"COLUMNS": str(COLUMNS), "LINES": "40", "POLARS_TABLE_WIDTH": str(COLUMNS)}
_SETTINGS = {**_SIZE, "TERM": "dumb", "NO_COLOR": "1"}
# Whatever a shell would have to look at: a pipe, another file for the output, names of files to be found.
_FOR_SHELL = re.compile(r"[|<>&;*?$`()]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|(?<=\s)#.*$", re.MULTILINE)


class Screen(io.StringIO):
    """What a terminal shows of standard output."""

    def isatty(self) -> bool:
        """Tables are for the eye."""
        return True


class Aside(io.TextIOBase):
    """Standard error, shown on the same screen; no terminal of its own, so that no bar is drawn over it.

    A terminal breaks long sentences anywhere; here they break between words. Tables stay as they are.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    def write(self, text: str) -> int:
        """What is said is shown in its turn."""
        return self.screen.write("\n".join(map(folded, text.split("\n"))))


def folded(line: str) -> str:
    """A long sentence in lines of the terminal's width; a line of a table as it is."""
    if len(line) <= COLUMNS or line.startswith((" ", "─", "|")):
        return line
    return textwrap.fill(line, COLUMNS, break_long_words=False, break_on_hyphens=False)


@contextmanager
def on_terminal(folder: Path) -> Iterator[None]:
    """Within, programs believe that they are shown on a terminal; ``metameter`` is found by the shell."""
    shim = folder / "metameter"
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m metameter "$@"\n')
    shim.chmod(0o755)
    source = Path(metameter.__file__).parents[1]
    paths = {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(source)}
    with mock.patch.dict(os.environ, {**_SETTINGS, **paths}):
        yield


def printed_by(command: str) -> tuple[list[str], int]:
    """The lines that a command shows on a terminal, without blanks at their ends; and its exit status.

    Examples
    --------
    >>> printed_by("echo a | cat")
    (['a'], 0)
    """
    plain = _QUOTED.sub("", command.replace("\\\n", " "))
    if command.startswith("metameter ") and not _FOR_SHELL.search(plain):
        screen = Screen()
        with redirect_stdout(screen), redirect_stderr(Aside(screen)):
            status = run(shlex.split(command.replace("\\\n", " "), comments=True)[1:])
        return _lines(screen.getvalue()), status
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return _lines(done.stdout.decode("utf-8")), done.returncode


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.removesuffix("\n").split("\n")] if text else []


def prompt(body: str) -> list[tuple[str, list[str]]]:
    r"""The commands of a ``console`` block, each with the lines shown below it.

    Examples
    --------
    >>> prompt("$ ls\na\n$ metameter check \\\n    a b\n")
    [('ls', ['a']), ('metameter check \\\n    a b', [])]
    """
    steps: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and not steps[-1][1] and steps[-1][0].endswith("\\"):
            steps[-1] = (f"{steps[-1][0]}\n{line}", [])
        elif steps:
            steps[-1][1].append(line)
        else:
            raise ValueError(f"a console block begins with a command after $: {line}")
    return steps
