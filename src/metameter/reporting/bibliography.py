"""The bibliography, `references.bib`: which papers a report cites, as plain text and as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.framework.declarations import declarations
from metameter.metric.product import Product
from metameter.registry import metric_named

if TYPE_CHECKING:
    from metameter.reporting.report import Report
    from metameter.view.result import Result


_ENTRY = re.compile(r"^@\w+\{([^,\s]+),.*?^\}", re.MULTILINE | re.DOTALL)
# A value may go on over several lines; it ends where its brace closes the line and a field or the entry follows.
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?[ \t]*$(?=\s*(?:\w+\s*=|\}|\Z))", re.MULTILINE | re.DOTALL)
_METRIC_COLUMNS = ("metric", "metric_a", "metric_b", "canonical")
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}
_VENUES = ("journal", "booktitle", "howpublished", "publisher", "school", "institution")


@cache
def entries() -> dict[str, str]:
    """Key -> its BibTeX entry, in the order of the file."""
    text = files("metameter").joinpath("references.bib").read_text(encoding="utf-8")
    return {match[1]: match[0] for match in _ENTRY.finditer(text)}


def entry(key: str) -> str:
    """Return one BibTeX entry; refuse an unknown key.

    Examples
    --------
    >>> print(entry("chapelle2009").splitlines()[0])
    @inproceedings{chapelle2009,
    """
    if key not in entries():
        raise MetameterError("unknown reference", given=key, fix=did_you_mean(key, list(entries())))
    return entries()[key]


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys; papers of plug-ins that are not in the bibliography are left out."""
    return "\n\n".join(entries()[key] for key in keys if key in entries()) + "\n"


def keys_of_result(key: str, options: dict[str, Any]) -> list[str]:
    """The keys of the papers behind a result, without those of methods that its options do not use.

    Examples
    --------
    >>> keys_of_result("similarity", {"interval": "fieller"}), keys_of_result("similarity", {"interval": "none"})
    (['chen2023', 'fieller1957'], ['chen2023'])
    """
    known = declarations().get(key)
    return [] if known is None else known.references(options)


def keys_of_metric(name: str) -> list[str]:
    """The keys of the papers behind a metric; empty for an unknown name.

    Examples
    --------
    >>> keys_of_metric("RBP(p=0.8)*max"), keys_of_metric("nDCG@10"), keys_of_metric("somebody's metric")
    (['moffat2008', 'moffat2022'], ['jarvelin2002'], [])
    """
    known = metric_named(name)
    parts: tuple[Any, ...] = (known.model, known.aggregation) if isinstance(known, Product) else (known,)
    return [part.reference for part in parts if part is not None and part.reference]


def keys_used(report: Report) -> list[str]:
    """The keys that a report must cite, sorted: those of its procedures and of its metrics."""
    results = [(key, result) for part in report.collections for key, result in part.section_results.items()]
    keys = [each for key, result in results for each in keys_of_result(key, result.manifest.get("options", {}))]
    names = dict.fromkeys(name for _, result in results for name in _metrics(result))
    keys += [key for name in names for key in keys_of_metric(name)]
    return sorted(dict.fromkeys(keys))


def _metrics(result: Result) -> list[str]:
    import polars as pl

    names: dict[str, None] = {}
    table = result.table
    for column in _METRIC_COLUMNS:
        if table.schema.get(column) == pl.String:
            names.update(dict.fromkeys(table[column].unique(maintain_order=True).drop_nulls()))
    return list(names)


def short_citation(key: str) -> str:
    """A paper as authors and year.

    Examples
    --------
    >>> short_citation("moffat2022"), short_citation("robertson2008"), short_citation("jarvelin2002")
    ('Moffat et al. 2022', 'Robertson 2008', 'Järvelin and Kekäläinen 2002')
    """
    fields = fields_of(key)
    names = [name.partition(",")[0] for name in fields.get("author", key).split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who} {fields.get('year', '')}".strip()


def citation(key: str) -> str:
    """A paper as an entry of a list of references.

    Examples
    --------
    >>> print(citation("robertson2008"))
    Stephen Robertson. 2008. A New Interpretation of Average Precision. Proceedings of SIGIR 2008, 689–690.
    """
    fields = fields_of(key)
    names = [" ".join(reversed(name.split(", ", 1))) for name in fields.get("author", key).split(" and ")]
    parts = (", ".join(names), fields.get("year", ""), fields.get("title", ""), _where(fields))
    return " ".join(f"{part}." for part in parts if part)


def _where(fields: dict[str, str]) -> str:
    """Journal or book, volume and pages."""
    venue = next((fields[name] for name in _VENUES if name in fields), "")
    number = f" ({fields['number']})" if "number" in fields else ""
    # The volume is that of the journal, or of the series that the book is in.
    series = f", {fields['series']}" if "series" in fields else ""
    volume = f"{series} {fields['volume']}{number}" if "volume" in fields else ""
    pages = f", {fields['pages'].replace('--', '–')}" if "pages" in fields else ""
    return f"{venue}{volume}{pages}"


def fields_of(key: str) -> dict[str, str]:
    """The fields of an entry as plain text; none for an unknown key.

    Examples
    --------
    >>> fields_of("robertson2008")["author"]
    'Robertson, Stephen'
    """
    pairs = _FIELD.findall(entries().get(key, ""))
    return {name.lower(): _without_tex(" ".join(text.split())) for name, text in pairs}


def _without_tex(text: str) -> str:
    """TeX as plain text: accents on their letters, no braces."""
    accented = re.sub(r"\{?\\(['\"`^~])\{?(\w)\}?\}?", lambda match: match[2] + _ACCENTS[match[1]], text)
    return unicodedata.normalize("NFC", re.sub(r"[{}]|\\(?=[_&%$#])", "", accented))
