"""Where results go, and which table is printed: refused before anything is read or computed."""

import os

import pytest

import metameter as mm
from metameter.cli.derive import command_of
from metameter.cli.program import commands, load, run

SCORES = "metric,system,topic,score\n" + "".join(
    f"{metric},{system},{topic},0.{len(metric) + len(system) * topic}\n"
    for metric in ("AP", "nDCG")
    for system in ("a", "bb", "ccc")
    for topic in (1, 2)
)


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "qrels.csv").write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.csv").write_text("1 Q0 a 1 1 x\n")
    return tmp_path


def state(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def refused(capsys, *words):
    assert run(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


SCORE = ["score", "qrels.csv", "runs", "-m", "P@5", "--out"]


@pytest.mark.parametrize(
    "words",
    [
        [*SCORE, "qrels.csv"],
        [*SCORE, "./runs/../qrels.csv"],
        [*SCORE, "link.csv"],
        [*SCORE, "hard.csv"],
        [*SCORE, "runs/bm25.csv"],
        [*SCORE, "runs/scores.csv"],  # next time it would be read as a run
        ["score", "q.csv.manifest.json", "runs", "-m", "P@5", "--out", "q.csv"],
        ["similarity", "scores.csv", "--out", "scores.csv"],
        ["similarity", "tables", "--out", "tables"],
        ["similarity", "tables/similarity.csv", "--out", "tables"],
        ["power", "scores.csv", "--groups", "tables/power.csv", "--resample", "systems", "--out", "tables"],
        ["study", "tables/scores.parquet", "--out", "tables"],
        ["study", "qrels.csv", "runs", "-m", "P@5", "--out", "runs"],
        ["session", "qrels.csv", "runs", "--out", "runs"],
    ],
)
def test_inputs_are_not_overwritten(words, there, capsys):
    os.symlink("qrels.csv", "link.csv")
    os.link("qrels.csv", "hard.csv")
    (there / "q.csv.manifest.json").write_text("1 0 a 1\n")
    (there / "tables").mkdir()
    for name in ("similarity.csv", "power.csv", "scores.parquet"):
        (there / "tables" / name).write_text(SCORES)
    before = state(there)
    assert " input (given " in refused(capsys, *words)
    assert state(there) == before


def test_earlier_outputs_are_overwritten(there):
    for _ in range(2):
        assert run([*SCORE, "scored.csv"]) == 0
        assert run(["similarity", "scores.csv", "--by", "all", "--out", "made"]) == 0


def test_results_can_be_written_beside_their_input(there):
    assert run(["similarity", "scores.csv", "--by", "all", "--out", "."]) == 0
    assert (there / "similarity.csv").exists()
    with pytest.raises(mm.MetameterError, match="the output would be written over an input"):
        mm.study("similarity.csv", out=".")


@pytest.mark.parametrize("name", [each for each in commands() if each not in ("report", "demo", "simulate")])
@pytest.mark.parametrize("words", [["--out", ""], ["--out", " "], ["--table", "no-such"]])
def test_wrong_output_paths_are_refused_before_reading(name, words, there, capsys):
    """The inputs are not there, and nobody notices."""
    required = [each.name for each in command_of(load(name)).params if each.required]
    inputs = {"inputs": ["absent"], "qrels": ["absent"], "truth": ["absent"], "runs": ["absent"]}
    inputs |= {"serps": ["absent"], "pairs": ["absent"], "metric": ["P@5"], "name": ["P@5"], "scores": ["absent"]}
    given = [word for each in required for word in inputs[each]]
    said = refused(capsys, name, *given, *words)
    assert "out is not a path" in said or "there is no such table" in said
    assert list(there.glob("absent")) == []
