"""The answer of compare in sentences says what its tables say, and no more."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from metameter.cli.program import run
from metameter.meta.compare.procedure import compare
from metameter.meta.compare.text import answer_of
from metameter.types import Scores

TESTS = ("tukey-randomised", "max-t", "bootstrap", "tukey", "t", "wilcoxon", "sign")


def make(means, metrics=1, topics=30, noise=0.1):
    rng = np.random.default_rng(3)
    values = np.array(means)[:, None] + noise * rng.standard_normal((metrics, len(means), topics))
    systems = tuple("abcdefghijklmnopqrstuvwxyz"[: len(means)])
    return Scores(tuple(f"m{i}" for i in range(metrics)), systems, tuple(str(t) for t in range(topics)), values)


def minus(row):
    return f"b (mean {row['mean']:.4f}) minus a (mean {row['baseline_mean']:.4f})"


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("means", "verdict"), [((0.2, 0.6), "b beats a"), ((0.6, 0.2), "a beats b")])
def test_the_better_system_is_named_with_its_numbers(means, verdict, test):
    result = compare(make(means), test=test, trials=200)
    row = result.table.row(0, named=True)
    first, second, *_ = result.remark.splitlines()
    assert first.startswith(
        f"By m0 {verdict}: {minus(row)} is {row['difference']:.4f} (95% interval {row['low']:.4f} to "
    )
    assert f"b is better on {row['wins']} topics, worse on {row['losses']}, equal on {row['ties']}." in first
    drawn = test in ("tukey-randomised", "max-t", "bootstrap")  # 1 / 201
    assert (", p = 0.0050;" if drawn else ", p < 0.0001;") in first
    topics = result.tables["compare_topics"].sort("delta")
    assert second.startswith("b is furthest ")
    assert f"topic {topics['topic'][-1 if means[1] > means[0] else 0]} (" in second


@pytest.mark.parametrize("test", TESTS)
def test_without_significance_no_difference_is_shown(test):
    result = compare(make((0.5, 0.5)), test=test, trials=200)
    row = result.table.row(0, named=True)
    said = result.answer()[0]
    assert row["p"] >= 0.05
    assert said.startswith(f"By m0 no difference is shown: {minus(row)} is ")
    needed = f"A difference of about {row['high'] - row['difference']:.4f} or more would have been significant."
    # Wilcoxon's and the sign test are not about means.
    assert (needed in said) == (test not in ("wilcoxon", "sign"))
    assert "beats" not in said


def test_the_required_difference_is_just_significant_by_the_test():
    scores = make((0.5, 0.5))
    result = compare(scores, test="t")
    row = result.table.row(0, named=True)
    needed, delta = row["high"] - row["difference"], scores.values[0, 1] - scores.values[0, 0]
    found = []
    for factor in (0.99, 1.01):
        shifted = np.stack([scores.values[0, 0], scores.values[0, 0] + delta - delta.mean() + factor * needed])
        found.append(
            compare(Scores(scores.metrics, scores.systems, scores.topics, shifted[None]), test="t").table["p"][0]
        )
    assert found[0] > 0.05 > found[1]


def test_the_answer_says_that_p_is_for_one_metric():
    assert not any("metric alone" in said for said in compare(make((0.2, 0.6)), trials=100).answer())
    said = compare(make((0.2, 0.6), metrics=2), trials=100).answer()
    assert [each[:15] for each in said[:2]] == ["By m0 b beats a", "By m1 b beats a"]
    assert said[2] == "Each p is for one metric alone; over 2 metrics a false alarm is more likely."


def test_verdicts_of_many_metrics_are_counted():
    said = compare(make((0.2, 0.6), metrics=9), trials=100).answer()
    assert (
        said[0]
        == "Of 9 metrics, b beats a by 9 (m0, m1, m2, m3, m4, ...), a beats b by 0; by 0 no difference is shown."
    )
    same = compare(make((0.5, 0.5), metrics=9), alpha=0.0001, test="t").answer()
    assert same[0] == "By none of 9 metrics is a difference between b and a shown."
    assert len(said) == len(same) == 2


def test_verdicts_against_a_baseline_are_counted():
    result = compare(make((0.1, 0.6, 0.3, 0.9)), baseline=["b"], trials=200)
    mean = result.table["baseline_mean"][0]
    assert result.answer() == [
        f"By m0, of 3 systems, better than b (mean {mean:.4f}): 1 (d); worse: 2 (a, c); no difference shown: 0."
    ]
    same = compare(make((0.5, 0.5, 0.5)), baseline=["a"], trials=200, test="tukey-randomised")
    mean = same.table["baseline_mean"][0]
    width = (same.table["high"] - same.table["difference"])[0]
    needed = f"A difference of about {width:.4f} or more would have been significant."
    assert same.answer() == [f"By m0 none of 2 systems is shown to differ from a (mean {mean:.4f}). {needed}"]
    # By max-t each pair requires its own.
    (robust,) = compare(make((0.5, 0.5, 0.5)), baseline=["a"], trials=200).answer()
    assert robust == f"By m0 none of 2 systems is shown to differ from a (mean {mean:.4f})."


def test_several_baselines_each_have_a_sentence():
    result = compare(make((0.2, 0.6, 0.9)), baseline=["a", "b"], trials=200)
    said, a = result.answer(), result.table["baseline_mean"][0]
    assert said[0] == f"By m0, of 2 systems, better than a (mean {a:.4f}): 2 (c, b); worse: 0; no difference shown: 0."
    assert said[1].startswith("By m0 c beats b: c (mean ")


def test_the_answer_counts_systems_tied_with_the_best():
    result = compare(make((0.2, 0.6, 0.6, 0.1)), trials=500)
    best = result.table["system"][0]
    other = {"b": "c", "c": "b"}[best]
    mean = f"{result.table['mean'][0]:.4f}"
    assert result.answer() == [
        f"By m0 {best} has the highest mean, {mean}; it is not shown to differ from 1 ({other}) of the 3 others."
    ]


def test_the_answer_has_at_most_six_comparisons():
    said = compare(make((0.2, 0.6, 0.9), metrics=8), baseline=["a"], trials=64).answer()
    assert said[6] == "The tables have 2 more metrics."
    assert len(said) == 8


def test_a_close_call_is_named_in_the_answer():
    result = compare(make((0.5, 0.5)), trials=200)
    p = result.table["p"][0]
    close = compare(make((0.5, 0.5)), trials=200, alpha=p + 0.01)
    assert "A close call" in close.answer()[0]
    assert "A close call" not in result.answer()[0]


def test_the_answer_gives_no_interval_for_few_topics():
    said = " ".join(compare(make((0.2, 0.6), topics=4), trials=64).answer())
    assert "interval" not in said
    assert "None" not in said


@pytest.mark.parametrize("means", [(0.2, 0.6), (0.2, 0.6, 0.9)])
@pytest.mark.parametrize("topics", [2, 3, 4, 5])
def test_the_answer_warns_about_fewer_than_five_topics(means, topics):
    warning = f"Draw no conclusion from these results: with {topics} topics no test is reliable."
    assert (compare(make(means, topics=topics), trials=64).answer()[0] == warning) == (topics < 5)


def test_readable_topics_are_sorted_by_difference():
    result = compare(make((0.2, 0.6, 0.9)), baseline=["b"], trials=64)
    table = result.readable("compare_topics")
    assert table["system"].unique(maintain_order=True).to_list() == ["c", "a"]
    for part in table.partition_by("system"):
        assert part["delta"].to_list() == sorted(part["delta"].to_list(), reverse=True)
    assert result.tables["compare_topics"].filter(pl.col("system") == "c")["topic"][0] == "0"
    assert result.latex()["compare_topics"].index(f" & {table['topic'][0]} & ") > 0


def test_the_command_prints_the_answer_below_the_first_table(tmp_path, capsys):
    values = "".join(f"{s},{t},{0.1 * t + (0.3 if s == 'b' else 0)}\n" for s in "ab" for t in range(6))
    (tmp_path / "s.csv").write_text(f"system,topic,AP\n{values}")
    assert run(["compare", str(tmp_path / "s.csv"), "--format", "csv", "--test", "t"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("metric,system,baseline,difference,low,high,effect,p,wins,ties,losses,")
    assert said.err.startswith("By AP b beats a: b (mean 0.5500) minus a (mean 0.2500) is 0.3000")


def test_the_answer_says_when_test_and_means_disagree():
    # On 16 of 18 topics b is a little above a, on two far below it.
    delta = np.array([0.01] * 16 + [-0.9] * 2)
    values = np.stack([np.full(18, 0.95), 0.95 + delta])[None]
    scores = Scores(("AP",), ("a", "b"), tuple(map(str, range(18))), values)
    assert compare(scores, test="sign").table["p"][0] < 0.05
    said = compare(scores, test="sign").answer()[0]
    assert said.startswith(
        "By AP b and a differ, but the mean and most topics do not favour the same one: "
        "b (mean 0.8589) minus a (mean 0.9500) is -0.0"
    )
    three = Scores(("AP",), ("a", "b", "c"), scores.topics, np.concatenate([values, values[:, :1] - 0.5], axis=1))
    assert compare(three, test="sign", baseline=["a"]).answer() == [
        "By AP, of 2 systems, better than a (mean 0.9500): 0; worse: 1 (c); different, but the mean and most topics "
        "disagree: 1 (b); no difference shown: 0."
    ]


def test_the_required_difference_exceeds_the_observed_one_as_printed():
    # Identical runs, for which the least difference would do; and one whose interval ends, in print, at zero.
    same = make((0.5, 0.5), noise=0.0)
    assert "From about" not in compare(same, trials=64).answer()[0]
    row = {"metric": "P@5", "system": "b", "baseline": "a", "difference": 0.136, "low": 0.00001, "high": 0.27199}
    rest = {"p": 0.0505, "wins": 12, "ties": 5, "losses": 8, "mean": 0.536, "baseline_mean": 0.4}
    (said,) = answer_of({"compare_baseline": pl.DataFrame([{**row, **rest}])}, 0.05)
    means = "b (mean 0.5360) minus a (mean 0.4000)"
    assert said.startswith(f"By P@5 no difference is shown: {means} is 0.1360 (95% interval 0.0000 to 0.2720), p = ")
    assert "From about" not in said


def test_omitted_rows_are_counted():
    systems = (0.2, 0.6, 0.9)
    assert compare(make(systems, metrics=7), trials=64).answer()[6] == "The tables have 1 more metric."
    said = compare(make(systems, metrics=4), baseline=["a", "b"], trials=64).answer()
    assert said[6] == "The tables have 2 more pairs of a metric and a baseline."


@pytest.mark.parametrize(
    ("means", "baseline", "black"),
    [((0.5, 0.5), [], "In black: a."), ((0.2, 0.5, 0.9), [], ""), ((0.2, 0.9), ["b"], "In black: b.")],
)
def test_the_chart_of_means_explains_bars_and_black(means, baseline, black):
    drawn = compare(make(means), baseline=baseline, trials=64).charts()["compare"].to_dict()
    below = " ".join(drawn["title"]["subtitle"])
    assert "Grey bar: from the lowest to the highest mean that is not shown to differ." in below
    assert below.endswith(black or "differ.")
    assert not [layer for layer in drawn["layer"] if layer["mark"]["type"] == "text"]


def test_systems_with_the_same_mean_have_no_best():
    scores = Scores(("AP",), ("a", "b", "c"), tuple(map(str, range(6))), np.zeros((1, 3, 6)))
    assert compare(scores, trials=100, resamples=50).answer()[0] == "By AP all 3 systems have the same mean, 0.0000."
