"""Simulated result pages: what is drawn, what users take away, and what is written."""

import json

import numpy as np
import polars as pl
import pytest

from metameter import simulate_pages
from metameter.cli.program import run as program
from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.scoring.pages import ranked_pages
from metameter.simulation import write_pages
from metameter.simulation.pages import walked
from metameter.types.labelled_pages import GradeLists, Pages

SMALL = {"pages": 300, "pairs": 100, "users": 7, "seed": 3}


@pytest.fixture(scope="module")
def small():
    return simulate_pages(**SMALL)


# What users take away


@pytest.mark.parametrize(
    "metric", [*preset("moffat-2022"), "ERR*ETG", "RBP(p=0.8)@10*fin", "AP1(no_relevant=zero)*ERR"]
)
def test_the_mean_over_all_walks_is_the_score(metric):
    lists = [[1, 0, 3, 0, 2, 1], [0] * 6, [3, 0, 0, 0, 0, 0], [0, 2, 0, 0, 1, 0]]
    grades = pl.Series(lists, dtype=pl.List(pl.Float64))
    measure, users = parse_metric(metric), 2000
    every = ranked_pages(GradeLists.of(grades.gather(np.repeat(np.arange(4), users))), 3.0)
    taken = walked(measure, every, np.tile((np.arange(users) + 0.5) / users, 4)).reshape(4, users)
    np.testing.assert_allclose(taken.mean(axis=1), measure.score(ranked_pages(GradeLists.of(grades), 3.0)), atol=2e-3)


def test_noise_free_users_order_pages_by_the_metric():
    options = {"metric": "INST(T=2.25)*avg", "noise": 0, "user_spread": 0, "noticeable": 0, "reaction": "expected"}
    made = simulate_pages(**SMALL, **options)
    metric = parse_metric("INST(T=2.25)*avg")

    def scores(column, rows):
        return metric.score(ranked_pages(GradeLists.of(rows[column].cast(pl.List(pl.Float64))), 3.0)).round(9)

    order = np.argsort(scores("grades", made.rows), kind="stable")
    assert (np.diff(made.rows["satisfaction"].to_numpy()[order]) >= 0).all()
    difference = scores("grades_b", made.pair_rows) - scores("grades_a", made.pair_rows)
    np.testing.assert_array_equal(made.pair_rows["preference"].to_numpy(), np.sign(difference.round(9)))


def test_lenient_users_give_higher_labels():
    made = simulate_pages(20_000, pairs=0, users=20, user_spread=1.0)
    means = made.rows.group_by("user").agg(pl.col("satisfaction").mean()).join(made.users, on="user")
    assert np.corrcoef(means["satisfaction"], means["leniency"])[0, 1] > 0.95
    assert made.users["leniency"].std() == pytest.approx(1.0, abs=0.5)


def test_unnoticeable_differences_give_no_preference():
    shares = [
        (simulate_pages(1, pairs=2000, noticeable=least).pair_rows["preference"] == 0).mean() for least in (0, 0.5, 50)
    ]
    assert shares[0] < 0.2 < shares[1] < shares[2] == 1.0


# What is drawn


def test_steep_pages_resemble_those_of_a_search_engine():
    rows = simulate_pages(20_000, pairs=0, steepness=2.2, reaction="walk", noise=0.5).rows
    grades = np.array(rows["grades"].to_list())
    relevant = (grades > 0).mean(axis=0)
    np.testing.assert_allclose(relevant[:5], [0.58, 0.22, 0.11, 0.07, 0.05], atol=0.05)
    assert (np.diff(relevant) < 0.005).all()
    assert set(np.unique(grades)) == {0, 1, 2, 3}
    assert 0.15 < (grades.sum(axis=1) == 0).mean() < 0.3
    answers = np.bincount(rows["satisfaction"].to_numpy(), minlength=8) / 20_000
    np.testing.assert_allclose(answers, [0, *[1 / 7] * 7], atol=0.05)


def test_default_pages_have_three_relevant_results_and_every_label():
    rows = simulate_pages(20_000, pairs=0).rows
    relevant = (np.array(rows["grades"].to_list()) > 0).sum(axis=1)
    assert relevant.mean() == pytest.approx(3, abs=0.3)
    answers = np.bincount(rows["satisfaction"].to_numpy(), minlength=8)[1:]
    assert len(answers) == 7
    assert (answers > 0.1 * 20_000).all()


def test_two_lists_for_one_topic_have_correlated_quality():
    rows = simulate_pages(1, pairs=20_000, steepness=1.0).pair_rows
    sums = [rows[name].list.sum().to_numpy() for name in ("grades_a", "grades_b")]
    assert 0.01 < np.corrcoef(*sums)[0, 1] < 0.6


def test_same_arguments_give_same_bits_and_more_pages_extend_them(small):
    again = simulate_pages(**SMALL)
    assert again.rows.equals(small.rows)
    assert again.pair_rows.equals(small.pair_rows)
    larger = simulate_pages(5000, pairs=4500, users=7, seed=3)
    assert larger.rows[:300].equals(small.rows)
    assert larger.pair_rows[:100].equals(small.pair_rows)
    crowd = simulate_pages(**SMALL | {"users": 5000})
    assert crowd.users[:7].equals(small.users)
    assert crowd.rows["grades"].equals(small.rows["grades"])
    assert crowd.pair_rows.drop("user").equals(small.pair_rows.drop("user"))
    assert not simulate_pages(**SMALL | {"seed": 4}).rows.equals(small.rows)


def test_deeper_pages_start_with_the_same_results(small):
    deeper = simulate_pages(**SMALL, depth=20)
    assert deeper.rows["grades"].list.head(10).equals(small.rows["grades"])


def test_null_mode_keeps_pages_and_randomises_labels(small):
    made = simulate_pages(20_000, users=100, null=True)
    told = simulate_pages(20_000, users=100)
    assert made.rows["grades"].equals(told.rows["grades"])
    best = told.rows["grades"].list.max().to_numpy()
    assert np.corrcoef(best, told.rows["satisfaction"])[0, 1] > 0.3
    # Users differ in leniency, but each meets pages of all kinds.
    assert abs(np.corrcoef(best, made.rows["satisfaction"])[0, 1]) < 4 / np.sqrt(20_000)
    pairs = made.pair_rows
    difference = (pairs["grades_b"].list.max().cast(int) - pairs["grades_a"].list.max()).to_numpy()
    assert abs(np.corrcoef(difference, pairs["preference"])[0, 1]) < 4 / np.sqrt(pairs.height)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"pages": 0}, "pages is out of range"),
        ({"pairs": -1}, "pairs is out of range"),
        ({"users": 0}, "users is out of range"),
        ({"levels": 1}, "levels is out of range"),
        ({"noise": -0.1}, "noise is out of range"),
        ({"user_spread": float("nan")}, "user_spread is not a finite number"),
        ({"noticeable": "much"}, "noticeable is not a number"),
        ({"reaction": "guess"}, r"reaction is not known \(given 'guess', allowed: expected or walk\)"),
        (
            {"metric": "nDCG@10", "reaction": "walk"},
            "only a browsing model with an aggregation defines a walk.*expected",
        ),
        ({"metric": "RBP(p=0.8)*ERR"}, "all pages have the same score"),
        ({"metric": "RBP(p=0.8"}, "RBP"),
    ],
)
def test_wrong_options_are_refused_with_the_fix(wrong, message):
    with pytest.raises(MetameterError, match=message):
        simulate_pages(**{"pages": 10} | wrong)


def test_users_can_report_any_metric():
    made = simulate_pages(2000, pairs=0, metric="nDCG@10", reaction="expected", noise=0, user_spread=0)
    assert made.truth["metric"].item() == "nDCG@10"
    best = made.rows.filter(pl.col("grades").list.first() == 0)["satisfaction"].mean()
    assert best < made.rows["satisfaction"].mean()


# Files


def test_written_pages_are_read_back(small, tmp_path):
    folder = write_pages(small, tmp_path / "new" / "demo")
    rows = pl.read_csv(folder / "serps.csv", schema_overrides={"id": pl.String})
    assert rows.columns == ["id", "user", "grades", "satisfaction"]
    lists = rows.with_columns(pl.col("grades").str.split(" ").cast(pl.List(pl.Int64)))
    assert lists.equals(small.rows)
    assert Pages.of(lists.drop("id")).table.equals(small.pages.table)
    assert pl.read_csv(folder / "pairs.csv").columns == ["id", "user", "grades_a", "grades_b", "preference"]
    truth = pl.read_csv(folder / "truth.csv").to_dicts()[0]
    assert (truth["metric"], truth["noise"], truth["null"]) == ("RBP(p=0.8)*max", 0.05, False)
    assert json.dumps(truth)
    assert pl.read_csv(folder / "users.csv").height == 7
    with pytest.raises(MetameterError, match="not empty"):
        write_pages(small, folder)


def test_the_command_writes_pages(tmp_path, capsys):
    folder = tmp_path / "demo"
    given = ["--pages", "20", "--pairs", "5", "--users", "3", "--user-metric", "INST(T=2.25)*avg", "--depth", "6"]
    assert program(["simulate", str(folder), *given, "--noise", "0.1", "--reaction", "expected", "--seed", "2"]) == 0
    assert f"{folder}: 20 pages, 5 pairs, 3 users" in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["pairs.csv", "serps.csv", "truth.csv", "users.csv"]
    made = simulate_pages(
        20, pairs=5, users=3, metric="INST(T=2.25)*avg", depth=6, noise=0.1, reaction="expected", seed=2
    )
    assert pl.read_csv(folder / "truth.csv").to_dicts() == made.truth.to_dicts()
    assert pl.read_csv(folder / "serps.csv")["satisfaction"].to_list() == made.rows["satisfaction"].to_list()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--pages", "5", "--topics", "3"],
            "topics is for lists, not for pages (given 3). Leave out topics, or pages.",
        ),
        (["--pages", "5", "--page", "3"], "page is for sessions, not for pages (given 3). Leave out page, or pages."),
        (["--noise", "1"], "noise is for pages (given 1.0). Leave out noise, or give pages, too."),
        (["--sessions", "--users", "4"], "users is for pages, not for sessions (given 4)."),
        (["--sessions", "--pages", "4"], "sessions and pages are two kinds of simulation"),
        (["--pages", "5", "--compress"], "compress is for lists, not for pages"),
    ],
)
def test_options_of_another_mode_are_refused(tmp_path, capsys, options, message):
    assert program(["simulate", str(tmp_path / "demo"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()


def test_a_notebook_shows_how_users_browse_and_react(small):
    shown = small._repr_html_()
    assert "300 pages, 100 pairs, 7 users" in shown
    assert "RBP(p=0.8)*max" in shown


def test_zero_pairs_write_an_empty_file(tmp_path):
    assert program(["simulate", str(tmp_path / "s"), "--pages", "20", "--pairs", "0", "--users", "4"]) == 0
    assert len((tmp_path / "s" / "pairs.csv").read_text().splitlines()) == 1
