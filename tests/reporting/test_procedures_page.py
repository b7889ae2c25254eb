"""The page of procedures is made from what they declare."""

from pathlib import Path

from metameter.meta.framework.declarations import declarations
from metameter.reporting.procedures_page import procedures_page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_in_docs_is_up_to_date():
    assert (DOCS / "procedures.md").read_text() == procedures_page(), "run docs/generate.py"
    assert "procedures.md" in (DOCS / "index.md").read_text()


def test_every_declaration_is_on_the_page():
    page = procedures_page()
    for each in declarations().values():
        for text in (each.words.title, each.words.question, each.words.method, each.words.reading):
            assert text in page
        for option in each.options:
            assert f"- `{option}`" in page
        for column in each.words.columns:
            assert f"| `{column}` |" in page


def test_the_page_states_each_stages_inputs_and_condition():
    page = procedures_page()
    assert "in a study where `serps` is given the stage `satisfaction`, made from pages, scores;" in page
    assert "in a study where `pairs` is given the stage `preference`, made from pairs, scores;" in page
    assert "made from scores, recommendation and at least one of satisfaction, preference." in page
