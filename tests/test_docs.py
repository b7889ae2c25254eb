"""The documentation does not rot: its notebook runs, its links lead somewhere, nothing public is missing in it."""

import json
import re
from pathlib import Path

import pytest

import metameter
from docs.blocks.notebook import renew_notebook, text_of
from docs.made.commands import commands, commands_page, options
from docs.made.python import python_page
from metameter.meta.framework.declarations import declarations
from metameter.registry import names

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
NOTEBOOK = DOCS / "tutorial.ipynb"
FIX = "run docs/generate.py"


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_generated_pages_are_up_to_date():
    assert (DOCS / "commands.md").read_text("utf-8") == commands_page(), FIX
    assert (DOCS / "python.md").read_text("utf-8") == python_page(), FIX


def test_the_architecture_picture_is_up_to_date():
    pytest.importorskip("grimp", reason="import-linter is not installed")
    from docs.made.architecture import architecture

    assert (DOCS / "images" / "architecture.svg").read_text("utf-8") == architecture(), FIX


def test_the_text_of_every_box_fits():
    pytest.importorskip("grimp", reason="import-linter is not installed")
    from docs.made.architecture import BOX, layers, purpose

    folders = [layer for layer in layers() if (ROOT / "src" / "metameter" / layer).is_dir()]
    assert {folder: text for folder in folders if len(text := purpose(folder)) * 6.8 > BOX} == {}


def code_cells(text: str) -> list[dict]:
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.pages
@pytest.mark.slow
def test_the_notebook_shows_its_current_outputs():
    text = NOTEBOOK.read_text("utf-8")
    stored, now = code_cells(text), code_cells(renew_notebook(text))
    assert [text_of(cell) for cell in stored] == [text_of(cell) for cell in now], FIX
    assert [[list(each.get("data", ())) for each in cell["outputs"]] for cell in stored] == [
        [list(each.get("data", ())) for each in cell["outputs"]] for cell in now
    ]


def test_the_notebook_is_stored_with_its_outputs():
    text = NOTEBOOK.read_text("utf-8")
    notebook, cells = json.loads(text), code_cells(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) >= (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell["id"] for cell in cells if not cell["outputs"]] == ["sizes"]
    kinds = {each["output_type"] for cell in cells for each in cell["outputs"]}
    assert kinds == {"stream", "execute_result"}  # no error
    assert sum("image/png" in each.get("data", {}) for cell in cells for each in cell["outputs"]) == 4
    assert "Report: tutorial-study/report.html" in "".join(text_of(cells[1]))
    assert len(text) < 1_000_000
    assert not re.search(r"/(tmp|home|work|root|Users)/", re.sub(r'"image/png": "[^"]*"', "", text))


# A picture or a link; not one in code, and not one that leaves the repository.
LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The headings of a page as the fragments that GitHub makes of them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_relative_links_resolve(page):
    for link in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page_name(page)} links to {link}"
        assert ROOT in (target, *target.parents), f"{page_name(page)} links out of the repository: {link}"
        if fragment and target.suffix == ".md":
            assert fragment in anchors(target), f"{page_name(page)} links to {link}"


#: A file of this repository, as text names it: with its folder, from the root, from `src/metameter` or beside the page.
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|toml|bib|html|md))(?:::\w+)?`")
#: What commands of the tutorial write.
WRITTEN = {"similarity/similarity.html", "both/report.html"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_text_names_exist(page):
    roots = (ROOT, ROOT / "src", ROOT / "src" / "metameter", DOCS)
    named = set(NAMED.findall(page.read_text("utf-8"))) - WRITTEN
    assert not {name for name in named if not any((root / name).exists() for root in roots)}


def test_the_index_leads_to_every_page():
    linked = set(LINK.findall((DOCS / "index.md").read_text("utf-8")))
    pages = {page.name for page in DOCS.glob("*.md")} | {NOTEBOOK.name}
    assert pages - {"index.md"} <= linked


def test_every_command_and_option_is_on_a_page():
    written = "\n".join(page.read_text("utf-8") for page in PAGES)
    by_hand = written.replace(commands_page(), "")
    for name, command in commands().items():
        assert f"metameter {name}" in by_hand, f"no page shows how metameter {name} is called"
        for option in options(command):
            assert re.search(rf"`[^`\n]*{option}\b", written), f"no page mentions {option} of {name}"


def test_every_public_name_is_on_a_page():
    written = "\n".join(page.read_text("utf-8") for page in PAGES)
    for name in [*metameter.__all__[1:], *declarations()]:
        assert re.search(rf"\b{name}\b", written), f"no page mentions metameter.{name}"


def test_the_readme_counts_models_and_aggregations():
    said = re.search(r"(\d+)\s+browsing models, (\d+) aggregations", (ROOT / "README.md").read_text("utf-8"))
    assert said is not None
    assert (int(said[1]), int(said[2])) == (len(names("browse")), len(names("aggregate")))
