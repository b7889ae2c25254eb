"""Every dependency has a lowest and a highest version; the lowest are those that `make lowest` installs."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def pinned(file):
    lines = (ROOT / file).read_text("utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {each.name.lower(): next(iter(each.specifier)).version for each in requirements}


def test_the_versions_tested_are_those_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    allowed = {(each := Requirement(line)).name: each.specifier for line in project["dependencies"]}
    lowest, latest = pinned("constraints-lowest.txt"), pinned("constraints.txt")
    assert lowest.keys() == allowed.keys()
    for name, specifier in allowed.items():
        bounds = {each.operator: Version(each.version) for each in specifier}
        assert bounds.keys() == {">=", "<"}
        assert Version(lowest[name]) == bounds[">="]
        assert Version(latest[name]) in specifier
