"""The page of procedures in the documentation: what they declare of themselves, those of plug-ins included."""

from __future__ import annotations

import inspect

from metameter.docstrings import lead, references
from metameter.meta.base import Procedure
from metameter.meta.framework.declarations import declarations
from metameter.reporting.bibliography import citation
from metameter.view.escape import escape_markdown

_OPENING = """# Procedures

Made from the code by `docs/generate.py`. Every procedure is a command, a function in Python and, where it says so, a
stage of a [study](study.md) with a section in the report.
"""


def procedures_page() -> str:
    """Every registered procedure as Markdown: question, method, how to read it, options, columns, references.

    Examples
    --------
    >>> "## Discriminative power" in procedures_page()
    True
    """
    return "\n\n".join([_OPENING.rstrip(), *map(_entry, declarations().values())]) + "\n"


def _entry(each: Procedure) -> str:
    text = each.words
    parts = [
        f"## {text.title}",
        f"*{text.question}*" if text.question else "",
        _names(each),
        text.method or lead(each.function),
        f"**How to read it.** {text.reading}" if text.reading else "",
        _options(each),
        _columns(each),
        _references(each),
    ]
    return "\n\n".join(part for part in parts if part)


def _names(each: Procedure) -> str:
    names = f"`metameter {each.name.replace('_', '-')}`, `metameter.{each.name}`"
    if each.place is None:
        return f"{names}."
    made_of = ", ".join(each.needs) + _used(each)
    taken = f"; of the study's options it takes {', '.join(each.options)}" if each.options else ""
    return f"{names}; in a study{_condition(each)} the stage `{each.key}`, made from {made_of}{taken}."


def _used(each: Procedure) -> str:
    """What else it is made from, where that was made."""
    if not each.uses:
        return ""
    return f" and {'at least one of ' if each.needs_one else 'where there are '}{', '.join(each.uses)}"


def _condition(each: Procedure) -> str:
    """When a study does the stage, where it does not do it always."""
    if callable(each.wanted):
        return ", where its options ask for it,"
    labels = {"pages": "`serps`", "pairs": "`pairs`", "labels": "`serps` or `pairs`"}
    inputs = [labels[need] for need in each.needs if need in labels]
    inputs += [f"`{each.wanted}`"] if each.wanted else []
    return f" where {' and '.join(inputs)} {'are' if inputs[1:] else 'is'} given" if inputs else ""


def _options(each: Procedure) -> str:
    options = [
        f"- `{name}`{_default(parameter.default)}: {_plain(text)}"
        for name, text in each.parameters.items()
        if (parameter := each.signature.parameters.get(name)) and parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    # A study calls some options by other names.
    others = (name for name in each.options if name not in each.signature.parameters)
    options += [f"- `{name}` (in a study): {_plain(each.text_of(name))}" for name in others]
    return "\n".join(["**Options.**", "", *options]) if options else ""


def _default(value: object) -> str:
    return "" if value is None or value == () or value is inspect.Parameter.empty else f" (default `{value}`)"


def _columns(each: Procedure) -> str:
    rows = [f"| `{name}` | {escape_markdown(text)} |" for name, text in each.words.columns.items()]
    return "\n".join(["**Columns of its tables.**", "", "| column | meaning |", "|---|---|", *rows]) if rows else ""


def _references(each: Procedure) -> str:
    papers = [f"- {citation(key)}" for key in references(each.function)]
    return "\n".join(["**References.**", "", *papers]) if papers else ""


def _plain(text: str) -> str:
    return text.replace("``", "`")
