"""`fit` from ranks viewed last: likelihoods against closed forms and scipy, the data-driven model, what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest, chi2, chisquare

import metameter
from metameter.browse.page import Page
from metameter.browse.rbp import RBP
from metameter.errors import MetameterError
from metameter.meta.fit.browsing import candidates, data_driven, parameter_estimate
from metameter.meta.fit.last_ranks import LastRanks
from metameter.meta.fit.procedure import fit
from metameter.meta.fit.views import _parameters, _ranks, _test
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.read.labels.views import read_views
from metameter.stats.labels.last_viewed import Viewers, rank_fit, smoothed_continuation
from metameter.types import Views


def _walks(model, pages=2000, depth=10, seed=0, users=None):
    """Pages with random grades, and the rank at which users of a model leave them."""
    random = np.random.default_rng(seed)
    grades = random.integers(0, 4, size=(pages, depth)) * (random.random((pages, depth)) < 0.4)
    view = model.view(Page(grades / 3))
    view = np.broadcast_to(view, grades.shape)
    last = (random.random((pages, 1)) < view).sum(axis=1)  # viewed: ranks whose share of viewers exceeds the lot
    rows = {"grades": grades.tolist(), "last": np.maximum(last, 1)}
    if users:
        rows["user"] = [f"u{n % users}" for n in range(pages)]
    return pl.DataFrame(rows)


def test_rbp_has_its_closed_form_on_long_pages():
    rows = _walks(RBP(p=0.5), depth=60)
    ranks = LastRanks.of(read_views(rows), 3)
    [fitted] = [each.fit(ranks, ranks.count).model for each in candidates() if each.name == "RBP"]
    assert fitted.p == pytest.approx(1 - 1 / rows["last"].mean(), abs=1e-3)


def test_rbp_matches_scipys_maximum_on_short_pages():
    rows = _walks(RBP(p=0.9))
    ranks = LastRanks.of(read_views(rows), 3)
    last = rows["last"].to_numpy()

    def unlikely(p):  # at rank 10 the page ends
        return -(np.where(last < 10, np.log(1 - p), 0.0) + (last - 1) * np.log(p)).sum()

    best = minimize_scalar(unlikely, bounds=(0.01, 0.99), method="bounded")
    [fitted] = [each.fit(ranks, ranks.count) for each in candidates() if each.name == "RBP"]
    assert fitted.model.p == pytest.approx(best.x, abs=1e-3)
    assert ranks.log_likelihood(RBP(p=best.x)) == pytest.approx(-best.fun)


@pytest.mark.parametrize("name", ["RBP(p=0.7)", "INSQ(T=1.5)", "INST(T=2)", "DCG@10", "ERR"])
def test_probabilities_of_last_ranks_sum_to_one(name):
    ranks = LastRanks.of(read_views(_walks(RBP(p=0.7), pages=50)), 3)
    model = metameter.parse_metric(f"{name}*max").model
    assert ranks.chances(model).sum(axis=1) == pytest.approx(1.0)
    assert ranks.expected(model).sum() == pytest.approx(50)


@pytest.mark.parametrize(
    ("name", "truth"), [("RBP", "RBP(p=0.7)"), ("INSQ", "INSQ(T=1.5)"), ("INST", "INST(T=2)"), ("ERR", "ERR")]
)
def test_the_true_model_fits_best(name, truth):
    model = metameter.parse_metric(f"{truth}*max").model
    rows = _walks(model, pages=1500, seed=5) if name != "ERR" else _walks_of_err(1500)
    table = fit(rows, empirical=True, max_grade=3, resamples=0).tables["fit_models"]
    named = table.filter(pl.col("model").str.starts_with(name))
    assert table.filter(pl.col("kind") != "data-driven").sort("held_out")["model"][-1] == named["model"][0]
    if named["p"][0] is not None:
        assert named["p"][0] > 0.001


def _walks_of_err(pages):
    model = metameter.parse_metric("ERR*max").model
    random = np.random.default_rng(9)
    grades = random.integers(0, 4, size=(pages, 10)) * (random.random((pages, 10)) < 0.4)
    view = model.view(Page((2.0**grades - 1) / 8))
    return pl.DataFrame({"grades": grades.tolist(), "last": (random.random((pages, 1)) < view).sum(axis=1)})


def test_empirical_rates_match_well_observed_ranks():
    rows = _walks(RBP(p=0.7), pages=500)
    ranks = LastRanks.of(read_views(rows), 3)
    last = rows["last"].to_numpy()
    observed = [(last > rank).sum() / (last >= rank).sum() for rank in range(1, 10)]
    assert data_driven(ranks, ranks.count, smoothing=0).model.observed == pytest.approx(observed, abs=1e-4)


def test_smoothing_pulls_rare_ranks_towards_the_mean():
    observed = Viewers(np.array([10_000, 1000, 4]), np.array([2000, 600, 4]))
    rates, worth, parameters = smoothed_continuation(observed)
    assert 2 < parameters < 2.8
    assert 0 < worth < 100
    assert rates[:2] == pytest.approx([0.8, 0.4], abs=0.02)
    assert 0.05 < rates[2] < 0.6


def test_equal_ranks_get_one_rate():
    found = fit(_walks(RBP(p=0.6), pages=400, seed=2), empirical=True, max_grade=3)
    rates = found.tables["fit_ranks"]["continuation"]
    assert rates.max() - rates.min() < 0.001
    assert any("no more than by chance" in note for note in found.notes)


RATES = np.array([0.6, 0.66, 0.7, 0.72, 0.74, 0.75, 0.73, 0.68, 0.6])


def _by_users(seed, sizes, spread=0.0):
    """Pages of users who differ in patience by this much, on the scale of logits, and the ranks they leave at."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(len(sizes)), sizes)
    logits = np.log(RATES / (1 - RATES)) + random.normal(0, spread, len(sizes))[who][:, None]
    on = random.random(logits.shape) < 1 / (1 + np.exp(-logits))
    last = 1 + np.cumprod(on, axis=1).sum(axis=1)
    return pl.DataFrame({"grades": [[1] + [0] * 9] * len(who), "last": last, "user": [f"u{each}" for each in who]})


@pytest.mark.parametrize("smoothing", [None, 0, 20])
@pytest.mark.parametrize("sizes", [[1] * 200, [50] * 6, [10] * 10 + [200]])
def test_intervals_cover_the_true_rates(smoothing, sizes):
    # Resampled, smoothed rates held them in 35 to 93% of 200 pages, in 81 to 89% of six users.
    held = []
    for seed in range(40):
        views = read_views(_by_users(seed, sizes))
        ranks, counts = LastRanks.of(views, 1), counts_of_labels(views)
        rates = _ranks(ranks, data_driven(ranks, ranks.count, smoothing).model)["continuation"].to_list()
        table = _parameters(ranks, counts, rates)
        assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
        ends = table.select("low", "high").to_numpy()
        held += [low <= rate <= high for (low, high), rate in zip(ends, RATES, strict=False)]
    assert np.mean(held) > 0.92


def test_intervals_need_no_resamples():
    table = fit(_walks(RBP(p=0.7), pages=300, seed=8), empirical=True, max_grade=3, resamples=0).table
    assert table["parameter"].to_list() == [f"C({rank})" for rank in range(1, 10)]
    assert table["low"].is_not_null().all()


def test_unreached_ranks_are_left_out():
    rows = _walks(RBP(p=0.6), pages=300, depth=100, seed=8)
    furthest = rows["last"].max()
    found = fit(rows, empirical=True, max_grade=3, resamples=100, smoothing=0, folds=2)
    assert found.table["parameter"].to_list() == [f"C({rank})" for rank in range(1, furthest + 1)]
    assert found.tables["fit_ranks"]["viewers"].min() > 0
    assert metameter.parse_metric(found.metric).model.observed[-1] == 0  # whoever was there left
    assert (found.table["high"] - found.table["low"])[-3:].min() > 0.3  # few were
    smoothed = fit(rows, empirical=True, max_grade=3, resamples=0, smoothing=10, folds=2)
    assert smoothed.table.height == furthest
    assert smoothed.metric.endswith("tail=repeat)*ERG")


def test_intervals_have_width_where_every_user_continued():
    rows = [{"grades": [1, 0, 0], "last": last} for last in [3] * 3 + [1] * 20]
    table = fit(rows, empirical=True, max_grade=3, smoothing=0, resamples=100).table
    theirs = binomtest(3, 3).proportion_ci(method="wilson")
    assert table.row(1)[1:] == pytest.approx((1.0, theirs.low, theirs.high))


def test_the_best_model_is_named_data_driven_or_not():
    rates = metameter.parse_metric("Empirical(continuation=[0.9,0.2,0.9,0.2,0.9,0.2,0.9,0.2,0.9])*max").model
    own = fit(_walks(rates, seed=1), empirical=True, max_grade=3, resamples=0)
    assert own.answer()[1].startswith("Held-out ranks are likeliest under this data-driven model, then under ")
    even = fit(_walks(RBP(p=0.6), pages=400, seed=2), empirical=True, max_grade=3, resamples=0)
    assert even.answer()[0].startswith(
        "The ranks viewed last are described by one rate for all ranks, that of RBP(p=0."
    )
    assert even.answer()[1].startswith("Held-out ranks are likeliest under ")


def test_the_printed_name_scores_the_same():
    found = fit(_walks(RBP(p=0.6), pages=400, seed=3), empirical=True, max_grade=3, smoothing=5)
    assert found.metric.startswith("Empirical(continuation=[")
    metric = metameter.parse_metric(found.metric)
    assert metric.name == found.metric
    rates = found.tables["fit_ranks"]["continuation"].to_list()
    by_hand = metameter.parse_metric(f"Empirical(continuation={rates})*ERG")
    assert metric([0.3, 0, 1, 0.2]) == by_hand([0.3, 0, 1, 0.2])


def test_long_pages_have_a_short_name():
    found = fit(_walks(RBP(p=0.97), pages=80, depth=150), empirical=True, max_grade=3, folds=2, smoothing=10)
    assert len(found.metric) < 2000
    assert "tail=repeat" in found.metric
    assert 0 < metameter.parse_metric(found.metric)([1.0] * 400) <= 1


def test_one_rate_is_one_number_on_long_pages():
    found = fit(_walks(RBP(p=0.97), pages=80, depth=150), empirical=True, max_grade=3, folds=2)
    [rate] = found.tables["fit_ranks"]["continuation"].unique().to_list()
    assert found.metric == f"RBP(p={rate})*ERG"
    assert found.manifest["fitted"]["model"] == f"Empirical(continuation=[{rate}],tail=repeat)"
    model = metameter.parse_metric(f"{found.manifest['fitted']['model']}*ERG")
    grades = [0.0, 1.0, 0.5] * 60
    assert model(grades) == pytest.approx(metameter.parse_metric(found.metric)(grades), abs=1e-12)
    assert found.tables["fit_models"]["parameters"][0] < 3


def test_the_tail_of_long_pages_is_smoothed_too():
    ranks = LastRanks.of(read_views(_walks(RBP(p=0.97), pages=300, depth=150)), 3)
    strong = data_driven(ranks, ranks.count, 1e9).model.observed
    assert len(strong) == 100
    assert len(set(strong)) == 1


def test_a_lapse_is_fitted_where_it_raises_the_likelihood():
    # All ranks are possible with ERR, but hardly: without lapses one impossible row would have made it likelier.
    rows = pl.DataFrame({"grades": [[3, 0, 0, 0], [3, 1, 0, 0]] * 25, "last": [1, 4, 3, 4, 2] * 10})
    table = fit(rows, empirical=True, max_grade=3, folds=2).tables["fit_models"]
    uniform = 50 * np.log(1 / 4)
    for row in table.iter_rows(named=True):
        assert row["log_likelihood"] >= uniform - 1, row["model"]  # a parameter costs 1
    [err] = table.filter(pl.col("model") == "ERR").iter_rows(named=True)
    assert err["lapse"] > 0.9


def test_the_test_is_pearsons_on_equal_pages_without_fitting():
    observed = np.array([40.0, 30, 20, 10])
    theirs = chisquare(observed)
    ours = rank_fit(observed, np.full((2, 4), 0.25), np.array([30.0, 70]))
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert ours.df == 3


def test_each_fitted_parameter_costs_one_degree_of_freedom():
    random, p, rank = np.random.default_rng(0), 0.4, np.arange(3)

    def chances(p):
        return np.append((1 - p) * p ** rank[:2], p**2)[None]

    last = random.choice(3, 500, p=chances(p)[0])
    on, off = last.sum(), (last < 2).sum()
    best = on / (on + off)
    slopes = [(chances(best + 1e-5) - chances(best - 1e-5)) / 2e-5]
    test = rank_fit(np.bincount(last).astype(float), chances(best), np.array([500.0]), slopes)
    theirs = chisquare(np.bincount(last), 500 * chances(best)[0], ddof=1)
    assert test.df == 1
    assert (test.statistic, test.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-4)


def _of_test(name, rows, max_grade):
    ranks = LastRanks.of(read_views(rows), max_grade)
    [each] = [each for each in candidates() if each.name == name]
    return _test(each, each.fit(ranks, ranks.count), ranks).pvalue


def _walks_of_ap2(seed, pages=300):
    """Whoever knows where the one relevant result is leaves there, but for lapses on every fifth page."""
    random = np.random.default_rng(seed)
    at, lapses = random.integers(0, 10, pages), random.random(pages) < 0.2
    last = np.where(lapses, random.integers(1, 11, pages), at + 1)
    return pl.DataFrame({"grades": np.eye(10, dtype=int)[at].tolist(), "last": last})


@pytest.mark.parametrize("name", ["RBP", "INST", "AP2"])
def test_p_is_about_uniform_under_the_true_model(name):
    # Of unlike pages, of which a multinomial would vary more, too: p of AP2 was .88 in the mean.
    truth = {"RBP": RBP(p=0.7), "INST": metameter.parse_metric("INST(T=2)*max").model}
    rows = [_walks_of_ap2(n) if name == "AP2" else _walks(truth[name], 300, seed=n) for n in range(60)]
    found = np.array([_of_test(name, each, 1 if name == "AP2" else 3) for each in rows])
    assert 0.38 < found.mean() < 0.62
    assert (found < 0.05).mean() < 0.15
    assert (found > 0.8).mean() < 0.35


def test_labels_and_views_are_fitted_together():
    rows = _walks(RBP(p=0.7), pages=300, users=20).with_columns(
        satisfaction=pl.col("grades").list.first() + pl.col("grades").list.get(1) / 2
    )
    found = fit(rows, model="RBP*max", empirical=True, max_grade=3, resamples=40)
    assert list(found.tables) == list(type(found).table_names)
    assert found.metric.startswith("RBP(p=")
    assert found.manifest["fitted"]["model"].startswith("Empirical(")
    assert len(found.answer()) >= 3


CLICKS = [{"grades": [2, 0, 1], "clicks": [1, 0, 1]}, {"grades": [0, 1, 0], "clicks": [0, 1, 0]}]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (CLICKS, [2, 3]),
        ([{"grades": [2, 0, 1], "clicks": [1, 3]}, {"grades": [0, 1, 0], "clicks": [2]}], [2, 3]),
        ([{"grades": "2 0 1", "clicks": "1 3"}, {"grades": "0 1 0", "clicks": "2"}], [2, 3]),
        ([*CLICKS, {"grades": [1, 1, 1], "clicks": [0, 0, 0]}], [2, 3]),
        ([*CLICKS, {"grades": [1, 1, 1], "clicks": []}], [2, 3]),
        ([*CLICKS, {"grades": [1], "clicks": [1]}, {"grades": [1, 1, 1], "clicks": [1, 1, 1]}], [1, 2, 3, 3]),
        ([*CLICKS, {"grades": [1, 0, 0, 0], "clicks": [1, 1, 4]}], [2, 3, 4]),
        ([{"grades": [2, 0, 1], "clicks": [3, 1], "last": 1}, {"grades": [0, 1, 0], "clicks": [2], "last": 2}], [1, 2]),
    ],
)
def test_clicks_are_used_as_ranks(rows, last):
    assert sorted(read_views(rows).table["last"].to_list()) == last


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"grades": [1, 0], "last": 3}], "none of the page"),
        ([{"grades": [1, 0], "last": 0}], "none of the page"),
        ([{"grades": [1, 0], "last": 1.5}], "none of the page"),
        ([{"grades": [1, 0], "clicks": [-1]}], "no click"),
        ([{"grades": [1, 0], "clicks": ["x"]}], "no click"),
        ([{"grades": [1, 0], "clicks": [1, 4]}], "none of the page"),
        ([*CLICKS, {"grades": [1, 0, 0], "clicks": [0, 1]}], "row 3: clicks of 0 and 1 are as many"),
        ([*CLICKS, {"grades": [1, 0, 0], "clicks": [0, 2, 0]}], "row 3: clicks hold what is no click"),
        ([*CLICKS, {"grades": [1, 0, 0], "clicks": [4]}], "row 3: .*none of the page"),
        ([{"grades": [1, 0], "satisfaction": 4}], "neither last nor clicks"),
        ([{"grades": [1], "last": 1}] * 9, "second result"),
    ],
)
def test_wrong_input_is_refused(rows, message):
    with pytest.raises(MetameterError, match=message):
        fit(rows, empirical=True, max_grade=3)


def test_smoothing_out_of_range_is_refused():
    with pytest.raises(MetameterError, match="smoothing"):
        fit([{"grades": [1, 0], "last": 1}], empirical=True, smoothing=-1)


def test_views_are_returned_unchanged():
    views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 4, "last": [1, 2, 1, 1]}))
    assert read_views(views) is views


def _number(rows, name):
    """The row of a model that is compared with the ranks."""
    table = fit(rows, empirical=True, max_grade=3, resamples=0, folds=2).tables["fit_models"]
    return table.filter(pl.col("model").str.starts_with(name)).row(0, named=True)


def test_the_interval_is_the_likelihood_interval_for_independent_pages():
    rows = _walks(RBP(p=0.9))
    last = rows["last"].to_numpy()
    on, off = (last - 1).sum(), (last < 10).sum()  # how often users went on and left, of the times that they could

    def fall(p):
        return on * np.log(on / (on + off) / p) + off * np.log(off / (on + off) / (1 - p))

    row = _number(rows, "RBP")
    half = chi2.ppf(0.95, 1) / 2
    assert row["low"] < row["estimate"] < row["high"]
    # As far as the slopes of pages vary as the curvature says, which in 2,000 pages they nearly do.
    assert [fall(row["low"]), fall(row["high"])] == pytest.approx([half, half], rel=0.1)


@pytest.mark.parametrize(("name", "truth"), [("RBP", 0.7), ("INSQ", 1.5), ("INST", 2)])
def test_intervals_cover_the_true_parameter(name, truth):
    free = "p" if name == "RBP" else "T"
    row = _number(_walks(metameter.parse_metric(f"{name}({free}={truth})*max").model, pages=1500, seed=5), name)
    assert row["parameter"] == free
    assert row["model"] == f"{name}({free}={row['estimate']:g})"
    assert row["low"] <= truth <= row["high"]
    assert row["high"] - row["low"] < 0.2 * truth


def test_repeated_users_count_as_one_page_each():
    rows = _walks(RBP(p=0.7), pages=400, seed=3)
    known = rows.with_columns(user=pl.int_range(pl.len()).cast(pl.String))
    assert _number(known, "RBP")["low"] == pytest.approx(_number(rows, "RBP")["low"], abs=2e-4)  # a page each
    often = pl.concat([known] * 9)
    one, nine = _number(known, "RBP"), _number(often, "RBP")
    assert [nine["low"], nine["high"]] == pytest.approx([one["low"], one["high"]], abs=1e-3)
    alone = _number(often.drop("user"), "RBP")
    assert alone["high"] - alone["low"] == pytest.approx((one["high"] - one["low"]) / 3, rel=0.05)


@pytest.mark.parametrize(
    ("last", "at", "ends"),
    [
        (1, "low", (0.0, 1 - 0.025 ** (1 / 40))),  # with that p all leave at rank 1 in 2.5% of cases
        (5, "high", (0.025 ** (1 / 160), 0.999)),  # with that p all go on four times
    ],
)
def test_an_interval_at_a_bound_is_one_sided(last, at, ends):
    rows = pl.DataFrame({"grades": [[1, 0, 0, 0, 0]] * 40, "last": [last] * 40})
    row = _number(rows, "RBP")
    assert row["at_bound"] == at
    assert row["estimate"] in (row["low"], row["high"])
    assert (row["low"], row["high"]) == pytest.approx(ends, abs=2e-3)
    # Users who have two pages each count once.
    twice = pl.concat([rows] * 2).with_columns(user=pl.int_range(pl.len()).mod(40).cast(pl.String))
    assert _number(twice, "RBP")["high"] == pytest.approx(row["high"], abs=2e-4)


def test_the_interval_contains_equally_likely_depths():
    rows = [{"grades": [1] + [0] * 7, "last": last} for last in [3] * 40 + [4] * 36 + [7] * 2 + [1] * 6]
    row = _number(rows, "Prec")
    assert (row["estimate"], row["low"], row["high"]) == (3, 3, 4)
    assert row["lapse_low"] < row["lapse"] < row["lapse_high"] < 1
    clear = [{"grades": [1] + [0] * 7, "last": last} for last in [3] * 60 + [4] * 20]
    assert [_number(clear, "Prec")[name] for name in ("low", "high")] == [3, 3]


def test_the_interval_of_long_pages_contains_untried_depths():
    rows = [{"grades": [1] + [0] * 99, "last": 100} for _ in range(50)]
    row = _number(rows, "Prec")
    assert (row["estimate"], row["high"], row["at_bound"]) == (100, 100, "high")
    assert 84 < row["low"] < 100  # the next that was tried is 86


def test_few_pages_have_an_estimate_but_no_interval():
    row = _number([{"grades": [1, 0, 0], "last": last} for last in (1, 2, 1, 3)], "RBP")
    assert row["estimate"] is not None
    assert (row["low"], row["high"], row["lapse_low"]) == (None, None, None)


def test_notes_describe_the_interval_of_the_likeliest_model():
    found = fit(_walks(RBP(p=0.6), pages=400, seed=2), empirical=True, max_grade=3, resamples=100)
    likely = found.tables["fit_models"].sort("held_out").row(-1, named=True)
    ends = f", 95% interval of {likely['parameter']} {likely['low']:g} to {likely['high']:g}."
    assert found.answer()[1].endswith(ends)
    assert "low, high of a model: 95% for other pages, from how fast its likelihood falls." in found.notes
    ranks = found.tables["fit_ranks"]
    assert ((ranks["low"] <= ranks["continuation"]) & (ranks["continuation"] <= ranks["high"])).all()


def test_one_dominant_user_widens_intervals():
    # Ten users with ten pages each and one with 200: the interval of p held the truth in 59% of data sets.
    held, widths = [], []
    for seed in range(30):
        random, sizes = np.random.default_rng(seed), [10] * 10 + [200]
        patience = np.repeat(random.beta(7.5, 2.5, 11), sizes)
        last = np.minimum(random.geometric(1 - patience), 10)
        user = np.repeat(np.arange(11), sizes).astype(str)
        views = read_views(pl.DataFrame({"grades": [[1] + [0] * 9] * 300, "last": last, "user": user}))
        ranks = LastRanks.of(views, 1)
        [rbp] = [each for each in candidates() if each.name == "RBP"]
        found = parameter_estimate(rbp, rbp.fit(ranks, ranks.count), ranks, counts_of_labels(views))
        held.append(found.low <= 0.795 <= found.high)  # the p that is likeliest for all such users together
        widths.append(found.high - found.low)
    assert np.mean(held) >= 0.9
    assert np.mean(widths) < 0.8


def test_unequal_users_give_a_warning():
    found = fit(_by_users(1, [10] * 10 + [200]), empirical=True, max_grade=1, folds=2)
    assert (
        "Warning: one of 11 users has 200 of 300 pages. For intervals they count as 2.2 users of equal size."
        in found.notes
    )
    assert "Warning: intervals from fewer than 15 users are rough, and these are from 11." in found.notes
    assert not any("Warning" in note for note in fit(_by_users(1, [10] * 30), empirical=True, max_grade=1).notes)


def test_smoothed_rates_count_as_effective_parameters():
    alike = fit(_walks(RBP(p=0.6), pages=400, seed=2), empirical=True, max_grade=3, folds=2).tables["fit_models"]
    assert alike["parameters"][0] == 1
    apart = fit(_by_users(1, [1] * 400), empirical=True, max_grade=1, folds=2, smoothing=0).tables["fit_models"]
    assert apart["parameters"][0] == 9
