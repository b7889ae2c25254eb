"""CITATION.cff has what a citation needs, and says the same as the package."""

import datetime
import re
import tomllib
from pathlib import Path

import pytest

import metameter

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BIBLIOGRAPHY = (ROOT / "src" / "metameter" / "references.bib").read_text("utf-8")


TEXT = (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.fixture(scope="module")
def citation():
    return pytest.importorskip("yaml", reason="no reader of YAML is installed").safe_load(TEXT)


def test_the_citation_names_this_version():
    assert re.findall("^version: (.+)$", TEXT, re.MULTILINE) == [PROJECT["version"]] == [metameter.__version__]
    assert re.findall("^license: (.+)$", TEXT, re.MULTILINE) == [PROJECT["license"]]
    (released,) = re.findall("^date-released: (.+)$", TEXT, re.MULTILINE)
    assert datetime.date.fromisoformat(released)


def test_the_citation_has_the_required_fields(citation):
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    for key in ("message", "title", "abstract", "authors", "keywords", "references"):
        assert citation[key], key
    assert all(author.get("name") or author.get("family-names") for author in citation["authors"])


def test_citation_references_are_in_the_bibliography(citation):
    plain = " ".join(re.sub("[{}]", "", BIBLIOGRAPHY).split())
    for reference in citation["references"]:
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])
        assert " ".join(reference["title"].split()) in plain
        assert "doi" not in reference or reference["doi"] in BIBLIOGRAPHY
    papers = {reference["authors"][0]["family-names"] for reference in citation["references"]}
    assert papers == {"Moffat", "Chen", "Lu", "Albahem"}
