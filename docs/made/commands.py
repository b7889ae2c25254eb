"""The page of all commands and their options, from what ``--help`` says."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields
from typing import Any

from metameter.cli.options import Execution, Output, Unpacking
from metameter.cli.program import program
from metameter.meta.framework.declarations import declarations
from metameter.scoring.policy import Policy
from metameter.view.escape import escape_markdown

__all__ = ["commands", "commands_page", "options"]

_OPENING = """# All commands

Made from the code by `docs/generate.py`: what `metameter COMMAND --help` says. What the options of a procedure mean is
on the page of the [procedure](procedures.md); options that many commands share are [at the end](#shared-options).
"""
_WORDS = {"integer": "a whole number", "float": "a number"}
_DEFAULT = re.compile(r"(; by default [^,;]+| \(default: [^)]+\))$")
Said = tuple[str, str]  # the values that an option takes, and what it means


def _fields(*classes: type) -> list[str]:
    return [f"--{field.name.replace('_', '-')}" for each in classes for field in fields(each)]


# Heading -> the options that stand below it.
_SHARED = {
    "Tables of scores": ["--metric", "--preset", "--missing", "--iteration"],
    "Reading and scoring": _fields(Policy),
    "Running": [*_fields(Execution, Unpacking), "--seed", "--plugin"],
    "Output": _fields(Output),
}


def commands() -> dict[str, Any]:
    """Every command by its name."""
    names = program(["--help"]).commands
    return {name: program([name]).commands[name] for name in sorted(names)}


def options(command: Any) -> dict[str, Said]:
    """What the options of a command are called: the values they take, and what they mean."""
    return {
        max(each.opts, key=len): (_values(each), " ".join((each.help or "").split()) + _default(each))
        for each in command.params
        if each.param_type_name == "option"
    }


def commands_page() -> str:
    """The page as Markdown."""
    known = commands()
    by_name = {name: options(command) for name, command in known.items()}
    shared = {option: _usual(option, list(by_name.values())) for names in _SHARED.values() for option in names}
    parts = [_OPENING, *(_entry(name, command, by_name[name], shared) for name, command in known.items())]
    return "\n".join([*parts, _shared_options(shared)])


def _usual(option: str, commands: list[dict[str, Said]]) -> Said:
    """What an option means in most commands."""
    return Counter(its[option] for its in commands if option in its).most_common(1)[0][0]


def _entry(name: str, command: Any, its: dict[str, Said], shared: dict[str, Said]) -> str:
    own = {option: said for option, said in its.items() if option not in shared or _bare(said) != _bare(shared[option])}
    explained = _of_procedure(name)
    lead = " ".join((command.help or "").split("\n\n")[0].split())
    parts = [
        f"## {name}\n\n{escape_markdown(lead)}\n",
        _synopsis(name, {option: said for option, said in own.items() if option in explained}),
        _table({option: said for option, said in own.items() if option not in explained}),
        _links([option for option in its if option not in own]),
    ]
    return "\n".join(filter(None, parts))


def _bare(said: Said) -> Said:
    return said[0], _DEFAULT.sub("", said[1]).rstrip(".")


def _of_procedure(name: str) -> set[str]:
    """The options of a command that the page of its procedure explains; of a study, the pages of all procedures."""
    known = declarations().values()
    if name == "study":
        names = {option for each in known if each.place is not None for option in each.options}
    else:
        names = {
            option for each in known if each.name.replace("_", "-") == name for option in each.signature.parameters
        }
    return {f"--{each.replace('_', '-')}" for each in names}


def _synopsis(name: str, own: dict[str, Said]) -> str:
    """The options that the page of the procedure explains, with their choices."""
    if not own:
        return ""
    shown = (
        f"`{option} {values.replace(', ', '|')}`" if ", " in values else f"`{option}`"
        for option, (values, _) in own.items()
    )
    link = (
        "[Options of its procedures](procedures.md)"
        if name == "study"
        else f"[Its options](procedures/{name.replace('-', '_')}.md#options)"
    )
    return f"{link}: {', '.join(shown)}.\n"


def _links(names: list[str]) -> str:
    """The shared options of a command: by heading where it has most of them, else by name."""
    said = []
    for heading, group in _SHARED.items():
        has = [name for name in names if name in group]
        lacks = [name for name in group if name not in has]
        link = f"[{heading.lower()}](#{heading.lower().replace(' ', '-')})"
        if len(has) > len(group) / 2:
            said.append(link + (f" without {_listed(lacks)}" if lacks else ""))
        elif has:
            said.append(f"{_listed(has)} of {link}")
    return f"Shared: {'; '.join(said)}.\n" if said else ""


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _shared_options(shared: dict[str, Said]) -> str:
    lines = ["## Shared options"]
    for heading, names in _SHARED.items():
        lines += ["", f"### {heading}", ""]
        for option in names:
            values, meaning = shared[option]
            lines.append(f"- `{option}`{f' {values}' if values else ''}: {escape_markdown(meaning)}")
    return "\n".join(lines) + "\n"


def _table(own: dict[str, Said]) -> str:
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
