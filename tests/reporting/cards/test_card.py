"""The cards are made from the code, complete, and the pages in docs are those that the code makes now."""

import math
import re
from pathlib import Path

import pytest

from docs.made.cards import cards_pages
from docs.made.names import names_page
from metameter.cli.program import run
from metameter.judge.faceted import Faceted
from metameter.judge.sessions import Sessions
from metameter.registry import get, names
from metameter.reporting.bibliography import entries, entry
from metameter.reporting.cards.blocks import for_terminal
from metameter.reporting.cards.card import blocks_of, card, keys, summary
from metameter.reporting.cards.drawing import GAINS, Drawing
from metameter.view.tables.wrapping import cells_wide

DOCS = Path(__file__).parents[3] / "docs"
EVERYTHING = [(kind, name) for kind in ("browse", "aggregate", "metric") for name in names(kind)]


@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_every_reference_is_in_the_bibliography(kind, name):
    known = get(kind, name)
    assert known.reference
    assert set(keys(known)) <= set(entries())


@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_a_card_is_free_of_markup(kind, name):
    text = card(kind, name)
    assert text.startswith(f"# {name}\n")
    assert summary(get(kind, name)) in text
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings[0] == "On a page with gains 0.7 0.4 0 1 0.5 0.3"
    assert headings[-1] == "References"
    assert ("Numeric properties" in headings) == (kind != "aggregate")
    assert ("Combinations" in headings) == (kind != "metric")
    assert entry(get(kind, name).reference) in text
    # What is of Python's documentation and not of Markdown has been turned into it.
    assert ":math:" not in text
    assert ".. math" not in text
    assert "``" not in text.replace("```", "")


def test_a_card_names_the_evidence_of_the_metric():
    for name in names("metric"):
        evidence, text = get("metric", name).evidence, card("metric", name)
        assert ("computed from judgments by subtopic;" in text) == (evidence is Faceted)
        assert ("computed from runs in iterations and judgments by subtopic;" in text) == (evidence is Sessions)
        assert ("a depth a number of iterations" in text) == (evidence is Sessions)


def test_a_card_of_a_session_metric_shows_each_contribution():
    drawn = card("metric", "sDCG").partition("```text\n")[2].partition("```")[0].splitlines()
    assert drawn[0].split() == ["rank", "iteration", "position", "grade", "contribution"]
    # The second document, of gain 0.4, counts half: 1 + log2(2) = 2.
    assert [cell for cell in drawn[2].split() if cell[0].isdigit()] == ["2", "1.000", "2.000", "0.400", "0.200"]
    total = sum(gain / (1 + math.log2(rank)) for rank, gain in enumerate(GAINS, start=1))
    assert drawn[-1] == f"score {total:.3f}"


def test_a_card_lists_the_gains_its_properties_were_tested_with():
    assert "6 documents with gains 0, 0.25 and 0.75, those of the grades 0 to 2:" in card("browse", "ERR")
    assert "6 documents with gains 0, 0.5 and 1, those of the grades 0 to 2:" in card("browse", "RBP")
    assert "6 documents with gains 0 and 1, those of documents that are relevant or not:" in card("metric", "P")


def test_every_metric_but_the_empirical_one_has_a_formula():
    assert [name for kind, name in EVERYTHING if "```math" not in card(kind, name)] == ["Empirical"]


def test_pages_in_docs_are_up_to_date():
    made = cards_pages()
    stale = [path for path, text in made.items() if (DOCS / path).read_text(encoding="utf-8") != text]
    assert not stale, "run docs/generate.py"
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.glob("metrics/**/*.md")} == set(made)
    assert (DOCS / "names.md").read_text(encoding="utf-8") == names_page(), "run docs/generate.py"


def test_bars_are_proportional_to_the_numbers():
    drawn = str(Drawing({"view": __import__("numpy").array([2.0, 1.0, 0.25])})).splitlines()
    assert [line.count("█") for line in drawn] == [0, 8, 4, 1]


def test_the_command_prints_a_card_or_rows(capsys, monkeypatch):
    assert run(["metrics", "RBP", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == card("browse", "RBP")
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["metrics", "RBP", "--format", "table"]) == 0
    assert capsys.readouterr().out == for_terminal(blocks_of("browse", "RBP"), 80)
    assert run(["metrics", "RBP", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert run(["metrics", "ERR", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == card("browse", "ERR") + "\n" + card("aggregate", "ERR")


def test_the_command_writes_the_card(tmp_path):
    assert run(["metrics", "nDCG", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "metric-nDCG.md").read_text(encoding="utf-8") == card("metric", "nDCG")
    assert (tmp_path / "metrics.csv").exists()


def test_an_unknown_reference_is_refused():
    with pytest.raises(ValueError, match="Did you mean moffat2008"):
        entry("mofat2008")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_every_card_fits_a_terminal(kind, name, width):
    text = for_terminal(blocks_of(kind, name), width)
    assert max(map(cells_wide, text.split("\n"))) <= width
    assert not re.search(r"&\w+;|`|\$|\\", text)
    assert "more column" not in text
    assert text.startswith(f"{name}\n{'─' * len(name)}\n")
