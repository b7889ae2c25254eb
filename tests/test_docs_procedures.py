"""The pages of procedures are made from what they declare."""

import re
from pathlib import Path

from docs.made.procedures import grouped_columns, procedures_pages
from metameter.meta.framework.declarations import declarations

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_in_docs_is_up_to_date():
    pages = procedures_pages()
    for name, text in pages.items():
        assert (DOCS / name).read_text() == text, f"{name}: run docs/generate.py"
    assert {f"procedures/{page.name}" for page in (DOCS / "procedures").iterdir()} == set(pages) - {"procedures.md"}
    assert "procedures.md" in (DOCS / "index.md").read_text()


def test_every_declaration_is_on_the_page():
    pages = procedures_pages()
    for each in declarations().values():
        page = pages[f"procedures/{each.name}.md"]
        assert f"](procedures/{each.name}.md)" in pages["procedures.md"]
        for text in (each.words.title, each.words.question, each.words.method, each.words.reading):
            assert text in page
        for option in each.options:
            shared = f"`{option}`" in page and f"- `{option}`" in pages["procedures.md"]
            assert f"- `{option}`" in page or shared or f"- `{option}`" in linked_page(pages, page, option)
        for column in each.words.columns:
            row = re.compile(rf"^\| (`\w+`, )*`{column}`(, `\w+`)* \|", re.MULTILINE)
            assert row.search(page) or row.search(linked_page(pages, page, column))


def linked_page(pages, page, name):
    """The page that a page names as the one with the same line, for this option or column."""
    link = re.search(rf"^(?:- )?As in \[[^]]+\]\((\w+\.md)#[\w-]+\): [^\n]*`{name}`", page, re.MULTILINE)
    assert link, f"{name} is neither on the page nor on one that it links to"
    return pages[f"procedures/{link[1]}"]


def test_the_page_states_each_stages_inputs_and_condition():
    page = "".join(procedures_pages().values())
    assert "in a study where `serps` is given the stage `satisfaction`, made from pages, scores;" in page
    assert "in a study where `pairs` is given the stage `preference`, made from pairs, scores;" in page
    assert "made from scores, recommendation and at least one of satisfaction, preference." in page


def test_ends_of_intervals_and_errors_share_rows():
    columns = {"low": "lower end of tau", "high": "upper end of tau", "low_se": "Monte-Carlo error of low"}
    assert grouped_columns(columns) == {
        "`low`, `high`": "lower and upper end of tau",
        "`low_se`": "Monte-Carlo error of the column without the suffix",
    }
