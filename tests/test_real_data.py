"""Tests on real data are skipped where the folder is absent, and an empty METAMETER_DATA names no folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def conftest():
    spec = importlib.util.spec_from_file_location("conftest_of_tests", Path(__file__).with_name("conftest.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_variable_counts_as_absent(conftest, monkeypatch, value):
    monkeypatch.setenv("METAMETER_DATA", value)
    assert conftest.real_data() is None


def test_an_empty_folder_counts_as_absent(conftest, monkeypatch, tmp_path):
    monkeypatch.setenv("METAMETER_DATA", str(tmp_path))
    assert conftest.real_data() is None
    (tmp_path / "trec8-adhoc").mkdir()
    assert conftest.real_data() == tmp_path


def test_a_missing_folder_counts_as_absent(conftest, monkeypatch, tmp_path):
    monkeypatch.setenv("METAMETER_DATA", str(tmp_path / "nowhere"))
    assert conftest.real_data() is None
