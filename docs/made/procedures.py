"""The pages of procedures in the documentation, from their declarations, those of plug-ins included."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields

from metameter.docstrings import lead, references
from metameter.meta.base import Procedure
from metameter.meta.framework.declarations import declarations
from metameter.reporting.bibliography import citation, fields_of
from metameter.scoring.policy import Policy
from metameter.view.escape import escape_markdown

_OPENING = """# Procedures

Made from the code by `docs/generate.py`. Every procedure is a command and a function in Python. Stages of a
[study](study.md) have a section in its report. A procedure's page has its method, options, columns and papers. Options
are spelled as in Python: on the command line `judged_to=20` is `--judged-to 20`, and `grid=True` is `--grid`.
"""
_Option = tuple[str, str]  # its name, and its default and meaning
_SHARED = "Options of many procedures"
_READING = {field.name for field in fields(Policy)}
_READING_LINK = "Also all options of [reading and scoring](../commands.md#reading-and-scoring)."
_ERROR = "Monte-Carlo error of"
_MANY = 4  # an option that so many procedures share is explained once
_REPEATED = 5  # of so many lines that two pages have in common, the second page has only a link


def procedures_pages() -> dict[str, str]:
    """Every page by its path in the documentation: an index, and a page for each registered procedure."""
    options = {each.name: _options(each) for each in declarations().values()}
    counts = Counter(option for its in options.values() for option in its)
    shared = {option for option, count in counts.items() if count >= _MANY}
    pages: dict[str, str] = {}
    for each in declarations().values():
        pages[f"procedures/{each.name}.md"] = _page(each, options[each.name], shared, pages)
    return {"procedures.md": _index(shared), **pages}


def _index(shared: set[_Option]) -> str:
    rows = [
        f"| [{each.words.title}](procedures/{each.name}.md) | {_command(each)} | {each.words.question} |"
        for each in declarations().values()
    ]
    table = "\n".join(["| procedure | command | question |", "|---|---|---|", *rows])
    options = f"## {_SHARED}\n\n" + "\n".join(f"- `{name}`{text}" for name, text in sorted(shared))
    keys = {key for each in declarations().values() for key in references(each.function)}
    papers = "## References\n\n" + "\n".join(sorted(f"- {citation(key)}" for key in keys))
    return f"{_OPENING}\n{table}\n\n{options}\n\n{papers}\n"


def _page(each: Procedure, options: list[_Option], shared: set[_Option], earlier: Mapping[str, str]) -> str:
    words = each.words
    parts = [
        f"# {words.title}",
        f"*{words.question}*" if words.question else "",
        _names(each),
        words.method or lead(each.function),
        f"## How to read it\n\n{words.reading}" if words.reading else "",
        _option_list(options, shared, earlier),
        _READING_LINK if _reads_runs(each) else "",
        _columns(each, earlier),
        _references(each),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _command(each: Procedure) -> str:
    return f"`metameter {each.name.replace('_', '-')}`"


def _names(each: Procedure) -> str:
    names = f"{_command(each)}, in Python `metameter.{each.name}`"
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


def _options(each: Procedure) -> list[_Option]:
    """The options of a procedure, each with its default and its meaning."""
    elsewhere = _READING if _reads_runs(each) else set()
    options = [
        (name, f"{_default(parameter.default)}: {_plain(text)}")
        for name, text in each.parameters.items()
        if (parameter := each.signature.parameters.get(name)) and parameter.kind is inspect.Parameter.KEYWORD_ONLY
        if name not in elsewhere
    ]
    # A study calls some options by other names.
    others = (name for name in each.options if name not in each.signature.parameters)
    return options + [(name, f" (in a study): {_plain(each.text_of(name))}") for name in others]


def _reads_runs(each: Procedure) -> bool:
    """Whether a procedure takes all options of reading and scoring, which stand on the page of commands."""
    return set(each.signature.parameters) >= _READING


def _option_list(options: list[_Option], shared: set[_Option], earlier: Mapping[str, str]) -> str:
    own = [f"- `{name}`{text}" for name, text in options if (name, text) not in shared]
    own, as_in = _without_repeated(own, "Options", earlier)
    own += [f"- {as_in}"] if as_in else []
    others = ", ".join(f"`{name}`" for name, text in options if (name, text) in shared)
    anchor = _SHARED.lower().replace(" ", "-")
    own += [f"- Also [{_SHARED[0].lower()}{_SHARED[1:]}](../procedures.md#{anchor}): {others}."] if others else []
    return "\n".join(["## Options", "", *own]) if own else ""


def _default(value: object) -> str:
    return "" if value is None or value == () or value is inspect.Parameter.empty else f" (default `{value}`)"


def _columns(each: Procedure, earlier: Mapping[str, str]) -> str:
    rows = [f"| {names} | {escape_markdown(text)} |" for names, text in grouped_columns(each.words.columns).items()]
    rows, as_in = _without_repeated(rows, "Columns of its tables", earlier)
    after = ["", as_in] if as_in else []
    return (
        "\n".join(["## Columns of its tables", "", "| column | meaning |", "|---|---|", *rows, *after]) if rows else ""
    )


def _without_repeated(lines: list[str], heading: str, earlier: Mapping[str, str]) -> tuple[list[str], str]:
    """The lines that no earlier page has, and a sentence that leads to the page with the others."""
    both = {name: [line for line in lines if line in page.splitlines()] for name, page in earlier.items()}
    name = max(both, key=lambda each: len(both[each]), default="")
    if not name or len(both[name]) < _REPEATED:
        return lines, ""
    path = f"{name.removeprefix('procedures/')}#{heading.lower().replace(' ', '-')}"
    title = earlier[name].partition("\n")[0].removeprefix("# ")
    # The names of an option or a column stand before its meaning.
    names = ", ".join(re.sub(r"^[|-] ((`\w+`(, )?)+).*", r"\1", line) for line in both[name])
    return [line for line in lines if line not in both[name]], f"As in [{title}]({path}): {names}."


def grouped_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """The rows of the table of columns: both ends of an interval share one, and so do all Monte-Carlo errors."""
    errors = [name for name, text in columns.items() if text == f"{_ERROR} {re.sub('_(se|error)$', '', name)}"]
    highs = {
        name: name.replace("low", "high")
        for name, text in columns.items()
        if text.startswith("lower end of") and columns.get(name.replace("low", "high")) == f"upper{text[5:]}"
    }
    alone = [name for name in columns if name not in errors and name not in highs.values()]
    rows: dict[str, str] = {}
    for name in alone:
        if name in highs:
            rows[f"`{name}`, `{highs[name]}`"] = f"lower and upper{columns[name][5:]}"
        else:
            rows[f"`{name}`"] = columns[name]
    if errors:
        rows[", ".join(f"`{name}`" for name in errors)] = f"{_ERROR} the column without the suffix"
    return rows


def _references(each: Procedure) -> str:
    papers = "; ".join(_short(key) for key in references(each.function))
    return f"Papers: {papers} ([references](../procedures.md#references))." if papers else ""


def _short(key: str) -> str:
    """The authors' family names and the year of a paper."""
    fields = fields_of(key)
    authors = [
        name.partition(",")[0] if "," in name else name.split()[-1] for name in fields.get("author", key).split(" and ")
    ]
    return f"{' and '.join(authors) if len(authors) < 3 else f'{authors[0]} et al.'} ({fields.get('year', 'no year')})"


def _plain(text: str) -> str:
    return text.replace("``", "`")
