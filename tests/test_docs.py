"""The documentation does not rot: its examples run, its notebook runs, its links lead somewhere."""

import ast
import doctest
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
NOTEBOOK = DOCS / "tutorial.ipynb"

# In place of the notebook's cell tagged "parameters", so that it takes seconds.
SMALL = "topics, systems = 12, 6\nsplits, trials, resamples = 40, 100, 20\n"


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text("utf-8")], ids=shown)
def test_examples_give_what_the_page_says(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def source(cell: dict) -> str:
    text = "".join(cell["source"])
    return SMALL if "parameters" in cell["metadata"].get("tags", ()) else text


def run(cell: dict, names: dict) -> object:
    """What a notebook does: run a cell and give the value of its last expression."""
    tree = ast.parse(source(cell))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), names)
    return eval(compile(last, cell["id"], "eval"), names) if last else None


def test_the_notebook_is_valid_and_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) >= (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert sum("parameters" in cell["metadata"].get("tags", ()) for cell in cells) == 1
    names: dict = {"__name__": "__main__"}
    values = {cell["id"]: run(cell, names) for cell in cells}
    assert (tmp_path / "tutorial-study" / "report.html").is_file()
    assert values["answer"].height == 153
    assert values["metrics"].height == 16
    assert set(values["metrics"]["front"]) == {True, False}
    for name in ("front", "rq1", "rq2", "rq3"):
        assert values[name].to_dict()
    assert all(-1 <= tau <= 1 for tau in values["truth"].values())
    printed = capsys.readouterr().out
    assert "Report: " in printed
    assert r"\begin{tabular}" in printed


# A picture or a link; not one in code, and not one that leaves the repository.
LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The headings of a page as the fragments that GitHub makes of them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_relative_links_lead_somewhere(page):
    for link in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{shown(page)} links to {link}"
        assert ROOT in (target, *target.parents), f"{shown(page)} links out of the repository: {link}"
        if fragment and target.suffix == ".md":
            assert fragment in anchors(target), f"{shown(page)} links to {link}"
