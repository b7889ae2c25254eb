"""Agreement with users on real labels: the paper's Table 4 and its marks, and the pages of CHIIR'24."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

from metameter import fit, preference, satisfaction
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.rank_correlation.spearman import spearman
from metameter.types.labelled_pages import Pages

pytestmark = pytest.mark.realdata

# Moffat et al. (2022), Table 4: rows Prec, RBP, DCG, AP1, RR, INST, AP2; columns ETG ERG ERR avg max fin fgt PE.
TABLE_4 = """
.328  .328a X     .328  .418b -.024 .285  .393b
.326  .326a X     .334  .398b .326  .326  .366b
.334  .334a X     .323  .390b .324  .332  .362b
.369  .388a .001  .384  .435b .446b .384  .446b
.439b .381b .268a .381b .439b .439b .439b .439b
.335  .335a .321  .330  .365b .341  .333  .357
.351  .394  .007  .388a .435b .447b .371  .446b
"""
CELLS = TABLE_4.split()
PRINTED = np.array([np.nan if cell == "X" else float(cell.rstrip("ab")) for cell in CELLS])
MARKED = [cell.endswith("b") for cell in CELLS]


def of_qref(data, **options):
    path = data / "satisfaction" / "tiangong-qref" / "train_file.txt"
    return satisfaction(path, input="tiangong", max_grade=3, **options).table


@pytest.fixture(scope="module")
def qref(data):
    return of_qref(data)


def marks(table, column):
    """The marks that the paper does not have, and those that only the paper has."""
    pairs = list(zip(table["metric"], table[column], MARKED, strict=True))
    return [name for name, ours, theirs in pairs if ours and not theirs], [
        name for name, ours, theirs in pairs if theirs and not ours
    ]


def test_table_4_is_reproduced(qref):
    found = qref["tau_b"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(PRINTED))
    np.testing.assert_array_equal(qref["class"].to_numpy() == "X", np.isnan(PRINTED))
    off = np.abs(found - PRINTED)[~np.isnan(PRINTED)]
    assert off.max() < 0.02
    assert (off < 0.01).sum() == 52
    canonical = [cell.endswith("a") for cell in CELLS]
    assert (qref["metric"] == qref["canonical"]).to_list() == canonical


def test_the_bootstrap_shows_all_printed_marks_plus_three(qref):
    more = ["INST(T=2.25)*fin", "INST(T=2.25)*PE(beta=0.5)", "AP2*ERG"]
    for column in ("better", "better_row"):
        assert marks(qref, column) == (more, [])


def test_fishers_test_shows_all_printed_marks_but_one(data):
    table = of_qref(data, test="fisher", resamples=0)
    assert marks(table, "better_row") == ([], ["DCG@5*PE(beta=0.5)"])


def test_max_beats_erg_in_every_row_without_tie_gain(qref):
    less_wrongly = qref.with_columns(net=2 * pl.col("agreement") + pl.col("ties") - 1)
    by = {
        name: less_wrongly.filter(pl.col("aggregate") == name)["net"].to_numpy().astype(float)
        for name in ("ERG", "max")
    }
    assert (by["max"] > by["ERG"]).all()
    # Ordered by that, the paper's Succ@k falls from the 12th place to the 19th.
    for column, place in (("tau_b", 12), ("net", 19)):
        values = less_wrongly[column].cast(pl.Float64).fill_null(-2.0)
        own = values[less_wrongly["metric"].to_list().index("Prec@5*max")]
        assert int((values > own + 1e-12).sum()) + 1 == place


@pytest.fixture(scope="module")
def chiir(data):
    """Pages as they were shown, with a row a visit: the first record of a rank counts, gaps are not judged."""
    folder = data / "satisfaction" / "chiir24-presentation-satisfaction"
    said = pl.read_csv(folder / "query_feedback.csv")
    shown = pl.read_csv(folder / "serp_annotation.csv.gz", infer_schema_length=None)
    visit = ["serp_topic_annotation", "qid"]
    first = shown.sort("id").unique([*visit, "rank"], keep="first", maintain_order=True)
    ranks = shown.group_by(visit).agg(rank=pl.int_range(1, pl.col("rank").max().clip(1, 10) + 1)).explode("rank")
    lists = ranks.join(first, on=[*visit, "rank"], how="left").sort("rank").group_by(visit)
    return said.join(lists.agg(grades="actual_qrel_value"), on=visit).sort("id")


@pytest.fixture(scope="module")
def pairs(chiir):
    """Two queries of one user on one topic with different feedback."""
    both = chiir.join(chiir, on=["user", "topic_id"], suffix="_b")
    both = both.filter(pl.col("id") < pl.col("id_b"), pl.col("feedback") != pl.col("feedback_b"))
    preferred = (pl.col("feedback_b") - pl.col("feedback")).sign()
    return both.select("user", grades_a="grades", grades_b="grades_b", preference=preferred)


def test_satisfaction_correlates_with_the_ndcg_of_the_query(chiir):
    assert chiir.height == 1372
    found = spearman(chiir["feedback"].to_numpy(), chiir["ndcg_10"].to_numpy())
    assert found == pytest.approx(0.276, abs=5e-4)


def test_no_metric_beats_its_canonical_one_on_pages_as_shown(chiir):
    table = satisfaction(chiir.select("user", "grades", satisfaction="feedback"), max_grade=1).table
    assert table["tau_b"].max() == pytest.approx(0.179, abs=5e-4)
    assert not table["better"].any()


def test_agreement_with_derived_preferences_equals_a_plain_count(pairs):
    assert pairs.height == 2259
    table = preference(pairs, max_grade=1, resamples=100).table
    assert table.height == 56
    measures = measures_of(table["metric"].to_list(), None)
    a, b = (score_rows(pairs[name], measures) for name in ("grades_a", "grades_b"))
    right = (np.sign((b - a).round(9)) == pairs["preference"].to_numpy()).mean(axis=1)
    np.testing.assert_allclose(table["agreement"].to_numpy(), right, atol=1e-12)


def score_rows(lists, measures):
    """Scores of every list, metrics x rows, by counting distinct lists."""
    rows = pl.DataFrame({"grades": lists.cast(pl.List(pl.Float64)), "satisfaction": np.arange(len(lists)) % 2})
    pages = Pages.of(rows)
    place = {tuple(grades): at for at, grades in enumerate(pages.items["grades"].to_list())}
    return item_scores(pages, measures, 1.0)[:, [place[tuple(grades)] for grades in rows["grades"].to_list()]]


@pytest.fixture(scope="module")
def fitted(data):
    path = data / "satisfaction" / "tiangong-qref" / "train_file.txt"
    with warnings.catch_warnings(action="ignore"):  # of clicks, and of pages without one
        return fit(path, model="RBP*max", empirical=True, input="tiangong", max_grade=3, resamples=200)


def test_qref_users_judge_pages_like_patient_users(fitted):
    row = fitted.table.row(0, named=True)
    assert row["low"] > 0.9
    assert fitted.tables["fit_folds"]["verdict"][-1] == "better"


def test_qref_users_click_less_far(fitted):
    # 2,064 of the 4,946 pages with a click have none below the first result.
    assert fitted.tables["fit_ranks"].row(0)[1:3] == (4946, 2064)
    rates = fitted.tables["fit_ranks"]["continuation"].to_list()
    assert max(rates) < 0.78
    assert rates[:5] == sorted(rates[:5])
