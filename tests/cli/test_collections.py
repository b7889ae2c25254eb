"""A procedure over several collections: tables with all their iterations, or runs scored first; each told by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import polars as pl
import pytest
from click.testing import CliRunner

from metameter.cli.derive import command_of
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.meta.collections import Collections, collections_of
from metameter.simulation import simulate
from metameter.simulation.folder import write
from metameter.view.result import Result

SESSIONS = "run,iteration,topic,AP,RR\na,1,1,.1,.2\na,3,1,.3,.4\nb,1,1,.5,\nb,3,1,.7,.8\n"
NOTHING = {"complex": (), "simple": (), "iterations": None, "weights": None, "ties": "strict"}
GIVEN: dict[str, Any] = {}


def toy(
    scores: Collections,
    *,
    complex: str | Sequence[str] = (),  # noqa: A002
    simple: str | Sequence[str] = (),
    iterations: str | Sequence[int] | None = None,
    weights: str | Mapping[str, float] | None = None,
    ties: Literal["strict", "agree"] = "strict",
) -> Result:
    """Say what was given.

    Parameters
    ----------
    scores : Scores or mapping
        What there is.
    complex, simple : str or list of str
        Metrics.
    iterations, weights : object
        As given.
    ties : {"strict", "agree"}
        The rule for ties.
    """
    GIVEN.update(complex=complex, simple=simple, iterations=iterations, weights=weights, ties=ties)
    rows = [
        {"collection": name, "metrics": "/".join(each.metrics), "iterations": str(each.iterations)}
        | {"missing": int(each.missing.sum()), "topics": len(each.topics), "first": float(each.values.flat[0])}
        for name, each in collections_of(scores).items()
    ]
    return Result({"toy": pl.DataFrame(rows)})


@pytest.fixture
def toys(monkeypatch):
    GIVEN.clear()
    app = command_of(toy)

    def called(*words):
        done = CliRunner().invoke(app, [*map(str, words), "--format", "csv"])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return pl.read_csv(done.stdout.encode()).to_dicts()

    return called


@pytest.fixture
def tables(tmp_path):
    for name, text in (("web.csv", SESSIONS), ("news.csv", SESSIONS.replace("a,", "c,"))):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_tables_are_read_with_all_iterations_and_gaps(toys, tables):
    assert toys(tables / "web.csv") == [
        {"collection": "web", "metrics": "AP/RR", "iterations": "(1, 3)", "missing": 1, "topics": 1, "first": 0.1}
    ]
    assert GIVEN == NOTHING


def test_every_file_can_be_its_own_collection(toys, tables):
    found = toys(tables / "web.csv", tables / "news.csv", "--collection-from", "file")
    assert [each["collection"] for each in found] == ["web", "news"]


def test_missing_cells_are_counted_or_left_out(toys, tables):
    assert [each["missing"] for each in toys(tables / "web.csv", "--missing", "zero")] == [0]
    with pytest.raises(MetameterError, match="every topic has missing cells"):
        toys(tables / "web.csv", "--missing", "drop-topic")


def test_option_values_reach_the_function_unchanged(toys, tables):
    toys(tables / "web.csv", "--complex", "AP,RBU(p=0.99,e=0.05)", "--simple", "RR", "--simple", "RR+AP")
    assert (GIVEN["complex"], GIVEN["simple"]) == ("AP,RBU(p=0.99,e=0.05)", ["RR", "RR+AP"])
    toys(tables / "web.csv", "--iterations", "1-3", "--weights", "rel=.5,div=.3", "--ties", "agree")
    assert GIVEN == {**NOTHING, "iterations": "1-3", "weights": "rel=.5,div=.3", "ties": "agree"}


def test_runs_become_one_collection_with_one_iteration(toys, tmp_path, capsys):
    made = write(simulate(topics=6, systems=3, depth=10, grades=3, seed=5), tmp_path / "made")
    runs = [str(made / "qrels.txt"), str(made / "runs")]
    found = toys(*runs, "-m", "P@5", "-m", "nDCG@10")
    assert found[0] | {"first": 0} == {
        "collection": "qrels",
        "metrics": "P@5/nDCG@10",
        "iterations": "(1,)",
        "missing": 0,
        "topics": 6,
        "first": 0,
    }
    # The words for runs are read here, too; only the name that the procedure has itself is its own.
    (tmp_path / "names").write_text("S001\n")
    pooled = toys(*runs, "-m", "P@5", "-m", "nDCG@10", "--pool-depth", "1", "--contributing", tmp_path / "names")
    assert run(["score", *runs, "-m", "P@5", "--pool-depth", "1", "--contributing", str(tmp_path / "names")]) == 0
    assert pooled[0]["first"] == pl.read_csv(capsys.readouterr().out.encode())["score"][0]


@pytest.mark.parametrize("words", [["--missing", "zero"], ["--collection-from", "file"]])
def test_options_for_tables_are_refused_with_runs(toys, words):
    with pytest.raises(MetameterError, match=f"does not apply to runs .given '{words[0]}'"):
        toys("qrels", "run", "-m", "AP", *words)


def test_conflicting_inputs_are_refused(toys, tables):
    with pytest.raises(MetameterError, match=r"does not apply to tables of scores \(given '--pool-depth'"):
        toys(tables / "web.csv", "--pool-depth", "3")
    with pytest.raises(MetameterError, match=r"the inputs are QRELS RUN\.\.\."):
        toys(tables / "web.csv", "-m", "AP")
    (tables / "web.csv").write_text(SESSIONS.replace("b,3", "b,"))
    with pytest.raises(MetameterError, match=r"web\.csv:5: the iteration is empty"):
        toys(tables / "web.csv")


def test_the_command_has_no_iteration_option():
    names = [each.name for each in command_of(toy).params]
    assert "iteration" not in names
    assert {"inputs", "metrics", "collection_from", "missing", "iterations", "simple", "max_grade"} <= set(names)
    assert names.count("ties") == 1


def test_omitted_options_use_the_function_defaults():
    taken = []

    def spoken(
        *, simple: str | Sequence[str] | None = None, turned: Sequence[str] = ("x",), by: str | Sequence[str] = ()
    ) -> None:
        """Take words.

        Parameters
        ----------
        simple, turned, by : str or list of str
            Words.
        """
        taken.append((simple, turned, by))

    app = command_of(spoken)
    for words in ([], ["--simple", "a", "--simple", "b", "--turned", "c", "--by", "d"]):
        assert CliRunner().invoke(app, words).exit_code == 0
    assert taken == [(None, ["x"], ()), (["a", "b"], ["c"], ["d"])]
