"""Whatever a procedure declares about itself is there: a meaning for every column, real options, real references."""

from __future__ import annotations

import inspect
import re
from importlib.resources import files

import pytest

from metameter.meta.base import Procedure
from metameter.meta.framework.declarations import declaration, declarations
from metameter.registry import names
from metameter.view.result import Result

EVIDENCE = {"scores", "sessions", "runs", "judged", "pages", "pairs", "labels"}
OURS = [name for name in names("meta") if declaration(name).function.__module__.startswith("metameter.")]


def test_every_procedure_has_a_result(results: list[tuple[Procedure, Result]]) -> None:
    assert {declared.name for declared, _ in results} == set(names("meta"))


def test_procedures_return_the_declared_result(results: list[tuple[Procedure, Result]]) -> None:
    for declared, result in results:
        assert type(result) is declared.result
        # With a baseline the first table is that of the comparisons with it.
        assert next(iter(result.tables)) in (declared.key, "compare_baseline")
        assert declared.key in result.tables


def described(columns: list[str]) -> list[str]:
    """The columns that need a meaning: those called by an aggregation hold what stands under it."""
    return [name for name in columns if name not in names("aggregate")]


def test_every_column_of_every_table_has_a_meaning(results: list[tuple[Procedure, Result]]) -> None:
    for declared, result in results:
        for name, frame in result.tables.items():
            without = [each for each in described(frame.columns) if not declared.words.columns.get(each)]
            assert not without, f"{declared.name}: {name}: {without}"


def test_every_described_column_occurs_in_a_table(results: list[tuple[Procedure, Result]]) -> None:
    seen: dict[str, set[str]] = {}
    for declared, result in results:
        seen.setdefault(declared.name, set()).update(*(described(frame.columns) for frame in result.tables.values()))
    for name, columns in seen.items():
        assert set(described(list(declaration(name).words.columns))) == columns


def test_every_described_chart_exists(results: list[tuple[Procedure, Result]]) -> None:
    for declared, result in results:
        drawn = result.charts()
        for name, telling in declared.words.charts.items():
            assert name in drawn or name == "required_difference"  # which some tests do not know
            assert any(telling.column in frame.columns for frame in result.tables.values())


@pytest.mark.parametrize("name", OURS)
def test_descriptions_are_well_formed(name: str) -> None:
    words = declaration(name).words
    assert all((words.title, words.question, words.method, words.reading))
    assert words.question.endswith("?")
    for meaning in words.columns.values():
        assert meaning == meaning.strip()
        assert "--" not in meaning


@pytest.mark.parametrize("name", OURS)
def test_declared_options_and_needs_are_parameters(name: str) -> None:
    declared = declaration(name)
    taken = inspect.signature(declared.stage).parameters
    assert {declared.parameter(option) for option in declared.options} <= declared.stage_parameters
    # An option that only a study has is described where its stage is, or with the shared options.
    assert all(declared.text_of(option) for option in declared.options)
    assert set(declared.needs) <= EVIDENCE | set(declarations())
    needed = [declared.parameter(need) for need in declared.needs]
    assert set(needed) <= declared.stage_parameters
    named = (each for each in taken.values() if each.kind is not each.VAR_KEYWORD)
    assert {each.name for each in named if each.default is inspect.Parameter.empty} <= set(needed)
    described = set(declared.parameters)
    assert set(declared.signature.parameters) == described


@pytest.mark.parametrize("name", OURS)
def test_references_are_in_the_bibliography(name: str) -> None:
    text = files("metameter").joinpath("references.bib").read_text(encoding="utf-8")
    known = set(re.findall(r"^@\w+\{(\w+),", text, flags=re.MULTILINE))
    declared = declaration(name)
    assert declared.references()
    assert set(declared.references()) <= known
    for key, (option, values) in declared.words.references_when.items():
        assert key in declared.references()
        assert option in declared.signature.parameters
        assert values
