"""Notes on how numbers were computed are printed with --notes; warnings among them always."""

import pytest

import metameter as mm
from metameter.cli.program import commands, run
from metameter.simulation import simulate
from metameter.view.result import Result

HINT = "--notes prints how these numbers were computed."
QUICK = ["--trials", "20", "--resamples", "20"]


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    made = simulate(topics=12, systems=6, depth=20, seed=1)
    path = tmp_path_factory.mktemp("notes") / "scores.csv"
    mm.score(made.qrels, made.runs, "AP,RR", max_grade=3).table.write_csv(path)
    return path


def printed(capsys, *words):
    assert run([str(word) for word in words]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize("command", ["compare", "power"])
def test_notes_are_printed_on_request_only(command, scores, capsys):
    words = [command, scores, *QUICK, "--format", "table"]
    notes = getattr(mm, command)(scores, trials=20, resamples=20).notes
    short, full = printed(capsys, *words), printed(capsys, *words, "--notes")
    assert short.out == full.out
    lines = short.err.splitlines()
    assert lines[-1] == HINT
    assert [note for note in notes if note in lines] == [note for note in notes if note.startswith("Warning:")]
    assert set(notes) <= set(full.err.splitlines())
    assert HINT not in full.err
    assert len(full.err.splitlines()) == len(set(full.err.splitlines()))
    assert set(lines[:-1]) < set(full.err.splitlines())


def test_warnings_among_the_notes_are_always_printed():
    result = Result({}, notes=("Intervals are 95%.", "Warning: 5 systems are few."))
    assert result.warnings == ("Warning: 5 systems are few.",)
    assert result.remark == "Warning: 5 systems are few."


def test_csv_is_printed_without_the_hint(scores, capsys):
    assert HINT not in printed(capsys, "power", scores, *QUICK).err


def test_a_result_without_notes_says_so(capsys):
    assert printed(capsys, "metrics", "--notes").err == "There are no notes on these numbers.\n"


@pytest.mark.parametrize("command", sorted(set(commands()) - {"report", "simulate"}))
def test_every_command_that_prints_a_result_has_the_option(command, capsys):
    assert "--notes" in printed(capsys, command, "--help").out


@pytest.mark.parametrize(
    ("name", "value", "is_table"), [("CI", "true", True), ("GITHUB_ACTIONS", "true", True), ("CI", "false", False)]
)
def test_the_log_of_a_ci_job_shows_a_table(name, value, is_table, scores, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(name, value)
    words = ["compare", scores, *QUICK]
    written = printed(capsys, *words, "--out", tmp_path / "found").out
    assert ("\n─" in written, written.startswith("metric,")) == (is_table, not is_table)
    assert (tmp_path / "found" / "compare.csv").exists()
    assert printed(capsys, *words).out.startswith("metric,")
    asked = printed(capsys, *words, "--out", tmp_path / "again", "--format", "csv").out
    assert asked.startswith("metric,")
