"""The summary of a recommendation says no more than its tables, and fits a terminal."""

import re

import numpy as np
import polars as pl
import pytest

from metameter.meta.recommend.overview import MOST_ROWS, overview_lines
from metameter.meta.recommend.procedure import recommend
from metameter.meta.recommend.summary import NOT_SHOWN, Depth, summary_of
from metameter.types import Scores

SMALL = {"splits": 60, "trials": 100, "resamples": 128, "most_resamples": 128}
SIX = ("nDCG@10", "AP", "RBP(p=0.8)*ERG", "ERR*ERR@10", "P@10", "RR")


def scores_of(noises, names, systems=12, topics=40, seed=1, spread=1.0):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, spread, systems)[:, None]
    values = np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])
    return Scores(tuple(names), tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics))), values)


@pytest.fixture(scope="module")
def six():
    return recommend(scores_of([0.3, 0.3, 0.5, 1.0, 2.0, 6.0], SIX), **SMALL)


def test_groups_are_those_of_the_table(six):
    summary = summary_of(six.tables, six.manifest["options"])
    standings = dict(six.tables["metrics"]["metric", "standing"].iter_rows())
    assert set(summary.avoid) == {name for name, standing in standings.items() if standing == "below"}
    assert not set(summary.use) & set(summary.avoid)
    assert {row.metric: row.group for row in summary.rows} == {
        name: standing if standing in ("top", "below") else NOT_SHOWN for name, standing in standings.items()
    }
    assert f"Of 6 metrics, {len(summary.avoid)} are shown to be less consistent" in summary.headline


def test_rows_are_sorted_by_group_then_consistency(six):
    rows = summary_of(six.tables, six.manifest["options"]).rows
    order = {"top": 0, NOT_SHOWN: 1, "below": 2}
    keys = [(order[row.group], -row.consistency) for row in rows]
    assert keys == sorted(keys)
    table = {row["metric"]: row for row in six.tables["metrics"].iter_rows(named=True)}
    for row in rows:
        for name in ("consistency", "consistency_low", "consistency_high", "power", "power_low", "power_high"):
            assert getattr(row, name) == table[row.metric][name]
        assert row.consistency_low < row.consistency < row.consistency_high


def test_a_null_says_that_the_systems_hardly_differ():
    result = recommend(scores_of([1.0] * 4, SIX[:4], spread=0.0), **SMALL)
    summary = result.summary()
    assert summary.headline.startswith("The systems hardly differ here")
    assert summary.no_choice
    assert "Use any of: nDCG@10, AP, RBP(p=0.8), ERR@10 (none is shown to be below another)." in (result.overview(80))


def test_few_systems_are_compared_instead():
    result = recommend(scores_of([0.3, 0.5], SIX[:2], systems=4), **SMALL)
    summary = result.summary()
    assert summary.headline.startswith("By nDCG@10 ")
    assert (summary.use, summary.avoid, summary.rows) == ((), (), ())
    assert any("too few to judge metrics" in line for line in [*result.answer()])


def test_without_resamples_no_group_is_shown():
    result = recommend(scores_of([0.3, 0.5], SIX[:2]), splits=60, trials=100, resamples=0)
    summary = result.summary()
    assert not summary.use
    assert {row.group for row in summary.rows} == {NOT_SHOWN}
    assert "Without resamples" in summary.headline


def test_a_reference_comes_first():
    scores = scores_of([0.3, 0.5, 3.0], SIX[:3])
    summary = recommend(scores, reference=["AP"], **SMALL).summary()
    assert summary.headline.startswith("AP, which you use today, is ")


def test_warnings_are_kept(six):
    summary = summary_of(six.tables, six.manifest["options"], warnings=["b lacks 5 topics."])
    assert "b lacks 5 topics." in overview_lines(summary, 80)


def test_close_calls_are_marked(six):
    close = six.tables["metrics"].with_columns(close_call=pl.col("metric") == "P@10")
    summary = summary_of({**six.tables, "metrics": close}, six.manifest["options"])
    assert "another seed might change the group of P@10" in summary.sure
    lines = overview_lines(summary, 80)
    assert any(re.match(r" P@10 +below\? ", line) for line in lines)


def test_diagnostics_have_no_group():
    scores = scores_of([0.3, 0.5, 0.1], ("nDCG@10", "AP", "Judged@10"))
    rows = {row.metric: row for row in recommend(scores, **SMALL).summary().rows}
    assert (rows["Judged@10"].group, rows["Judged@10"].remark) == (NOT_SHOWN, "diagnostic")


def test_depths_beyond_the_judgments_are_not_given():
    rows = {
        "metric": ["nDCG", "AP", "RR"],
        "condensed": [False] * 3,
        "threshold": [0.9] * 3,
        "depth": [4, 30, 1],
        "low": [2, 20, 1],
        "high": [9, 60, 2],
        "final": [100] * 3,
        "judging_depth": [10] * 3,
    }
    result = recommend(scores_of([0.3, 0.5], SIX[:2]), **SMALL)
    summary = summary_of(result.tables, result.manifest["options"], settled=pl.DataFrame(rows))
    assert summary.depth == Depth((("RR", 1), ("nDCG", 4)), 9, ("AP",), 10, 0.9)
    assert "judged to depth 10" in overview_lines(summary, 80)[0]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_table_fits_the_terminal(six, width):
    lines = six.overview(width)
    table = [line for line in lines if line.startswith((" ", "─"))]
    assert len(table) == 8
    assert max(map(len, table)) <= width
    # The figures are there at any width, the intervals where there is room.
    assert all(re.search(r"0\.\d\d", line) for line in table[2:])
    assert ("(" in table[2].partition("0.")[2]) == (width >= 80)


def test_of_many_metrics_the_last_are_counted():
    names = [f"metric{number}" for number in range(MOST_ROWS + 3)]
    result = recommend(scores_of([0.3] * len(names), names), splits=20, trials=50, resamples=64, most_resamples=64)
    assert "3 more metrics are not listed here." in result.overview(80)
