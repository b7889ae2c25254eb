"""The command line: thin. A command is a function; its options come from the signature, its help from the docstring."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """The ``metameter`` program."""
    from metameter.cli.run import run

    sys.exit(run(sys.argv[1:]))
