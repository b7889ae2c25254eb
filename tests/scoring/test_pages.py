"""Scores of result pages are those of the same lists elsewhere; Table 4 of Moffat et al. (2022)."""

import json
import re

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.metric.presets import preset
from metameter.metric.product import Product
from metameter.registry import names
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores, list_scores, ranked_pages, require_pages, scale_of
from metameter.stats.labels.counted_taus import counted_taus
from metameter.stats.labels.counts import LabelCounts
from metameter.stats.ties import tied_codes
from metameter.types.labelled_pages import Pages, Pairs

CLASSIC = ["nDCG@5", "nDCG", "RR", "P@5", "ERR@10", "AP", "R@10", "Bpref", "Judged@10", "Q(beta=1)", "infAP", "Rprec"]
LISTS = [[3, 0, 1], [], [None, None], [0, 0], [3, None, 0, 2, 2], [1], [None, 2, 0, 0, 1, 1, 0, 3, None, 2, 1]]


def pages_of(lists):
    frame = pl.DataFrame({"grades": pl.Series(lists, dtype=pl.List(pl.Float64)), "satisfaction": 1.0})
    return Pages.of(frame)


def scored(lists, metrics, max_grade=3.0):
    """Of each list the scores of all metrics: (metrics, lists), in the order of the lists given."""
    pages = pages_of(lists)
    known = [tuple(each) for each in pages.items["grades"].to_list()]
    return item_scores(pages, metrics, max_grade)[:, [known.index(tuple(each)) for each in lists]]


@pytest.mark.parametrize("name", ["moffat-2022", "moffat-2022-preference"])
def test_products_of_a_page_match_those_of_its_gains(name):
    metrics = measures_of((), name)
    assert len(metrics) == 56
    gains = [[None if grade is None else grade / 3 for grade in each] for each in LISTS]
    expected = [[metric(each) for each in gains] for metric in metrics]
    np.testing.assert_allclose(scored(LISTS, metrics), expected, rtol=1e-12, atol=1e-12)


def test_classic_metrics_of_pages_match_those_of_runs():
    rng = np.random.default_rng(8)
    # -1 is a document of the pool that nobody judged, None one that is not in the pool.
    drawn = [rng.choice([None, -1, 0, 0, 1, 2, 3], rng.integers(1, 13)).tolist() for _ in range(60)]
    lists = [each for each in [*LISTS, *drawn] if any(grade is not None and grade >= 0 for grade in each)]
    graded = [[(f"d{rank}", grade) for rank, grade in enumerate(each)] for each in lists]
    qrels = {f"{at}": {doc: g for doc, g in each if g is not None} for at, each in enumerate(graded)}
    run = {f"{at}": {doc: 100.0 - rank for rank, (doc, _) in enumerate(each)} for at, each in enumerate(graded)}
    metrics = [parse_metric(name) for name in [*CLASSIC, "RBP(p=0.8)*max", "INST(T=2.25)@10*PE(beta=0.5)"]]
    theirs = metameter.score(qrels, {"page": run}, [metric.name for metric in metrics], max_grade=3)
    order = [theirs.topics.index(f"{at}") for at in range(len(lists))]
    expected = np.stack([theirs[metric.name][0] for metric in metrics])[:, order]
    np.testing.assert_allclose(scored(lists, metrics), expected, rtol=1e-12, atol=1e-12)


def test_a_pair_scores_the_second_minus_the_first():
    metrics = [parse_metric("P@2"), parse_metric("RBP(p=0.8)*max")]
    pairs = Pairs.of(pl.DataFrame({"grades_a": [[3, 0], [0]], "grades_b": [[0], [3, 3]], "preference": [-1, 1]}))
    first, second = (scored(pairs.items[name].to_list(), metrics) for name in Pairs.lists_in)
    np.testing.assert_allclose(item_scores(pairs, metrics, 3.0), second - first, atol=1e-15)
    assert list_scores(pairs, metrics, 3.0).shape == (2, 3)


def test_every_metric_scores_pages_or_is_refused():
    pages, metrics = pages_of(LISTS), [example("metric", name) for name in names("metric")]
    refused = [metric for metric in metrics if metric.evidence.__name__ in ("Faceted", "Sessions")]
    for metric in refused:
        with pytest.raises(metameter.MetameterError, match=f"^{re.escape(metric.name)} needs "):
            item_scores(pages, [metric], 3.0)
    taken = [metric for metric in metrics if metric not in refused]
    assert np.isfinite(item_scores(pages, taken, 3.0)).all()
    assert min(len(refused), len(taken)) > 20


@pytest.mark.parametrize(
    ("metric", "what"),
    [("AP(norm=pool)@10", "runs that made the pool"), ("alpha_nDCG@10", "subtopics"), ("sDCG", "sessions")],
)
def test_missing_evidence_of_pages_is_named(metric, what):
    with pytest.raises(metameter.MetameterError, match=what):
        require_pages([parse_metric("nDCG@5"), parse_metric(metric)])


def test_a_model_that_requires_costs_is_refused(monkeypatch):
    metric = parse_metric("TBG(h=2)*ERG")
    require_pages([metric])  # it can: each document costs 1
    assert isinstance(metric, Product)
    monkeypatch.setattr(type(metric.model), "needs", frozenset({"costs"}))
    with pytest.raises(metameter.MetameterError, match="costs to look at each document"):
        require_pages([metric])


def test_the_scale_is_given_or_taken_with_a_notice():
    pages = pages_of([[2, 0], [1]])
    with pytest.warns(metameter.MetameterWarning, match="highest grade in pages, 2"):
        assert scale_of(pages, None) == 2
    assert scale_of(pages, 4) == 4
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(metameter.MetameterError, match="no positive number"):
            scale_of(pages, wrong)
    with pytest.raises(metameter.MetameterError, match="above max_grade"):
        scale_of(pages, 1)


def test_only_results_on_the_page_are_judged():
    pages = pages_of([[0.0, 3.0, None, -1.0], [1.0]])
    ranked = ranked_pages(pages.lists[0], 3.0)
    longest = int(np.argmax(ranked.length))
    assert ranked.status[longest].tolist() == [2, 2, 0, 1]
    assert ranked.judgments.ideal[longest].tolist() == [3, 0, -1, -1]
    assert ranked.status[1 - longest].tolist() == [2, -1, -1, -1]


PRINTED = """
.328 .328 X .328 .418 -.024 .285 .393
.326 .326 X .334 .398 .326 .326 .366
.334 .334 X .323 .390 .324 .332 .362
.369 .388 .001 .384 .435 .446 .384 .446
.439 .381 .268 .381 .439 .439 .439 .439
.335 .335 .321 .330 .365 .341 .333 .357
.351 .394 .007 .388 .435 .447 .371 .446
"""


@pytest.mark.realdata
def test_table_4_is_reproduced_on_the_qref_sample(data):
    lines = (data / "satisfaction" / "tiangong-qref" / "train_file.txt").read_text("utf-8").splitlines()
    fields = [line.split("\t") for line in lines]
    frame = pl.DataFrame(
        {"grades": [json.loads(each[2]) for each in fields], "satisfaction": [int(each[3]) for each in fields]}
    )
    pages = Pages.of(frame)
    level = np.searchsorted(pages.levels, pages.table["satisfaction"].to_numpy())
    counts = LabelCounts(pages.item, level, pages.table["count"].to_numpy())
    assert (counts.total, len(counts.cells), pages.items.height) == (7479, 586, 397)
    found = counted_taus(tied_codes(item_scores(pages, measures_of((), "moffat-2022"), 3.0)), counts)
    printed = np.array([np.nan if cell == "X" else float(cell) for cell in PRINTED.split()])
    assert preset("moffat-2022")[0].startswith("Prec@5")
    np.testing.assert_array_equal(np.isnan(found.statistic), np.isnan(printed))
    # The sample is a bootstrap of the original.
    away = np.abs(found.statistic - printed)[~np.isnan(printed)]
    assert away.size == 53
    assert away.max() < 0.02
    assert (away < 0.01).sum() >= 52
