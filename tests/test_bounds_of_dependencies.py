"""Every dependency has a lowest and a highest version; the lowest are those that `make lowest` installs."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]

# Imported only where it is there: pandas for users who have it, and Zstandard of Python itself from 3.14 on.
NOT_OURS = {"pandas", "compression"}
IMPORTED_AS = {"vl_convert": "vl-convert-python", "distributed": "dask"}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def pinned(file):
    lines = (ROOT / file).read_text("utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {each.name.lower(): next(iter(each.specifier)).version for each in requirements}


def test_tested_versions_are_within_the_bounds():
    allowed = {(each := Requirement(line)).name: each.specifier for line in project()["project"]["dependencies"]}
    lowest, latest = pinned("constraints-lowest.txt"), pinned("constraints.txt")
    assert lowest.keys() == allowed.keys()
    for name, specifier in allowed.items():
        bounds = {each.operator: Version(each.version) for each in specifier}
        assert bounds.keys() == {">=", "<"}
        assert Version(lowest[name]) == bounds[">="]
        assert Version(latest[name]) in specifier


def test_build_and_optional_requirements_have_bounds():
    extras = project()["project"]["optional-dependencies"]
    latest = pinned("constraints.txt")
    for line in (*project()["build-system"]["requires"], *(line for lines in extras.values() for line in lines)):
        requirement = Requirement(line)
        assert {each.operator for each in requirement.specifier} == {">=", "<"}, line
        if requirement.name in latest:
            assert Version(latest[requirement.name]) in requirement.specifier


def test_every_import_is_declared():
    imported = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    others = imported - set(sys.stdlib_module_names) - {"metameter"} - NOT_OURS
    about = project()["project"]
    lines = (*about["dependencies"], *(line for lines in about["optional-dependencies"].values() for line in lines))
    assert {IMPORTED_AS.get(name, name) for name in others} <= {Requirement(line).name for line in lines}
