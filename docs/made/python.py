"""The page of everything public in Python, from the docstrings."""

from __future__ import annotations

import inspect
from typing import Any

import metameter
from metameter.docstrings import lead
from metameter.meta.framework.declarations import declarations
from metameter.view.escape import escape_markdown

__all__ = ["public_names", "python_page"]

_OPENING = """# In Python

Made from the code by `docs/generate.py`. All of these are names of `metameter`; `help(metameter.score)` tells the
parameters of any. Browsing models, aggregations and metrics are names, too, such as `metameter.nDCG`: see the
[cards](metrics/README.md).
"""


def public_names() -> list[str]:
    """Every public name but metrics and procedures, which have pages of their own."""
    return [name for name in metameter.__all__ if not name.startswith("_")]


def python_page() -> str:
    """The page as Markdown."""
    names = {name: getattr(metameter, name) for name in public_names()}
    functions = {name: value for name, value in names.items() if not inspect.isclass(value)}
    classes = {name: value for name, value in names.items() if inspect.isclass(value)}
    return "\n".join(
        [
            _OPENING,
            "## Functions\n",
            *_table(functions),
            "\n## Procedures\n",
            "Each takes scores, or what `score` takes; [the page of procedures](procedures.md) says all about them.\n",
            *_table({each.name: each.function for each in declarations().values()}),
            "\n## Types\n",
            *_table(classes),
            "",
        ]
    )


def _table(names: dict[str, Any]) -> list[str]:
    rows = [f"| `{name}` | {_summary(value)} |" for name, value in sorted(names.items())]
    return ["| name | what it is |", "|---|---|", *rows]


def _summary(value: Any) -> str:
    return escape_markdown(" ".join(lead(value).split("\n\n")[0].split())).replace(r"\`\`", "`")
