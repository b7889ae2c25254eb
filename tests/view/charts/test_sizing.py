"""Charts under the title, and of the width, that a user asks for."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
import vl_convert

import metameter
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.types import Scores
from metameter.view.charts import convergence, heat_map, ordered_intervals, spec_json, styled
from metameter.view.result import Result


def scores(systems=3, topics=12):
    values = np.random.default_rng(1).random((2, systems, topics))
    return Scores(("AP", "RR"), tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics))), values)


def drawn_width(chart):
    return float(re.search(r'<svg[^>]* width="([\d.]+)', vl_convert.vegalite_to_svg(spec_json(chart)))[1])


FRAME = pl.DataFrame(
    {"name": list("abcdef"), "x": [1.0, 2, 3, 4, 5, 6], "low": 0.5, "high": 7.0, "panel": list("uuvvww")}
)
CHARTS = {
    "dots": lambda: ordered_intervals(
        FRAME, "name", "x", "low", "high", title="A title that is longer than the chart " * 4
    ),
    "panels": lambda: convergence(FRAME, "x", "low", "low", "name", "panel", title="T", colours=lambda names: None),
    "squares": lambda: heat_map(FRAME, "name", "panel", "x", title="T"),
}


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("width", [430, 1100])
def test_a_chart_has_the_requested_width_overall(name, width):
    assert drawn_width(styled(CHARTS[name](), width=width)) == pytest.approx(width, abs=2)


def test_an_impossible_width_gives_the_narrowest_chart():
    wide = heat_map(pl.DataFrame({"a": list("abcdefghij"), "b": "row", "v": 0.5}), "a", "b", "v")
    assert 300 < drawn_width(styled(wide, width=200)) < drawn_width(wide)


def test_without_options_a_chart_is_unchanged():
    chart = CHARTS["dots"]()
    assert styled(chart) is chart


def test_a_title_precedes_the_charts_own_title():
    result = metameter.compare(scores(), trials=64)
    own = result.charts()["compare"].to_dict()["title"]
    made = result.chart(title="Our </script> runs").to_dict()
    assert made["title"] == {"text": ["Our </script> runs"], "subtitle": [own["text"], *own["subtitle"]]}
    assert "</script" not in spec_json(result.chart(title="Our </script> runs"))
    for none in ("none", ""):  # what explains the marks stays
        assert result.chart(title=none).to_dict()["title"]["text"] == own["subtitle"]
    assert result.chart().to_dict()["title"] == own


def test_keys_in_a_subtitle_survive_a_new_title():
    chart = {"mark": "point", "title": {"text": "Means", "subtitle": ["1 is web, 2 is news."]}}
    assert styled(chart, title="none")["title"] == {"text": ["1 is web, 2 is news."], "fontSize": 12}


def test_lines_are_wrapped_to_the_width():
    lines = [
        "Dashed steps: the front, whose metrics none beats in both. They and metrics",
        "that have a name are named.",
    ]
    made = styled({"hconcat": [], "title": {"text": "T", "subtitle": lines}}, width=300)["title"]
    assert " ".join(made["subtitle"]) == " ".join(lines)
    assert all(len(line) <= 54 for line in made["subtitle"])
    assert len(made["subtitle"]) == 2


def test_an_unknown_kind_of_chart_keeps_its_width():
    chart = {"hconcat": [{"mark": "point", "width": 10}], "title": "T"}
    assert styled(chart, title="none", width=500) == {"hconcat": [{"mark": "point", "width": 10}]}


def test_results_write_charts_in_the_chosen_style(tmp_path):
    chart = {"mark": "point", "title": "Own", "data": {"values": [{}]}}

    class Drawn(Result):
        def charts(self):
            return {"it": chart}

    result = Drawn({"it": pl.DataFrame({"a": [1]})})
    with metameter.chart_style(title="Mine", width=350):
        result.write(tmp_path / "styled", figures=True)
        assert result.chart()["title"]["text"] == ["Mine"]
    result.write(tmp_path / "plain")
    assert '"text":["Mine"],"subtitle":["Own"]' in (tmp_path / "styled" / "it.html").read_text()
    assert '"Own"' in (tmp_path / "plain" / "it.html").read_text()
    assert re.search(r'<svg[^>]* width="35[01]"', (tmp_path / "styled" / "it.svg").read_text())


@pytest.mark.parametrize(
    "wish",
    [{"width": 0}, {"width": -5}, {"width": 4001}, {"width": 1.5}, {"width": True}, {"title": "x" * 301}, {"title": 3}],
)
def test_impossible_styles_are_refused(wish):
    with pytest.raises(MetameterError, match=r"out of range|not a title"):
        metameter.compare(scores(), trials=64).chart(**wish)
    with pytest.raises(MetameterError), metameter.chart_style(**wish):
        pass


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    scores(2).wide().write_csv(path)
    return path


def test_the_command_accepts_title_and_width(table, tmp_path, capsys):
    words = ["compare", str(table), "--test", "t", "--figures", "--out", str(tmp_path / "out")]
    assert run([*words, "--title", "none", "--width", "480"]) == 0
    for name in ("compare", "compare_baseline", "compare_topics"):
        svg = (tmp_path / "out" / f"{name}.svg").read_text()
        assert float(re.search(r'<svg[^>]* width="([\d.]+)', svg)[1]) == pytest.approx(480, abs=2)
        assert "AP:" not in svg
    assert run([*words, "--width", "48"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == "width is out of range (given 48, allowed: 200 to 4000). Give the width of a chart in pixels."


def test_a_command_without_charts_accepts_neither(capsys):
    assert run(["score", "--help"]) == 0
    assert "--title" not in capsys.readouterr().out
    assert run(["study", "--help"]) == 0
    assert "--title" in capsys.readouterr().out


def test_two_systems_have_bars_and_an_axis_with_zero():
    values = np.random.default_rng(1).random((1, 2, 50)) * 0.1 + np.array([[[0.1], [0.8]]])
    result = metameter.compare(Scores(("AP",), ("a", "b"), tuple(map(str, range(50))), values), trials=64)
    topics = result.charts()["compare_topics"].to_dict()
    bars = topics["layer"][0]
    assert bars["mark"]["type"] == "bar"
    deltas = [row["delta"] for row in topics["datasets"][bars["data"]["name"]]]
    assert deltas == sorted(deltas, reverse=True)
    assert bars["encoding"]["x"]["axis"]["labels"] is True
    assert "AP: b minus a, topic by topic" in json.dumps(topics["title"])
    dots = result.charts()["compare_baseline"].to_dict()
    low, high = dots["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low < 0 < result.table["low"][0] < high
    # A line marks it.
    assert dots["layer"][0]["encoding"]["x"]["datum"] == 0


def test_bars_of_many_topics_are_unlabelled():
    values = np.random.default_rng(1).random((1, 2, 250))
    result = metameter.compare(Scores(("AP",), ("a", "b"), tuple(map(str, range(250))), values), trials=64)
    chart = result.charts()["compare_topics"].to_dict()
    assert chart["layer"][0]["encoding"]["x"]["axis"]["labels"] is False
    assert drawn_width(chart) < 1000


def test_several_systems_have_a_square_per_topic():
    chart = metameter.compare(scores(3), trials=64).charts()["compare_topics"].to_dict()
    assert chart["layer"][0]["mark"]["type"] == "rect"
