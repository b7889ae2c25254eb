"""`--strip-names`: charts and tables name systems by what tells them apart, in every command that shows systems."""

import json

import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.simulation import simulate, simulate_sessions, write_sessions

METRICS = ["-m", "AP", "-m", "P@5"]
SHORT = ["S001", "S002", "S003", "S004"]
WHOLE = [f"input.{name}.res" for name in SHORT]
QUICK = ["--splits", "5", "--trials", "20", "--resamples", "5"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    made = simulate(topics=8, systems=4, depth=12, documents=100, seed=1)
    rows = made.qrels.table.select("topic", pl.lit("0"), "doc", pl.col("grade").cast(int))
    rows.write_csv(folder / "qrels", include_header=False, separator=" ")
    (folder / "runs").mkdir()
    for one in made.runs:
        lines = [f"{topic} Q0 {doc} 0 {score!r} run_{one.name}\n" for topic, doc, score in one.table.iter_rows()]
        (folder / "runs" / f"input.{one.name}.res").write_text("".join(lines))
    (folder / "whole").write_text("\n".join(WHOLE[:2]))
    (folder / "short").write_text("\n".join(SHORT[:2]))
    (folder / "groups").write_text("input.S001.res us\nS002 us\n")
    return folder


@pytest.fixture
def there(collection, monkeypatch):
    monkeypatch.chdir(collection)
    return collection


def printed(capsys, *words):
    assert run([*words, "--format", "csv"]) == 0, capsys.readouterr().err
    return pl.read_csv(capsys.readouterr().out.encode())


def test_score_and_check_print_stripped_names(there, capsys):
    for words in (["score", "qrels", "runs", *METRICS], ["check", "qrels", "runs", "--table", "coverage"]):
        assert printed(capsys, *words)["system"].unique().sort().to_list() == WHOLE
        assert printed(capsys, *words, "--strip-names")["system"].unique().sort().to_list() == SHORT


def test_tags_are_stripped_too(there, capsys):
    words = ["score", "qrels", "runs", *METRICS, "--name-by", "tag", "--strip-names"]
    assert printed(capsys, *words)["system"].unique().sort().to_list() == SHORT


@pytest.mark.parametrize("command", ["compare", "volatility"])
def test_procedures_over_runs_strip_names(command, there, capsys):
    more = ["--trials", "20", "--resamples", "20", "--strip-names"]
    assert set(printed(capsys, command, "qrels", "runs", *METRICS, *more)["system"]) == set(SHORT)


@pytest.mark.parametrize("name", ["S002", "input.S002.res"])
def test_a_baseline_can_have_a_short_or_full_name(name, there, tmp_path, capsys):
    more = ["--trials", "20", "--resamples", "20", "--strip-names", "--baseline", name]
    assert set(printed(capsys, "compare", "qrels", "runs", "-m", "AP", *more)["baseline"]) == {"S002"}
    assert run(["score", "qrels", "runs", "-m", "AP", "--out", str(tmp_path / "scores.csv")]) == 0
    capsys.readouterr()
    assert set(printed(capsys, "compare", str(tmp_path / "scores.csv"), *more)["baseline"]) == {"S002"}


def test_contributing_runs_can_have_short_or_full_names(there, capsys):
    words = ["score", "qrels", "runs", "-m", "AP", "--pool-depth", "2", "--strip-names", "--contributing"]
    assert printed(capsys, *words, "whole").equals(printed(capsys, *words, "short"))
    assert not printed(capsys, *words, "whole").equals(printed(capsys, *words[:-1]))


def test_groups_can_have_short_or_full_names(there, capsys):
    more = ["--trials", "20", "--resamples", "20", "--strip-names", "--groups", "groups"]
    words = ["volatility", "qrels", "runs", "-m", "AP", *more, "--table", "volatility_groups"]
    assert set(printed(capsys, *words)["group"]) == {"us", "S003", "S004", "all"}
    assert run(["power", "qrels", "runs", *METRICS, *more, "--resample", "systems"]) == 0


def test_names_in_tables_of_scores_are_stripped_with_a_notice(there, tmp_path, capsys):
    table = tmp_path / "scores.csv"
    assert run(["score", "qrels", "runs", *METRICS, "--out", str(table)]) == 0
    capsys.readouterr()
    words = ["power", str(table), "--trials", "20", "--resamples", "5", "--table", "power_pairs", "--strip-names"]
    assert set(printed(capsys, *words, "--out", str(tmp_path / "power"))["system_a"]) <= set(SHORT)
    stripped = {"prefix": "input.", "suffix": ".res"}
    assert json.loads((tmp_path / "power" / "manifest.json").read_text())["scores"]["stripped"] == stripped
    scores = metameter.read_scores(table, strip_names=True)
    assert scores.systems == tuple(SHORT)
    assert metameter.read_scores(metameter.read_scores(table), strip_names=True).systems == tuple(SHORT)


def test_a_study_strips_names_as_its_file_says(there, tmp_path, capsys):
    plan = f'strip_names = true\nmetrics = ["AP", "P@5"]\n[[collection]]\nname = "one"\nqrels = "{there}/qrels"\n'
    (tmp_path / "study.toml").write_text(f'{plan}runs = ["{there}/runs"]\n')
    more = [*QUICK, "--resample", "systems", "--groups", "groups"]
    assert run(["study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "study"), *more]) == 0
    assert "no collection has" not in capsys.readouterr().err
    assert pl.read_parquet(tmp_path / "study" / "scores.parquet")["system"].unique().sort().to_list() == SHORT
    assert set(pl.read_csv(tmp_path / "study" / "coverage.csv")["system"]) == set(SHORT)
    assert json.loads((tmp_path / "study" / "manifest.json").read_text())["options"]["strip_names"] is True


def test_a_study_of_tables_strips_names(there, tmp_path, capsys):
    assert run(["score", "qrels", "runs", *METRICS, "--out", str(tmp_path / "scores.csv")]) == 0
    out = str(tmp_path / "study")
    assert run(["study", str(tmp_path / "scores.csv"), "--out", out, "--strip-names", *QUICK]) == 0, capsys.readouterr()
    assert pl.read_parquet(tmp_path / "study" / "scores.parquet")["system"].unique().sort().to_list() == SHORT


def test_names_in_sessions_are_stripped(tmp_path, capsys):
    folder = write_sessions(simulate_sessions(topics=3, systems=2, iterations=2, seed=1), tmp_path / "made")
    log = pl.read_csv(folder / "log.csv").with_columns(pl.format("agent_{}", "system").alias("system"))
    log.write_csv(tmp_path / "log.csv")
    words = ["session", str(folder / "truth.csv"), str(tmp_path / "log.csv"), "-m", "prec"]
    whole, short = printed(capsys, *words), printed(capsys, *words, "--strip-names")
    assert whole["system"].str.strip_prefix("agent_").to_list() == short["system"].to_list()
    assert not short["system"].str.starts_with("agent_").any()
