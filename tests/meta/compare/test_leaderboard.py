"""The leaderboard of a study: systems by their means, and which are not shown to differ."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from metameter.meta.compare.leaderboard import Leaderboard, leaderboard_metrics, leaderboard_of
from metameter.meta.compare.procedure import compare
from metameter.metric.presets import preset
from metameter.scoring.measures import measures_of
from metameter.types import Scores
from metameter.view.charts import spec_json


def scores_of(systems: int = 8, topics: int = 20, metrics: tuple[str, ...] = ("AP", "RR")) -> Scores:
    rng = np.random.default_rng(3)
    values = rng.random((len(metrics), systems, topics)) + 0.1 * np.arange(systems)[:, None]
    return Scores(metrics, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(topics))), values)


@pytest.fixture(scope="module")
def many() -> Leaderboard:
    return leaderboard_of(scores_of(40))


def test_a_row_is_a_system_by_the_first_metric(many: Leaderboard) -> None:
    means = scores_of(40).values.mean(axis=-1)
    board = many.table
    assert board.columns == ["rank", "system", "AP", "low", "high", "not_different_from", "RR"]
    assert board["system"].to_list() == [f"s{n}" for n in np.argsort(-means[0], kind="stable")]
    for name, by_metric in zip(("AP", "RR"), means, strict=True):
        assert board.sort(pl.col("system").str.slice(1).cast(int))[name].to_list() == pytest.approx(by_metric.tolist())


def test_verdicts_are_those_of_compare_with_as_many_trials() -> None:
    scores = scores_of()
    board, compared = leaderboard_of(scores, seed=4), compare(scores, trials=500, seed=4)
    assert board.tables["compare"].equals(compared.tables["compare"])


def test_any_number_of_jobs_gives_the_same_leaderboard() -> None:
    one, three = (leaderboard_of(scores_of(), seed=1, jobs=jobs) for jobs in (1, 3))
    assert all(one.tables[name].equals(three.tables[name]) for name in one.tables)


def test_everyday_metrics_are_shown_and_not_those_of_a_grid() -> None:
    names = [str(each) for each in measures_of((), ("everyday", "chen-sakai-2023"))]
    everyday = [str(each) for each in measures_of((), ("everyday",))]
    assert [names[position] for position in leaderboard_metrics(tuple(names))] == everyday
    grid = tuple(str(each) for each in measures_of((), ("chen-sakai-2023",)))
    shown = [grid[position] for position in leaderboard_metrics(grid)]
    assert 0 < len(shown) < 10 < len(preset("everyday"))


def test_a_paper_table_has_all_systems_and_metrics(many: Leaderboard) -> None:
    latex = many.latex()["leaderboard"]
    assert r"\label{tab:leaderboard}" in latex
    assert r"system & AP & RR \\" in latex
    assert len(re.findall(r"^s\d+ & ", latex, re.MULTILINE)) == 40
    assert "Bootstrap max-t test, alpha = 0.05, 20 topics, 500 trials." in latex


def test_the_first_rows_alone_have_no_marks(many: Leaderboard) -> None:
    from dataclasses import replace

    cut = replace(many, tables={**many.tables, "leaderboard": many.table.head(5)})
    assert "^{" not in cut.latex()["leaderboard"]


def test_a_chart_shows_the_best_and_their_ranges(many: Leaderboard) -> None:
    spec = many.charts()["leaderboard"].to_dict()
    spec_json(many.charts()["leaderboard"])
    rows = next(iter(spec["datasets"].values()))
    assert [row["rank"] for row in rows] == list(range(1, 31))
    assert "the 30 best of 40 systems" in str(spec["title"])
    means = dict(many.table.select("rank", "AP").iter_rows())
    for row in rows:
        first, last = map(int, re.search(r"(\d+)-(\d+)$", row["not_different_from"]).groups())
        assert row["highest not different"] == pytest.approx(means[first])
        assert row["lowest not different"] == pytest.approx(means[last])


def test_a_metric_may_be_called_like_a_column() -> None:
    board = leaderboard_of(scores_of(metrics=("rank", "low")))
    assert board.table.columns[:3] == ["rank", "system", "mean rank"]
    assert "mean low" in board.table.columns
    assert r"system & rank & low \\" in board.latex()["leaderboard"]


@pytest.mark.parametrize(("systems", "topics"), [(2, 5), (3, 2), (6, 4)])
def test_few_topics_or_systems_have_a_leaderboard_too(systems: int, topics: int) -> None:
    board = leaderboard_of(scores_of(systems, topics))
    assert board.table.height == systems
    assert board.table["low"].null_count() == (systems if topics < 5 else 0)
    assert board.conclusion()
    spec_json(board.charts()["leaderboard"])


def test_equal_systems_are_said_to_be_equal() -> None:
    flat = Scores(("AP",), ("a", "b", "c"), tuple("123456"), np.full((1, 3, 6), 0.25))
    assert leaderboard_of(flat).conclusion() == ["By AP all 3 systems have the same mean, 0.2500."]
