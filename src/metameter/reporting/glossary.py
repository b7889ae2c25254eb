"""The meaning of the parts of a metric's name, from the docstrings of their classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from metameter.docstrings import summary
from metameter.metric.product import Product
from metameter.registry import metric_named
from metameter.view.escape import escape_html

if TYPE_CHECKING:
    from metameter.reporting.report import Report


METRIC_COLUMNS = ("metric", "metric_a", "metric_b", "canonical", "baseline")


@dataclass(frozen=True)
class Glossary:
    """The parts of the names in a report, and what each means.

    Attributes
    ----------
    aggregations, models, metrics : dict
        Name -> meaning of the parts of products (after and before the star), and of other metrics.
    names : dict
        Name that the report shows -> the canonical name, where that differs, and the meaning of its parts.
    canonical : dict
        Name that the report shows -> canonical name, where they differ.
    products : tuple of str
        The metrics that the report shows as products.
    example : str
        One of them; empty if there is none.
    """

    aggregations: dict[str, str]
    models: dict[str, str]
    metrics: dict[str, str]
    names: dict[str, str]
    canonical: dict[str, str]
    products: tuple[str, ...]
    example: str

    @classmethod
    def of(cls, names: Iterable[str], shown: Mapping[str, str] | None = None) -> Glossary:
        """Return the glossary of these metrics; unknown names are left out.

        Parameters
        ----------
        names : iterable of str
            Canonical names.
        shown : mapping, optional
            Canonical name -> the name that the report shows.

        Examples
        --------
        >>> Glossary.of(["RBP(p=0.8)*max", "AP", "somebody's metric"]).aggregations
        {'max': 'A user who remembers only the best item they saw.'}
        >>> Glossary.of(["ERR*ERR@10"], {"ERR*ERR@10": "ERR@10"}).canonical
        {'ERR@10': 'ERR*ERR@10'}
        """
        shown = shown or {}
        known = {name: metric for name in names if (metric := _known(name)) is not None}
        products = {name: each for name, each in known.items() if isinstance(each, Product)}
        # In the order of papers, which is that of their colours.
        paired = [name for name in products if shown.get(name, name) == name]
        aggregations = sorted({type(products[name].aggregation) for name in paired}, key=_colour_order)
        return cls(
            aggregations=_explained(aggregations),
            models=_explained(type(each.model) for each in products.values()),
            metrics=_explained(type(each) for name, each in known.items() if name not in products),
            names={shown.get(name, name): meaning_of(name, shown.get(name, name)) for name in known},
            canonical={shown[name]: name for name in known if shown.get(name, name) != name},
            products=tuple(paired),
            example=next(reversed(paired), ""),
        )

    def first_in(self, sentences: Sequence[str]) -> int:
        """Return the index of the first sentence that names a product, which is explained there; else of the last one.

        Examples
        --------
        >>> Glossary.of(["RBP(p=0.8)*max"]).first_in(["Use AP.", "RBP(p=0.8)*max is worse.", "That is all."])
        1
        """
        if not self.aggregations:
            return -1
        named = (index for index, text in enumerate(sentences) if any(name in text for name in self.products))
        return next(named, len(sentences) - 1)

    @property
    def others(self) -> dict[str, str]:
        """The names of browsing models and of metrics that are no products."""
        return {**self.models, **self.metrics}


def _explained(kinds: Iterable[Any]) -> dict[str, str]:
    return {kind.registered_name: summary(kind) for kind in kinds}


def _colour_order(aggregation: Any) -> tuple[bool, int, str]:
    return aggregation.colour is None, aggregation.colour or 0, aggregation.registered_name


def glossary_of(report: Report) -> Glossary:
    """The glossary of all metrics of a report, in the order of occurrence."""
    names = (
        name
        for part in report.collections
        for result in part.results.values()
        for column in METRIC_COLUMNS
        if column in result.table.columns
        for name in result.table[column].unique(maintain_order=True).to_list()
    )
    return Glossary.of(dict.fromkeys(name for name in names if isinstance(name, str)), report.names)


@cache
def meaning_of(name: str, shown: str | None = None) -> str:
    """The meaning of a metric's name, one line per part; empty for an unknown name.

    The canonical name comes first where another is shown.

    Examples
    --------
    >>> print(meaning_of("RBP(p=0.8)*max@10"))
    RBP: A user who, after every item, goes on with the same probability p.
    max: A user who remembers only the best item they saw.
    >>> meaning_of("somebody's metric")
    ''
    >>> print(meaning_of("ERR*ERR@10", "ERR@10").splitlines()[0])
    ERR*ERR@10
    """
    known = _known(name)
    parts: tuple[Any, ...] = (known.model, known.aggregation) if isinstance(known, Product) else (known,)
    lines = [f"{_name(part)}: {summary(type(part))}" for part in parts if part is not None]
    return "\n".join(lines if shown in (None, name) else [name, *lines])


def with_meanings(sentence: str, names: Mapping[str, str]) -> str:
    """A sentence as HTML, with the meaning of each metric as a tooltip.

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
        f"<abbr{hover(names[piece])}>{escape_html(piece)}</abbr>" if index % 2 else escape_html(piece)
        for index, piece in enumerate(pieces)
    )


def hover(text: str) -> str:
    """The ``title`` attribute with a tooltip; its line ends are kept.

    Examples
    --------
    >>> hover("a" + chr(10) + "<b>"), hover("")
    (' title="a&#10;&lt;b&gt;"', '')
    """
    return f' title="{"&#10;".join(map(escape_html, text.split(chr(10))))}"' if text else ""


@cache
def _known(name: str) -> Any | None:
    return metric_named(name)


def _name(part: Any) -> str:
    return str(type(part).registered_name)
