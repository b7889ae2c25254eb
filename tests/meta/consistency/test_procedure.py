from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau
from scipy.stats import t as student_t

from metameter.errors import MetameterError
from metameter.meta.consistency.procedure import consistency
from metameter.meta.consistency.tables import blocks_table
from metameter.notices import MetameterWarning
from metameter.stats.consistency.resampled_metrics import resampled_taus
from metameter.stats.intervals.simultaneous import simultaneous_intervals
from metameter.stats.rank_correlation.kendall import tau_b
from metameter.stats.resampling.monte_carlo_error import mean_error
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.significance.tukey import randomised_tukey
from metameter.types import Scores

RBP = [f"RBP(p=0.8)*{a}" for a in ("ERG", "ETG", "avg", "max")]
SMALL = {"splits": 150, "trials": 200, "resamples": 70}


def scores_of(values, names=None) -> Scores:
    values = np.asarray(values, dtype=float)
    names = names or [f"m{number}" for number in range(len(values))]
    systems = tuple(f"s{number}" for number in range(values.shape[1]))
    return Scores(tuple(names), systems, tuple(str(number + 1) for number in range(values.shape[2])), values)


def noisy(noises, systems=12, topics=21, seed=1):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, systems)[:, None]
    return np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])


@pytest.fixture(scope="module")
def scores() -> Scores:
    values = noisy([0.5, 1.5, 4.0])
    # The second metric is five times the first: the same ranking, whatever the topics.
    return scores_of([values[0], 5 * values[0], values[1], values[2]], RBP)


@pytest.fixture(scope="module")
def result(scores):
    return consistency(scores, **SMALL)


@pytest.fixture(scope="module")
def paper(scores):
    """The same with the marks of the paper's test over the splits."""
    return consistency(scores, **SMALL, paper_marks=True)


def test_mean_tau_averages_the_listed_splits(scores, result):
    splits = np.concatenate(list(topic_splits(21, 150, seed=0)))
    assert splits.sum(axis=1).tolist() == [10] * 150
    for row in result.table.iter_rows(named=True):
        values = scores[row["metric"]]
        taus = [kendalltau(values[:, s].mean(axis=1), values[:, ~s].mean(axis=1)).statistic for s in splits]
        assert row["mean_tau"] == pytest.approx(np.mean(taus), abs=1e-12)
        assert row["se"] == pytest.approx(np.std(taus, ddof=1) / np.sqrt(150), abs=1e-12)


def test_columns_are_in_the_promised_order(result):
    promised = {
        "consistency": ["group", "metric", "mean_tau", "se", "beats", "beaten"],
        "consistency_pairs": ["metric_a", "metric_b", "difference", "p", "low", "high", "group"],
    }
    assert list(result.tables)[:2] == list(promised)
    for name, columns in promised.items():
        assert result.tables[name].columns[: len(columns)] == columns


def test_the_sharper_metric_beats_the_worst(result, paper):
    marks = dict(paper.table["metric", "beats"].iter_rows())
    assert marks == {RBP[0]: 2, RBP[1]: 2, RBP[2]: 1, RBP[3]: 0}
    assert paper.table["beaten"].to_list() == [f"{RBP[2]};{RBP[3]}"] * 2 + [RBP[3], ""]
    # These differences are so large that intervals for other topics show them, too.
    assert result.table["beats", "beaten"].equals(paper.table["beats", "beaten"])


def test_marks_follow_from_simultaneous_intervals(scores, result):
    pairs = result.tables["consistency_pairs"]
    drawn = resampled_taus(scores.matrix, 70, seed=0)
    first, second = np.triu_indices(4, 1)
    each = result.split_taus[:, first] - result.split_taus[:, second]
    noise = drawn.noise[:, first, first] + drawn.noise[:, second, second] - 2 * drawn.noise[:, first, second]
    parts = (each.mean(axis=0), drawn.taus[:, first] - drawn.taus[:, second], noise, each.var(axis=0, ddof=1) / 150)
    found = simultaneous_intervals(*parts, topics=21)
    assert pairs["low"].to_list() == pytest.approx(found.ends()[0].clip(-1, 1).tolist(), abs=1e-12)
    assert pairs["high"].to_list() == pytest.approx(found.ends()[1].clip(-1, 1).tolist(), abs=1e-12)
    assert found.clear().sum() == result.table["beats"].sum() == 5
    # The p-values say the same as the intervals.
    assert ((pairs["p"] <= 0.05).to_numpy() == found.clear()).all()
    assert (pairs["p"] > 0).all()
    # Alone, each pair has a narrower interval, and a smaller p.
    assert (pairs["low_row"] >= pairs["low"]).all()
    assert (pairs["p_row"] <= pairs["p"]).all()


def test_the_test_over_splits_runs_on_request_only(result, paper):
    assert not {"p_splits", "p_splits_se"} & set(result.tables["consistency_pairs"].columns)
    assert "p_splits" not in "\n".join(result.notes)
    assert result.table["mean_tau", "low", "high"].equals(paper.table["mean_tau", "low", "high"])


def test_the_conclusion_does_not_depend_on_the_paper_marks(result, paper):
    said = (
        f"Not shown to be less consistent than any other: RBP(p=0.8), {RBP[1]}. Shown to be less consistent than "
        f"another: {RBP[2]}, {RBP[3]}. Based on intervals of the differences for other topics that hold for all 6 "
        "pairs of metrics at once (95%)."
    )
    assert result.conclusion() == paper.conclusion() == [said]
    assert result.remark.splitlines()[-1] == said


def test_the_conclusion_leaves_out_diagnostics():
    rng = np.random.default_rng(2)
    values = np.linspace(0, 1, 8)[:, None] + np.stack([rng.normal(0, noise, (8, 24)) for noise in (0.05, 2, 2)])
    scores = Scores(("Judged@10", "AP", "RR"), tuple("abcdefgh"), tuple(map(str, range(24))), values)
    found = consistency(scores, splits=60, resamples=100)
    assert found.table.filter(pl.col("metric") == "Judged@10")["beats", "beaten"].row(0) == (None, None)
    first, *_, last = found.conclusion()
    assert first.startswith("No metric is shown to be less consistent than another. Based on")
    assert last == "Judged@10 is a diagnostic: it does not depend on relevance, so it is left out."


def test_equally_consistent_metrics_are_concluded_as_such():
    """Two metrics that swap their scores on half of the topics are equally consistent."""
    both = noisy([1.0, 2.0], seed=5)
    swapped = np.where(np.random.default_rng(2).random(21) < 0.5, both, both[::-1])
    result = consistency(scores_of(swapped), **SMALL)
    assert result.table["beats"].to_list() == [0, 0]
    (said,) = result.conclusion()
    assert said.startswith("No metric is shown to be less consistent than another. Based on")


def test_one_clear_winner_is_named():
    result = consistency(scores_of(noisy([0.05, 3.0, 3.0], topics=40)), **SMALL)
    assert result.conclusion()[0].startswith("m0 is shown to be more consistent than every other metric: m1, m2.")


@pytest.mark.parametrize("systems", [2, 4])
def test_fewer_than_five_systems_cannot_judge_metrics(systems):
    result = consistency(scores_of(noisy([0.1, 3.0], systems=systems)), **SMALL)
    assert result.table["beats"].to_list() == [None, None]
    assert result.table["low"].null_count() == 2
    assert result.tables["consistency_pairs"]["low", "high", "p"].null_count().row(0) == (1, 1, 1)
    assert result.conclusion() == [
        f"{systems} systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or "
        "more."
    ]
    assert result.latex()
    assert result.charts()


def test_five_to_nine_systems_give_a_warning():
    *_, said = consistency(scores_of(noisy([0.5, 1.0], systems=7)), **SMALL).conclusion()
    assert said.startswith("Warning: 7 systems are few")


@pytest.mark.parametrize("seed", range(5))
def test_differences_and_their_intervals_stay_within_one(seed):
    values = np.random.default_rng(seed).random((4, 5, 6))
    result = consistency(scores_of(values), splits=20, resamples=64, seed=seed)
    pairs = result.tables["consistency_pairs"]
    for name in ("low", "high", "low_row", "high_row"):
        outside = pairs.filter(pl.col(name).abs() > 1)
        assert (outside[name] == outside["difference"]).all()
    assert (result.table.select(pl.col("mean_tau", "low", "high").abs().max()) <= 1).row(0) == (True,) * 3


def test_rank_equivalent_metrics_do_not_differ_at_all(result):
    pair = result.tables["consistency_pairs"].row(0, named=True)
    assert (pair["metric_a"], pair["metric_b"]) == (RBP[0], RBP[1])
    names = ("difference", "p", "p_row", "low", "high", "se", "p_se")
    assert [pair[name] for name in names] == [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_intervals_contain_their_estimates(result):
    pairs = result.tables["consistency_pairs"]
    assert (pairs["low"] <= pairs["difference"]).all()
    assert (pairs["difference"] <= pairs["high"]).all()
    assert (result.table["low"] < result.table["mean_tau"]).all()
    assert (result.table["mean_tau"] < result.table["high"]).all()


def test_every_monte_carlo_figure_carries_its_error(result, paper):
    pairs = paper.tables["consistency_pairs"].filter(pl.col("difference") != 0)
    for column in ("se", "low_se", "high_se"):
        assert (pairs[column] > 0).all()
        assert (result.table[column] > 0).all()
    assert (pairs["p_row_se"] > 0).all()
    assert (pairs.filter(pl.col("p") < 1)["p_se"] > 0).all()
    assert pairs["p_splits_se"].to_list() == pytest.approx([np.sqrt(p * (1 - p) / 200) for p in pairs["p_splits"]])


def test_p_splits_is_the_papers_test_over_these_splits(scores, paper):
    result = paper
    tested = randomised_tukey(result.split_taus, trials=200, seed=0)
    pairs = result.tables["consistency_pairs"]
    assert pairs["p_splits"].to_list() == tested.pvalue.tolist()
    marks = dict.fromkeys(RBP, 0)
    for a, b, difference, p in pairs["metric_a", "metric_b", "difference", "p_splits"].iter_rows():
        if p < 0.05:
            marks[a if difference > 0 else b] += 1
    assert dict(result.table["metric", "beats"].iter_rows()) == marks
    assert "not about other topics" in result.to_latex()
    assert "p_\\mathrm{splits} < 0.05" in result.to_latex()


def test_intervals_and_p_exclude_the_noise_of_the_splits(scores, result):
    drawn = resampled_taus(scores.matrix, 70, seed=0)
    assert (result.resampled == drawn.taus).all()
    assert (result.noise == drawn.noise).all()
    assert result.split_taus.mean(axis=0) == pytest.approx(result.table["mean_tau"].to_numpy(), abs=1e-15)
    row = result.tables["consistency_pairs"].row(-1, named=True)  # metrics 2 and 3
    noise = (drawn.noise[:, 2, 2] + drawn.noise[:, 3, 3] - 2 * drawn.noise[:, 2, 3]).mean()
    variance = (drawn.taus[:, 2] - drawn.taus[:, 3]).var(ddof=1)
    assert 0 < noise < variance
    se = np.sqrt(variance - noise + row["se"] ** 2)
    half = student_t.ppf(0.975, 20) * se
    assert (row["low_row"], row["high_row"]) == pytest.approx((row["difference"] - half, row["difference"] + half))
    assert row["p_row"] == pytest.approx(2 * student_t.sf(row["difference"] / se, 20))


def test_any_number_of_jobs_gives_the_same_bits(scores, result):
    for jobs in (1, 3):
        again = consistency(scores, **SMALL, jobs=jobs)
        assert all(again.tables[name].equals(frame) for name, frame in result.tables.items())
        assert again.manifest == result.manifest


def test_fewer_splits_are_a_prefix_of_more_splits(scores):
    from metameter.stats.consistency.split_half import split_taus

    matrix = np.moveaxis(scores.values, 1, 2)
    more = split_taus(matrix, 200, None, seed=4, jobs=2)
    assert (split_taus(matrix, 100, None, seed=4, jobs=1) == more[:100]).all()
    many = resampled_taus(matrix, 130, seed=4, jobs=2).taus
    assert (resampled_taus(matrix, 70, seed=4, jobs=1).taus == many[:70]).all()


def test_until_stops_at_the_precision_without_changing_the_verdict(scores, paper):
    result = paper
    longer = consistency(scores, **SMALL, until=0.004, paper_marks=True)
    assert result.table["se"].max() > 0.004
    assert longer.table["se"].max() <= 0.004
    assert longer.manifest["options"]["splits"] > 150
    # The paper's test has a fixed number of splits: precision must not buy significance.
    assert longer.tables["consistency_pairs"]["p_splits"].equals(result.tables["consistency_pairs"]["p_splits"])
    assert longer.tables["consistency_convergence"]["splits"].max() == longer.manifest["options"]["splits"]


def test_an_unreachable_until_is_refused(scores):
    with pytest.raises(MetameterError, match=r"takes more than 1,000,000 splits \(given 1e-06, allowed: about"):
        consistency(scores, **SMALL, until=1e-6)


def test_convergence_ends_at_the_result(result):
    settling = result.tables["consistency_convergence"]
    last = settling.group_by("metric", maintain_order=True).last()
    assert last["mean_tau"].to_list() == pytest.approx(result.table["mean_tau"].to_list(), abs=1e-12)
    assert last["se"].to_list() == pytest.approx(result.table["se"].to_list(), abs=1e-12)


def test_progress_is_reported(scores):
    told = []
    consistency(scores, **SMALL, progress=lambda *state: told.append(state))
    assert told[-1] == (70, 70, "resamples")
    assert (150, 150, "splits") in told


def test_all_metrics_can_be_one_family(scores):
    values = np.concatenate([scores.values, noisy([3.0], seed=2)])
    named = scores_of(values, [*RBP, "nDCG@10"])
    within = consistency(named, **SMALL, by="browse")
    assert within.table["group"].to_list() == ["RBP(p=0.8)"] * 4 + ["other"]
    for options in ({}, {"by": "all"}):
        whole = consistency(named, **SMALL, **options)
        assert whole.tables["consistency_pairs"].height == 10
        assert set(whole.table["group"]) == {"all"}


def test_named_metrics_and_a_grid_are_compared_once():
    grid = [f"{model}*{a}" for model in ("RBP(p=0.8)", "INST(T=2.25)") for a in ("ERG", "avg", "max")]
    result = consistency(scores_of(noisy([1.0, 2, 3, 1.5, 2.5, 3.5, 0.2, 4.0]), [*grid, "AP", "RR"]), **SMALL)
    assert result.table["metric"].to_list() == ["AP", "RR", *grid]
    assert result.table["group"].to_list() == ["by name"] * 2 + ["RBP(p=0.8)"] * 3 + ["INST(T=2.25)"] * 3
    pairs = result.tables["consistency_pairs"]
    assert pairs["group"].value_counts(sort=True).rows() == [("by name", 6), ("RBP(p=0.8)", 3), ("INST(T=2.25)", 3)]
    assert result.tables["consistency_convergence"]["metric"].n_unique() == 8
    assert "than any other of its group: " in result.conclusion()[0]


def test_one_metric_has_no_pairs():
    result = consistency(scores_of(noisy([1.0])), **SMALL)
    assert result.tables["consistency_pairs"].height == 0
    assert result.tables["consistency_pairs"].schema["p"].is_float()
    assert result.table["beats"].to_list() == [0]
    assert result.latex()
    assert result.charts()


def test_constant_scores_count_as_zero_with_a_notice():
    values = np.concatenate([noisy([1.0]), np.full((1, 12, 21), 0.25)])
    with pytest.warns(MetameterWarning, match=r"tau counts as 0: m1 \(100% of the splits\)"):
        result = consistency(scores_of(values), **SMALL)
    assert result.table["mean_tau"][1] == 0.0
    assert result.table["beats"].to_list() == [1, 0]


def test_few_topics_have_no_interval():
    result = consistency(scores_of(noisy([0.5, 1.0], topics=4)), **SMALL)
    for column in ("low", "high", "p", "low_row", "p_row", "low_se", "p_se"):
        assert result.tables["consistency_pairs"][column].to_list() == [None]
    assert result.table["beats"].to_list() == [None, None]
    said = "Without intervals of the differences, no metric is shown to be less consistent than another."
    assert result.conclusion() == [said]
    assert result.tables["consistency_pairs"]["difference"].null_count() == 0
    assert result.resampled.shape == (0, 2)
    assert result.noise.shape == (0, 2, 2)
    assert result.notes[-1] == "No intervals for other topics: they need 5 topics or more, not 4."
    # Five topics are so few that some resample would hold one topic only; it is drawn again.
    few = consistency(scores_of(noisy([0.5, 1.0], topics=5)), splits=64, trials=64, resamples=2000, jobs=1)
    assert few.tables["consistency_pairs"]["low"].null_count() == 0
    assert few.resampled.shape == (2000, 2)


@pytest.mark.parametrize(("topics", "warned"), [(14, True), (15, False)])
def test_intervals_from_few_topics_are_labelled_rough(topics, warned):
    result = consistency(scores_of(noisy([0.5, 1.0], topics=topics)), **SMALL)
    assert any("fewer than 15 topics are rough" in note for note in result.notes) is warned
    without = consistency(scores_of(noisy([0.5, 1.0], topics=topics)), **{**SMALL, "resamples": 0})
    assert not any("rough" in note for note in without.notes)


def test_intervals_can_be_left_out(scores):
    result = consistency(scores, **{**SMALL, "resamples": 0})
    assert result.table["low"].null_count() == 4
    assert not any("resamples" in note for note in result.notes)


@pytest.mark.parametrize(("resample", "units"), [("topics", 21), ("systems", 12), ("both", 12)])
def test_intervals_describe_the_resampled_units(scores, resample, units):
    result = consistency(scores, **SMALL, resample=resample)
    assert (result.resampled == resampled_taus(scores.matrix, 70, seed=0, resample=resample).taus).all()
    row = result.tables["consistency_pairs"].row(-1, named=True)
    se = (row["difference"] - row["low_row"]) / student_t.ppf(0.975, units - 1)
    assert row["p_row"] == pytest.approx(2 * student_t.sf(row["difference"] / se, units - 1))
    words = {"topics": "other topics", "systems": "other systems", "both": "other topics and other systems"}
    assert f"95% for {words[resample]}, from 70 resamples of" in "\n".join(result.notes)
    assert f"differences for {words[resample]} that hold" in result.conclusion()[0]


def test_paper_marks_do_not_depend_on_the_resampled_units(scores, paper):
    other = consistency(scores, **SMALL, resample="systems", paper_marks=True)
    assert other.table["mean_tau", "se", "beats", "beaten"].equals(paper.table["mean_tau", "se", "beats", "beaten"])
    assert other.tables["consistency_pairs"]["p_splits"].equals(paper.tables["consistency_pairs"]["p_splits"])


def test_groups_come_from_a_file_or_a_mapping(scores, tmp_path):
    groups = {"s0": "us", "s3": "us", "s4": "them", "s5": "them"}
    file = tmp_path / "groups.txt"
    file.write_text("".join(f"{system} {group}\n" for system, group in groups.items()))
    one, two = (consistency(scores, **SMALL, resample="systems", groups=each) for each in (groups, str(file)))
    clusters = np.array([0, 1, 2, 0, 3, 3, 4, 5, 6, 7, 8, 9])
    drawn = resampled_taus(scores.matrix, 70, seed=0, resample="systems", clusters=clusters)
    assert (one.resampled == drawn.taus).all()
    assert (two.resampled == drawn.taus).all()
    assert one.manifest == two.manifest
    assert one.manifest["options"]["groups"] == groups


def test_unusable_groups_are_refused(scores, tmp_path):
    file = tmp_path / "groups.txt"
    file.write_text("s0 us\n\ns99 us\n")
    with pytest.raises(MetameterError, match=r"groups.txt:3: a group holds a system without scores \(given 's99'\)"):
        consistency(scores, resample="both", groups=file)
    with pytest.raises(MetameterError, match="no effect when topics are resampled"):
        consistency(scores, groups={"s0": "us"})
    with pytest.raises(MetameterError, match=r"neither a mapping nor a file \(given 'list'\)"):
        consistency(scores, resample="both", groups=["s0"])
    with pytest.raises(MetameterError, match="unknown value of resample"):
        consistency(scores, resample="runs")


def test_few_systems_have_no_interval(scores):
    result = consistency(scores_of(scores.values[:, :4]), **SMALL, resample="systems")
    assert result.table["low"].null_count() == 4
    assert result.notes[-1] == "No intervals for other systems: they need 5 systems or more, not 4."
    # All runs by one team say nothing about other systems.
    groups = dict.fromkeys(scores.systems, "us")
    alone = consistency(scores, **SMALL, resample="both", groups=groups)
    assert "they need 5 topics or groups of systems or more, not 1" in alone.notes[-1]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[[0.1, np.nan], [0.2, 0.3]]], {}, "missing='zero' or 'drop-topic'"),
        ([[[0.1, 0.2]]], {}, "too few systems"),
        ([[[0.1], [0.2]]], {}, "too few topics"),
        (noisy([1.0]), {"splits": 1}, "too few splits"),
        (noisy([1.0, 2.0]), {"trials": 0}, "too few trials"),
        (noisy([1.0]), {"resamples": 1}, "too few resamples"),
        (noisy([1.0]), {"alpha": 1.5}, "alpha is not a probability"),
        (noisy([1.0]), {"until": 0.0}, "until is not a precision"),
        (noisy([1.0]), {"until": float("nan")}, "until is not a finite number"),
        (noisy([1.0]), {"jobs": 0}, "jobs"),
        (noisy([1.0]), {"seed": -1}, "seed is negative"),
    ],
)
def test_impossible_options_give_a_one_line_error(values, options, message):
    with pytest.raises(MetameterError, match=message) as refusal:
        consistency(scores_of(values), **options)
    assert "\n" not in str(refusal.value)


def test_the_notes_say_what_the_test_is_about(result, paper):
    assert "The splits overlap" in "\n".join(paper.notes)
    assert "p_splits below .05 in simulations" in "\n".join(paper.notes)
    assert "95% for other topics, from 70 resamples of the topics with 4 splits each" in "\n".join(result.notes)


def test_table_3_has_the_printed_layout(result, paper):
    assert "than $j$ metrics that it is compared with, by 95\\% intervals for other topics" in result.to_latex()
    text = paper.to_latex()
    assert text.startswith("\\begin{table*}\n\\centering\n\\caption{System ranking consistency")
    assert "$B$ = 150 splits of the 21 topics into halves, 12 systems" in text
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    assert [re.sub(r"-?\d\.\d{3}", "x", line) for line in body] == [
        r"ERG*\textsuperscript{2} & x \\",
        r"ETG\textsuperscript{2} & x \\",
        r"avg\textsuperscript{1} & x \\",
        r"max & x \\",
    ]


def test_table_3_puts_models_side_by_side_then_below():
    models = [f"RBP(p=0.{number})" for number in range(1, 9)]
    frame = pl.DataFrame(
        [
            {"group": m, "metric": f"{m}*{a}", "mean_tau": t, "beats": 0, "canonical": a == "ERG"}
            for m in models
            for a, t in (("max", -0.09), ("ERG", 0.5))
        ]
    )
    lines = blocks_table(frame, "c", "l").splitlines()
    assert lines.count(r"\toprule") == 3
    assert r"\begin{tabular}{lrlrlr}" in lines
    assert r"\small\setlength{\tabcolsep}{4pt}" in lines
    assert all(line.count("&") in (2, 3, 5) for line in lines if line.endswith(r"\\"))
    assert sum("-0.090" in line for line in lines) == 3


def test_odd_names_are_escaped_in_latex_and_kept_in_csv():
    names = ["[a]_b%", "<script>$x$", "*c\\"]
    result = consistency(scores_of(noisy([0.5, 1.0, 2.0]), names), **SMALL, paper_marks=True)
    body = result.to_latex().split("\\midrule\n")[1]
    assert body.startswith(r"{}[a]\_b\%\textsuperscript")
    assert r"\textless{}script\textgreater{}\$x\$" in body
    assert r"{}*c\textbackslash{} & " in body
    assert result.table["metric"].to_list() == names
    for chart in result.charts().values():
        json.dumps(chart.to_dict(), allow_nan=False)


def test_charts_show_means_and_their_convergence(result):
    charts = {name: json.dumps(chart.to_dict()) for name, chart in result.charts().items()}
    assert list(charts) == ["consistency", "consistency_convergence"]
    assert "RBP(p=0.8)*ERG (canonical)" in charts["consistency"]
    assert '"from the end"' in charts["consistency_convergence"]


def test_the_smallest_p_splits_is_one_over_trials_plus_one(paper):
    assert paper.tables["consistency_pairs"]["p_splits"].min() == 1 / 201
    shown = paper.readable("consistency_pairs")
    assert "0.0050" in shown["p_splits"].to_list()
    assert shown["p"].dtype == pl.Float64


def test_monte_carlo_errors_match_repeated_runs(scores):
    means = [
        consistency(scores, splits=100, trials=1, resamples=0, seed=seed).table["mean_tau"][3] for seed in range(60)
    ]
    claimed = consistency(scores, splits=100, trials=1, resamples=0).table["se"][3]
    assert np.std(means, ddof=1) == pytest.approx(claimed, rel=0.35)
    assert mean_error(means) < claimed


@pytest.mark.realdata
@pytest.mark.parametrize("stem", ["adhoc5", "adhoc6", "web2010", "web2011"])
def test_real_matrices_run_unchanged(data, stem):
    from metameter.read.scores import read_scores

    scores = read_scores(sorted((data / "score-matrices").glob(f"{stem}_*.csv")))
    result = consistency(scores, splits=200, trials=200, resamples=64)
    assert result.table.height == len(scores.metrics)
    assert (result.table["mean_tau"] > 0.4).all()


@pytest.mark.slow
def test_intervals_of_the_difference_cover_the_truth():
    """Topics drawn from a population, in which the expected difference in tau is known from many of them."""
    rng, quality, topics, samples = np.random.default_rng(7), np.linspace(0, 1, 8), 24, 100

    def draw(count):
        seen_by_both = quality + 0.8 * rng.normal(size=(count, 8))
        return np.stack([seen_by_both + noise * rng.normal(size=(count, 8)) for noise in (0.5, 2.0)])

    halves = draw(10_000 * topics).reshape(2, 10_000, 2, topics // 2, 8).mean(axis=3)
    sharp, blurred = tau_b(halves[:, :, 0], halves[:, :, 1])
    truth, covered = (sharp - blurred).mean(), 0
    for seed in range(samples):
        values = draw(topics).transpose(0, 2, 1)
        scores = Scores(("sharp", "blurred"), tuple("abcdefgh"), tuple(map(str, range(topics))), values)
        found = consistency(scores, splits=100, resamples=200, seed=seed).tables["consistency_pairs"]
        covered += found["low_row"][0] <= truth <= found["high_row"][0]
    assert covered / samples >= 0.9


@pytest.mark.slow
def test_p_splits_finds_false_differences_but_p_does_not():
    """Two metrics that are equally consistent: their scores are swapped on half of the topics, chosen at random."""
    rng, samples = np.random.default_rng(11), 60
    below = {"p": 0, "p_splits": 0}
    for seed in range(samples):
        both = noisy([1.0, 2.0], systems=10, topics=24, seed=seed) * rng.choice([0.5, 1.0, 2.0], 24)
        swapped = np.where(rng.random(24) < 0.5, both, both[::-1])
        found = consistency(scores_of(swapped), splits=1000, trials=500, resamples=192, seed=seed, paper_marks=True)
        for name in below:
            below[name] += found.tables["consistency_pairs"][name][0] < 0.05
    assert below["p_splits"] / samples > 0.7
    assert below["p"] / samples <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / samples)


def test_few_undefined_splits_are_not_called_0_percent():
    # Only the split that puts topics 0 to 5 together leaves a half without differences.
    values = np.zeros((1, 6, 12))
    values[0, :, :6] = np.arange(6)[:, None] + np.random.default_rng(0).random((6, 6))
    with pytest.warns(MetameterWarning, match=r"tau counts as 0: m0 \(under 1% of the splits\)"):
        consistency(scores_of(values), splits=2000, resamples=0)
