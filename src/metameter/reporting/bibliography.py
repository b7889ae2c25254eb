"""The papers behind a report: which they are, as a reader reads them and as BibTeX wants them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric
from metameter.metric.cwla import Product
from metameter.registry import find
from metameter.reporting.cards.references import entries
from metameter.reporting.methods import method_of

if TYPE_CHECKING:
    from metameter.reporting.model import Report
    from metameter.view.result import Result

__all__ = ["bibtex", "citation", "cited", "keys_of_metric", "keys_of_procedure", "keys_used"]

_METRIC_COLUMNS = ("metric", "metric_a", "metric_b", "canonical")
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


def keys_of_procedure(procedure: str, options: dict[str, Any]) -> list[str]:
    """The keys that the procedure's docstring gives, without those that an option made idle.

    Examples
    --------
    >>> keys_of_procedure("similarity", {"interval": "fieller"}), keys_of_procedure("similarity", {"interval": "none"})
    (['chen2023', 'fieller1957'], ['chen2023'])
    """
    method = method_of(procedure)
    known = find("meta", method.procedure or procedure)
    section = re.search(r"^References\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(known) or "", re.MULTILINE | re.DOTALL)
    keys = re.findall(r"\w+", section[1]) if section and known else []
    idle = [key for key, (option, values) in method.only.items() if options.get(option) not in values]
    return [key for key in keys if key not in idle]


def keys_of_metric(name: str) -> list[str]:
    """The keys of a metric's parts; none for a name that is not ours.

    Examples
    --------
    >>> keys_of_metric("RBP(p=0.8)*max"), keys_of_metric("nDCG@10"), keys_of_metric("somebody's metric")
    (['moffat2008', 'moffat2022'], ['jarvelin2002'], [])
    """
    try:
        known = parse_metric(name)
    except MetameterError:
        return []
    parts: tuple[Any, ...] = (known.model, known.aggregation) if isinstance(known, Product) else (known,)
    return [key for part in parts if (key := getattr(part, "reference", ""))]


def _metrics(result: Result) -> list[str]:
    import polars as pl

    names: dict[str, None] = {}
    table = result.table
    for column in _METRIC_COLUMNS:
        if table.schema.get(column) == pl.String:
            names.update(dict.fromkeys(table[column].unique(maintain_order=True).drop_nulls()))
    return list(names)


def keys_used(report: Report) -> list[str]:
    """What a report must cite, in order: the papers of its procedures and of its metrics, and no others."""
    results = [(name, result) for part in report.collections for name, result in part.results.items()]
    keys = [key for name, result in results for key in keys_of_procedure(name, result.manifest.get("options", {}))]
    names = dict.fromkeys(name for _, result in results for name in _metrics(result))
    keys += [key for name in names for key in keys_of_metric(name)]
    return sorted(dict.fromkeys(keys))


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, as they stand in ``references.bib``."""
    known = entries()
    return "\n\n".join(known[key] for key in keys if key in known) + "\n"


def cited(key: str) -> str:
    """How the text refers to a paper.

    Examples
    --------
    >>> cited("moffat2022"), cited("robertson2008"), cited("jarvelin2002")
    ('Moffat et al. 2022', 'Robertson 2008', 'Järvelin and Kekäläinen 2002')
    """
    fields = _fields(key)
    names = [name.partition(",")[0] for name in fields.get("author", key).split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who} {fields.get('year', '')}".strip()


def citation(key: str) -> str:
    """A paper as a list of references shows it.

    Examples
    --------
    >>> print(citation("robertson2008"))
    Stephen Robertson. 2008. A New Interpretation of Average Precision. Proceedings of SIGIR 2008, 689–690.
    """
    fields = _fields(key)
    names = [" ".join(reversed(name.split(", ", 1))) for name in fields.get("author", key).split(" and ")]
    where = next((fields[name] for name in _VENUES if name in fields), "")
    if "volume" in fields:
        number = f" ({fields['number']})" if "number" in fields else ""
        where += f" {fields['volume']}{number}"
    where += f", {fields['pages'].replace('--', '–')}" if "pages" in fields else ""
    parts = (", ".join(names), fields.get("year", ""), fields.get("title", ""), where)
    return " ".join(f"{part}." for part in parts if part)


_VENUES = ("journal", "booktitle", "howpublished", "publisher", "school", "institution")


def _fields(key: str) -> dict[str, str]:
    # A value may go on over several lines; it ends where its brace closes the line and a field or the entry follows.
    value = r"^\s*(\w+)\s*=\s*\{(.*?)\},?[ \t]*$(?=\s*(?:\w+\s*=|\}|\Z))"
    found = re.findall(value, entries().get(key, ""), re.MULTILINE | re.DOTALL)
    return {name.lower(): _plain(" ".join(text.split())) for name, text in found}


def _plain(tex: str) -> str:
    """TeX as text: accents on their letters, no braces."""
    import unicodedata

    accented = re.sub(r"\{?\\(['\"`^~])\{?(\w)\}?\}?", lambda match: match[2] + _ACCENTS[match[1]], tex)
    return unicodedata.normalize("NFC", re.sub(r"[{}]|\\(?=[_&%$#])", "", accented))
