"""What the parts of a metric's name mean, in the words of the classes that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from metameter.docstrings import summary
from metameter.metric.product import Product
from metameter.registry import metric_named
from metameter.view.escape import escape_html

if TYPE_CHECKING:
    from metameter.reporting.model import Report

__all__ = ["Glossary", "glossary_of", "meaning_of", "with_meanings"]

METRIC_COLUMNS = ("metric", "metric_a", "metric_b", "canonical", "baseline")


class Glossary:
    """The parts of the names in a report: what each means.

    Attributes
    ----------
    aggregations, models, metrics : dict
        Name -> meaning: what stands after the star of a product, what stands before it, and metrics that are none.
    names : dict
        Whole name -> meaning of its parts.
    example : str
        A product of the report; empty if there is none.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.aggregations: dict[str, str] = {}
        self.models: dict[str, str] = {}
        self.metrics: dict[str, str] = {}
        self.example = ""
        self.names: dict[str, str] = {}
        aggregations = set()
        for name in names:
            known = _known(name)
            if known is not None:
                self.names[name] = meaning_of(name)
            if isinstance(known, Product):
                self.example = name
                aggregations.add(type(known.aggregation))
                self.models.setdefault(_name(known.model), summary(type(known.model)))
            elif known is not None:
                self.metrics.setdefault(_name(known), summary(type(known)))
        # In the order of papers, which is that of their colours.
        for each in sorted(aggregations, key=lambda kind: (kind.colour is None, kind.colour, kind.registered_name)):
            self.aggregations[each.registered_name] = summary(each)

    @property
    def others(self) -> dict[str, str]:
        """The names that stand before a star, and those without one."""
        return {**self.models, **self.metrics}


def glossary_of(report: Report) -> Glossary:
    """The glossary of all metrics that a report names, in the order in which they occur."""
    names = (
        name
        for part in report.collections
        for result in part.results.values()
        for column in METRIC_COLUMNS
        if column in result.table.columns
        for name in result.table[column].unique(maintain_order=True).to_list()
    )
    return Glossary(dict.fromkeys(name for name in names if isinstance(name, str)))


@cache
def meaning_of(name: str) -> str:
    """What a metric's name says; nothing for a name that is not ours.

    Examples
    --------
    >>> print(meaning_of("RBP(p=0.8)*max@10"))
    RBP: A user who, after every item, goes on with the same probability p.
    max: A user who remembers only the best item they saw.
    >>> meaning_of("somebody's metric")
    ''
    """
    known = _known(name)
    parts: tuple[Any, ...] = (known.model, known.aggregation) if isinstance(known, Product) else (known,)
    return "\n".join(f"{_name(part)}: {summary(type(part))}" for part in parts if part is not None)


def with_meanings(sentence: str, names: Mapping[str, str]) -> str:
    """The sentence as HTML; pointing at a metric's name tells what it means.

    Parameters
    ----------
    sentence : str
    names : mapping
        Metric -> meaning.

    Examples
    --------
    >>> with_meanings("Use AP & P@10.", {"P@10": "The share of ...", "AP": "..."})
    'Use <abbr title="...">AP</abbr> &amp; <abbr title="The share of ...">P@10</abbr>.'
    """
    if not names:
        return escape_html(sentence)
    # Longer names first: some are the beginnings of others.
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    pieces = re.split(rf"(?<![\w@*(]){either.join(('(', ')'))}(?![\w@*(])", sentence)
    return "".join(
        f'<abbr title="{escape_html(names[piece])}">{escape_html(piece)}</abbr>' if place % 2 else escape_html(piece)
        for place, piece in enumerate(pieces)
    )


@cache
def _known(name: str) -> Any | None:
    return metric_named(name)


def _name(part: Any) -> str:
    return str(type(part).registered_name)
