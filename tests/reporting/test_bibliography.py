"""The bibliography: what the code cites is in it, what is in it is cited, and every entry is whole."""

import ast
import re
from pathlib import Path

import pytest

import metameter
from metameter.docstrings import sections
from metameter.meta.framework.declarations import declarations
from metameter.registry import get, names
from metameter.reporting.bibliography import citation, entries, fields_of, short_citation
from metameter.reporting.cards.card import card, keys

SOURCES = sorted(Path(metameter.__file__).parent.rglob("*.py"))
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# What an entry of each kind must say for a reader to find the paper.
WHOLE = {
    "article": {"author", "title", "journal", "volume", "pages", "year"},
    "inproceedings": {"author", "title", "booktitle", "pages", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "pages", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "url"},
}
# On the web only: a preprint with its number, and the proceedings of NTCIR-4 and of TREC, which have no pages.
LACKS = {"chen2023": {"volume", "pages"}, "sakai2004": {"pages"}, "roever2015": {"pages"}, "yang2016dd": {"pages"}}


def listed_in(path):
    """The keys under References in the docstrings of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    parts = [sections(type("Documented", (), {"__doc__": text})).get("References", "") for text in texts if text]
    return [key for part in parts for key in re.findall(r"\w+", part)]


def everything_cited():
    registered = [get(kind, name) for kind in ("browse", "aggregate", "metric") for name in names(kind)]
    # The paper behind the table of properties stands on every card that has one.
    return {
        *(key for path in SOURCES for key in listed_in(path)),
        *(key for known in registered for key in keys(known)),
        *(key for each in declarations().values() for key in each.words.references_when),
        "moffat2013seven",
    }


def test_docstrings_are_searched_for_citations():
    found = {path.stem: listed_in(path) for path in SOURCES if {"stats", "browse"} & set(path.parts)}
    assert found["dependent_correlations"] == ["steiger1980", "zou2007"]
    assert found["rbp"] == ["moffat2008", "azzopardi2019"]
    assert found["compact_letter_display"] == ["piepho2004"]


def test_every_citation_is_in_the_bibliography():
    assert not everything_cited() - set(entries())


def test_every_bibliography_entry_is_cited():
    assert "moffat2013seven" in card("browse", "RBP")
    assert set(entries()) == everything_cited()


@pytest.mark.parametrize("key", entries())
def test_an_entry_has_the_fields_of_its_type(key):
    kind = re.match(r"@(\w+)", entries()[key])[1]
    assert set(fields_of(key)) >= WHOLE[kind] - LACKS.get(key, set())


@pytest.mark.parametrize("key", entries())
def test_the_fields_of_an_entry_are_well_formed(key):
    fields = fields_of(key)
    assert entries()[key].count("{") == entries()[key].count("}")
    assert re.fullmatch(r"\d+(:\d+)?--\d+(:\d+)?", fields.get("pages", "1--2"))
    first, last = (int(each.split(":")[-1]) for each in fields.get("pages", "1--2").split("--"))
    assert first < last
    assert re.fullmatch(r"10\.\d{4,}/\S+", fields.get("doi", "10.1000/x"))
    if "year" in fields:  # a key is the first author's name and the year
        assert re.search(r"\d{4}", key)[0] == fields["year"]
        assert short_citation(key).endswith(fields["year"])


def test_a_paper_occurs_once_in_the_bibliography():
    titles = [re.sub(r"\W", "", fields_of(key)["title"]).lower() for key in entries()]
    dois = [fields_of(key)["doi"].lower() for key in entries() if "doi" in fields_of(key)]
    assert len(set(titles)) == len(titles)
    assert len(set(dois)) == len(dois)


def test_citations_are_formatted_like_a_reference_list():
    moffat = "A Flexible Framework for Offline Effectiveness Metrics. Proceedings of SIGIR 2022, 578–587."
    assert citation("moffat2022").endswith(moffat)
    assert citation("piepho2004").endswith("Journal of Computational and Graphical Statistics 13 (2), 456–466.")
    # The volume is that of the series, not of the proceedings.
    assert citation("moffat2013seven").endswith("Proceedings of AIRS 2013, LNCS 8281, 1–12.")
    assert citation("westfall1993").endswith("Methods for p-Value Adjustment. Wiley.")


def test_metrics_cite_the_papers_that_introduced_them():
    # O is of March 2006; the P-measure of August 2006 had no P+ yet, which AIRS (October 2006) compares with both.
    assert keys(get("metric", "PPlus")) == ["sakai2006airs", "sakai2007one"]
    assert keys(get("metric", "O")) == ["sakai2006one"]
