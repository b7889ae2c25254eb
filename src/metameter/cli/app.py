"""The program for one call: the command that was asked for, or the list of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from metameter import __version__
from metameter.cli.catalog import commands, help_line, load
from metameter.errors import MetameterError, did_you_mean

__all__ = ["program"]

_HELP = "Compose, compute and judge effectiveness metrics for ranked retrieval: which ruler can you trust?"


def program(arguments: Sequence[str]) -> Any:
    """The command-line program; only the command named in the arguments is imported."""
    app = typer.Typer(help=_HELP, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
    app.callback()(_root)
    known = commands()
    asked = next((word for word in arguments if not word.startswith("-")), None)
    if asked is not None and asked not in known:
        raise MetameterError("unknown command", given=asked, fix=did_you_mean(asked, list(known)))
    # The others are for the list of all, which `metameter COMMAND` does not show.
    listed = known if asked is None or asked != arguments[0] else {asked: known[asked]}
    for name, module in listed.items():
        if name == asked:
            # Only here: the list of commands needs neither NumPy nor the options of any of them.
            from metameter.cli.derive import command_of

            app.command(name)(command_of(load(name)))
        else:
            # As short help it is broken between words, not cut.
            app.command(name, short_help=help_line(module))(_listed)
    return typer.main.get_command(app)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"metameter {__version__}")
        raise typer.Exit


def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print it.")) -> None:
    pass


_root.__doc__ = _HELP


def _listed() -> None:
    """Stand in the list of commands for one that was not called, and so was not imported."""
