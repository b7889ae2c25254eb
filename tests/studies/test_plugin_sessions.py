"""A plug-in's procedure over sessions: a command on several collections, a stage where its option is given."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from metameter.types import Scores

SOURCE = Path(__file__).parents[2] / "src"
PROCEDURE = '''"""Say which turn of a session scores best."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from metameter.meta.base import Words, procedure
from metameter.meta.collections import Collections, collections_of
from metameter.types import Scores
from metameter.view.result import Result

WORDS = Words(
    "Best turns",
    "Which turn scores best?",
    "Scores are averaged over systems and topics, turn by turn; missing ones are left out.",
    "A metric whose best turn is early rewards stopping.",
    columns={"metric": "the metric", "best": "the turn of the highest mean", "turns": "how many turns there are"},
)


def table_of(sessions):
    means = np.nanmean(sessions.values, axis=(1, 2))
    best = [sessions.iterations[turn] for turn in means.argmax(axis=1)]
    return pl.DataFrame({"metric": sessions.metrics, "best": best, "turns": len(sessions.iterations)})


def stage(sessions: Scores, *, turned: Sequence[str] = ()):
    kept = table_of(sessions).filter(pl.col("metric").is_in(list(turned)))
    return Result({"best_turns": kept}, {"options": {"turned": list(turned)}})


@procedure(
    WORDS, result=Result, needs=("sessions",), options={"turned": None}, place=80, key="best_turns", stage=stage,
    wanted="turned",
)
def best_turns(scores: Collections, *, turned: list[str] = ()) -> Result:
    """Ask which turn of a session scores best.

    Parameters
    ----------
    scores : Scores or mapping of Scores
        Missing cells are left out.
    turned : list of str
        Metrics to look at; may be repeated.
    """
    parts = {name: table_of(each) for name, each in collections_of(scores).items()}
    rows = [table.select(pl.lit(name).alias("collection"), pl.all()) for name, table in parts.items()]
    return Result({"best_turns": pl.concat(rows)}, {"options": {"turned": list(turned)}})
'''
FILES = {
    "turn_meter.py": PROCEDURE,
    "turn_meter-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: turn-meter\nVersion: 1.0\n",
    "turn_meter-1.0.dist-info/entry_points.txt": "[metameter.meta]\nbest_turns = turn_meter:best_turns\n",
}
QUICK = ["--splits", "20", "--trials", "40", "--resamples", "20", "--by", "all"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    place = tmp_path_factory.mktemp("turns")
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    return place


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Two collections of sessions: AP is best at the last of three turns, RR at the first."""
    place = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(4)
    for name in ("web", "news"):
        values = rng.uniform(0, 0.1, (2, 4, 6, 3)) + np.linspace(0, 0.2, 4)[:, None, None]
        values[0] += [0, 0.2, 0.4]
        values[1] += [0.4, 0.2, 0]
        values[0, 0, 0, 0] = np.nan
        scores = Scores(("AP", "RR"), tuple("abcd"), tuple("123456"), values, iterations=(1, 2, 3))
        scores.wide().write_csv(place / f"{name}.csv")
    return place


@pytest.fixture
def program(installed):
    def called(*words, status=0):
        path = os.pathsep.join([str(installed), str(SOURCE)])
        words = [sys.executable, "-m", "metameter", *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == status, done.stderr
        return done

    return called


def test_a_plug_in_is_a_command_on_several_collections(program, tables):
    found = program("best-turns", tables / "web.csv", tables / "news.csv", "--collection-from", "file").stdout
    assert found.splitlines() == [
        "collection,metric,best,turns",
        *("web,AP,3,3", "web,RR,1,3", "news,AP,3,3", "news,RR,1,3"),
    ]
    shown = program("best-turns", "--help").stdout
    assert "--collection-from" in shown
    assert "--iteration " not in shown


def test_a_study_runs_the_plug_in_on_request(program, tables, tmp_path):
    inputs = [tables / "web.csv", tables / "news.csv", "--collection-from", "file", *QUICK]
    done = program("study", *inputs, "--out", tmp_path / "study", "--turned", "AP", "--turned", "RR")
    assert pl.read_csv(tmp_path / "study" / "best_turns.csv").rows() == [
        *(("web", "AP", 3, 3), ("web", "RR", 1, 3), ("news", "AP", 3, 3), ("news", "RR", 1, 3)),
    ]
    assert "Best turns" in (tmp_path / "study" / "report.html").read_text()
    # The others have the last turn, which lacks nothing.
    assert "missing" not in done.stderr
    program("study", *inputs, "--out", tmp_path / "study")
    assert not (tmp_path / "study" / ".stages" / "best_turns").exists()
    assert "Best turns" not in (tmp_path / "study" / "report.html").read_text()


def test_a_study_file_can_request_the_plug_in(program, tmp_path):
    program("simulate", tmp_path / "made", "--topics", "6", "--systems", "4", "--depth", "10", "--grades", "3")
    lines = ['metrics = ["AP", "RR"]', 'turned = ["RR"]', 'by = "all"', "splits = 20", "trials = 40", "resamples = 20"]
    lines += ["[[collection]]", 'qrels = "made/qrels.txt"', 'runs = "made/runs"']
    (tmp_path / "plan.toml").write_text("\n".join(lines) + "\n")
    program("study", tmp_path / "plan.toml", "--out", tmp_path / "study")
    assert pl.read_csv(tmp_path / "study" / "best_turns.csv").rows() == [("qrels", "RR", 1, 1)]
    program("study", tmp_path / "plan.toml", "--out", tmp_path / "study", "--turned", "AP")
    assert pl.read_csv(tmp_path / "study" / "best_turns.csv").rows() == [("qrels", "AP", 1, 1)]
