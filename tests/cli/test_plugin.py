"""A Python file with a model, metric or procedure of one's own: --plugin loads it for any command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from metameter.cli.program import commands, run
from metameter.simulation import simulate
from metameter.simulation.folder import write

SOURCE = Path(__file__).parents[2] / "src"
METRIC = """
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metameter.browse.base import Browsing
from metameter.parameters import number
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class Tired(Browsing):
    \"\"\"A user who tires: the patience to go on halves every h ranks.\"\"\"

    h: float = number(10, low=1e-9, high=1e9)

    user = "static"
    aliases = {"tiredness@{k}": "Tired@{k}"}

    def continuation(self, page):
        return np.broadcast_to(0.5 ** (page.ranks / self.h), page.gains.shape)
"""
PROCEDURE = """\"\"\"Say how many scores there are.\"\"\"

from dataclasses import dataclass

import polars as pl

from metameter.meta.base import Words, procedure
from metameter.types import Scores
from metameter.view.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Count(Result):
    \"\"\"The table `count_scores`.\"\"\"


@procedure(Words("Count", columns={"metric": "the metric", "scores": "how many scores"}), result=Count)
def count_scores(scores: Scores) -> Count:
    \"\"\"Count the scores of each metric.

    Parameters
    ----------
    scores : Scores
    \"\"\"
    rows = [(metric, scores[metric].size) for metric in scores.metrics]
    return Count({"count_scores": pl.DataFrame(rows, schema=["metric", "scores"], orient="row")})
"""


@pytest.fixture
def place(tmp_path):
    write(simulate(topics=6, systems=5, depth=10, seed=3), tmp_path / "coll")
    (tmp_path / "tired.py").write_text(METRIC)
    (tmp_path / "count.py").write_text(PROCEDURE)
    return tmp_path


def metameter(place, *words):
    """Run the program in a process of its own: a plug-in that was loaded stays registered."""
    known = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "metameter", *words]
    return subprocess.run(command, cwd=place, env=known, capture_output=True, text=True, check=False)


def table(done):
    assert done.returncode == 0, done.stderr
    return pl.read_csv(done.stdout.encode())


RUNS = ["coll/qrels.txt", "coll/runs", "--max-grade", "3"]


@pytest.mark.parametrize("words", [["--plugin", "tired.py", "score"], ["score", "--plugin=tired.py"]])
def test_a_model_in_a_file_is_scored_by_parallel_workers(words, place):
    metrics = ["-m", "Tired(h=2)*max,tiredness@3", "--mean", "--jobs", "4"]
    scored = table(metameter(place, *words, *RUNS, *metrics))
    assert scored["metric"].unique(maintain_order=True).to_list() == ["Tired(h=2)*max", "Tired(h=10)*ERG@3"]
    assert scored["score"].is_between(0, 1, closed="right").all()
    assert not (place / "__pycache__").exists()


def test_a_model_in_a_file_is_explained_and_listed(place):
    assert (
        table(metameter(place, "explain", "Tired", "--plugin", "tired.py", "--format", "csv"))["continuation"][0] > 0.9
    )
    listed = table(metameter(place, "metrics", "--plugin", "tired.py", "--format", "csv"))
    assert "Tired" in listed["name"].to_list()


def test_a_procedure_in_a_file_is_a_command(place):
    files = ["--plugin", "tired.py", "--plugin", "count.py"]
    counted = table(metameter(place, *files, "count-scores", *RUNS, "-m", "Tired,AP"))
    assert counted.rows() == [("Tired(h=10)*ERG", 30), ("AP", 30)]
    assert "Say how many scores there are." in metameter(place, "--plugin", "count.py", "--help").stdout
    assert "count-scores" not in metameter(place, "--help").stdout


def test_stored_scores_are_valid_for_the_content_of_the_file(place):
    words = ["study", *RUNS, "-m", "Tired*max,AP,RR", "--splits", "4", "--trials", "20", "--resamples", "10"]
    words += ["--out", "study", "--plugin", "tired.py"]

    def scores():
        assert metameter(place, *words).returncode == 0
        return pl.read_parquet(place / "study" / "scores.parquet").filter(metric="Tired(h=10)*max")["score"].to_list()

    first = scores()
    manifest = json.loads((place / "study" / "manifest.json").read_text())
    assert list(manifest["plugin_files"]) == ["tired.py"]
    assert scores() == first
    (place / "tired.py").write_text(METRIC.replace("0.5 **", "0.1 **"))
    assert scores() != first


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("x = 1\ny = nobody\n", "broken.py:2", "NameError: name 'nobody' is not defined. Correct the file."),
        ("def (:\n", "broken.py:1", "SyntaxError: invalid syntax"),
        ("\nimport nowhere\n", "broken.py:2", "ModuleNotFoundError: No module named 'nowhere'. Correct the file."),
        ("raise SystemExit(3)\n", "broken.py:1", "SystemExit: 3. Correct the file."),
        ("x = 1\n", "broken.py", "it registers no browsing model, aggregation, metric or procedure."),
        (METRIC.replace("class Tired", "class RBP"), "broken.py", "the browsing model RBP is registered already, by"),
    ],
)
def test_a_file_that_fails_is_refused_in_one_line(text, where, said, place):
    (place / "broken.py").write_text(text)
    done = metameter(place, "score", *RUNS, "--plugin", "broken.py")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"{where}: the plug-in cannot be loaded: {said}")
    assert done.stderr.count("\n") == 1


def test_missing_files_and_other_files_are_refused(tmp_path, capsys):
    assert run(["score", "--plugin", str(tmp_path / "none.py")]) == 2
    assert "none.py: cannot read the plug-in: no such file or directory." in capsys.readouterr().err
    (tmp_path / "notes.txt").write_text("x = 1\n")
    assert run(["score", "--plugin", str(tmp_path / "notes.txt")]) == 2
    assert capsys.readouterr().err.startswith("a plug-in is a Python file (given ")
    assert run(["score", "--plugin"]) == 2
    assert capsys.readouterr().err == "Option '--plugin' requires an argument. See metameter --help.\n"


def test_a_plugin_file_is_refused_on_a_cluster(place):
    words = ["score", *RUNS, "--plugin", "tired.py", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"]
    done = metameter(place, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "--plugin does not work on a cluster, whose workers do not have the file (given 'tired.py')"
    )


@pytest.mark.parametrize("command", [*commands(), ""])
def test_the_help_of_every_command_says_that_code_is_run(command, capsys):
    assert run([*([command] if command else []), "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "--plugin FILE.py" in text
    assert "Its code is run." in text
