"""What a study is given: tables of scores by whatever name, and no input that it would write over."""

import os
import threading

import pytest

import metameter
from metameter.cli.program import run
from metameter.studies.score_tables import are_score_tables

LONG = "metric,system,topic,score\n" + "".join(
    f"{metric},{system},{topic},{(hash_ * 7 + topic * 3) % 11 / 11}\n"
    for hash_, metric in enumerate(["AP", "RR"])
    for system in "abc"
    for topic in range(1, 7)
)
QUICK = ["--splits", "5", "--trials", "20", "--resamples", "5"]


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        (LONG, True),
        ("run\ttopic\tAP\tRR\na\t1\t0.5\t0.4\n", True),
        ("bm25,ql\n0.5,0.4\n0.1,0.2\n", True),
        ("1 0 d1 1\n2 0 d2 0\n", False),
        ("1\t0\td1\t1\n", False),
        ("query-id\tcorpus-id\tscore\n1\t23\t1\n", False),
        ("topic,doc,grade\n1,d,1\n", False),
        ("# judged by us\n1 0 d1 1\n", False),
        ("metric,system,topic,score\n", False),
        ("", False),
    ],
)
def test_a_header_distinguishes_scores_from_judgments(text, scores, tmp_path):
    (tmp_path / "input").write_text(text)
    assert are_score_tables([str(tmp_path / "input")]) is scores
    assert are_score_tables([str(tmp_path / "input"), "runs"]) is scores


def test_scores_can_come_from_a_pipe(tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(LONG), daemon=True)
    writer.start()
    assert run(["study", str(pipe), "--out", str(tmp_path / "study"), *QUICK]) == 0, capsys.readouterr().err
    writer.join(timeout=10)
    assert not writer.is_alive()


def test_judgments_without_runs_are_refused(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    assert run(["study", str(tmp_path / "qrels"), "--out", str(tmp_path / "study")]) == 2
    assert "a study needs judgments and runs, or scores" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["qrels", "costs", "groups"])
def test_inputs_of_a_study_file_are_not_overwritten(name, collection, tmp_path):
    (tmp_path / "study" / ".stages").mkdir(parents=True)
    there = tmp_path / "study" / "coverage.csv"
    there.write_text((collection / "qrels.txt").read_text())
    files = {"qrels": f"{collection}/qrels.txt", name: "study/coverage.csv"}
    groups = f'groups = "{files.pop("groups")}"\n' if "groups" in files else ""
    named = "".join(f'{key} = "{value}"\n' for key, value in files.items())
    (tmp_path / "plan.toml").write_text(f'{groups}[[collection]]\nruns = ["{collection}/runs"]\n{named}')
    kept = there.read_text()
    with pytest.raises(metameter.MetameterError, match="the output would be written over an input"):
        metameter.study(tmp_path / "plan.toml", out=tmp_path / "study")
    assert there.read_text() == kept


def test_judgments_of_a_study_file_are_not_overwritten(tmp_path):
    (tmp_path / "power.csv").write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "plan.toml").write_text('[[collection]]\nqrels = "power.csv"\nruns = "runs"\n')
    with pytest.raises(metameter.MetameterError, match=r"power\.csv: the output would be written over an input"):
        metameter.study(tmp_path / "plan.toml", out=tmp_path)
    assert (tmp_path / "power.csv").read_text() == "1 0 a 1\n"
