"""The program for one call: the command that was asked for, or the list of all."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import metameter.cli.commands
import metameter.meta
from metameter import __version__
from metameter.distributions import entry_points
from metameter.errors import MetameterError, did_you_mean
from metameter.registry import get

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


def commands() -> dict[str, str]:
    """Command name -> module, in alphabetical order.

    Examples
    --------
    >>> commands()["score"], commands()["power"]
    ('metameter.cli.commands.score', 'metameter.meta.power')
    """
    own = pkgutil.iter_modules(metameter.cli.commands.__path__, f"{metameter.cli.commands.__name__}.")
    meta = Path(metameter.meta.__path__[0])
    folders = (
        each
        for each in pkgutil.iter_modules([str(meta)], "metameter.meta.")
        if (meta / each.name.rpartition(".")[2] / "procedure.py").exists()
    )
    modules = {entry.name: entry.module for entry in entry_points(group="metameter.meta")}
    # Ours last: no plug-in takes the place of a command that is here.
    modules |= {each.name.rpartition(".")[2]: each.name for each in (*own, *folders)}
    return {name.replace("_", "-"): module for name, module in sorted(modules.items())}


def help_line(module: str) -> str:
    """The first line of a module's docstring, read from its source.

    Examples
    --------
    >>> help_line("metameter.cli.commands.score")
    'Score runs against judgments: metric x system x topic.'
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def load(name: str) -> Callable[..., Any]:
    """The function behind a command: a procedure, or what a module of `cli/commands` calls ``command``."""
    module = commands()[name]
    if module.startswith(f"{metameter.cli.commands.__name__}."):
        command: Callable[..., Any] = import_module(module).command
        return command
    function = name.replace("-", "_")
    # One of ours alone, and not all procedures: a command should begin at once.
    own = module.startswith(f"{metameter.meta.__name__}.") and find_spec(f"{module}.procedure") is not None
    procedure: Callable[..., Any] = (
        getattr(import_module(f"{module}.procedure"), function) if own else get("meta", function)
    )
    return procedure
