"""Charts along evaluation depths: what is drawn, how small it is, and what it survives."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from metameter.meta.framework.verdicts import VERDICT_STYLES
from metameter.view.charts import (
    depth_bands,
    depth_curves,
    depth_intervals,
    heat_map,
    save_figures,
    spec_json,
    specifications,
)
from metameter.view.charts.axes import drawn_depths, ticks
from metameter.view.charts.depth_curves import OTHERS, SYSTEMS
from metameter.view.charts.theme import FAINT, INK, LETTERS, PALETTE_ON_DARK, POOL, THIN

EVIL = ["x</script><script>alert(1)</script>", "a\"b'c", "run.1[0]", "Überläufer→日本", "back\\slash", ""]
MARKS = ("best", "quartile1", "median", "quartile3", "worst")


def scores(
    systems: list[str], metrics: list[str], depths: list[int], kinds: tuple[bool, ...] = (False, True), seed: int = 0
) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [(m, c, s, d) for m in metrics for c in kinds for s in systems for d in depths]
    frame = pl.DataFrame(rows, schema=["metric", "condensed", "system", "depth"], orient="row")
    return frame.with_columns(pl.Series("score", rng.uniform(0.05, 0.7, len(rows))))


def marks(frame: pl.DataFrame) -> pl.DataFrame:
    last = frame.filter(pl.col("depth") == frame["depth"].max()).sort("score", descending=True)
    rows = []
    for (metric, condensed), part in last.partition_by("metric", "condensed", as_dict=True).items():
        ends = np.round(np.linspace(0, part.height - 1, 5)).astype(int)
        rows += [(metric, condensed, part["system"][int(i)], mark) for i, mark in zip(ends, MARKS, strict=True)]
    return pl.DataFrame(rows, schema=["metric", "condensed", "system", "mark"], orient="row")


def plain(chart: Any) -> dict[str, Any]:
    return dict(json.loads(spec_json(chart)))


def rows_of(chart: dict[str, Any], pane: int) -> list[dict[str, Any]]:
    # Altair moves the rows of a single pane to the whole chart.
    data = chart["concat"][pane].get("data") or chart["data"]
    return list(chart["datasets"][data["name"]])


def svg(chart: Any) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec_json(chart), allowed_base_urls=[]))


def depths_of(chart: dict[str, Any], pane: int = 0) -> list[int]:
    [made] = [t for t in chart["concat"][pane]["layer"][0]["transform"] if t.get("as") == "depth"]
    return list(json.loads(made["calculate"]))


@pytest.mark.parametrize("most", [3, 10, 80])
@pytest.mark.parametrize("given", [range(1, 1001), range(5, 6000, 7), [*range(1, 100), 9_999]])
def test_a_few_logarithmically_spaced_depths_are_drawn(given: Any, most: int) -> None:
    depths = list(given)
    drawn = drawn_depths(depths, keep=[depths[17], 10**6, None], most=most)
    assert drawn == sorted(set(drawn) & set(depths))
    assert len(drawn) <= most
    assert {depths[0], depths[17], depths[-1]} <= set(drawn)


def test_eighty_of_a_thousand_depths_are_evenly_spaced() -> None:
    drawn = drawn_depths(range(1, 1001), keep=[100])
    assert 70 <= len(drawn) <= 80
    assert drawn[:12] == list(range(1, 13))
    gaps = np.diff(np.log10(drawn[12:]))
    assert gaps.max() < 0.06
    assert drawn_depths([20, 10, 10, 1]) == [1, 10, 20]


def test_ticks_are_round_and_never_missing() -> None:
    assert ticks(3, 30) == [5, 10, 20]
    assert ticks(30, 40) == [30, 40]
    assert ticks(8, 9) == [8, 9]


def test_each_metric_has_a_plain_and_a_condensed_pane() -> None:
    frame = scores(["a", "b"], ["nDCG", "AP"], [1, 5, 10])
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3).sort("metric", descending=True, maintain_order=True)
    chart = plain(depth_curves(shuffled))
    assert [pane["title"] for pane in chart["concat"]] == ["nDCG", "nDCG, condensed", "AP", "AP, condensed"]
    assert chart["columns"] == 2
    # A metric with one kind of scores only stands after the others, so that pairs stay side by side.
    lacking = frame.filter(~((pl.col("metric") == "nDCG") & pl.col("condensed")))
    titles = [pane["title"] for pane in plain(depth_curves(lacking))["concat"]]
    assert titles == ["AP", "AP, condensed", "nDCG"]


def test_lines_follow_the_scores() -> None:
    frame = scores(["a", "b", "c"], ["nDCG"], [1, 5, 10, 100])
    chart = plain(depth_curves(frame.sample(fraction=1.0, shuffle=True, seed=1)))
    assert depths_of(chart) == [1, 5, 10, 100]
    for pane, condensed in enumerate((False, True)):
        for row in rows_of(chart, pane):
            of = frame.filter((pl.col("condensed") == condensed) & (pl.col("system") == row["system"])).sort("depth")
            assert row["scores"] == [round(score, 4) for score in of["score"]]


def test_missing_scores_leave_a_gap() -> None:
    frame = scores(["a", "b"], ["nDCG"], [1, 5, 10], (False,))
    frame = frame.filter(~((pl.col("system") == "b") & (pl.col("depth") == 5)))
    frame = frame.with_columns(
        pl.when((pl.col("system") == "a") & (pl.col("depth") == 10))
        .then(float("nan"))
        .otherwise("score")
        .alias("score")
    )
    lines = {row["system"]: row["scores"] for row in rows_of(plain(depth_curves(frame)), 0)}
    assert lines["a"][2] is None
    assert lines["b"][1] is None
    assert None not in (lines["a"][0], lines["a"][1], lines["b"][0], lines["b"][2])


def test_marked_systems_are_drawn_last_in_ink() -> None:
    names = [f"s{i}" for i in range(20)]
    frame = scores(names, ["nDCG"], [1, 5, 10])
    frame = frame.with_columns(contributing=~pl.col("system").is_in(["s3", "s4"]))
    chart = plain(depth_curves(frame, marks(frame.filter("contributing"))))
    kinds = [row["mark"] for row in rows_of(chart, 0)]
    assert kinds[:2] == [OTHERS] * 2
    assert kinds[2:15] == [SYSTEMS] * 13
    assert set(kinds[15:]) == {"best", "quartile 1", "median", "quartile 3", "worst"}
    colour = chart["concat"][0]["layer"][0]["encoding"]["color"]
    assert colour["scale"]["domain"] == ["best", "quartile 1", "median", "quartile 3", "worst", SYSTEMS, OTHERS]
    assert colour["scale"]["range"] == [*[INK] * 5, THIN, FAINT]
    dash, width = (chart["concat"][0]["layer"][0]["encoding"][each] for each in ("strokeDash", "strokeWidth"))
    dark = zip(dash["scale"]["range"][:5], width["scale"]["range"][:5], strict=True)
    assert len({(tuple(dashes), wide) for dashes, wide in dark}) == 5
    drawn = svg(depth_curves(frame, marks(frame)))
    assert all(f">{name}<" in drawn for name in ("best", "quartile 1", "median", "quartile 3", "worst"))
    widths = re.findall(r'aria-roledescription="line mark"[^>]* stroke-width="([^"]*)"', drawn)
    assert sorted(set(widths)) == ["1", "1.3", "1.7", "2.2", "2.4"]
    assert widths.count("1") == 2 * (20 - 5)


def test_a_system_with_several_marks_keeps_the_best() -> None:
    frame = scores(["a", "b"], ["nDCG"], [1, 5], (False,))
    both = pl.DataFrame({"metric": "nDCG", "condensed": False, "system": ["a"] * 4 + ["b"], "mark": MARKS})
    assert {r["system"]: r["mark"] for r in rows_of(plain(depth_curves(frame, both)), 0)} == {"a": "best", "b": "worst"}


def test_both_panes_of_a_metric_share_their_scale() -> None:
    frame = scores(["a", "b"], ["nDCG", "AP"], [1, 5]).with_columns(
        pl.col("score") * pl.when(pl.col("metric") == "AP").then(0.1).otherwise(1.0)
    )

    def ends(chart: Any) -> list[Any]:
        return [pane["layer"][0]["encoding"]["y"]["scale"]["domain"] for pane in plain(chart)["concat"]]

    own = ends(depth_curves(frame))
    assert own[0] == own[1] != own[2] == own[3]
    assert own[2][0] == 0.0
    assert own[2][1] > frame.filter(pl.col("metric") == "AP")["score"].max()  # type: ignore[operator]
    common = ends(depth_curves(frame, common=True))
    assert common == [own[0]] * 4
    high = ends(depth_curves(frame.with_columns(score=pl.col("score") * 0.1 + 0.8)))
    assert all(0.5 < low < top < 1.0 for low, top in high)


def test_the_pool_depth_is_a_labelled_dashed_line() -> None:
    frame = scores(["a", "b"], ["nDCG"], [1, 5, 10, 1000])
    drawn = svg(depth_curves(frame, pool_depth=100))
    assert drawn.count(">pool depth 100<") == 2
    assert f'stroke="{POOL}"' in drawn
    # Beyond the axis, and where there is none, nothing is drawn.
    assert POOL not in svg(depth_curves(frame, pool_depth=5000)) + svg(depth_curves(frame))
    assert POOL not in {each.colour for each in VERDICT_STYLES.values()} | set(PALETTE_ON_DARK)


def test_a_chart_of_129_systems_in_14_panes_is_small() -> None:
    names, metrics = [f"run{i:03d}" for i in range(129)], [f"metric{i}" for i in range(7)]
    rows = 129 * 14 * 1000
    frame = pl.DataFrame({"metric": metrics}).join(pl.DataFrame({"condensed": [False, True]}), how="cross")
    frame = frame.join(pl.DataFrame({"system": names}), how="cross")
    frame = frame.join(pl.DataFrame({"depth": range(1, 1001)}), how="cross")
    frame = frame.with_columns(pl.Series("score", np.random.default_rng(0).uniform(0, 1, rows)))
    best = marks(frame)
    with specifications():
        chart = depth_curves(frame, best, pool_depth=100)
    assert len(depths_of(chart)) <= 80
    assert 100 in depths_of(chart)
    assert len(spec_json(chart)) < 1.25e6


@pytest.mark.parametrize("depths", [[10], [1, 2], [1, 10, 100]])
@pytest.mark.parametrize("systems", [["a"], ["a", "b"], EVIL])
def test_few_systems_and_odd_names_are_drawn(systems: list[str], depths: list[int]) -> None:
    frame = scores(systems, ["P@k.[x]'\"", 'RBP(p=0.8)*ERG <b> "q"'], depths)
    chart = depth_curves(frame, marks(frame), pool_depth=10)
    drawn = svg(chart)
    # Every line is drawn, and visible: it has a length.
    assert drawn.count("P@k.[x]'&quot;") + drawn.count("P@k.[x]'\"") >= 2
    assert drawn.count('aria-roledescription="line mark"') == 4 * len(systems)
    assert "<script" not in drawn
    assert {row["system"] for row in rows_of(plain(chart), 0)} == set(systems)
    chart.to_dict(validate=True)


@pytest.mark.parametrize("score", [0.0, float("nan"), 0.25])
def test_constant_scores_have_an_axis(score: float) -> None:
    frame = scores(["a", "b"], ["nDCG"], [1, 10]).with_columns(score=pl.lit(score))
    low, high = plain(depth_curves(frame))["concat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low == 0.0
    assert high > low
    assert "NaN" not in spec_json(depth_curves(frame))
    assert svg(depth_curves(frame)).startswith("<svg")


SETTLED = pl.DataFrame(
    {
        "metric": ["AP", "AP", "ERR", "ERR", "a.[b]", "a.[b]"],
        "condensed": [False, True] * 3,
        "depth": [120, 90, 8, 9, None, 200],
        "low": [60, 50, 5, 6, None, None],
        "high": [None, 300, 15, 20, None, None],
    }
)


def test_settled_depths_are_ordered_and_open_ends_have_arrows() -> None:
    chart = plain(depth_intervals(SETTLED, [1, 10, 100, 1000], pool_depth=100))
    dots = chart["layer"][3]
    assert dots["encoding"]["y"]["sort"] == ["ERR", "AP", "a.[b]"]
    assert dots["encoding"]["shape"]["scale"] == {"domain": ["plain", "condensed"], "range": ["circle", "square"]}
    rows = {(row["metric"], row["scores"]): row for row in chart["datasets"][dots["data"]["name"]]}
    assert [row["arrow"] for row in rows.values()] == ["→", "", "", "", "→", "→"]
    assert (rows["AP", "plain"]["from"], rows["AP", "plain"]["to"]) == (60, 1000)
    assert (rows["ERR", "plain"]["from"], rows["ERR", "plain"]["to"]) == (5, 15)
    assert rows["a.[b]", "plain"]["shown"] is None
    drawn = svg(depth_intervals(SETTLED, [1, 10, 100, 1000], pool_depth=100))
    assert drawn.count("→") >= 3
    assert "pool depth 100" in drawn
    assert chart["layer"][3]["encoding"]["x"]["scale"]["domain"] == [1 / 1.15, 1000]  # room for a dot at 1


def test_twenty_eight_settled_depths_have_room() -> None:
    many = pl.concat([SETTLED[2:4].with_columns(metric=pl.lit(f"m{i}")) for i in range(14)])
    chart = plain(depth_intervals(many, [1, 1000]))
    assert chart["height"] / 28 >= LETTERS + 2
    alone = plain(depth_intervals(SETTLED.filter(~pl.col("condensed")), [1, 1000]))
    assert "yOffset" not in alone["layer"][1]["encoding"]
    assert alone["layer"][1]["encoding"]["shape"]["legend"] is None


def taus(kinds: tuple[bool, ...] = (False, True), depths: tuple[int, ...] = (1, 2, 5, 10, 100)) -> pl.DataFrame:
    rows = [(m, c, d, 0.5 + 0.1 * i) for m in ("AP", "x.[y]") for c in kinds for i, d in enumerate(depths)]
    frame = pl.DataFrame(rows, schema=["metric", "condensed", "depth", "tau_to_final"], orient="row")
    some = pl.when(pl.col("depth") != 2)
    return frame.with_columns(
        some.then(pl.col("tau_to_final") - 0.1).alias("low"), some.then(pl.col("tau_to_final") + 0.05).alias("high")
    )


def test_each_metric_has_a_pane_of_tau_with_bands() -> None:
    chart = plain(depth_bands(taus(), "tau_to_final", "low", "high", pool_depth=10, level=0.9))
    assert [pane["title"] for pane in chart["concat"]] == ["AP", "x.[y]"]
    kinds = [layer["mark"]["type"] for layer in chart["concat"][0]["layer"]]
    assert kinds == ["area", "line", "line", "rule", "line", "point", "rule", "text"]
    band = chart["datasets"][chart["concat"][0]["layer"][0]["data"]["name"]]
    assert band[0] == {"depth": 1, "low": 0.4, "high": 0.55}
    # Depths without an interval are on the line only.
    assert [row["depth"] for row in band] == [1, 5, 10, 100]
    line = chart["datasets"][chart["concat"][0]["layer"][4]["data"]["name"]]
    assert [row["depth"] for row in line if row["kind"] == "condensed"] == [1, 2, 5, 10, 100]
    scales = {json.dumps(pane["layer"][4]["encoding"]["y"]["scale"]) for pane in chart["concat"]}
    assert len(scales) == 1
    alone = plain(depth_bands(taus((False,)), "tau_to_final", "low", "high"))
    assert [layer["mark"]["type"] for layer in alone["concat"][0]["layer"]] == ["area", "line", "point"]


@pytest.mark.parametrize("depths", [(7,), (1, 1000)])
def test_tau_charts_accept_few_depths_and_missing_values(depths: tuple[int, ...]) -> None:
    frame = taus(depths=depths)
    assert svg(depth_bands(frame, "tau_to_final", "low", "high", pool_depth=7, level=0.9)).startswith("<svg")
    unknown = frame.with_columns(pl.lit(None, dtype=pl.Float64).alias(c) for c in ("tau_to_final", "low", "high"))
    assert "NaN" not in svg(depth_bands(unknown, "tau_to_final", "low", "high"))


GRID = pl.DataFrame(
    {
        "k": [5, 10, 5, 10],
        "d": ["20", "20", "10", "10"],
        "kept.share": [None, 1.0, None, float("nan")],
        "pairs": [0, 3, 1, 2],
        "best": [False, True, False, False],
    }
)


def test_squares_without_a_value_are_empty() -> None:
    chart = plain(heat_map(GRID, "k", "d", "kept.share", titles=("depth", "pool"), outlined="best"))
    [rows] = chart["datasets"].values()
    assert [(row["k"], row["d"]) for row in rows] == [(10, "20")]
    assert chart["encoding"]["x"]["scale"]["domain"] == [5, 10]
    assert chart["encoding"]["y"]["scale"]["domain"] == ["20", "10"]
    assert (chart["encoding"]["x"]["title"], chart["encoding"]["y"]["title"]) == ("depth", "pool")
    drawn = svg(heat_map(GRID, "k", "d", "kept.share", titles=("depth", "pool"), outlined="best"))
    assert drawn.count(f'stroke="{POOL}"') == 1
    assert all(word not in drawn for word in ("null", "NaN"))


def test_counts_have_no_decimals() -> None:
    drawn = svg(heat_map(GRID, "k", "d", "pairs"))
    assert ">3</text>" in drawn
    assert "3.00" not in drawn


def test_the_pool_depth_is_distinguishable_in_any_colour_vision() -> None:
    # Machado, Oliveira and Fernandes (2009), severity 1, in linear RGB: protanopia and deuteranopia.
    visions = [
        np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ]
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]

    def lab(colour: str, vision: Any) -> Any:
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        x, y, z = np.cbrt(np.array(to_xyz) @ np.clip(np.array(vision) @ linear, 0, 1) / [0.95047, 1, 1.08883])
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    for vision in visions:
        away = [np.linalg.norm(lab(POOL, vision) - lab(c, vision)) for c in (INK, THIN, VERDICT_STYLES["worse"].colour)]
        assert min(away) > 20


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    frame = scores(["a", "b", "c"], ["nDCG"], [1, 10, 100])

    def written(name: str) -> list[bytes]:
        charts = {
            "curves": depth_curves(frame, marks(frame), pool_depth=10),
            "settled": depth_intervals(SETTLED, [1, 1000], pool_depth=100),
            "tau": depth_bands(taus(), "tau_to_final", "low", "high", pool_depth=10, level=0.9),
        }
        paths = [path for key, chart in charts.items() for path in save_figures(chart, tmp_path / f"{key}_{name}")]
        return [path.read_bytes() for path in paths]

    one = written("one")
    assert len(one) == 6
    assert one == written("two")
