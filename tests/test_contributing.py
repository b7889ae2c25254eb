"""The recipes of CONTRIBUTING.md work as they are written: followed in a copy, they leave lint and tests green."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
FILE = re.compile(r"```python\n# (src/\S+)\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ \.venv/bin/python (.+)$", re.MULTILINE)
# What a checkout holds, but for what is made from it.
PARTS = ("src", "tests", "docs", "pyproject.toml", "CONTRIBUTING.md", "README.md")
MADE = shutil.ignore_patterns("__pycache__", ".*_cache", "golden")
# The tests of whatever is registered, and of the pages that are made from it.
OF_NEW_THINGS = (
    "tests/meta/framework/test_declarations.py",
    "tests/metric/taxonomy/test_table.py",
    "tests/properties/test_bounds.py",
    "tests/properties/test_registered.py",
    "tests/reporting/cards/test_card.py",
    "tests/test_docs_procedures.py",
)
# By the names of the new things; and those tests that go through everything in one call.
CHOSEN = "Tired or spread or page or pages or formula or registered or column or declared or chart or finite"
SCORES = "metric,system,topic,score\nAP,a,1,0.5\nAP,a,2,1\nAP,b,1,0.5\nAP,b,2,0\n"

METRIC = """
import doctest, metameter as mm
from metameter import checks
from metameter.browse import tired
assert repr(mm.parse_metric("Tired(h=5)*max@10")) == "Tired(h=5)*max@10"
assert mm.Tired(h=5) * mm.Max() @ 10 == mm.parse_metric("Tired(h=5)*max@10")
assert doctest.testmod(tired).failed == 0 < doctest.testmod(tired).attempted
checks.check("Tired")
"""
PROCEDURE = """
import doctest, metameter
from metameter import checks
from metameter.meta.framework.declarations import declaration, stages
from metameter.meta.spread import procedure
assert doctest.testmod(procedure).failed == 0 < doctest.testmod(procedure).attempted
assert "spread" in [each.key for each in stages()]
assert declaration("spread").words.title == "Spread of the systems"
assert "spread" in dir(metameter)
checks.check_procedure(metameter.spread)
print(metameter.spread(metameter.read_scores("scores.csv")).table.rows())
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the repository with the files of the recipes in it, and the command run that they name."""
    folder = tmp_path_factory.mktemp("recipes")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=MADE)
        else:
            shutil.copy(ROOT / part, folder / part)
    for path, code in FILE.findall(TEXT):
        file = folder / path
        assert not file.exists()
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, "utf-8")
    (folder / "scores.csv").write_text(SCORES)
    for command in COMMAND.findall(TEXT):
        run(folder, *command.split())
    return folder


def run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    # Nothing that measures or configures the tests around this one is for the ones inside.
    for name in [name for name in environment if name.startswith(("COV_", "COVERAGE_", "PYTEST_"))]:
        del environment[name]
    finished = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_the_recipes_are_one_file_and_one_folder():
    assert [path for path, _ in FILE.findall(TEXT)] == [
        "src/metameter/browse/tired.py",
        "src/metameter/meta/spread/__init__.py",
        "src/metameter/meta/spread/text.py",
        "src/metameter/meta/spread/procedure.py",
    ]


def test_the_recipes_name_one_command():
    assert COMMAND.findall(TEXT) == ["docs/generate.py made"]


def test_the_recipes_pass_lint(checkout):
    paths = [path for path, _ in FILE.findall(TEXT)]
    run(checkout, "-m", "ruff", "check", "--no-cache", *paths)
    run(checkout, "-m", "ruff", "format", "--no-cache", "--check", *paths)


@pytest.mark.slow
def test_the_recipes_pass_tests(checkout):
    quiet = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-rN")
    output = run(checkout, "-m", "pytest", *quiet, "-vv", "-k", CHOSEN, *OF_NEW_THINGS)
    for file in OF_NEW_THINGS[:-1]:
        assert re.search(rf"^{file}::.*(Tired|spread).* PASSED", output, re.MULTILINE), file
    assert "::test_pages_in_docs_are_up_to_date PASSED" in output
    assert "::test_the_page_in_docs_is_up_to_date PASSED" in output


def test_a_metric_is_one_file(checkout):
    run(checkout, "-c", METRIC)
    card = run(checkout, "-m", "metameter", "metrics", "Tired", "--format", "table")
    assert card.startswith("Tired\n")
    assert "Tired(h=10)*ERG" in card


def test_a_procedure_is_one_folder(checkout):
    assert "('AP', 'a', 'b', 0.5)" in run(checkout, "-c", PROCEDURE)
    lines = run(checkout, "-m", "metameter", "spread", "scores.csv", "--format", "csv").splitlines()
    assert lines[0] == "metric,best,worst,spread"
    assert lines[1].startswith("AP,a,b,0.5")
    assert "how far apart" in run(checkout, "-m", "metameter", "spread", "--help")
    for page in ("commands.md", "python.md", "procedures.md"):
        assert "spread" in (checkout / "docs" / page).read_text("utf-8"), page


def test_the_layers_match_the_contract():
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [layer.removeprefix("metameter.") for layer in reversed(contract["layers"])]
    listed = re.search(r"imports only those named before it: (.*?)\.", TEXT, re.DOTALL)
    assert listed is not None
    assert re.split(r",\s+", listed[1]) == layers
