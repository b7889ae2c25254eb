"""The command line: a function is a command, its signature the options, its docstring the help."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """The ``metameter`` program."""
    _fill_closed_streams()
    from metameter.cli.interrupts import end_on_signals
    from metameter.cli.process_setup import begin, end, ready

    # Before anything that takes time is imported.
    end_on_signals()
    begin()
    from metameter.cli.run import run

    status = run(sys.argv[1:], ready)
    end()
    sys.exit(status)


def _fill_closed_streams() -> None:
    """Where a standard stream is closed (``2>&-``), the next file opened would take its number, and its output."""
    while (file := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(file)
