"""A browser for the tests of this folder, and a report to open in it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def chromium() -> ModuleType:
    driver = _load(_HERE / "chromium.py")
    if driver.executable() is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    return driver


@pytest.fixture(scope="session")
def sample() -> ModuleType:
    return _load(_HERE.parent / "reporting" / "sample.py")
