"""Which commands there are, without importing them: `metameter --help` must be quick.

Every module of `cli/commands` and every procedure in `meta` is a command; its docstring's first line says what for.
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

__all__ = ["commands", "help_line", "load"]


def commands() -> dict[str, str]:
    """Command name -> module, in alphabetical order.

    Examples
    --------
    >>> commands()["score"]
    'metameter.cli.commands.score'
    """
    found = {}
    for package in (metameter.cli.commands, metameter.meta):
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            # A package in meta is one procedure of several files; a name with _ in front is a part of others.
            name = module.name.rpartition(".")[2]
            if not name.startswith("_"):
                found[name.replace("_", "-")] = module.name
    return dict(sorted(found.items()))


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
    """The function behind a command: it has the module's name, or is called ``command``."""
    module = import_module(commands()[name])
    found: Callable[..., Any] = getattr(module, "command", None) or getattr(module, name.replace("-", "_"))
    return found
