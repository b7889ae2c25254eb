"""The page of all commands and their options, from what ``--help`` says."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from metameter.cli.program import program
from metameter.view.escape import escape_markdown

__all__ = ["commands", "commands_page", "options"]

_OPENING = """# All commands

Made from the code by `docs/generate.py`: what `metameter COMMAND --help` says. [All procedures](procedures.md) says
what they compute and what the columns of their tables mean.
"""
_WORDS = {"integer": "a whole number", "float": "a number"}
_MANY = 5  # an option that so many commands share is explained once


def commands() -> dict[str, Any]:
    """Every command by its name."""
    names = program(["--help"]).commands
    return {name: program([name]).commands[name] for name in sorted(names)}


def options(command: Any) -> dict[str, tuple[str, str]]:
    """What the options of a command are called: the values they take, and what they mean."""
    return {
        max(each.opts, key=len): (_values(each), " ".join((each.help or "").split()) + _default(each))
        for each in command.params
        if each.param_type_name == "option"
    }


def commands_page() -> str:
    """The page as Markdown."""
    by_name = {name: options(command) for name, command in commands().items()}
    shared: dict[tuple[str, tuple[str, str]], list[str]] = defaultdict(list)
    for name, its in by_name.items():
        for option in its.items():
            shared[option].append(name)
    common = {option: names for option, names in shared.items() if len(names) >= _MANY}
    parts = [_OPENING, *(_entry(name, command, common) for name, command in commands().items()), _common(common)]
    return "\n".join(parts)


def _entry(name: str, command: Any, common: dict[Any, Any]) -> str:
    its = options(command)
    own = {option: said for option, said in its.items() if (option, said) not in common}
    others = [f"`{option}`" for option, said in its.items() if (option, said) in common]
    also = f"Also [options of many commands](#options-of-many-commands): {', '.join(others)}.\n" if others else ""
    lead = " ".join((command.help or "").split("\n\n")[0].split())
    return "\n".join(filter(None, [f"## {name}\n\n{escape_markdown(lead)}\n", _table(own), also]))


def _common(common: dict[Any, list[str]]) -> str:
    merged: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
    for (option, said), names in common.items():
        merged[option][said] = names
    lines = ["## Options of many commands", ""]
    for option, kinds in sorted(merged.items()):
        for (values, meaning), names in kinds.items():
            of = f" ({', '.join(names)})" if len(kinds) > 1 else ""
            lines.append(
                f"- `{option}` {values}{of}: {escape_markdown(meaning)}".replace("  ", " ").replace("` :", "`:")
            )
    return "\n".join(lines) + "\n"


def _table(own: dict[str, tuple[str, str]]) -> str:
    lines = [f"| `{option}` | {values} | {escape_markdown(meaning)} |" for option, (values, meaning) in own.items()]
    return "\n".join(["| option | takes | meaning |", "|---|---|---|", *lines]) + "\n" if lines else ""


def _values(option: Any) -> str:
    """The choices, or the kind of value; nothing for an option that is merely there or not."""
    if option.is_flag:
        return ""
    choices = getattr(option.type, "choices", None)
    return ", ".join(choices) if choices else _WORDS.get(option.type.name, option.type.name)


def _default(option: Any) -> str:
    return f" (default: {option.default})" if option.show_default and option.default not in (None, False, ()) else ""
