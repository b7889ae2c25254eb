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

_EVALUATOR = """## Scoring in a loop

An `Evaluator` reads judgments and metrics once, to score one run after another in a training loop or a grid search:

```pycon
>>> import metameter as mm
>>> qrels = {"401": {"d1": 2, "d2": 0, "d3": 1}, "402": {"d1": 1}}
>>> evaluator = mm.Evaluator(qrels, ["nDCG@10", "AP"])
>>> run = {"401": {"d3": 9.5, "d1": 9.1, "d7": 8.8}, "402": {"d2": 7.0, "d1": 6.5}}
>>> evaluator.score(run)["AP"]
0.75
>>> evaluator.per_topic(run)["AP"]
{'401': 1.0, '402': 0.5}

```

`score` returns the mean of each metric over topics, `per_topic` a score per metric and topic; both are dictionaries
that understand every spelling of a metric's name. A run is a dictionary {topic: {doc: score}} or {topic: [doc, ...]}, a
`Run`, a data frame, or a path. The numbers, options and notices are those of `score`: judged topics that the run lacks
count as 0 unless `topics="common"`. Metrics that depend on the pool, and `pool_depth`, need the runs that made it:
`contributing=`.

Only judged documents are looked up. Numbers of Python or NumPy and names that are texts are fastest. An evaluator can
be pickled, and several threads can use it at a time.
"""


def public_names() -> list[str]:
    """Every public name but metrics and procedures, which have pages of their own."""
    return [name for name in metameter.__all__ if not name.startswith("_")]


def python_page() -> str:
    """The page as Markdown."""
    names = {name: getattr(metameter, name) for name in public_names()}
    procedures = ", ".join(sorted(f"`{each.name}`" for each in declarations().values()))
    functions = {name: value for name, value in names.items() if not inspect.isclass(value)}
    classes = {name: value for name, value in names.items() if inspect.isclass(value)}
    return "\n".join(
        [
            _OPENING,
            "## Functions\n",
            *_table(functions),
            "\n## Procedures\n",
            f"Most take scores; `volatility` takes what `score` takes, `fit` and `satisfaction` result pages, "
            f"`preference` pairs of them, and `taxonomy` no input: {procedures}.",
            "[Their pages](procedures.md) have their methods, options and columns.",
            "\n## Types\n",
            *_table(classes),
            "",
            _EVALUATOR.rstrip(),
            "",
        ]
    )


def _table(names: dict[str, Any]) -> list[str]:
    rows = [f"| `{name}` | {_summary(value)} |" for name, value in sorted(names.items())]
    return ["| name | what it is |", "|---|---|", *rows]


def _summary(value: Any) -> str:
    return escape_markdown(" ".join(lead(value).split("\n\n")[0].split())).replace(r"\`\`", "`")
