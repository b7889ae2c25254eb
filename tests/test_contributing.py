"""The recipes of CONTRIBUTING.md work as they are written: their files are put into a copy of the package and used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import metameter

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
FILE = re.compile(r"```python\n# src/(metameter/\S+)\n(.*?)```", re.DOTALL)
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
from metameter.meta.base import declaration, stages
from metameter.meta.spread import procedure
assert doctest.testmod(procedure).failed == 0 < doctest.testmod(procedure).attempted
assert "spread" in [each.key for each in stages()]
assert declaration("spread").words.title == "Spread of the systems"
assert "spread" in dir(metameter)
checks.check_procedure(metameter.spread)
print(metameter.spread(metameter.read_scores("scores.csv")).table.rows())
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with the files of the recipes in it, and of nothing else."""
    folder = tmp_path_factory.mktemp("recipes")
    source = Path(metameter.__file__).parent
    shutil.copytree(source, folder / "metameter", ignore=shutil.ignore_patterns("__pycache__"))
    for path, code in FILE.findall(TEXT):
        file = folder / path
        assert not file.exists()
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, "utf-8")
    (folder / "scores.csv").write_text(SCORES)
    return folder


def run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    said = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_the_recipes_are_one_file_and_one_folder():
    assert [path for path, _ in FILE.findall(TEXT)] == [
        "metameter/browse/tired.py",
        "metameter/meta/spread/__init__.py",
        "metameter/meta/spread/words.py",
        "metameter/meta/spread/procedure.py",
    ]


def test_a_metric_is_one_file(package):
    run(package, "-c", METRIC)
    card = run(package, "-m", "metameter", "metrics", "Tired", "--format", "table")
    assert card.startswith("# Tired")
    assert "Tired(h=10)*ERG" in card


def test_a_procedure_is_one_folder(package):
    assert "('AP', 'a', 'b', 0.5)" in run(package, "-c", PROCEDURE)
    lines = run(package, "-m", "metameter", "spread", "scores.csv", "--format", "csv").splitlines()
    assert lines[0] == "metric,best,worst,spread"
    assert lines[1].startswith("AP,a,b,0.5")
    assert "how far apart" in run(package, "-m", "metameter", "spread", "--help")


def test_the_layers_are_those_of_the_contract():
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [layer.removeprefix("metameter.") for layer in reversed(contract["layers"])]
    listed = re.search(r"Imports point left only: (.*?)\.", TEXT, re.DOTALL)
    assert listed is not None
    assert re.split(r",\s+", listed[1]) == layers
