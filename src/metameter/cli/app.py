"""The program for one call: the command that was asked for, or the list of all."""

from __future__ import annotations

from collections.abc import Sequence

import click

from metameter import __version__
from metameter.cli.catalog import commands, help_line, load
from metameter.errors import MetameterError, did_you_mean

__all__ = ["program"]

_HELP = "Compose, compute and judge effectiveness metrics for ranked retrieval: which ruler can you trust?"
# Longer lines are hard to read.
_WIDEST_HELP = 120


def program(arguments: Sequence[str]) -> click.Group:
    """The command-line program; only the command named in the arguments is imported."""
    app = click.Group(help=_HELP, no_args_is_help=True, context_settings={"max_content_width": _WIDEST_HELP})
    click.version_option(__version__, prog_name="metameter", message="%(prog)s %(version)s", help="Print it.")(app)
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

            app.add_command(command_of(load(name), name))
        else:
            # As short help it is broken between words, not cut.
            app.add_command(click.Command(name, short_help=help_line(module)))
    return app
