"""The card of a metric: what its user does, formula, worked example, parameters, properties, names, references."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from typing import Any

from metameter import docstrings
from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.judge.sessions import Sessions
from metameter.metric.base import Measure
from metameter.metric.build import build
from metameter.metric.examples import GAINS, example
from metameter.metric.properties import GRADES, SIZE, Lists, at_depth, seven
from metameter.metric.taxonomy.table import taxonomy_table
from metameter.notation import Expression, spell_value
from metameter.registry import KINDS, get
from metameter.reporting.cards.blocks import (
    Block,
    Formula,
    Heading,
    Paragraph,
    References,
    Rows,
    WorkedExample,
    as_markdown,
)
from metameter.reporting.cards.drawing import draw_aggregation, draw_measure
from metameter.reporting.cards.names import narrow_rows, notes_on, rows_elsewhere

_EVIDENCE: dict[type, str] = {
    Faceted: "It is computed from judgments by subtopic; a list without subtopics, as below, is all about one.",
    Sessions: (
        "It is computed from runs in iterations and judgments by subtopic; a list, as below, is a session of one "
        "iteration, all about one subtopic, of documents without words. `@k` ends a session after k iterations."
    ),
}


def card(kind: str, name: str) -> str:
    r"""The card of a registered browsing model, aggregation or metric, as Markdown.

    Examples
    --------
    >>> print(*card("browse", "RBP").splitlines()[:5], sep="\n")
    # RBP
    <BLANKLINE>
    *A browsing model.* A user who, after every item, goes on with the same probability p.
    <BLANKLINE>
    `RBP(p=0.8)` is short for `RBP(p=0.8)*ERG`.
    """
    return as_markdown(blocks_of(kind, name))


def blocks_of(kind: str, name: str) -> list[Block]:
    """The blocks of the card."""
    known = get(kind, name)
    opening = f"*{'An' if kind == 'aggregate' else 'A'} {KINDS[kind]}.* {summary(known)}"
    introduction = [*_paragraph(_short_for(kind, name)), *description(known), *_paragraph(_evidence(kind, known))]
    blocks = [Heading(name, 1), Paragraph(opening), *introduction, *_example(kind, name), *_parameters(known)]
    if kind != "metric":
        blocks += _combinations(kind, name)
    if kind == "aggregate":
        return [*blocks, *_references(keys(known))]
    # The paper behind the table of properties stands beside those of the metric itself.
    cited = [*keys(known), "moffat2013seven"]
    return [*blocks, *_properties(kind, name), *_elsewhere(name, known), *_references(cited)]


def _paragraph(text: str) -> list[Block]:
    return [Paragraph(text)] if text else []


def _measure(kind: str, name: str) -> Measure:
    return build(Expression(example(kind, name).term()))


def _short_for(kind: str, name: str) -> str:
    if kind != "browse":
        return ""
    model = example(kind, name)
    measure = _measure(kind, name)
    return f"`{model}` is short for `{measure}`." if repr(model) != repr(measure) else ""


def _evidence(kind: str, known: Any) -> str:
    """The sentence on the evidence of a metric that needs more than judged documents."""
    return _EVIDENCE.get(known.evidence, "") if kind == "metric" else ""


def _example(kind: str, name: str) -> list[Block]:
    gains = " ".join(f"{gain:g}" for gain in GAINS)
    subject = example(kind, name) if kind == "aggregate" else _measure(kind, name)
    try:
        worked = draw_aggregation(name) if kind == "aggregate" else draw_measure(_measure(kind, name))
    except MetameterError:
        # It needs to see more than a list of gains.
        return []
    return [Heading(f"On a page with gains {gains}"), WorkedExample(str(subject), worked)]


def _parameters(known: Any) -> list[Block]:
    import polars as pl

    texts = parameter_texts(known)
    rows = [
        (each.name, _default(each), each.metadata["range"], texts.get(each.name, "").replace("`", ""))
        for each in fields(known)
        if each.name in texts or each.metadata["role"] == "number"
    ]
    if not rows:
        return []
    table = pl.DataFrame(rows, schema=["name", "default", "range", "meaning"], orient="row")
    return [Heading("Parameters"), Rows(table)]


def _default(each: Any) -> str:
    if each.metadata["role"] == "depth":
        return "required" if each.metadata["required"] else "no limit"
    return "required" if each.default is MISSING else spell_value(each.default)


def _combinations(kind: str, name: str) -> list[Block]:
    table = taxonomy_table(**{kind: name})
    first = table.row(0, named=True)
    if kind == "browse":
        text = f"Its users are {first['user']}; the expected number of items they view is finite: {first['finite']}."
    else:
        model = f"; Carterette's model {first['carterette']}" if first["carterette"] else ""
        text = f"Monotone down the list: {first['monotone']}{model}."
    other = "aggregate" if kind == "browse" else "browse"
    return [Heading("Combinations"), Paragraph(text), Rows(table.select("metric", other, "class", "name"))]


def _properties(kind: str, name: str) -> list[Block]:
    import polars as pl

    rows = [(each.name, each.holds, each.evidence) for each in seven(kind, name)]
    table = pl.DataFrame(rows, schema=["property", "holds", "shown by"], orient="row")
    method = (
        f"After Moffat (2013), found out on all lists of {SIZE} documents{_probed(kind, name)}: what does not hold is "
        "refuted; what holds on all of them is not thereby proved for longer ones."
    )
    if kind == "metric" and get(kind, name).evidence is Sessions:
        method += " Every list is one iteration here, and a depth a number of iterations, which cuts nothing off."
    return [Heading("Numeric properties"), Paragraph(method), Rows(table)]


def _probed(kind: str, name: str) -> str:
    try:
        *lower, highest = (f"{gain:g}" for gain in Lists(at_depth(kind, name)).levels)
    except MetameterError:
        # It needs to see more than a list of gains, and the table says so.
        return ""
    grades = f"of the grades {GRADES[0]} to {GRADES[-1]}" if len(lower) > 1 else "of documents that are relevant or not"
    return f" with gains {', '.join(lower)} and {highest}, those {grades}"


def _elsewhere(name: str, known: Any) -> list[Block]:
    table, declared = rows_elsewhere(name), vars(known).get("aliases", {})
    read = " ".join(f"`{spelled}` is read as `{meant}`." for spelled, meant in declared.items())
    introduction: list[Block] = [] if table is None else [Rows(table, narrow_rows(table))]
    introduction += _paragraph(" ".join(notes_on(name)))
    introduction += _paragraph(read.replace("{k}", "10").replace("{x}", "0.1"))
    return [Heading("In other tools"), *introduction] if introduction else []


def _references(cited: list[str]) -> list[Block]:
    return [Heading("References"), References(cited)] if cited else []


_FORMULA = re.compile(r"^\.\. math::(.*(?:\n[ ]+\S.*)*)", re.MULTILINE)


def summary(documented: Any) -> str:
    """The first line: what the user is assumed to do.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> summary(RBP)
    'A user who, after every item, goes on with the same probability p.'
    """
    return _markdown(docstrings.summary(documented))


def description(documented: Any) -> list[Block]:
    r"""What follows the first line, formulas as display mathematics.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> description(RBP)
    [Formula(text='C(i) = p')]
    """
    body = docstrings.lead(documented).partition("\n")[2].strip()
    # What matches stands between what does not.
    parts = [each.strip() for each in _FORMULA.split(body)]
    blocks: list[Block] = []
    for index, part in enumerate(parts):
        if index % 2:
            blocks.append(Formula(" ".join(part.split())))
        else:
            blocks += [Paragraph(_markdown(each)) for each in re.split(r"\n\n+", part) if each]
    return blocks


def parameter_texts(documented: Any) -> dict[str, str]:
    """Parameter -> what it means.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> parameter_texts(RBP)["k"]
    'The user stops at rank k at the latest.'
    """
    return {name: _markdown(text) for name, text in docstrings.parameters(documented).items()}


def keys(documented: Any) -> list[str]:
    """The keys of the references; the one of the class attribute first.

    Examples
    --------
    >>> from metameter.metric.classic.ndcg import NDCG
    >>> keys(NDCG)
    ['jarvelin2002', 'burges2005']
    """
    listed = docstrings.references(documented)
    return list(dict.fromkeys([documented.reference, *listed] if documented.reference else listed))


def _markdown(text: str) -> str:
    return re.sub(r":math:`([^`]*)`", r"$`\1`$", text.replace("``", "`").replace("\n", " "))
