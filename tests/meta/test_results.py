"""What every result can do, whichever procedure made it."""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.cli.options import Output, print_result
from metameter.meta.agreement.procedure import Agreement
from metameter.meta.base import Procedure
from metameter.meta.compare.procedure import Comparison
from metameter.meta.fit.procedure import Fit
from metameter.meta.intuitiveness.procedure import Intuitiveness
from metameter.meta.label_agreement.analysis import LabelResult
from metameter.meta.recommend.procedure import Recommendation
from metameter.meta.tradeoff.procedure import Tradeoff
from metameter.meta.volatility.procedure import Volatility
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.columns import heading

ANSWERING = (Comparison, Recommendation, Volatility, Intuitiveness, Agreement, LabelResult, Tradeoff, Fit)
Results = list[tuple[Procedure, Result]]


def test_print_shows_the_table_of_the_command(
    results: Results, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    for _, result in results:
        # Instead of an overview, the table.
        print_result(result, Output(format="table", table=result.table_name() if result.overview(80) else None))
        command = capsys.readouterr().out
        print(result)
        # Each says in its own words where the rest is.
        assert capsys.readouterr().out.replace(".table", "--format csv") == command
        headings = " ".join(command.splitlines()[:4])
        assert all(word in headings for column in result.glance().columns for word in heading(column).split())


def test_repr_is_one_line_with_table_sizes(results: Results) -> None:
    for declared, result in results:
        assert "\n" not in repr(result)
        first = next(iter(result.tables))
        assert repr(result).startswith(f"<{declared.result.__name__} {first}: {result.table.height} x ")


def test_every_table_converts_to_pandas_without_pyarrow(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    for name in [each for each in sys.modules if each.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    # With None in its place, an import of pyarrow raises ModuleNotFoundError.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    # This pandas may have found pyarrow when it was imported, and would keep text in it.
    with pandas.option_context("mode.string_storage", "python"):
        for _, result in results:
            for name, frame in result.tables.items():
                made = result.to_pandas(name)
                assert list(made.columns) == frame.columns
                assert len(made) == frame.height
                for column in frame.columns:
                    values = [None if pandas.isna(value) else value for value in made[column].tolist()]
                    assert values == frame[column].to_list()


def test_only_the_listed_results_have_tally_or_answer(results: Results) -> None:
    for _, result in results:
        assert bool(result.tally()) == isinstance(result, Recommendation)
        assert bool(result.answer()) == isinstance(result, ANSWERING)


def test_the_tally_lists_verdicts_best_first() -> None:
    verdicts = ["worse", "no-evidence", "better-but-different", "worse", "better-and-similar", "worse"]
    tally = Recommendation({"recommendation": pl.DataFrame({"verdict": verdicts})}).tally()
    assert tally == [("better-and-similar", 1), ("better-but-different", 1), ("no-evidence", 1), ("worse", 3)]
    none = Recommendation({"recommendation": pl.DataFrame({"verdict": ["worse"]})}).tally()
    assert none == [("worse", 1)]


@pytest.fixture(scope="module")
def two_systems() -> Scores:
    values = np.random.default_rng(0).random((3, 2, 12))
    return Scores(("AP", "RR", "P@10"), ("a", "b"), tuple(map(str, range(12))), values)


def test_too_few_systems_print_one_sentence(two_systems: Scores) -> None:
    few = "2 systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."
    for made in (metameter.consistency(two_systems, splits=20, resamples=20), metameter.similarity(two_systems)):
        assert str(made) == made.remark == few
        assert made.table.height == made.text(format="csv").count("\n")
    tested = metameter.power(two_systems, trials=100, resamples=20)
    assert tested.remark.splitlines()[0] == few
    assert "1 pair. " in "\n".join(tested.notes)
    assert str(tested)
