"""Alternatives held against canonical metrics."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.errors import MetameterError
from metameter.meta.consistency.procedure import consistency
from metameter.meta.power.procedure import power
from metameter.meta.recommend.answer import across_sentence
from metameter.meta.recommend.canonical import alternatives
from metameter.meta.recommend.difference import Difference
from metameter.meta.recommend.pareto_front import front
from metameter.meta.recommend.procedure import Recommendation, recommend, recommendation_of
from metameter.meta.recommend.tables import recommendation_rows
from metameter.meta.recommend.verdict import figure, verdict, words
from metameter.meta.similarity.procedure import similarity
from metameter.notices import MetameterWarning
from metameter.read.scores import read_scores
from metameter.registry import get
from metameter.stats import bootstrap_indices, split_half_tau, two_way_anova
from metameter.stats.tukey_power import resampled_power, tukey_power
from metameter.types import Scores
from metameter.view.charts import spec_json
from metameter.view.charts.label_places import LETTER, LINE, Box, places

SMALL = {"splits": 60, "trials": 100, "resamples": 70}
CONTRACT = [
    "metric",
    "canonical",
    "tau_to_canonical",
    "consistency_difference",
    "consistency_low",
    "consistency_high",
    "power_difference",
    "power_low",
    "power_high",
    "verdict",
]
UP, DOWN, NEITHER = Difference(0.2, 0.1, 0.3), Difference(-0.2, -0.3, -0.1), Difference(0.1, -0.1, 0.3)
NONE, UNKNOWN = Difference(0.0, 0.0, 0.0), Difference(0.2)


def scores_of(noises, names, systems=10, topics=24, seed=1):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, systems)[:, None]
    values = np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])
    return Scores(tuple(names), tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics))), values)


@pytest.fixture(scope="module")
def simulated() -> Scores:
    made = metameter.simulate(topics=30, systems=16, depth=20, seed=3)
    return metameter.score(made.qrels, made.runs, preset="chen-sakai-2023", max_grade=3)


@pytest.fixture(scope="module")
def parts(simulated):
    given = {"splits": SMALL["splits"], "trials": SMALL["trials"]}
    return (
        similarity(simulated),
        consistency(simulated, resamples=SMALL["resamples"], **given),
        power(simulated, trials=SMALL["trials"]),
    )


@pytest.fixture(scope="module")
def result(simulated, parts):
    return recommendation_of(simulated, *parts, resamples=SMALL["resamples"])


@pytest.mark.parametrize(
    ("tau", "half", "apart", "expected"),
    [
        (0.95, UP, UP, "better-and-similar"),
        (0.95, UP, NEITHER, "better-and-similar"),
        (0.95, NEITHER, UP, "better-and-similar"),
        (0.95, NONE, UP, "better-and-similar"),
        (0.9, UP, UP, "better-and-similar"),
        (0.9 - 1e-15, UP, UP, "better-and-similar"),
        (0.899, UP, UP, "better-but-different"),
        (None, UP, UP, "better-but-different"),
        (0.95, UP, DOWN, "no-evidence"),
        (0.95, DOWN, UP, "no-evidence"),
        (0.95, NEITHER, NEITHER, "no-evidence"),
        (1.0, NONE, NONE, "no-evidence"),
        (0.95, UNKNOWN, UNKNOWN, "no-evidence"),
        (0.95, DOWN, NEITHER, "worse"),
        (0.95, NEITHER, DOWN, "worse"),
        (0.5, DOWN, DOWN, "worse"),
        # An interval that ends at zero is no evidence.
        (0.95, Difference(0.1, 0.0, 0.2), Difference(-0.1, -0.2, 0.0), "no-evidence"),
    ],
)
def test_verdicts(tau, half, apart, expected):
    assert verdict(tau, half, apart) == expected


def test_similar_is_an_option():
    assert verdict(0.85, UP, UP, similar=0.8) == "better-and-similar"
    assert verdict(0.95, UP, UP, similar=0.96) == "better-but-different"


@pytest.mark.parametrize(
    ("tau", "half", "apart", "said", "unsaid"),
    [
        (0.93, NEITHER, UP, ["much as C does (tau .930) and tells more pairs apart (+.200"], ["more consistent"]),
        (0.5, UP, UP, ["otherwise than C does (tau .500, below .9)", "is more consistent"], ["much as"]),
        (0.95, DOWN, UP, ["tells more pairs apart", "but is less consistent", "mixed, no verdict"], []),
        (0.95, DOWN, DOWN, ["tells fewer pairs apart", "and is less consistent"], ["mixed", "more"]),
        (1.0, NONE, NONE, ["exactly as C does (tau 1)", "as consistent", "as many pairs"], ["evidence"]),
        (None, NEITHER, NEITHER, ["tau is undefined", "no evidence of a difference in power"], ["much as"]),
        (0.95, UNKNOWN, UNKNOWN, ["(+.200, no interval)"], ["more consistent", "more pairs"]),
        (0.89996, UP, NEITHER, ["tau .89996, below .9"], []),
    ],
)
def test_words_say_what_the_numbers_say(tau, half, apart, said, unsaid):
    text = words("M", "C", tau, half, apart)
    assert text.startswith("M ")
    assert text.endswith(".")
    assert all(part in text for part in said), text
    assert not any(part in text for part in unsaid), text


def test_figures_are_never_rounded_onto_zero():
    assert figure(0.0004) == ".0004"
    assert figure(-0.25, sign=True) == "-.250"
    assert figure(1.5) == "1.500"
    assert figure(-0.0) == "0"


def test_closed_form_power_is_that_of_the_analysis_of_variance(simulated):
    matrix = np.moveaxis(simulated.values, 1, 2)
    assert np.array_equal(tukey_power(matrix), two_way_anova(matrix).power())
    assert np.array_equal(tukey_power(matrix, 0.2), two_way_anova(matrix).power(0.2))


def test_resampled_power_is_that_of_the_resampled_topics(simulated):
    matrix = np.moveaxis(simulated.values, 1, 2)
    drawn = np.concatenate(list(bootstrap_indices(30, 70, seed=5)))
    found = resampled_power(matrix, 70, seed=5)
    assert found.shape == (70, 39)
    for number in (0, 1, 2, 63, 64, 69):
        assert np.array_equal(found[number], two_way_anova(matrix[:, drawn[number]]).power())
    assert np.array_equal(resampled_power(matrix, 0, indices=drawn[:7]), found[:7])
    assert np.array_equal(resampled_power(matrix, 64, seed=5), found[:64])


def test_power_without_residual_or_without_differences():
    additive = np.arange(6.0)[:, None] + np.array([0.0, 1.0, 1.0, 2.0]) / 3
    matrix = np.stack([additive, np.ones((6, 4))])
    assert np.array_equal(tukey_power(matrix), two_way_anova(matrix).power())
    assert tukey_power(matrix).tolist() == [5 / 6, 0.0]


def test_columns_and_rows_are_those_of_the_contract(simulated, result):
    assert list(result.tables) == ["recommendation", "recommendation_terciles"]
    assert result.table.columns[: len(CONTRACT)] == CONTRACT
    assert result.table.height == 33
    assert result.table["metric"].to_list() == [m for m in simulated.metrics if m not in set(result.table["canonical"])]
    canonical = ["Prec@10*ERG", "DCG@10*ERG", "RBP(p=0.8)@10*ERG", "INST(T=2.25)@10*ERG", "AP1*ERG@10", "ERR*ERR@10"]
    assert result.table["canonical"].unique(maintain_order=True).to_list() == canonical


def test_rows_follow_from_the_three_procedures(parts, result):
    similar, consistent, powerful = parts
    pairs = consistent.tables["consistency_pairs"]
    powers = dict(powerful.table["metric", "power"].iter_rows())
    means = dict(consistent.table["metric", "mean_tau"].iter_rows())
    for row in result.table.iter_rows(named=True):
        names = {row["metric"], row["canonical"]}
        tau = [s for a, b, s in similar.table["metric_a", "metric_b", "statistic"].iter_rows() if {a, b} == names]
        assert [row["tau_to_canonical"]] == tau
        assert row["power_difference"] == pytest.approx(powers[row["metric"]] - powers[row["canonical"]])
        assert row["consistency_difference"] == pytest.approx(means[row["metric"]] - means[row["canonical"]])
        (pair,) = [p for p in pairs.iter_rows(named=True) if {p["metric_a"], p["metric_b"]} == names]
        ends = sorted(abs(end) for end in (pair["low"], pair["high"]))
        assert sorted(abs(end) for end in (row["consistency_low"], row["consistency_high"])) == pytest.approx(ends)
        for what in ("consistency", "power"):
            assert row[f"{what}_low"] <= row[f"{what}_difference"] <= row[f"{what}_high"]


def test_both_orders_of_a_pair_are_read_rightly():
    names = ["RBP(p=0.8)*max", "RBP(p=0.8)*ERG"]
    for order in (names, names[::-1]):
        noises = [0.2 if name.endswith("max") else 3.0 for name in order]
        row = recommend(scores_of(noises, order), **SMALL).table.row(0, named=True)
        assert (row["metric"], row["canonical"]) == tuple(names)
        assert row["consistency_low"] > 0
        assert row["power_low"] > 0
        assert row["verdict"].startswith("better")


def test_multiples_of_the_canonical_metric_differ_in_nothing(result):
    rows = result.table.filter(pl.col("metric").is_in(["Prec@10*ETG", "Prec@10*avg", "DCG@10*ETG"]))
    for row in rows.iter_rows(named=True):
        ends = [row[f"{what}_{end}"] for what in ("consistency", "power") for end in ("difference", "low", "high")]
        assert ends == [0.0] * 6
        assert (row["tau_to_canonical"], row["verdict"]) == (1.0, "no-evidence")
        assert "exactly" in row["words"]


def test_recommend_is_the_same_as_its_parts(simulated, result):
    again = recommend(simulated, **SMALL)
    assert all(again.tables[name].equals(frame) for name, frame in result.tables.items())
    assert get("meta", "recommend") is recommend


def test_any_number_of_jobs_gives_the_same_bits(simulated, parts, result):
    for jobs in (1, 3):
        again = recommendation_of(simulated, *parts, resamples=SMALL["resamples"], jobs=jobs)
        assert all(again.tables[name].equals(frame) for name, frame in result.tables.items())
        assert again.manifest == result.manifest
        assert again.notes == result.notes


def test_everything_shown_comes_from_tables_kept_on_disk(result, tmp_path):
    for name, frame in result.tables.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    tables = {name: pl.read_parquet(tmp_path / f"{name}.parquet") for name in result.tables}
    kept = Recommendation(tables, json.loads(json.dumps(result.manifest)), result.notes)
    assert kept.answer() == result.answer()
    assert {n: spec_json(c) for n, c in kept.charts().items()} == {n: spec_json(c) for n, c in result.charts().items()}


def test_the_answer_names_every_alternative_once_with_its_verdict(result):
    first, *rest = result.answer()
    assert first.startswith("Of 33 alternatives to 6 canonical metrics, ")
    assert len(rest) == 6
    for row in result.table.iter_rows(named=True):
        (summary,) = [text for text in rest if f" {row['canonical']} " in text]
        assert row["metric"] in summary
        if row["verdict"] == "better-and-similar":
            assert summary.count(f"{row['metric']} ") == 1
            assert row["words"] in summary


def test_stability_by_thirds(simulated, result):
    terciles = result.tables["recommendation_terciles"]
    assert terciles.columns[:5] == ["metric", "tercile", "topics", "mean_tau", "power"]
    assert terciles.height == 39 * 3
    name = "ERR@10*ERG"
    easy = np.argsort(simulated["ERR*ERR@10"].mean(axis=0), kind="stable")
    own = terciles.filter(pl.col("metric") == name)
    assert own["tercile"].to_list() == ["hard", "medium", "easy"]
    for (topics, tau, share), some in zip(
        own["topics", "mean_tau", "power"].iter_rows(), np.array_split(easy, 3), strict=True
    ):
        matrix = simulated[name][:, np.sort(some)].T
        assert topics == 10
        assert share == two_way_anova(matrix).power()
        assert tau == pytest.approx(np.nan_to_num(split_half_tau(matrix, trials=100)).mean())


def test_charts_hold_every_metric_and_draw(result):
    import vl_convert

    for chart in result.charts().values():
        text = spec_json(chart)
        json.loads(text)
        assert vl_convert.vegalite_to_svg(text).startswith("<svg")
    shown = spec_json(result.chart())
    assert all(metric in shown for metric in result.table["metric"])
    assert result.chart().to_dict() == result.chart().to_dict()


def test_front_is_what_nothing_beats_in_both():
    assert front([(0, 0), (1, 1), (2, -1), (-1, 3), (1, 1)]) == [(-1, 3), (1, 1), (2, -1)]
    assert front([(0, 0)]) == [(0, 0)]


def test_names_keep_clear_of_each_other_and_of_the_edges():
    dots = [(40.0, 40.0), (52.0, 44.0), (48.0, 60.0), (5.0, 5.0), (195.0, 95.0)]
    names = ["ERG", "ETG", "avg", "max", "fin"]
    boxes = [
        Box(x - LETTER * 1.5, y - LINE / 2, x + LETTER * 1.5, y + LINE / 2)
        for x, y in places(dots, names, (200.0, 100.0))
    ]
    assert all(a.shared(b) == 0 for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    assert all(box.left >= 0 and box.top >= 0 and box.right <= 200 and box.bottom <= 100 for box in boxes)


def test_a_sharper_alternative_is_recommended_and_a_blurred_one_is_not():
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*fin", "RBP(p=0.8)*avg"]
    found = recommend(scores_of([0.8, 0.2, 0.8, 6.0], names, topics=40), similar=0.5, **SMALL)
    verdicts = dict(found.table["metric", "verdict"].iter_rows())
    assert verdicts == {names[1]: "better-and-similar", names[2]: "no-evidence", names[3]: "worse"}
    first, second = found.answer()
    assert first == (
        "Of 3 alternatives to 1 canonical metric, 1 is better and ranks systems alike, 1 is worse; "
        "for 1 there is no evidence either way."
    )
    assert second.startswith("RBP(p=0.8)*max ranks the systems")
    assert second.count("RBP(p=0.8)*max") == 1


def test_what_differs_in_nothing_is_called_the_same(result):
    first, *rest = result.answer()
    same = result.table.filter(pl.col("words").str.contains(" is the same as "))
    assert {"Prec@10*ETG", "Prec@10*avg", "DCG@10*ETG"} <= set(same["metric"])
    assert f"{same.height} are the same as their canonical metric" in first
    assert "The same as Prec@10*ERG: Prec@10*ETG, Prec@10*avg." in rest[0]
    assert set(same["verdict"]) == {"no-evidence"}


def test_of_several_collections_what_holds_in_all_comes_first(result):
    said = across_sentence([result.table, result.table])
    assert said == f"In all 2 collections: o{result.answer()[0][1:]}"
    other = result.table.with_columns(verdict=pl.lit("better-but-different"), tau_to_canonical=0.5)
    differ = result.table.filter(pl.col("verdict") != "better-but-different").height
    assert f"{differ} fare differently from one to another" in across_sentence([result.table, other])
    assert across_sentence([result.table, result.table.clear()]) == ""


@pytest.mark.parametrize(
    ("closed", "confirmed"),
    [(0.2, True), (0.1, True), (0.3, True), (0.09, False), (0.31, False), (0.0, False), (-0.2, False)],
)
def test_power_is_evidence_only_where_the_closed_form_says_the_same(closed, confirmed):
    for sign in (1, -1):
        ends = sorted((sign * 0.1, sign * 0.3))
        found = Difference(sign * 0.2, *ends, sign * closed)
        assert (found.up, found.down) == (confirmed and sign > 0, confirmed and sign < 0)
        expected = ("better-and-similar" if sign > 0 else "worse") if confirmed else "no-evidence"
        assert verdict(0.95, NEITHER, found) == expected
        text = words("M", "C", 0.95, NEITHER, found)
        assert ("its power interval is not confirmed by the closed form, which gives " in text) != confirmed
        assert confirmed or "pairs apart" not in text
    assert not Difference(0.0, 0.0, 0.0, 0.1).is_zero


def side_of(value, low, high, closed=None):
    """The rule as docs/recommend.md states it: which way there is evidence (1, -1), or none (0)."""
    if low is None or high is None or low <= 0 <= high:
        return 0
    if closed is not None and (closed == 0 or (closed > 0) != (value > 0) or closed < low or closed > high):
        return 0
    return 1 if low > 0 else -1


def verdict_by_the_rule(row, similar=0.9):
    sides = {
        side_of(*(row[f"consistency_{key}"] for key in ("difference", "low", "high"))),
        side_of(*(row[f"power_{key}"] for key in ("difference", "low", "high", "difference_closed"))),
    } - {0}
    if len(sides) != 1:
        return "no-evidence"
    if sides == {-1}:
        return "worse"
    tau = row["tau_to_canonical"]
    return "better-and-similar" if tau is not None and tau >= similar else "better-but-different"


def test_the_table_holds_to_the_rule(result):
    verdicts = result.table["verdict"].to_list()
    assert verdicts == [verdict_by_the_rule(row) for row in result.table.iter_rows(named=True)]
    assert set(verdicts) == {"no-evidence", "worse"}


# tau, difference in mean tau with its interval, difference in power with its interval and in closed form: verdict.
RULE_ROWS = [
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.15), "better-and-similar"),
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.1), "better-and-similar"),
    (0.85, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.15), "better-but-different"),
    (0.95, (0.0, -0.1, 0.1), (-0.2, -0.3, -0.1, -0.15), "worse"),
    # The closed form lies outside the interval, is zero, or has the other sign: power is no evidence.
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.05), "no-evidence"),
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.35), "no-evidence"),
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, 0.0), "no-evidence"),
    (0.95, (0.0, -0.1, 0.1), (0.2, 0.1, 0.3, -0.2), "no-evidence"),
    (0.95, (0.0, -0.1, 0.1), (-0.2, -0.3, -0.1, 0.2), "no-evidence"),
    # Then consistency alone decides; it knows no closed form.
    (0.95, (0.2, 0.1, 0.3), (0.2, 0.1, 0.3, 0.05), "better-and-similar"),
    (0.95, (0.2, 0.1, 0.3), (-0.2, -0.3, -0.1, -0.05), "better-and-similar"),
    (0.95, (0.2, 0.1, 0.3), (-0.2, -0.3, -0.1, -0.15), "no-evidence"),
    (0.95, (-0.2, -0.3, -0.1), (0.2, 0.1, 0.3, 0.05), "worse"),
]


def rule_table(turned, limit=0.9):
    """The table made of `RULE_ROWS`; every pair of metrics may stand the other way round in that of consistency."""
    metrics = ("C", *(f"m{number}" for number in range(len(RULE_ROWS))))
    pairs = {"group": [(number, 0) for number in range(1, len(metrics))]}
    similar, halves = [], []
    for name, (tau, (value, low, high), _, _) in zip(metrics[1:], RULE_ROWS, strict=True):
        similar.append({"metric_a": "C", "metric_b": name, "statistic": tau})
        ends = (-value, -high, -low) if turned else (value, low, high)
        names = ("C", name) if turned else (name, "C")
        columns = ("metric_a", "metric_b", "difference", "low", "high")
        halves.append(dict(zip(columns, (*names, *ends), strict=True)) | {"low_se": 0.0, "high_se": 0.0})
    keys = ("difference", "low", "high", "difference_closed")
    power = {key: np.array([row[2][place] for row in RULE_ROWS]) for place, key in enumerate(keys)}
    power |= {"low_se": np.zeros(len(RULE_ROWS)), "high_se": np.zeros(len(RULE_ROWS))}
    return recommendation_rows(metrics, pairs, pl.DataFrame(similar), pl.DataFrame(halves), power, limit)


@pytest.mark.parametrize("turned", [False, True])
def test_the_table_holds_to_the_rule_about_the_closed_form(turned):
    table = rule_table(turned)
    expected = [row[-1] for row in RULE_ROWS]
    assert table["verdict"].to_list() == expected
    assert [verdict_by_the_rule(row) for row in table.iter_rows(named=True)] == expected
    unconfirmed = [closed < low or closed > high for _, _, (_, low, high, closed), _ in RULE_ROWS]
    assert table["words"].str.contains("power interval is not confirmed by the closed form").to_list() == unconfirmed


def test_similar_is_what_it_was_set_to():
    verdicts = rule_table(turned=False, limit=0.8)["verdict"].to_list()
    assert verdicts[2] == "better-and-similar"  # tau is .85
    assert rule_table(turned=False, limit=0.96)["verdict"].to_list()[0] == "better-but-different"  # tau is .95


def test_an_aggregation_has_one_colour_in_all_panels(result):
    panels = result.charts()["recommendation_terciles"].to_dict()["concat"]
    colours: dict[str, set[str]] = {}
    for panel in panels:
        scale = panel["encoding"]["color"]["scale"]
        for name, colour in zip(scale["domain"], scale["range"], strict=True):
            colours.setdefault(name.split(" ")[0].strip("*").partition("@")[0], set()).add(colour)
    assert len(colours) > 5
    assert all(len(each) == 1 for each in colours.values())
    assert len(set.union(*colours.values())) == len(colours)


def test_each_alternative_meets_the_canonical_metric_of_its_depth():
    metrics = ("Prec@5*ERG", "Prec@10*ERG", "Prec@10*max", "Prec@5*max", "ERR@10*ERG", "ERR*ERR@20", "ERR*ERR@10")
    pairs, without = alternatives(metrics)
    assert pairs == {"Prec": [(2, 1), (3, 0)], "ERR": [(4, 6)]}
    assert without == []


def test_groups_without_a_canonical_metric_get_a_note():
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "DCG@10*max", "AP", "INST(T=2.25)*ERG"]
    found = recommend(scores_of([1.0] * 5, names), **SMALL)
    assert found.table["metric"].to_list() == ["RBP(p=0.8)*max"]
    assert any("DCG, other" in note for note in found.notes)
    assert any("INST" in note for note in found.notes)


@pytest.mark.realdata
def test_nothing_to_compare_is_refused_by_the_command_and_noted_by_the_study(data):
    files = [data / "score-matrices" / f"adhoc5_{name}.csv" for name in ("ap", "p10", "rr")]
    real = read_scores(files)
    with pytest.raises(MetameterError, match=r"canonical metric .*adhoc5_ap.* Score a canonical metric"):
        recommend(real)
    few = Scores(real.metrics, real.systems[:9], real.topics, real.values[:, :9])
    parts = similarity(few), consistency(few, splits=20, trials=20, resamples=0), power(few, trials=20)
    found = recommendation_of(few, *parts)
    assert found.table.height == 0
    assert found.table.columns[: len(CONTRACT)] == CONTRACT
    assert found.charts() == {}
    assert "nothing to recommend" in found.answer()[0]
    assert "other" in found.notes[0]


def test_missing_cells_and_single_topics_are_refused(simulated):
    values = simulated.values.copy()
    values[0, 0, 0] = np.nan
    with pytest.raises(MetameterError, match="no score for system"):
        recommend(replace(simulated, values=values))
    with pytest.raises(MetameterError, match="too few topics"):
        recommend(replace(simulated, topics=simulated.topics[:1], values=simulated.values[:, :, :1]))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"similar": 1.5}, "not a tau"), ({"resamples": 1}, "too few resamples"), ({"alpha": 0.0}, "alpha")],
)
def test_impossible_options_are_refused(simulated, options, message):
    with pytest.raises(MetameterError, match=message):
        recommend(simulated, **options)


def test_other_coefficients_and_tests_are_refused(simulated, parts):
    rho = similarity(simulated, coefficient="rho")
    with pytest.raises(MetameterError, match="not by tau_b"):
        recommendation_of(simulated, rho, *parts[1:])
    with pytest.raises(MetameterError, match="not by a Tukey test"):
        recommendation_of(simulated, *parts[:2], power(simulated, test="t"))


def test_without_intervals_there_is_no_evidence():
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"]
    found = recommend(scores_of([3.0, 0.2], names), **{**SMALL, "resamples": 0})
    row = found.table.row(0, named=True)
    assert (row["power_low"], row["consistency_high"], row["verdict"]) == (None, None, "no-evidence")
    assert any("no evidence either way" in note for note in found.notes)
    with pytest.warns(MetameterWarning, match="5 topics"):
        few = recommend(scores_of([3.0, 0.2], names, topics=4), **SMALL)
    assert few.table["verdict"].to_list() == ["no-evidence"]
    assert few.tables["recommendation_terciles"].height == 0
    assert list(few.charts()) == ["recommendation"]


def test_a_metric_that_orders_nothing():
    scores = scores_of([1.0, 1.0], ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"])
    values = scores.values.copy()
    values[1] = 0.5
    with pytest.warns(MetameterWarning):
        found = recommend(replace(scores, values=values), **SMALL)
    row = found.table.row(0, named=True)
    assert row["tau_to_canonical"] is None
    assert row["verdict"] == "worse"
    assert "tau is undefined" in row["words"]
    assert found.charts()


def test_tables_for_the_eye_leave_out_what_programs_read(result, tmp_path):
    assert result.readable().columns == ["metric", "verdict", *(name for name in CONTRACT[1:-1])]
    assert "words" not in result.to_latex()
    assert result.remark.startswith(result.answer()[0])
    result.write(tmp_path)
    assert (tmp_path / "recommendation.csv").exists()
    assert pl.read_csv(tmp_path / "recommendation.csv").columns == result.table.columns
