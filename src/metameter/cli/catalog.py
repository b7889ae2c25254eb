"""Which commands there are, without importing them: `metameter --help` must be quick.

Every module of `cli/commands` and every procedure, here in `meta` or of another distribution, is a command; the first
line of its module's docstring is its line in the list.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import metameter.cli.commands
import metameter.meta
from metameter.distributions import entry_points
from metameter.registry import get

__all__ = ["commands", "help_line", "load"]


def commands() -> dict[str, str]:
    """Command name -> module, in alphabetical order.

    Examples
    --------
    >>> commands()["score"], commands()["power"]
    ('metameter.cli.commands.score', 'metameter.meta.power')
    """
    own = pkgutil.iter_modules(metameter.cli.commands.__path__, f"{metameter.cli.commands.__name__}.")
    # A folder in meta is a procedure; a file there is a part of several.
    folders = (each for each in pkgutil.iter_modules(metameter.meta.__path__, "metameter.meta.") if each.ispkg)
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
