"""The command line: a function is a command, its signature the options, its docstring the help."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """The ``metameter`` program."""
    _fill_closed_streams()
    from metameter.cli.process import begin, end, end_on_signals, ready

    # Called before any slow import.
    end_on_signals()
    begin()
    from metameter.cli.program import run

    status = run(sys.argv[1:], ready)
    end()
    sys.exit(status)


def _fill_closed_streams() -> None:
    """Open the null device for closed standard streams (``2>&-``); else the next file opened would be used for them."""
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(file)
