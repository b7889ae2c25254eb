"""Bump charts: a place for every line, equal ranks joined, names as they are, the same bytes every time."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.view.charts import bump, rank_intervals, save_figures, spec_json, specifications
from metameter.view.charts.axes import column_axis, spaced
from metameter.view.charts.ranks import MOST_COLUMNS, SLOT, leading, slots, ties
from metameter.view.charts.theme import LETTERS, PALETTE, THIN

EVIL = "x</script>.[0]\"'"


def ranks(metrics: int = 5, turns: int = 4, sets: int = 2, seed: int = 0, total: bool = True) -> pl.DataFrame:
    """Dense ranks of win counts, and those over all turns."""
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in range(metrics - 1)] + [EVIL]
    rows: list[tuple[Any, ...]] = []
    for chosen in range(sets):
        wins = rng.integers(0, metrics, (turns, metrics))
        steps = [(str(turn + 1), each) for turn, each in enumerate(wins)]
        for turn, each in [*steps, *([("All", wins.sum(axis=0))] if total else [])]:
            levels = sorted(set(each.tolist()), reverse=True)
            rows += [
                (f"set {chosen}", turn, name, int(won), levels.index(won) + 1)
                for name, won in zip(names, each, strict=True)
            ]
    return pl.DataFrame(rows, schema=["simple", "turn.[0]", "metric", "wins", "rank"], orient="row")


def drawn(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    with specifications():
        chart = bump(frame, "turn.[0]", "rank", "metric", "simple", ("wins",), **{"apart": "All", **options})
    return dict(json.loads(spec_json(chart)))


def rows_of(chart: dict[str, Any], panel: int = 0, layer: int = 1) -> list[dict[str, Any]]:
    return list(chart["datasets"][chart["concat"][panel]["layer"][layer]["data"]["name"]])


@given(st.lists(st.lists(st.integers(1, 4), min_size=5, max_size=5), min_size=1, max_size=6))
def test_every_series_has_its_own_slot_ordered_by_rank(table: list[list[int]]) -> None:
    cells = [(turn, f"m{i}", rank) for turn, row in enumerate(table) for i, rank in enumerate(row)]
    frame = pl.DataFrame(cells, schema=["turn", "metric", "rank"], orient="row")
    placed = slots(frame, "turn", "rank", "metric", range(len(table)))
    before: dict[str, int] = {}
    for turn, row in enumerate(table):
        found = placed.filter(pl.col("turn") == turn).sort(SLOT)
        assert found[SLOT].to_list() == [1, 2, 3, 4, 5]
        assert found["rank"].to_list() == sorted(row)
        # Equals keep the order of the column before.
        for (_, a, rank_a, _), (_, b, rank_b, _) in zip(found.rows(), found.rows()[1:], strict=False):
            assert rank_a < rank_b or not before or before[a] < before[b]
        before = dict(zip(found["metric"], found[SLOT], strict=True))
    joined = {(turn, rank): to - first + 1 for turn, rank, first, to in ties(placed, "turn", "rank").rows()}
    shared = Counter((turn, rank) for turn, _, rank in cells)
    assert joined == {key: count for key, count in shared.items() if count > 1}


def test_dots_follow_the_ranks_of_the_table() -> None:
    frame = ranks()
    chart = drawn(frame)
    assert [panel["title"] for panel in chart["concat"]] == ["set 0", "set 1"]
    for number in (0, 1):
        told = {(row["turn.[0]"], row["metric"]): row["rank"] for row in rows_of(chart, number)}
        part = frame.filter(pl.col("simple") == f"set {number}")
        assert told == {(turn, name): rank for _, turn, name, _, rank in part.iter_rows()}
    written = [
        layer["encoding"]["text"]["field"] for layer in chart["concat"][0]["layer"] if "text" in layer["encoding"]
    ]
    assert written == ["rank", "metric"]


def test_the_first_rank_is_on_top_and_the_sum_separate() -> None:
    panel = drawn(ranks())["concat"][0]
    low, high = panel["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert low > high
    assert panel["layer"][1]["encoding"]["x"]["sort"] == ["1", "2", "3", "4", " ", "All"]
    dotted, plain = (panel["layer"][i]["transform"][0]["filter"] for i in (1, 2))
    assert "strokeDash" in panel["layer"][1]["mark"]
    assert '["4", "All"]' in dotted
    assert '["1", "2", "3", "4"]' in plain
    without = drawn(ranks(total=False))["concat"][0]
    assert without["layer"][1]["encoding"]["x"]["sort"] == ["1", "2", "3", "4"]
    assert not any("strokeDash" in layer["mark"] for layer in without["layer"])


def test_clicking_a_name_highlights_it_in_all_panels() -> None:
    chart = drawn(ranks())
    ends = [panel["layer"][-1] for panel in chart["concat"]]
    assert all('["All"]' in end["transform"][0]["filter"] for end in ends)
    [pick] = chart["params"]
    assert pick["views"] == [end["name"] for end in ends]
    assert pick["select"] == {"type": "point", "fields": ["metric"]}
    seen = [layer["encoding"].get("opacity") for panel in chart["concat"] for layer in panel["layer"][1:]]
    assert {json.dumps(each) for each in seen} == {'{"condition": {"param": "picked", "value": 1}, "value": 0.15}'}


def test_few_series_or_the_leading_ones_are_coloured() -> None:
    def shades(chart: dict[str, Any]) -> dict[str, str]:
        scale = chart["concat"][0]["layer"][1]["encoding"]["stroke"]["scale"]
        return dict(zip(scale["domain"], scale["range"], strict=True))

    assert list(shades(drawn(ranks(8))).values()) == list(PALETTE)
    many = ranks(18)
    found = shades(drawn(many))
    assert Counter(found.values()) == {**dict.fromkeys(PALETTE, 1), THIN: 10}
    assert {name for name, shade in found.items() if shade != THIN} == set(
        leading(many, "rank", "metric", "simple")[:8]
    )
    given = shades(drawn(ranks(3), colours=lambda names: ["#111111"] * len(names)))
    assert set(given.values()) == {"#111111"}


def test_leading_series_rank_high_somewhere() -> None:
    cells = [("a", "x", 1), ("a", "y", 2), ("a", "z", 3), ("b", "x", 3), ("b", "y", 2), ("b", "z", 1), ("b", "w", 9)]
    frame = pl.DataFrame(cells, schema=["set", "metric", "rank"], orient="row")
    assert leading(frame, "rank", "metric", "set") == ["x", "z", "y", "w"]


def test_long_sessions_are_thinned_but_keep_their_ends() -> None:
    shown = drawn(ranks(turns=100))["concat"][0]["layer"][1]["encoding"]["x"]["sort"]
    assert len(shown) == MOST_COLUMNS + 2
    assert (shown[0], shown[-3:]) == ("1", ["100", " ", "All"])
    assert spaced(["a", "b"], 20) == ["a", "b"]
    assert column_axis("turn", ["a", "b"])["sort"] == ["a", "b"]


def test_a_series_without_a_rank_is_left_out_there() -> None:
    missing = (pl.col("turn.[0]") == "2") & (pl.col("metric") == "m0")
    frame = ranks(sets=1).with_columns(rank=pl.when(~missing).then("rank"))
    found = [row for row in rows_of(drawn(frame)) if row["turn.[0]"] == "2"]
    assert sorted(row["metric"] for row in found) == sorted(["m1", "m2", "m3", EVIL])
    assert [row[SLOT] for row in found] == [1, 2, 3, 4]


BUILDERS = {
    "bump": lambda: bump(ranks(), "turn.[0]", "rank", "metric", "simple", ("wins",), apart="All", title=EVIL),
    "bump_one": lambda: bump(ranks(sets=1, total=False), "turn.[0]", "rank", "metric"),
    "intervals": lambda: rank_intervals(
        ranks(turns=1, total=False).with_columns(low=pl.col("rank"), high=pl.col("rank") + 1),
        *("metric", "rank", "low", "high", "simple", ("wins",)),
        title=EVIL,
    ),
    "intervals_plain": lambda: rank_intervals(ranks(turns=1, sets=1, total=False), "metric", "rank"),
}


def sizes(part: Any) -> list[float]:
    if isinstance(part, dict):
        named = [value for key, value in part.items() if key.lower().endswith("fontsize")]
        return [*named, *(size for value in part.values() for size in sizes(value))]
    return [size for value in part for size in sizes(value)] if isinstance(part, list) else []


@pytest.mark.parametrize("name", BUILDERS)
def test_charts_are_valid_altair_objects_or_plain_specifications(name: str) -> None:
    import altair as alt

    chart = BUILDERS[name]()
    assert isinstance(chart, alt.TopLevelMixin)
    with specifications():
        plain = BUILDERS[name]()
    # Altair checks its own against the schema of Vega-Lite.
    assert json.loads(json.dumps(chart.to_dict())) == json.loads(json.dumps(plain.to_dict()))
    assert min(sizes(json.loads(spec_json(chart)))) >= LETTERS
    assert "</script" not in spec_json(chart)


@pytest.mark.parametrize("name", BUILDERS)
def test_figures_are_deterministic_and_escape_names(name: str, tmp_path: Any) -> None:
    one, two = (save_figures(BUILDERS[name](), tmp_path / each) for each in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    svg = one[0].read_text()
    assert "x&lt;/script" in svg
    assert "null" not in svg
    assert "<script" not in svg


def test_intervals_put_the_first_rank_on_top() -> None:
    with specifications():
        chart = json.loads(spec_json(BUILDERS["intervals"]()))
    frame = ranks(turns=1, total=False)
    for number, panel in enumerate(chart["concat"]):
        part = frame.filter(pl.col("simple") == f"set {number}").sort("rank", maintain_order=True)
        assert panel["layer"][0]["encoding"]["y"]["sort"] == part["metric"].to_list()
        assert [layer["mark"]["type"] for layer in panel["layer"]] == ["rule", "point"]
    domains = {json.dumps(panel["layer"][1]["encoding"]["x"]["scale"]) for panel in chart["concat"]}
    assert len(domains) == 1
    plain = BUILDERS["intervals_plain"]().to_dict()
    assert [layer["mark"]["type"] for layer in plain["layer"]] == ["point"]


def test_long_rank_axes_show_some_ticks() -> None:
    frame = pl.DataFrame({"metric": [f"m{i}" for i in range(40)], "rank": range(1, 41)})
    values = rank_intervals(frame, "metric", "rank").to_dict()["layer"][0]["encoding"]["x"]["axis"]["values"]
    assert values == [1, 5, 10, 15, 20, 25, 30, 35, 40]
