"""Metrics compared with references: the tables, the answer, and what they are made from."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.errors import MetameterError
from metameter.meta.consistency.procedure import consistency
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.power.procedure import power
from metameter.meta.recommend.candidate_groups import leaders
from metameter.meta.recommend.comparison_sentences import across_sentence
from metameter.meta.recommend.procedure import Recommendation, recommend
from metameter.meta.recommend.references import comparisons
from metameter.meta.similarity.procedure import similarity
from metameter.notices import MetameterWarning
from metameter.read.scores import read_scores
from metameter.registry import get
from metameter.stats.consistency.resampled_metrics import approximate_power
from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.pareto_front import front
from metameter.types import Scores
from metameter.view.charts import spec_json
from metameter.view.charts.label_positions import LETTER, LINE, Box, label_positions
from metameter.view.metric_names import in_table

SMALL = {"splits": 60, "trials": 100, "resamples": 128, "most_resamples": 128}
CONTRACT = [
    "metric",
    "canonical",
    "tau_to_canonical",
    "tau_low",
    "tau_high",
    *(f"{what}_{end}" for what in ("consistency", "power") for end in ("difference", "low", "high")),
    *(f"{what}_{end}_row" for what in ("consistency", "power") for end in ("low", "high")),
    "verdict",
    "close_call",
]
SIX = ("nDCG@10", "AP", "RBP(p=0.8)*ERG", "ERR*ERR@10", "P@10", "RR")


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
    return consistency(simulated, resamples=SMALL["resamples"], **given), power(
        simulated, trials=SMALL["trials"], resamples=SMALL["resamples"]
    )


def _resampling():
    resamples = SMALL["resamples"]
    return {"resamples": resamples, "most_resamples": resamples}


@pytest.fixture(scope="module")
def result(simulated, parts):
    return recommend(simulated, consistency=parts[0], power=parts[1], **_resampling())


@pytest.fixture(scope="module")
def six():
    scores = scores_of([0.3, 0.3, 0.5, 1.0, 2.0, 6.0], SIX, systems=12, topics=40)
    return scores, recommend(scores, **SMALL)


def test_columns_and_rows_are_as_documented(simulated, result):
    assert list(result.tables) == ["recommendation", "metrics", "recommendation_terciles", "alternatives"]
    assert result.table.columns[: len(CONTRACT)] == CONTRACT
    assert result.table.height == 33
    assert result.table["metric"].to_list() == [m for m in simulated.metrics if m not in set(result.table["canonical"])]
    canonical = ["Prec@10*ERG", "DCG@10*ERG", "RBP(p=0.8)@10*ERG", "INST(T=2.25)@10*ERG", "AP1*ERG@10", "ERR*ERR@10"]
    assert result.table["canonical"].unique(maintain_order=True).to_list() == canonical
    table = result.tables["metrics"]
    ends = [f"{what}{end}" for what in ("consistency", "power") for end in ("", "_low", "_high")]
    assert table.columns[:8] == ["metric", *ends, "front"]
    assert table["metric"].to_list() == list(simulated.metrics)


def test_rows_follow_from_the_procedures(simulated, parts, result):
    halves, apart = parts
    similar = similarity(simulated)
    means = dict(halves.table["metric", "mean_tau"].iter_rows())
    tested = dict(apart.table["metric", "power"].iter_rows())
    powers = dict(zip(simulated.metrics, approximate_power(simulated.matrix, 0.05), strict=True))
    pairs = {
        frozenset(row[:2]): row[2:] for row in similar.table["metric_a", "metric_b", "statistic", "low", "high"].rows()
    }
    alone = {
        frozenset(row[:2]): row[2:]
        for row in halves.tables["consistency_pairs"]["metric_a", "metric_b", "low_row", "high_row"].rows()
    }
    for row in result.table.iter_rows(named=True):
        names = row["metric"], row["canonical"]
        key = frozenset(names)
        assert (row["tau_to_canonical"], row["tau_low"], row["tau_high"]) == pytest.approx(pairs[key])
        assert row["power_difference"] == pytest.approx(powers[names[0]] - powers[names[1]])
        assert row["power_difference_randomised"] == pytest.approx(tested[names[0]] - tested[names[1]])
        assert row["consistency_difference"] == pytest.approx(means[names[0]] - means[names[1]])
        ends = sorted(map(abs, alone[key]))
        own = sorted(map(abs, (row["consistency_low_row"], row["consistency_high_row"])))
        assert own == pytest.approx(ends)
        for what in ("consistency", "power"):
            low, inner_low, value, inner_high, high = (
                row[f"{what}_{part}"] for part in ("low", "low_row", "difference", "high_row", "high")
            )
            assert low <= inner_low <= value <= inner_high <= high


def test_front_and_letters_agree_with_the_figures(result):
    rows = result.tables["metrics"].rows(named=True)
    for row in rows:
        beaten = any(o["consistency"] > row["consistency"] and o["power"] > row["power"] for o in rows)
        assert row["front"] != beaten
    verdicts = {(r["metric"], r["canonical"]): r for r in result.table.iter_rows(named=True)}
    by_name = {row["metric"]: row for row in rows}
    for (metric, reference), row in verdicts.items():
        for what in ("consistency", "power"):
            decided = row[f"{what}_low"] > 1e-12 or row[f"{what}_high"] < -1e-12
            shared = set(by_name[metric][f"{what}_group"]) & set(by_name[reference][f"{what}_group"])
            # What a row shows, the letters show too.
            assert not (decided and shared)


def test_metrics_given_by_name_are_all_compared(six):
    scores, found = six
    assert found.table.height == 15
    pairs = found.table.select("metric", "canonical").rows()
    place = scores.metrics.index
    assert all(place(metric) > place(reference) for metric, reference in pairs)
    assert set(found.table["group"]) == {"by name"}
    first, second, *_ = found.answer()
    assert first.startswith("Not shown to be below any other: nDCG@10, ")
    assert "RR" in first.partition("Shown to be below: ")[2]
    assert "at the 5% level" in second


def test_all_other_metrics_are_compared_with_a_reference(six):
    scores, _ = six
    found = recommend(scores, reference=["RBP(p=0.8)"], **SMALL)
    assert found.table["canonical"].unique().to_list() == ["RBP(p=0.8)*ERG"]
    assert found.table["metric"].to_list() == [name for name in SIX if name != "RBP(p=0.8)*ERG"]
    assert "RBP(p=0.8), which you use today, " in found.answer()[0]
    two = recommend(scores, reference=["AP", "RR"], **SMALL).table
    assert two.height == 9
    assert ("RR", "AP") in two.select("metric", "canonical").rows()
    with pytest.raises(MetameterError, match=r"not among the metrics .*ERR@20.*Score it too"):
        recommend(scores, reference=["ERR@20"], **SMALL)


def test_the_answer_covers_better_and_worse_references(six):
    scores, _ = six
    first = recommend(scores, reference=["AP", "RR"], **SMALL).answer()[0]
    assert first.startswith("AP, which you use today, is not shown to be below any of the 5 other metrics: ")
    assert "RR, which you use today, is shown to be below: " in first
    assert "AP" in first.partition("RR, which you use today, is shown to be below: ")[2]


def test_no_metric_exceeds_a_leader():
    names = {"metric": ["Y", "Z", "X"], "consistency": [0.9, 0.85, 0.8], "power": [0.3, 0.3, 0.31]}
    table = pl.DataFrame({**names, "consistency_group": ["ab", "a", "b"], "power_group": ["a"] * 3})
    assert leaders(table) == {"consistency": ["Y", "Z"], "power": ["X", "Y", "Z"]}


def test_the_answer_names_an_alternative_that_beats_its_metric(six):
    names = ("AP", "RR", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max")
    found = recommend(scores_of([1.0, 2.5, 1.0, 0.1], names, systems=12, topics=40), **SMALL)
    assert found.tables["metrics"].filter(pl.col("metric") == names[3])["beats"][0] == 3
    assert found.answer()[0] == "Each of the 3 metrics is shown to be below another: AP, RR, RBP(p=0.8)."
    told = "Of 1 alternative to a canonical metric, 1 is not shown to be below any other: RBP(p=0.8)*max."
    assert told in found.answer()


def test_too_few_resamples_give_no_verdict(six):
    scores, _ = six
    found = recommend(scores, splits=60, trials=100, resamples=12, most_resamples=12)
    assert set(found.table["verdict"]) == {"no-evidence"}
    assert found.table["power_low"].is_null().all()
    assert found.table["power_se"].is_null().all()


def test_row_wise_verdicts_show_their_own_intervals(six):
    scores, together = six
    found = recommend(scores, level="row", **SMALL)
    assert found.readable()["power_low"].equals(found.table["power_low_row"].rename("power_low"))
    assert not found.readable()["power_low"].equals(together.readable()["power_low"])
    assert "is made alone" in found.answer()[1]


def test_grids_references_and_names_choose_the_comparisons():
    metrics = ("Prec@5*ERG", "Prec@10*ERG", "Prec@10*max", "Prec@5*max", "ERR@10*ERG", "ERR*ERR@20", "ERR*ERR@10")
    # Each the canonical metric of its depth; ERR*ERR@20 is nobody's reference, so all with a name are compared.
    assert [row for row in comparisons(metrics) if row.group != "by name"] == [
        (2, 1, "Prec"),
        (3, 0, "Prec"),
        (4, 6, "ERR"),
    ]
    assert len([row for row in comparisons(metrics) if row.group == "by name"]) == 6
    paper = metameter.preset("chen-sakai-2023")
    assert len(comparisons(paper)) == 33
    assert all(is_canonical(paper[row.reference]) and not is_canonical(paper[row.metric]) for row in comparisons(paper))
    assert len(comparisons((*paper, "AP"))) == 33 + 21
    assert len(comparisons(("DCG@10*max", "AP"))) == 1


def test_fewer_verdicts_hold_jointly_than_row_by_row(simulated, parts, result):
    rows = recommend(
        simulated, consistency=parts[0], power=parts[1], level="row", resamples=128, most_resamples=128
    ).table
    decided = [
        table.filter(~pl.col("verdict").is_in(["no-evidence", "identical", "same"])) for table in (result.table, rows)
    ]
    assert set(decided[0]["metric"]) < set(decided[1]["metric"])


def test_close_calls_are_resampled_up_to_the_cap(six):
    scores, _ = six
    few = {"splits": 60, "trials": 100, "resamples": 64}
    # One block has no known error: all is close, and more is drawn.
    found = recommend(scores, most_resamples=256, **few)
    drawn = found.manifest["options"]["resamples"]
    assert 64 < drawn <= 256
    assert found.manifest["options"]["splits"] == round(60 * drawn / 64)
    assert any(f"from 64 to {drawn}" in note for note in found.notes)
    capped = recommend(scores, most_resamples=64, **few)
    assert capped.manifest["options"]["resamples"] == 64
    assert capped.table["close_call"].sum() > 0
    marked = capped.table.filter("close_call").row(0, named=True)
    assert "Close call" in marked["words"]
    assert any("verdicts are close calls" in sentence for sentence in capped.answer())
    assert "close call" in capped.to_latex()


def test_both_orders_of_a_pair_are_read_correctly():
    names = ["RBP(p=0.8)*max", "RBP(p=0.8)*ERG"]
    for order in (names, names[::-1]):
        noises = [0.2 if name.endswith("max") else 3.0 for name in order]
        row = recommend(scores_of(noises, order), **SMALL).table.row(0, named=True)
        assert (row["metric"], row["canonical"]) == tuple(names)
        assert row["consistency_low"] > 0
        assert row["power_low"] > 0
        assert row["verdict"].startswith("better")


def test_multiples_of_the_canonical_metric_are_identical(result):
    rows = result.table.filter(pl.col("metric").is_in(["Prec@10*ETG", "Prec@10*avg", "DCG@10*ETG"]))
    assert rows.height == 3
    for row in rows.iter_rows(named=True):
        ends = [row[f"{what}_{end}"] for what in ("consistency", "power") for end in ("difference", "low", "high")]
        assert ends == [0.0] * 6
        assert (row["tau_to_canonical"], row["verdict"], row["close_call"]) == (1.0, "identical", False)
    assert "Identical to it: Prec@10*ETG, Prec@10*avg." in " ".join(result.answer())


def test_sameness_is_shown_where_intervals_are_narrow():
    rng = np.random.default_rng(5)
    quality = np.linspace(0, 1, 10)[:, None] + rng.normal(0, 0.05, (10, 60))
    values = np.stack([quality, quality + rng.normal(0, 1e-4, (10, 60))])
    names = ("AP", "RR")
    scores = Scores(names, tuple(f"s{i}" for i in range(10)), tuple(map(str, range(60))), values)
    assert recommend(scores, **SMALL).table["verdict"].to_list() == ["same"]
    assert recommend(scores, margin=0.0, **SMALL).table["verdict"].to_list() != ["same"]


def test_repeated_calls_give_the_same_tables(simulated, result):
    again = recommend(simulated, **SMALL)
    assert all(again.tables[name].equals(frame) for name, frame in result.tables.items())
    assert get("meta", "recommend") is recommend


def test_any_number_of_jobs_gives_the_same_bits(simulated, parts, result):
    for jobs in (1, 3):
        again = recommend(simulated, consistency=parts[0], power=parts[1], **_resampling(), jobs=jobs)
        assert all(again.tables[name].equals(frame) for name, frame in result.tables.items())
        assert again.manifest == result.manifest
        assert again.notes == result.notes


def test_answer_and_charts_are_rebuilt_from_stored_tables(result, tmp_path):
    for name, frame in result.tables.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    tables = {name: pl.read_parquet(tmp_path / f"{name}.parquet") for name in result.tables}
    kept = Recommendation(tables, json.loads(json.dumps(result.manifest)), result.notes, names=result.names)
    assert kept.answer() == result.answer()
    assert {n: spec_json(c) for n, c in kept.charts().items()} == {n: spec_json(c) for n, c in result.charts().items()}


def test_the_answer_names_every_alternative_once(result):
    rest = [each for each in result.answer() if "lternative" in each or "ranks the systems" in each]
    told = " ".join(rest)
    for row in in_table(result.table, result.names).iter_rows(named=True):
        if row["verdict"] == "no-evidence":
            assert row["metric"] in told or f"alternative to {row['canonical']}" in told or row["canonical"] in rest[-1]
        else:
            assert row["metric"] in told
        if row["verdict"] == "better-and-similar":
            assert row["words"] in told


def test_terciles_match_power_and_consistency_of_their_systems(simulated, result):
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
        assert share == approximate_power(matrix[None], 0.05)[0]
        assert tau == pytest.approx(np.nan_to_num(split_half_tau(matrix, trials=100)).mean())


@pytest.mark.slow
def test_charts_contain_every_metric_and_render(result):
    import vl_convert

    for chart in result.charts().values():
        text = spec_json(chart)
        json.loads(text)
        assert vl_convert.vegalite_to_svg(text).startswith("<svg")
    shown = spec_json(result.charts()["recommendation"])
    assert all(metric in shown for metric in result.table["metric"])
    assert result.chart().to_dict() == result.chart().to_dict()


def test_the_front_holds_points_that_none_exceeds():
    assert front([(0, 0), (1, 1), (2, -1), (-1, 3), (1, 1)]) == [(-1, 3), (1, 1), (2, -1)]
    assert front([(0, 0)]) == [(0, 0)]


def test_labels_overlap_neither_each_other_nor_the_edges():
    dots = [(40.0, 40.0), (52.0, 44.0), (48.0, 60.0), (5.0, 5.0), (195.0, 95.0)]
    names = ["ERG", "ETG", "avg", "max", "fin"]
    boxes = [
        Box(x - LETTER * 1.5, y - LINE / 2, x + LETTER * 1.5, y + LINE / 2)
        for x, y in label_positions(dots, names, (200.0, 100.0))
    ]
    assert all(a.shared(b) == 0 for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    assert all(box.left >= 0 and box.top >= 0 and box.right <= 200 and box.bottom <= 100 for box in boxes)


def test_a_sharper_alternative_is_recommended():
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*fin", "RBP(p=0.8)*avg"]
    found = recommend(scores_of([0.8, 0.2, 0.8, 6.0], names, topics=40), similar=0.3, **SMALL)
    verdicts = dict(found.table["metric", "verdict"].iter_rows())
    assert verdicts == {names[1]: "better-and-similar", names[2]: "no-evidence", names[3]: "worse"}
    first, *_, last = found.answer()
    assert first == (
        "Use RBP(p=0.8)*max: it is shown to beat each of the other 3 metrics in consistency or in power, and is below "
        "none."
    )
    assert last.startswith("RBP(p=0.8)*max ranks the systems")
    assert "Worse: RBP(p=0.8)*avg. No evidence either way: RBP(p=0.8)*fin." in last


def test_verdicts_shared_by_all_collections_come_first(result):
    said = across_sentence([result.table, result.table])
    assert said.startswith("In both collections: of 33 comparisons, ")
    other = result.table.with_columns(verdict=pl.lit("mixed"))
    assert "33 have different verdicts" in across_sentence([result.table, other])
    assert across_sentence([result.table, result.table.clear()]) == ""


def _parts(panel):
    """The encodings of a panel and of its layers."""
    return [each.get("encoding", {}) for each in (panel, *panel.get("layer", []))]


def test_an_aggregation_has_one_colour_in_all_panels(result):
    panels = result.charts()["recommendation_terciles"].to_dict()["concat"]
    colours: dict[str, set[str]] = {}
    for panel in panels:
        scale = next(part for part in _parts(panel) if "color" in part)["color"]["scale"]
        for name, colour in zip(scale["domain"], scale["range"], strict=True):
            colours.setdefault(name.split(" ")[0].strip("*").partition("@")[0], set()).add(colour)
    assert len(colours) > 5
    assert all(len(each) == 1 for each in colours.values())
    assert len(set.union(*colours.values())) == len(colours)


@pytest.mark.realdata
def test_tables_of_scores_are_sufficient(data):
    files = [data / "score-matrices" / f"adhoc5_{name}.csv" for name in ("ap", "p10", "rr")]
    found = recommend(read_scores(files), **SMALL)
    assert found.table.height == 3
    assert {row[0] for row in found.tables["metrics"].select("metric").rows()} == {
        "adhoc5_ap",
        "adhoc5_p10",
        "adhoc5_rr",
    }
    assert found.answer()[0].startswith("Not shown to be below any other: adhoc5_ap, adhoc5_p10. ")


def test_one_metric_is_refused():
    with pytest.raises(MetameterError, match=r"no two metrics to compare .*AP.* Score two"):
        recommend(scores_of([1.0], ["AP"]), **SMALL)


def test_missing_cells_and_single_topics_are_refused(simulated):
    values = simulated.values.copy()
    values[0, 0, 0] = np.nan
    with pytest.raises(MetameterError, match="no score for system"):
        recommend(replace(simulated, values=values))
    with pytest.raises(MetameterError, match="too few topics"):
        recommend(replace(simulated, topics=simulated.topics[:1], values=simulated.values[:, :, :1]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"similar": 1.5}, "not a tau"),
        ({"similar": -0.5}, "not a tau"),
        ({"margin": -0.1}, "margin"),
        ({"margin": float("nan")}, "margin"),
        ({"level": "rows"}, "level"),
        ({"resamples": 1}, "too few resamples"),
        ({"alpha": 0.0}, "alpha"),
        ({"resample": "runs"}, "resample"),
        ({"groups": {"a": "b"}}, "groups"),
    ],
)
def test_impossible_options_are_refused(simulated, options, message):
    with pytest.raises(MetameterError, match=message):
        recommend(simulated, **options)


def test_other_tests_have_no_randomised_difference(simulated, parts):
    other = recommend(
        simulated, consistency=parts[0], power=power(simulated, test="t"), resamples=128, most_resamples=128
    )
    assert other.table["power_difference_randomised"].is_null().all()
    assert "by the test itself" not in other.notes[0]


@pytest.mark.parametrize("resample", ["systems", "both"])
def test_systems_can_be_resampled(six, resample):
    scores, topics = six
    found = recommend(scores, resample=resample, groups={"s0": "one", "s1": "one"}, **SMALL)
    assert found.manifest["options"]["resample"] == resample
    assert any(
        f"for {'other systems' if resample == 'systems' else 'other topics and other systems'}" in n
        for n in found.notes
    )
    assert not found.table["power_low"].equals(topics.table["power_low"])
    assert found.table["power_difference"].equals(topics.table["power_difference"])


def test_without_intervals_there_is_no_evidence():
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"]
    found = recommend(scores_of([3.0, 0.2], names), **{**SMALL, "resamples": 0})
    row = found.table.row(0, named=True)
    assert (row["power_low"], row["consistency_high"], row["verdict"]) == (None, None, "no-evidence")
    assert any("no evidence either way" in note for note in found.notes)
    assert found.tables["metrics"]["power_group"].is_null().all()
    assert "nothing is known of other topics" in found.answer()[0]
    few = recommend(scores_of([3.0, 0.2], names, topics=4), **SMALL)
    assert few.table["verdict"].to_list() == ["no-evidence"]
    assert "too few" in few.answer()[0]
    assert few.tables["recommendation_terciles"].height == 0
    assert list(few.charts()) == ["metrics", "recommendation"]


def test_a_metric_with_constant_means_is_left_out():
    scores = scores_of([1.0, 1.0], ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"])
    values = scores.values.copy()
    values[1] = 0.5
    with pytest.warns(MetameterWarning):
        found = recommend(replace(scores, values=values), **SMALL)
    assert found.table.height == 0
    assert found.answer() == [
        "RBP(p=0.8)*max is not a candidate: it gives all systems the same scores.",
        "No two metrics here can be compared: nothing to recommend.",
    ]
    assert found.charts()


def test_tables_for_reading_leave_out_columns_for_programs(result, tmp_path):
    shown = result.readable().columns
    assert shown[:4] == ["metric", "verdict", "close_call", "canonical"]
    assert not any(name.endswith(("_se", "_row", "words")) for name in shown)
    assert "words" not in result.to_latex()
    assert result.remark.startswith(result.answer()[0])
    result.write(tmp_path)
    assert pl.read_csv(tmp_path / "recommendation.csv").columns == result.table.columns
    assert (tmp_path / "metrics.csv").exists()
