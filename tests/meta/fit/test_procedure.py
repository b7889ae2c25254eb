"""`fit`: parameters found again where they are known, against scipy's numbers, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, somersd

import metameter
from metameter.errors import MetameterError
from metameter.meta.fit.free_parameters import free_model
from metameter.meta.fit.held_out import _interval
from metameter.meta.fit.procedure import fit
from metameter.simulation import simulate_pages

NOISY = {"noise": 0.5, "user_spread": 0.3}


@pytest.fixture(scope="module")
def people():
    return simulate_pages(600, pairs=600, metric="RBP(p=0.6)*max", users=40, seed=3, **NOISY)


@pytest.fixture(scope="module")
def fitted(people):
    return fit(people.pages, model="RBP*max", max_grade=3, resamples=200)


def test_the_curve_matches_scipys_tau_b_and_somers_d(people, fitted):
    rows = people.rows
    curve = fitted.tables["fit_curve"]
    for value, concordance, tau_b in curve.select("value", "concordance", "tau_b").rows()[40::37]:
        metric = metameter.parse_metric(f"RBP(p={value})*max")
        scores = [round(metric([grade / 3 for grade in grades]), 12) for grades in rows["grades"].to_list()]
        labels = rows["satisfaction"].to_numpy()
        assert tau_b == pytest.approx(kendalltau(scores, labels).statistic, abs=1e-12)
        assert concordance == pytest.approx((1 + somersd(labels, scores).statistic) / 2, abs=1e-12)


def test_the_estimate_maximises_the_curve(fitted):
    curve = fitted.tables["fit_curve"]
    [estimate] = fitted.table["estimate"].to_list()
    assert curve.filter(pl.col("value") == estimate)["concordance"].item() == curve["concordance"].max()
    assert fitted.metric == f"RBP(p={estimate})*max"


@pytest.mark.parametrize(
    ("model", "truth", "value"),
    [
        ("RBP*max", "RBP(p=0.5)*max", 0.5),
        ("RBP*max", "RBP(p=0.95)*max", 0.95),
        ("INST*max", "INST(T=2.25)*max", 2.25),
        ("DCG@10*fgt", "DCG@10*fgt(delta=0.8)", 0.8),
        ("RBP*PE(beta=0.5)", "RBP(p=0.8)*PE(beta=0.5)", 0.8),
        ("DCG*max", "DCG@4*max", 4),
    ],
)
def test_fit_recovers_the_true_parameter(model, truth, value):
    pages = simulate_pages(800, metric=truth, seed=12, **NOISY).pages
    row = fit(pages, model=model, max_grade=3, resamples=100).table.row(0, named=True)
    assert row["low"] <= value <= row["high"]
    assert row["at_bound"] is None


@pytest.mark.slow
def test_fit_recovers_two_parameters_at_once():
    pages = simulate_pages(800, metric="RBP(p=0.6)*PE(beta=0.7)", seed=2).pages
    table = fit(pages, model="RBP*PE", max_grade=3, resamples=60).table
    assert table["parameter"].to_list() == ["p", "beta"]
    assert all(low <= value <= high for value, low, high in zip((0.6, 0.7), table["low"], table["high"], strict=True))


def test_fit_recovers_the_parameter_from_preferences(people):
    found = fit(people.pairs, model="RBP*max", max_grade=3, resamples=100)
    row = found.table.row(0, named=True)
    assert row["low"] <= 0.6 <= row["high"]
    assert found.manifest["labels"]["rows"] == "pairs"


def test_chance_ties_do_not_bias_the_estimate():
    # With p = 0.5 many pages score exactly alike: tau_b is high there, wherever the truth is.
    pages = simulate_pages(1000, metric="RBP(p=0.55)*max", seed=1, **NOISY).pages
    found = fit(pages, model="RBP*max", max_grade=3, resamples=100)
    row, curve = found.table.row(0, named=True), found.tables["fit_curve"]
    assert curve.sort("tau_b")["value"][-1] == 0.5
    assert row["estimate"] != 0.5
    assert row["low"] <= 0.55 <= row["high"]


def test_the_interval_spans_all_equally_good_values():
    # Of users who go on for ever at one rate, forgetting changes all scores by one factor.
    pages = simulate_pages(200, metric="RBP(p=0.8)*fgt(delta=0.8)", seed=1).pages
    found = fit(pages, model="RBP(p=0.8)*fgt", max_grade=3, resamples=60)
    assert found.table.select("estimate", "low", "high").row(0) == (0.5, 0, 1)
    assert any("delta makes no difference" in note for note in found.notes)


def test_held_out_gain_is_found_where_there_is_one(fitted):
    folds = fitted.tables["fit_folds"]
    assert folds["fold"].to_list() == ["1", "2", "3", "4", "5", "All"]
    assert folds["rows"][:5].sum() == folds["rows"][5] == 600
    last = folds.row(-1, named=True)
    assert last["verdict"] == "better"
    assert last["difference"] == pytest.approx(folds["difference"][:5].mean())
    assert "shown to be better than RBP(p=0.8)*max" in fitted.answer()[1]


@pytest.mark.slow
def test_true_canonical_values_show_no_gain():
    # How often over many more data sets is in benchmarks/coverage_fit.py, and on the page about fit.
    verdicts, held = [], []
    for seed in range(10):
        pages = simulate_pages(300, metric="RBP(p=0.8)*max", users=30, seed=seed, **NOISY).pages
        found = fit(pages, model="RBP*max", max_grade=3, resamples=60)
        verdicts.append(found.tables["fit_folds"]["verdict"][-1])
        held.append(found.table["low"][0] <= 0.8 <= found.table["high"][0])
    assert verdicts.count("better") == 0
    assert sum(held) >= 9


def test_folds_hold_out_whole_users(people):
    from metameter.meta.label_agreement.question import counts_of_labels
    from metameter.stats.labels.counts import counts_by_cell, label_folds

    counts = counts_of_labels(people.pages)
    folds = label_folds(counts, 5)
    assert sum(fold.units for fold in folds) == 40
    assert np.array_equal(sum(counts_by_cell(fold, counts) for fold in folds), counts.by_cell)


def test_same_seed_gives_same_numbers_with_any_jobs(people):
    first, second = (
        fit(people.pages, model="RBP*max", max_grade=3, resamples=70, seed=4, jobs=jobs) for jobs in (1, 2)
    )
    for name, table in first.tables.items():
        assert table.equals(second.tables[name])


def test_the_fitted_name_scores_alike(people, fitted):
    again = metameter.satisfaction(people.pages, [fitted.metric], max_grade=3, resamples=0).table
    [estimate] = fitted.table["estimate"].to_list()
    tau = fitted.tables["fit_curve"].filter(pl.col("value") == estimate)["tau_b"].item()
    assert again["tau_b"].item() == pytest.approx(tau, abs=1e-12)


def test_a_parameter_without_effect_is_noted():
    rows = [{"grades": [grade], "satisfaction": grade} for grade in (0, 1, 2, 3) * 5]
    found = fit(rows, model="RBP*max", max_grade=3, resamples=0)
    assert any("makes no difference" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "names", "canonical"),
    [
        ("RBP*max", ["p"], "RBP(p=0.8)*max"),
        ("RBP", ["p"], "RBP(p=0.8)*ERG"),
        ("RBP@10", ["p"], "RBP(p=0.8)*ERG@10"),
        ("RBP(p=?, gain=exp)*PE", ["p"], "RBP(p=0.8,gain=exp)*PE(beta=0.5)"),
        ("RBP(gain=exp, p = ?)*PE", ["p"], "RBP(p=0.8,gain=exp)*PE(beta=0.5)"),
        ("DCG", ["k"], "DCG@10*ETG"),
        ("DCG@?*ERG", ["k"], "DCG@10*ERG"),
        ("RBP*max@?", ["k"], "RBP(p=0.8)*max@10"),
        ("RBP(p=?)@?*max", ["p", "k"], "RBP(p=0.8)@10*max"),
        ("SET*PE(beta=?)@5", ["beta"], None),
        ("Q", ["beta"], "Q(beta=1)"),
        ("Q(beta=?)@5", ["beta"], "Q(beta=1)@5"),
        ("SET@5*PE", ["SET.beta", "PE.beta"], "SET(beta=0.5)@5*PE(beta=0.5)"),
    ],
)
def test_free_models_list_free_and_canonical_parameters(text, names, canonical):
    if canonical is None:
        with pytest.raises(MetameterError):
            free_model(text)
        return
    model = free_model(text)
    assert model.names == names
    assert str(model.canonical()) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBP(p=0.8)*max", "no free parameter"),
        ("AP1*max", "no free parameter"),
        ("RBP(q=?)*max", "no number called q"),
        ("BPM*max", "too many free parameters"),
        ("RPB*max", "RBP"),
        ("RBP*mx", "max"),
        ("RBP(p=?", "cannot read the metric name"),
        ("nDCG", "no free parameter"),
        ("RR*max", "RRbin"),
    ],
)
def test_models_without_free_parameters_are_refused(text, message):
    with pytest.raises(MetameterError, match=message):
        free_model(text)


def test_impossible_options_are_refused(people):
    with pytest.raises(MetameterError, match="no labels to fit to"):
        fit([{"grades": [1, 0]}, {"grades": [0, 0]}], model="RBP*max")
    with pytest.raises(MetameterError, match="fewer users than folds"):
        fit(people.pages, model="RBP*max", max_grade=3, folds=41)
    with pytest.raises(MetameterError, match="folds"):
        fit(people.pages, model="RBP*max", folds=1)
    with pytest.raises(MetameterError, match="nCT"):
        fit(people.pages, model="RBP*max", reference="nCT", max_grade=3)


def test_charts_match_the_tables(fitted):
    charts = {name: chart.to_dict() for name, chart in fitted.charts().items()}
    assert list(charts) == ["fit_curve", "fit_calibration"]
    row = fitted.table.row(0, named=True)
    band, curve, *_, dashed, solid = charts["fit_curve"]["concat"][0]["layer"]
    data = charts["fit_curve"]["datasets"]
    assert data[band["data"]["name"]] == [{"from": row["low"], "to": row["high"]}]
    assert [data[each["data"]["name"]][0]["at"] for each in (dashed, solid)] == [0.8, row["estimate"]]
    assert curve["mark"]["type"] == "line"
    assert [each["title"] for each in charts["fit_calibration"]["concat"]] == [
        f"{fitted.metric} (fitted)",
        "RBP(p=0.8)*max (canonical)",
    ]


def test_calibration_bins_hold_every_page_once(fitted):
    bins = fitted.tables["fit_calibration"]
    for part in bins.partition_by("kind"):
        assert part["rows"].sum() == 600
        assert part["score"].is_sorted()
        assert ((part["low"] <= part["label"]) & (part["label"] <= part["high"])).all()


def test_the_answer_names_each_collection(fitted):
    from metameter.meta.fit.text import across_fits

    [sentence] = across_fits({"web": fitted, "mail": fitted}).sentences
    assert f"web {fitted.metric} (shown to be better" in sentence
    assert "mail " in sentence


def test_null_labels_give_no_recommendation():
    pages = simulate_pages(300, users=30, null=True, seed=1).pages
    found = fit(pages, model="RBP*max", max_grade=3, resamples=60)
    assert found.answer()[0].startswith("These labels do not tell p")
    assert found.manifest["fitted"]["above_chance"] is False
    assert "Use it" not in found.remark


def test_informative_labels_are_above_chance(fitted):
    assert fitted.manifest["fitted"]["above_chance"] is True
    assert fitted.answer()[0].startswith("The users are best described by")


def test_folds_with_one_distinct_label_have_no_concordance():
    grades, labels = [[1, 0, 0], [2, 0, 0], [0, 0, 0], [1, 1, 1], [2, 2, 2]], (3, 2, 1, 3, 3)
    rows = [{"grades": some, "satisfaction": label} for some, label in zip(grades, labels, strict=True)]
    found = fit(rows, model="RBP*max", max_grade=3, resamples=20)
    assert found.tables["fit_folds"]["concordance"][-1] is None
    assert "in no fold do labels differ" in found.answer()[2]


def test_resamples_without_a_concordance_are_ignored():
    draws = np.array([0.1, 0.2, 0.3, 0.15, 0.25] * 4)
    missing = np.where(np.arange(20) % 2 == 0, np.nan, 0.9)
    alone = _interval(0.2, draws[None], 20)
    assert _interval(0.2, np.stack([draws, np.full(20, np.nan)]), 20) == pytest.approx(alone)
    # A draw in which no fold has a concordance is left out.
    assert _interval(0.9, missing[None], 20)[:2] == pytest.approx((0.9, 0.9))


def test_the_answer_names_the_reference(people):
    from metameter.meta.fit.text import across_fits

    found = fit(people.pages, model="RBP*max", reference="INST*max", max_grade=3, resamples=60)
    [sentence] = across_fits({"web": found}).sentences
    assert "than INST(T=2.25)*max" in found.answer()[1]
    assert "canonical" not in sentence
    kinds = found.tables["fit_calibration"]["kind"].unique(maintain_order=True).to_list()
    assert kinds == ["fitted", "reference"]


@pytest.mark.parametrize(
    ("reference", "said", "dashed"),
    [
        (None, "dashed: the canonical value", 0.8),
        ("RBP(p=0.9)*max", "dashed: the value of the reference, RBP(p=0.9)*max", 0.9),
        ("INST*max", "the reference, INST(T=2.25)*max, has no value here", None),
    ],
)
def test_the_curve_marks_the_canonical_value_or_reference(people, reference, said, dashed):
    found = fit(people.pages, model="RBP*max", reference=reference, max_grade=3, resamples=0)
    chart = found.charts()["fit_curve"].to_dict()
    written = json.dumps(chart)
    assert said in written
    assert ("canonical" in written) is (reference is None)
    lines = {rows[0]["at"] for rows in chart["datasets"].values() if "at" in rows[0]}
    assert lines == {found.table["estimate"][0], *([] if dashed is None else [dashed])}


def _turned(rows, which):
    """Pairs some of which are told the other way round: b first."""
    a, b = ([*rows["grades_a"]], [*rows["grades_b"]])
    first = [y if turn else x for x, y, turn in zip(a, b, which, strict=True)]
    second = [x if turn else y for x, y, turn in zip(a, b, which, strict=True)]
    sign = np.where(which, -1, 1) * rows["preference"].to_numpy()
    return pl.DataFrame({"user": rows["user"], "grades_a": first, "grades_b": second, "preference": sign})


def test_preferences_are_fitted_by_predicted_share(people):
    rows = people.pair_rows
    found = fit(rows, model="RBP*max", max_grade=3, resamples=60)
    curve = found.tables["fit_curve"]
    assert "concordance" not in curve.columns
    decided = rows.filter(pl.col("preference") != 0)
    for value, agreement in curve.select("value", "agreement").rows()[30::53]:
        metric = metameter.parse_metric(f"RBP(p={value})*max")
        scores = [
            [round(metric([grade / 3 for grade in grades]), 12) for grades in decided[name]]
            for name in ("grades_a", "grades_b")
        ]
        signs = np.sign(np.subtract(*scores[::-1]))
        assert agreement == pytest.approx(
            (signs == np.sign(decided["preference"].to_numpy())).mean() + (signs == 0).mean() / 2
        )
    beside = metameter.preference(rows, [found.metric], max_grade=3, resamples=0).table.row(0, named=True)
    best = curve.filter(pl.col("value") == found.table["estimate"][0])["agreement"].item()
    assert best == pytest.approx(beside["agreement"] + beside["ties"] / 2)
    assert "agreement with preferences ." in found.answer()[1]
    assert "concordance" not in "\n".join([found.remark, *found.notes])


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_swapping_pages_a_and_b_changes_nothing(people, share):
    rows = people.pair_rows
    which = np.random.default_rng(0).random(rows.height) < np.where(rows["preference"].to_numpy() < 0, share, 0.1)
    one, other = (fit(each, model="RBP*max", max_grade=3, resamples=60) for each in (rows, _turned(rows, which)))
    # What is drawn depends on the order of the rows, which is that of their contents; what was found does not.
    assert one.table["estimate"].to_list() == other.table["estimate"].to_list()
    value = one.table["estimate"][0]
    heights = [each.tables["fit_curve"].filter(pl.col("value") == value)["agreement"].item() for each in (one, other)]
    assert heights[0] == heights[1]


def test_charts_and_rows_name_their_kind_of_label(people, fitted):
    from metameter.meta.fit.text import across_fits
    from metameter.studies.result import stack_tables

    pairs = fit(people.pairs, model="RBP*max", max_grade=3, resamples=0)
    drawn = json.dumps(pairs.charts()["fit_curve"].to_dict())
    assert "Agreement: of the preferences" in drawn
    assert "oncordance" not in drawn
    assert "pairs that score alike" in json.dumps(pairs.charts()["fit_calibration"].to_dict())
    [sentence] = across_fits({"web": fitted, "mail": pairs}).sentences
    assert f"mail {pairs.metric} (fitted to preferences)" in sentence
    both = stack_tables({"web": fitted.tables["fit_folds"], "mail": pairs.tables["fit_folds"]})
    assert both.group_by("labels", maintain_order=True).agg(
        pl.col("concordance").is_not_null().any(), pl.col("agreement").is_not_null().any()
    ).rows() == [("satisfaction", True, False), ("preference", False, True)]


def test_folds_of_two_seeds_share_no_resamples(people):
    from metameter.meta.label_agreement.question import counts_of_labels
    from metameter.stats.labels.counts import label_resamples

    counts = counts_of_labels(people.pages)
    drawn = [label_resamples(counts, 64, seed, (fold,)).block(0) for seed in (0, 1) for fold in range(5)]
    assert len({each.tobytes() for each in drawn}) == 10


@pytest.mark.slow
def test_null_labels_show_no_difference():
    # 13 of 100 such data sets were said to differ when folds were taken for independent; now 1 or 2.
    verdicts = []
    for seed in range(25):
        pairs = simulate_pages(1, pairs=150, null=True, seed=seed).pairs
        found = fit(pairs, model="RBP*max", max_grade=3, resamples=64, seed=seed, jobs=1)
        verdicts.append(found.tables["fit_folds"]["verdict"][-1])
    assert verdicts.count("no-evidence") >= 23


def test_every_resample_is_searched_anew(people):
    from metameter.meta.fit.held_out import NestedBootstrap
    from metameter.meta.fit.search import Objective, Samples, search
    from metameter.meta.label_agreement.question import counts_of_labels
    from metameter.stats.labels.counts import label_folds, label_resamples

    pairs, model = people.pairs, free_model("DCG*max")
    counts = counts_of_labels(pairs)
    folds, objective = label_folds(counts, 3), Objective(pairs, 3)
    found = search(objective, model, Samples(counts, counts.by_cell[None]))
    heights = NestedBootstrap(objective, counts, folds, model, found, model.canonical()).heights(5, seed=2, jobs=1)
    assert heights.shape == (3, 5, 2)
    # One draw by hand: the depth that agrees with most preferences of the other folds' draws, on the first fold's.
    blocks = [label_resamples(fold, 5, 2, (n,)).block(0)[4] for n, fold in enumerate(folds)]
    depths = found.grids[0].points[:, 0]
    signs = np.sign(
        objective.codes([model.metric([k]) for k in depths])[:, :-1]
        - objective.codes([model.metric([k]) for k in depths])[:, -1:]
    )
    preferred = np.sign(pairs.levels)

    def agreement(which, sign):
        right = [(blocks[n], sign[folds[n].cells[:, 0]] * preferred[folds[n].cells[:, 1]]) for n in which]
        decided = sum(
            block[preferred[folds[n].cells[:, 1]] != 0].sum() for n, (block, _) in zip(which, right, strict=True)
        )
        return 0.5 + sum((block * lead).sum() for block, lead in right) / decided / 2

    train = np.array([agreement((1, 2), sign) for sign in signs])
    best = np.flatnonzero(train == train.max())
    middle = best[np.abs(best - best.mean()).argmin()]
    assert heights[0, 4, 0] == pytest.approx(agreement((0,), signs[middle]))
    assert heights[0, 4, 1] == pytest.approx(agreement((0,), signs[depths == 10][0]))


def test_interval_ends_are_values_that_were_tried(fitted):
    row = fitted.table.row(0, named=True)
    tried = set(fitted.tables["fit_curve"]["value"].to_list())
    assert {row["low"], row["high"]} <= tried
    assert max(len(repr(row[name])) for name in ("low", "high")) <= 6


def test_few_resamples_give_a_warning(people):
    found = fit(people.pages, model="RBP*max", max_grade=3, resamples=10)
    assert "Warning: ends of intervals from 10 resamples are rough. Raise resamples to 1,000, say." in found.notes


@pytest.mark.parametrize(
    ("model", "truth", "open_ended"),
    [("DCG*max", "DCG@10*max", False), ("RBP(p=0.8)*fgt", "RBP(p=0.8)*fgt(delta=0.8)", False), ("RBP*max", None, True)],
)
def test_an_interval_is_open_at_the_end_of_the_search(model, truth, open_ended):
    more = {"null": True} if truth is None else {"metric": truth}
    found = fit(simulate_pages(200, seed=1, **more).pages, model=model, max_grade=3, resamples=100)
    row = found.table.row(0, named=True)
    assert row["high"] == row["searched_high"]
    assert any("it is open there" in note for note in found.notes) is open_ended


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": 3}, "smoothing is for ranks viewed last"),
        ({"model": ""}, "cannot read the metric name"),
        ({"model": "RBP(p=?,p=?)*max"}, "a parameter is given twice"),
    ],
)
def test_ineffective_options_are_refused(people, options, message):
    with pytest.raises(MetameterError, match=message):
        fit(people.pages, max_grade=3, **options)


def test_notes_say_which_labels_the_interval_is_for():
    pages = simulate_pages(200, pairs=0, seed=1).pages
    notes = fit(pages, model="RBP*max", max_grade=3, resamples=20).notes
    assert any(note.startswith("The interval is for labels that follow what users take away") for note in notes)
    assert any(note.endswith("to which side it errs is not known.") for note in notes)
