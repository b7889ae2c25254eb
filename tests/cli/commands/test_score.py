"""Scoring from the command line: several files of judgments, pipes, contributing runs, what is written down."""

import json
import subprocess
import sys

import polars as pl
import pytest

from metameter.cli.program import run

RUN = "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 1 1.0 t\n"


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "1").write_text("1 0 a 2\n1 0 b 0\n")
    (tmp_path / "qrels" / "2").write_text("2 0 a 1\n")
    (tmp_path / "one run").write_text(RUN)
    (tmp_path / "other").write_text("1 Q0 b 1 2.0 u\n")
    return tmp_path


def table(capsys, *arguments):
    assert run(["score", *arguments, "--format", "csv"]) == 0
    return pl.read_csv(capsys.readouterr().out.encode())


@pytest.mark.parametrize("qrels", ["qrels", "qrels/*"])
def test_judgments_can_be_in_several_files(qrels, collection, capsys):
    assert table(capsys, qrels, "one run", "-m", "P@1")["score"].to_list() == [1, 1]


def test_a_document_judged_in_two_files_is_refused_or_resolved(collection, capsys):
    (collection / "qrels" / "3").write_text("# again\n2 0 a 0\n")
    assert run(["score", "qrels", "one run", "-m", "P@1"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("qrels/3:2: ")
    assert "first at qrels/2:1" in message
    assert "or set qrels_duplicates to first, last or max (--qrels-duplicates max)." in message
    found = table(capsys, "qrels", "one run", "-m", "P@1", "--qrels-duplicates", "last")
    assert found["score"].to_list() == [1, 0]


def test_a_file_of_contributing_names_has_one_per_line(collection, capsys):
    (collection / "names").write_text("  one run \n\n")
    options = ["-m", "NumRel", "--pool-depth", "1", "--contributing", "names"]
    found = table(capsys, "qrels", "one run", "other", *options)
    assert found["score"].to_list() == [1, 1, 1, 0]  # the other run lacks topic 2
    (collection / "names").write_text("u\n")
    found = table(capsys, "qrels", "one run", "other", *options, "--name-by", "tag")
    assert found["system"].unique(maintain_order=True).to_list() == ["t", "u"]
    assert found["score"].to_list() == [0, 0, 0, 0]


def test_a_piped_run_also_serves_as_the_pool(collection):
    command = [sys.executable, "-m", "metameter", "score", "qrels", "-", "-m", "AP(norm=pool)@2", "--format", "csv"]
    done = subprocess.run(command, input=RUN.encode(), cwd=collection, capture_output=True, check=False)
    assert done.stderr == b""
    assert pl.read_csv(done.stdout)["score"].to_list() == [1, 1]


def test_the_manifest_lists_every_input(collection):
    (collection / "costs").write_text("a 2\n")
    assert run(["score", "qrels", "one run", "-m", "P@1", "--costs", "costs", "--out", "scores.csv"]) == 0
    manifest = json.loads((collection / "scores.csv.manifest.json").read_text())
    assert [each["name"] for each in manifest["inputs"]["qrels"]] == ["1", "2"]
    assert [each["name"] for each in manifest["inputs"]["costs"]] == ["costs"]
    assert manifest["options"]["metrics"] == ["P@1"]


def test_scores_can_overwrite_an_earlier_output(collection):
    asked = ["score", "qrels", "one run", "-m", "AP", "--out", "scores.csv"]
    assert run(asked) == 0
    first = (collection / "scores.csv").read_bytes()
    assert run(asked) == 0
    assert (collection / "scores.csv").read_bytes() == first
