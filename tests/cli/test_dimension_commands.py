"""The commands intuitiveness, unanimity and agreement: tables of sessions, several collections, runs scored first."""

from __future__ import annotations

import io
import json

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.simulation import simulate
from metameter.simulation.folder import write
from metameter.types import Scores

QUICK = ["--resamples", "20"]
RANKED = ["collection", "iteration", "simple", "metric", "wins", "rank"]


def table(seed):
    rng = np.random.default_rng(seed)
    prec = rng.random((5, 7, 2))
    values = np.stack(
        [prec + noise * rng.random(prec.shape) for noise in (0.1, 0.5, 2.0)] + [prec, *rng.random((2, 5, 7, 2))]
    )
    names = ("ACT", "RBU(p=0.99,e=0.05)", "alpha-nDCG", "prec", "st-rec", "tot-time")
    return Scores(names, tuple("abcde"), tuple("1234567"), values, iterations=(1, 2))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    for name, seed in (("web", 1), ("news", 2)):
        table(seed).wide().write_csv(place / f"{name}.csv")
    return place


@pytest.fixture
def called(capsys):
    def call(*words, status=0):
        assert run([str(word) for word in words]) == status
        return capsys.readouterr()

    return call


def read(text):
    return pl.read_csv(io.StringIO(text))


@pytest.mark.parametrize("command", ["intuitiveness", "unanimity", "agreement"])
def test_command_and_function_give_the_same_results(called, tables, command):
    printed = read(called(command, tables / "web.csv", *QUICK).out)
    wanted = getattr(metameter, command)(tables / "web.csv", resamples=20)
    assert printed.columns == wanted.table.columns
    assert printed.height == wanted.table.height
    assert printed["collection"][0] == "web"
    for column in ("p", "mu", "rho"):
        if column in printed.columns:
            assert printed[column].to_list() == pytest.approx(wanted.table[column].to_list(), nan_ok=True)


def test_metric_names_hold_commas_and_sets_plus_signs(called, tables):
    words = ["--complex", "RBU(p=0.99,e=0.05),alpha_nDCG", "--simple", "prec", "--simple", "prec+st_rec", *QUICK]
    printed = read(called("intuitiveness", tables / "web.csv", *words, "--iterations", "2").out)
    assert printed.select("iteration", "simple", "metric_a", "metric_b").rows() == [
        (2, "prec", "RBU(p=0.99,e=0.05)", "alpha-nDCG"),
        (2, "prec+st-rec", "RBU(p=0.99,e=0.05)", "alpha-nDCG"),
    ]


def test_every_file_is_a_collection(called, tables):
    words = [tables / "web.csv", tables / "news.csv", "--collection-from", "file", "--simple", "prec", *QUICK]
    printed = read(called("unanimity", *words, "--table", "unanimity_ranking").out)
    assert printed.columns[:6] == RANKED
    assert printed["collection"].unique(maintain_order=True).to_list() == ["web", "news", "All"]
    assert printed["iteration"].unique(maintain_order=True).to_list() == ["1", "2", "All"]


def test_runs_are_scored_first(called, tmp_path):
    place = write(simulate(topics=8, systems=4, depth=20, grades=3, seed=3), tmp_path / "made")
    words = ["intuitiveness", place / "qrels.txt", place / "runs", "-m", "RBP(p=0.8)*max", "-m", "RBP(p=0.8)*ERG"]
    done = called(*words, "-m", "P@10", "--simple", "P@10", "--max-grade", 2, *QUICK)
    assert read(done.out).select("collection", "iteration", "simple", "metric_a", "metric_b").rows() == [
        ("qrels", 1, "P@10", "RBP(p=0.8)*max", "RBP(p=0.8)*ERG")
    ]


def test_weights_ties_and_wins_are_options(called, tables):
    words = ["--weights", "rel=.5,div=.3,eff=.2", "--ties", "agree", "--wins", "any", *QUICK]
    printed = read(called("intuitiveness", tables / "web.csv", *words).out)
    assert printed.columns[-3:] == ["weighted_a", "weighted_b", "weighted_p"]


def test_a_folder_holds_tables_latex_and_charts(called, tables, tmp_path):
    called("intuitiveness", tables / "web.csv", "--out", tmp_path / "out", *QUICK)
    names = {each.name for each in (tmp_path / "out").iterdir()}
    for table_name in ("intuitiveness", "intuitiveness_ranking"):
        assert {f"{table_name}.csv", f"{table_name}.tex", f"{table_name}.html"} <= names
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["options"]["simple"]["Rel+Div"] == ["prec", "st-rec"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--simple", "AP"], "no such metric was scored (given 'AP')"),
        (["--iterations", "3"], "there is no such iteration (given 3, allowed: 1, 2)"),
        (["--weights", "rel=1"], "a simple metric has no weight (given 'st-rec')"),
        (["--complex", "ACT"], "too few metrics to compare with the simple ones (given 'ACT', allowed: at least 2)"),
    ],
)
def test_wrong_options_give_a_one_line_error(called, tables, words, says):
    done = called("intuitiveness", tables / "web.csv", *words, status=2)
    assert not done.out
    assert done.err.startswith(says)
    assert done.err.count("\n") == 1


def test_one_system_gives_a_one_line_error(called, tables, tmp_path):
    pl.read_csv(tables / "web.csv").filter(pl.col("system") == "a").write_csv(tmp_path / "one.csv")
    done = called("agreement", tmp_path / "one.csv", status=2)
    assert done.err == "one: too few systems (given 1, allowed: at least 2). Give the scores of more systems.\n"


def test_missing_scores_are_skipped(called, tables, tmp_path):
    pl.read_csv(tables / "web.csv")[1:].write_csv(tmp_path / "gap.csv")  # system a, topic 1, iteration 1 is missing
    printed = read(called("intuitiveness", tmp_path / "gap.csv", *QUICK).out)
    assert dict(printed.group_by("iteration").agg(pl.col("cases").max()).iter_rows()) == {1: 66, 2: 70}
