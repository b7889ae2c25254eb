"""Does a metric see what all simple metrics see? The authors' output, golden counts, and the edges."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.types import Scores

# The published scores, and the golden ones, lack some cells: a notice says so.
pytestmark = pytest.mark.filterwarnings("ignore:.*without some score")
COMPLEX = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
GOLDEN = Path(__file__).parents[2] / "golden"
CONTRACT = [
    *("collection", "iteration", "simple", "metric", "mu", "metric_improvements", "simple_improvements"),
    *("joint_improvements", "cases"),
]


@pytest.mark.realdata
def test_every_cell_of_the_authors_output_matches(published, data):
    with (data / "trec-dd" / "2016" / "trec-2016-mu-simple-metrics.csv").open() as file:
        printed = list(csv.DictReader(file))
    sets, metrics = (list(dict.fromkeys(row[name] for row in printed)) for name in ("dimensions", "metric"))
    found = metameter.unanimity(published, complex=metrics, simple=sets, resamples=0).table
    rows = {(str(row[1]), row[2], row[3]): row[4:9] for row in found.iter_rows()}
    assert len(rows) == len(printed) == 2700
    for cell in printed:
        mu, *counts, cases = rows[cell["iteration"], cell["dimensions"], cell["metric"]]
        assert mu == pytest.approx(float(cell["mu"]), abs=1e-12)
        assert counts == [float(cell[name]) for name in ("m_ij", "set_ij", "m_set_ij")]
        assert cases == 21 * 20 * 53


@pytest.mark.realdata
def test_all_counts_of_the_published_scores_match(published, data):
    wanted = json.loads((GOLDEN / "paper002_scores.json").read_text())["unanimity"]
    sets = list(dict.fromkeys(key.split("|")[0] for key in wanted))
    found = metameter.unanimity(published, complex=COMPLEX, simple=sets, iterations=[1, 3, 10], resamples=0).table
    assert found.height == len(wanted) == 105
    for row in found.iter_rows(named=True):
        cell = wanted[f"{row['simple']}|{row['iteration']}|{row['metric']}"]
        assert row["mu"] == pytest.approx(cell["mu"], abs=1e-12)
        assert [row[name] for name in CONTRACT[5:8]] == [cell[name] for name in ("dm", "dS", "dmS")]


@pytest.mark.parametrize("form", ["code", "literal"])
def test_counts_match_the_golden_file(form):
    golden = json.loads((GOLDEN / "intuitiveness_unanimity.json").read_text())
    given, group = golden["input"], "unanimity_reference" if form == "code" else "unanimity_literal"
    wanted = golden["expected"][group]
    names = (*given["complex"], *given["simple"])
    scores, missing = given["scores[run][topic][metric]"], dict.fromkeys(names, np.nan)
    cells = [[[scores[r].get(t, missing)[name] for t in given["topics"]] for r in given["runs"]] for name in names]
    table = Scores(names, tuple(given["runs"]), tuple(given["topics"]), np.array(cells))
    sets = list(dict.fromkeys(key.split("|")[0] for key in wanted))
    found = metameter.unanimity(table, complex=given["complex"], simple=sets, form=form, resamples=0).table
    assert found.height == len(wanted) == 20
    for row in found.iter_rows(named=True):
        cell = wanted[f"{row['simple']}|{row['metric']}"]
        assert row["mu"] == pytest.approx(cell["mu_log2"], abs=1e-12)
        counts = [cell["delta_m"], cell["delta_S"], cell["delta_mS"], cell["total" if form == "code" else "N"]]
        assert [row[name] for name in CONTRACT[5:]] == counts


def test_the_metric_that_follows_a_dimension_is_first(sessions):
    made = metameter.unanimity(sessions(topics=40, systems=8), simple="prec", resamples=100)
    assert made.table.columns[: len(CONTRACT)] == CONTRACT
    ranking = made.tables["unanimity_ranking"].filter(pl.col("collection") == "All", pl.col("iteration") == "All")
    assert ranking.select("metric", "wins", "rank", "rank_low", "rank_high").rows() == [
        *(("a", 6, 1, 1, 1), ("b", 3, 2, 2, 2), ("c", 0, 3, 3, 3)),
    ]
    assert (made.table["low"] <= made.table["mu"]).all()
    assert (made.table["high"] >= made.table["mu"]).all()


def test_wins_count_strictly_lower_mu(sessions):
    made = metameter.unanimity(sessions(), resamples=0)
    joined = (
        made.tables["unanimity_ranking"]
        .filter(pl.col("iteration") != "All", pl.col("collection") != "All")
        .with_columns(pl.col("iteration").cast(pl.Int64))
        .join(made.table, on=["iteration", "simple", "metric"], maintain_order="left")
    )
    for _, part in joined.group_by("iteration", "simple"):
        assert part["wins"].to_list() == [int((part["mu"] < mu - 1e-12).sum()) for mu in part["mu"]]


def opposed():
    """A metric that says the opposite of the simple one; a simple metric that sees nothing but ties."""
    up = np.tile(np.arange(4.0)[:, None], (1, 6))
    values = np.stack([-up, up, up, np.zeros((4, 6))])
    return Scores(("down", "up", "prec", "flat"), tuple("wxyz"), tuple("123456"), values)


def test_opposed_metrics_share_no_improvements():
    made = metameter.unanimity(opposed(), complex="down,up", simple="prec", resamples=20)
    low, high = made.table.row(0, named=True), made.table.row(1, named=True)
    assert low["mu"] == low["low"] == low["high"] == -math.inf
    assert high["mu"] == pytest.approx(1.0)
    assert made.tables["unanimity_ranking"]["rank"].to_list() == [2, 1] * 4
    made.to_latex()
    assert made._repr_html_()


def test_an_all_tied_simple_metric_denies_nothing():
    row = metameter.unanimity(opposed(), complex="down,up", simple="flat", resamples=0).table.row(0, named=True)
    assert row["simple_improvements"] == row["cases"] == 72
    assert row["mu"] == pytest.approx(0.0)


def test_contradictory_sets_have_no_improvement():
    scores = opposed()
    made = metameter.unanimity(scores, complex="flat", simple="prec+down", resamples=20)
    row = made.table.row(0, named=True)
    assert row["simple_improvements"] == 0
    assert row["mu"] is None
    assert row["low"] is None
    assert made.tables["unanimity_ranking"]["rank"].to_list() == [1] * 4


def test_one_metric_is_sufficient(sessions):
    assert metameter.unanimity(sessions(), complex="a", resamples=0).table.height == 15


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"form": "paper"}, "unknown value of form"),
        ({"simple": "AP"}, "no such metric was scored"),
        ({"resamples": -2}, "too few resamples"),
        ({"iterations": [1.5]}, "iterations holds what is no iteration"),
    ],
)
def test_wrong_options_are_refused(sessions, options, says):
    with pytest.raises(metameter.MetameterError, match=says):
        metameter.unanimity(sessions(), **options)
