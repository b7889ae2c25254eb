"""The stage of a study that says how deep to judge and to evaluate."""

from __future__ import annotations

import re
import shutil

import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.notices import MetameterWarning
from metameter.studies.study import study

METRICS = ["RBP(p=0.8)@10*max", "nDCG@10", "AP", "P@5"]
QUICK = {"metrics": METRICS, "max_grade": 2, "splits": 50, "trials": 100, "resamples": 40}
BRIEF = ["residual", "tau_ap_low", "tau_ap_high", "previous_low", "previous_high"]
TABLES = ("volatility", "volatility_summary", "marked", "volatility_settled", "volatility_pools")


@pytest.fixture
def opened(collection, opened_under):
    return opened_under(collection / "runs")


@pytest.fixture(scope="module")
def finished(collection, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "study"
    return study(collection / "qrels.txt", collection / "runs", out=folder, **QUICK), folder


def rerun(collection, folder, tmp_path, **changed):
    place = shutil.copytree(folder, tmp_path / "study")
    return study(collection / "qrels.txt", collection / "runs", out=place, **{**QUICK, **changed})


def stages(listed):
    return {stage.partition("/")[2] for stage in listed}


def test_the_study_folder_holds_the_tables(finished):
    result, folder = finished
    for name in TABLES:
        frame = pl.read_csv(folder / f"{name}.csv")
        assert frame.columns[0] == "collection"
        assert frame.height == result.tables[name].height > 0
    assert "volatility_planning" not in result.tables
    assert not (folder / "volatility_planning.csv").exists()
    assert "How deep to evaluate" in (folder / "report.html").read_text()


def test_the_stage_matches_the_command_for_everyday_metrics(collection, finished):
    followed = ["nDCG@10", "AP", "P@5"]  # of which the preset everyday has the first two, and P at another depth
    options = {"condensed": "no", "judged_to": "data", "max_grade": 2}
    options |= {name: QUICK[name] for name in ("trials", "resamples") if name in QUICK}
    alone = metameter.volatility(collection / "qrels.txt", collection / "runs", followed, **options)
    for name in TABLES:
        staged = finished[0].tables[name].drop("collection")
        # A study is brief: without residuals and intervals of other taus.
        without = [] if name != "volatility_summary" else BRIEF
        assert staged.drop(without).equals(alone.tables[name].drop(without)), name
    assert all(finished[0].tables["volatility_summary"][name].is_null().all() for name in BRIEF)
    assert finished[0].tables["volatility"]["metric"].unique(maintain_order=True).to_list() == ["nDCG", "AP", "P@k"]


@pytest.fixture(scope="module")
def long_lists():
    return metameter.simulate(topics=10, systems=8, depth=120, grades=3, seed=5)


def test_long_lists_have_about_twenty_depths(long_lists, tmp_path):
    options = {**QUICK, "metrics": ["nDCG@10", "AP", "R@100"]}
    result = study(long_lists.qrels, long_lists.runs, out=tmp_path / "study", **options)
    depths = result.tables["volatility"]["depth"].unique().sort().to_list()
    assert 15 <= len(depths) <= 20
    assert (depths[0], depths[-1]) == (1, 120)


def test_settled_depths_use_all_depths(long_lists, tmp_path):
    """The tables have about twenty depths, which would give other answers."""
    options = {**QUICK, "metrics": ["nDCG@10", "AP", "R@100"]}
    result = study(long_lists.qrels, long_lists.runs, out=tmp_path / "study", **options)
    listed = result.tables["volatility"]["depth"].unique().sort().to_list()

    def settled(**depths):
        given = {"condensed": "no", "judged_to": "data", "resamples": 0, "max_grade": 2, **depths}
        made = metameter.volatility(long_lists.qrels, long_lists.runs, options["metrics"], **given)
        return dict(made.tables["volatility_settled"]["metric", "depth"].iter_rows())

    every, some = settled(), settled(depths=listed)
    assert dict(result.tables["volatility_settled"]["metric", "depth"].iter_rows()) == every
    assert all(every[name] != some[name] for name in ("nDCG", "AP", "R@k"))
    [told] = [sentence for sentence in result.report.answer if sentence.startswith("How deep to evaluate: ")]
    within = {name: depth for name, depth in every.items() if depth <= 50}  # judgments reach depth 50
    assert within
    assert all(f"{name} {depth} (" in told for name, depth in within.items())


def test_orders_of_few_systems_use_all_depths(tmp_path):
    made = metameter.simulate(topics=12, systems=2, depth=120, grades=3, seed=1)
    result = study(made.qrels, made.runs, out=tmp_path / "study", **{**QUICK, "metrics": ["nDCG@10", "AP"]})
    depths = result.tables["volatility"]["depth"].unique().sort().to_list()
    assert depths[:50] == list(range(1, 51))
    assert depths[-1] == 120
    assert len(depths) < 60
    [told] = [sentence for sentence in result.report.answer if sentence.startswith("On these topics ")]
    assert re.search(r"nDCG: .* at depth 10 and .* at depth 50; AP: .* at depth 10 and .* at depth 50\.$", told), told


def test_a_second_run_keeps_the_stage(collection, finished, tmp_path):
    result = rerun(collection, finished[1], tmp_path)
    assert "volatility" in stages(result.kept)
    assert stages(result.made) == set()
    assert result.tables["volatility_summary"].equals(finished[0].tables["volatility_summary"])


@pytest.mark.parametrize(
    "changed", [{"grid": True}, {"depths": "1,5,10"}, {"settled": 0.8}, {"condensed": "both"}], ids=str
)
def test_an_option_of_the_stage_remakes_it_alone(changed, collection, finished, tmp_path):
    result = rerun(collection, finished[1], tmp_path, **changed)
    assert "volatility" in stages(result.made)
    assert {"score", "similarity", "consistency", "power", "recommendation"} <= stages(result.kept)
    assert ("volatility_planning" in result.tables) == ("grid" in changed)


def test_a_changed_run_remakes_the_stage(collection, finished, tmp_path):
    other = shutil.copytree(collection, tmp_path / "collection")
    file = next((other / "runs").iterdir())
    # The first topic's documents in reverse order.
    rows = [line.split() for line in file.read_text().splitlines()]
    first = rows[0][0]
    for row in rows:
        if row[0] == first:
            row[4] = str(-float(row[4]))
    file.write_text("".join(" ".join(row) + "\n" for row in rows))
    result = rerun(other, finished[1], tmp_path)
    assert {"score", "volatility"} <= stages(result.made)
    assert not result.tables["volatility"].equals(finished[0].tables["volatility"])


def test_a_change_in_judged_share_remakes_the_stage(collection, finished, tmp_path):
    """An unjudged document at the end of a list changes no score, but how long and how far judged the list is."""
    other = shutil.copytree(collection, tmp_path / "collection")
    file = next((other / "runs").iterdir())
    lines = file.read_text().splitlines()
    last = min(float(line.split()[4]) for line in lines)
    file.write_text("".join(f"{line}\n" for line in [*lines, f"{lines[0].split()[0]} Q0 unseen 99 {last - 1} tag"]))
    result = rerun(other, finished[1], tmp_path)
    assert {"volatility", "recommendation"} <= stages(result.made)
    assert {"similarity", "consistency", "power"} <= stages(result.kept)
    shares = [
        each.tables["metrics"].row(by_predicate=pl.col("metric") == "AP", named=True) for each in (finished[0], result)
    ]
    assert shares[0]["judged"] > shares[1]["judged"]
    assert [each.tables["volatility"]["depth"].max() for each in (finished[0], result)] == [20, 21]


def test_the_command_line_can_request_the_grid(collection, tmp_path, capsys):
    words = ["study", str(collection / "qrels.txt"), str(collection / "runs"), "--max-grade", "2", "--grid"]
    words += [word for metric in METRICS for word in ("-m", metric)]
    words += ["--splits", "50", "--trials", "100", "--resamples", "40", "--out", str(tmp_path / "study")]
    assert run(words) == 0
    capsys.readouterr()
    plan = pl.read_csv(tmp_path / "study" / "volatility_planning.csv")
    assert plan.columns[:4] == ["collection", "metric", "condensed", "pool_depth"]
    summary = pl.read_csv(tmp_path / "study" / "volatility_summary.csv")
    assert summary.filter(pl.col("discriminated").is_not_null())["pool_depth"].n_unique() > 1


def test_a_study_of_scores_leaves_volatility_out(finished, tmp_path):
    scores = pl.read_parquet(finished[1] / "scores.parquet")
    options = {name: value for name, value in QUICK.items() if name not in ("metrics", "max_grade")}
    file = tmp_path / "scores.csv"
    scores.drop("collection").write_csv(file)
    with pytest.warns(MetameterWarning, match=r"volatility is left out for .*: there are scores only, no runs"):
        result = study(file, out=tmp_path / "study", **options)
    assert not set(TABLES) & set(result.tables)
    assert "power" in result.tables


def test_without_one_document_order_volatility_is_left_out(collection, tmp_path):
    with pytest.warns(MetameterWarning, match=r"volatility is left out for .*: ties = mean gives no one order"):
        result = study(collection / "qrels.txt", collection / "runs", out=tmp_path / "study", ties="mean", **QUICK)
    assert not set(TABLES) & set(result.tables)


@pytest.mark.parametrize("options", [{}, {"grid": True}, {"judged_to": "5"}], ids=str)
def test_the_stage_opens_no_run_again(options, collection, tmp_path, opened):
    given = (collection / "qrels.txt", collection / "runs")
    study(*given, out=tmp_path / "study", **QUICK, **options)
    names = [file.name for file in (collection / "runs").iterdir()]
    assert len(names) == 5
    assert {name: opened[name] for name in names} == dict.fromkeys(names, 1)
