"""Charts: valid, offline, the same bytes every time, and proof against names that are code."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import polars as pl
import pytest

from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.view.charts import (
    convergence,
    curves,
    forest,
    heat_map,
    ordered_intervals,
    save_figures,
    save_html,
    scatter,
    signed_bars,
    spec_json,
    specifications,
    vega_bundle,
)
from metameter.view.charts.export import inline_svg
from metameter.view.charts.theme import LETTERS
from metameter.view.escape import visible

EVIL = "x</script><script>alert(1)</script>"
FRAME = pl.DataFrame(
    {
        "group": ["a", "a", "b", "b"],
        "RBP(p=0.8)*ERG": ["u", EVIL, "u", "w"],
        "other[0]": ["u", "v", "u", "v"],
        "mean.score": [0.1, float("nan"), 0.3, None],
        "low": [0.0, 0.1, 0.2, 0.3],
        "high": [0.2, 0.3, 0.4, 0.5],
    }
)
BUILDERS = {
    "heat_map": lambda: heat_map(FRAME, "RBP(p=0.8)*ERG", "other[0]", "mean.score", ("low",), "group"),
    "heat_map_negative": lambda: heat_map(FRAME.with_columns(low=-pl.col("low")), "group", "other[0]", "low"),
    "ordered_intervals": lambda: ordered_intervals(
        FRAME[:2], "RBP(p=0.8)*ERG", "mean.score", "low", "high", title=EVIL, below=[EVIL]
    ),
    "ordered_band": lambda: ordered_intervals(
        FRAME[:2], "RBP(p=0.8)*ERG", "mean.score", "low", "high", band=("low", "high"), hover=["group"]
    ),
    "ordered_highlight": lambda: ordered_intervals(
        FRAME[:2], "RBP(p=0.8)*ERG", "mean.score", "low", "high", highlight=["u"]
    ),
    "curves": lambda: curves(FRAME, "low", "mean.score", "RBP(p=0.8)*ERG", "group", ["u"], title=EVIL),
    "curves_one": lambda: curves(FRAME, "low", "high", "other[0]"),
    "convergence": lambda: convergence(
        FRAME.with_columns(draws=pl.Series([64, 128, 64, 128])),
        *("draws", "high", "low", "RBP(p=0.8)*ERG", "group"),
        title=EVIL,
        colours=lambda names: ["#000000"] * len(names),
    ),
    "scatter": lambda: scatter(
        FRAME, "mean.score", "high", "RBP(p=0.8)*ERG", facet="group", highlight=[EVIL], diagonal=True
    ),
    "scatter_group": lambda: scatter(FRAME, "low", "high", "RBP(p=0.8)*ERG", "group", title=EVIL),
    "scatter_verdicts": lambda: scatter(
        FRAME.with_columns(verdict=pl.Series(["worse", "mixed", "same", "worse"])),
        *("low", "high", "group", "verdict"),
        marks=VERDICT_COLUMN,
    ),
    "ordered_series": lambda: ordered_intervals(
        FRAME[:2],
        *("RBP(p=0.8)*ERG", "mean.score", "low", "high"),
        series="group",
        colours=lambda names: ["#552020"] * len(names),
        reference=["u"],
    ),
    "ordered_within": lambda: ordered_intervals(
        FRAME[:2], "RBP(p=0.8)*ERG", "mean.score", "low", "high", within=(0.0,)
    ),
    "signed_bars": lambda: signed_bars(
        FRAME[:2], "RBP(p=0.8)*ERG", "mean.score", ("other[0]",), title=EVIL, titles=("topic", EVIL)
    ),
    "forest": lambda: forest(
        FRAME.with_columns(
            low=pl.col("low") - 0.4,
            verdict=pl.Series(["worse", "mixed", "no-evidence", "better-and-similar"]),
            close_call=pl.Series([True, False, False, False]),
        ),
        *("RBP(p=0.8)*ERG", "group", {"a difference": ("mean.score", "low", "high")}, VERDICT_COLUMN),
        title=EVIL,
    ),
}


class Elements(HTMLParser):
    """The tags of a page, and the text of its scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


@pytest.mark.parametrize("name", BUILDERS)
def test_pages_are_self_contained(name, tmp_path):
    chart = BUILDERS[name]()
    text = save_html(chart, tmp_path / "chart.html", EVIL).read_text()
    page = Elements()
    page.feed(text)
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert not any(set(attrs) & {"src", "href", "srcset", "action", "data"} for _, attrs in page.tags)
    assert json.loads(page.scripts[0]) == chart.to_dict()
    assert page.scripts[1] == vega_bundle()
    assert "default-src 'none'" in text
    assert EVIL not in text


def test_the_policy_lists_exactly_the_scripts(tmp_path):
    from metameter.view.charts.export import script_hash

    text = save_html(BUILDERS["curves_one"](), tmp_path / "c.html", "t").read_text()
    page = Elements()
    page.feed(text)
    policy = page.tags[3][1]["content"]
    assert [script_hash(script) in policy for script in page.scripts] == [False, True, True]
    assert "unsafe-inline" not in re.search("script-src[^;]*", policy)[0]


@pytest.mark.parametrize("name", BUILDERS)
def test_the_same_table_gives_the_same_bytes(name):
    assert spec_json(BUILDERS[name]()) == spec_json(BUILDERS[name]())


@pytest.mark.parametrize("name", BUILDERS)
def test_figures_have_the_same_bytes(name, tmp_path):
    one = save_figures(BUILDERS[name](), tmp_path / "RBP(p=0.8)")
    assert [path.name for path in one] == ["RBP(p=0.8).svg", "RBP(p=0.8).pdf"]
    assert one[0].read_text().startswith("<svg")
    assert one[1].read_bytes().startswith(b"%PDF")
    two = save_figures(BUILDERS[name](), tmp_path / "again")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_names_are_escaped_in_figures(tmp_path):
    svg = save_figures(BUILDERS["ordered_intervals"](), tmp_path / "c")[0].read_text()
    assert "&lt;/script>" in svg or "&lt;/script&gt;" in svg
    assert "<script" not in svg


def test_long_curves_are_thinned_but_keep_their_ends():
    frame = pl.DataFrame({"s": ["a"] * 8256 + ["b"] * 10, "x": [*range(8256), *range(10)], "y": 0.5})
    values = next(iter(curves(frame, "x", "y", "s").to_dict()["datasets"].values()))
    ends = [[row["x"] for row in values if row["s"] == name] for name in "ab"]
    assert len(ends[0]) <= 502
    assert (ends[0][0], ends[0][-1]) == (0, 8255)
    assert ends[1] == list(range(10))


def test_a_broad_bar_is_clipped_to_the_axis():
    frame = pl.DataFrame({"s": list("abc"), "m": [0.4, 0.5, 0.6], "l": 0.3, "h": 0.7, "from": -9.0, "to": 0.65})
    chart = ordered_intervals(frame, "s", "m", "l", "h", band=("from", "to")).to_dict()
    band = chart["layer"][0]
    rows = next(iter(chart["datasets"].values()))
    assert band["mark"]["strokeWidth"] > 8
    assert rows[0][band["encoding"]["x2"]["field"]] == 0.65
    assert rows[0][band["encoding"]["x"]["field"]] == band["encoding"]["x"]["scale"]["domain"][0]


@pytest.mark.parametrize("name", BUILDERS)
def test_charts_are_altair_objects_or_plain_specifications(name):
    import altair as alt

    chart = BUILDERS[name]()
    assert isinstance(chart, alt.TopLevelMixin)
    with specifications():
        plain = BUILDERS[name]()
    assert type(plain).__name__ == "Specification"
    # Altair checks its own against the schema of Vega-Lite.
    assert json.loads(json.dumps(chart.to_dict())) == json.loads(json.dumps(plain.to_dict()))
    assert isinstance(plain.properties(title="Mine"), alt.TopLevelMixin)
    assert chart.properties(title="Mine").to_dict()["title"] == "Mine"


def sizes(part):
    """All sizes of letters that a specification names."""
    if isinstance(part, dict):
        named = [value for key, value in part.items() if key.lower().endswith("fontsize")]
        return [*named, *(size for value in part.values() for size in sizes(value))]
    return [size for value in part for size in sizes(value)] if isinstance(part, list) else []


@pytest.mark.parametrize("name", BUILDERS)
def test_no_text_is_smaller_than_eleven_pixels(name):
    found = sizes(json.loads(spec_json(BUILDERS[name]())))
    assert found
    assert min(found) >= LETTERS == 11


def test_the_letters_of_129_rows_fit():
    frame = pl.DataFrame({"s": [f"s{i}" for i in range(129)], "m": 0.5, "l": 0.4, "h": 0.6})
    chart = ordered_intervals(frame, "s", "m", "l", "h").to_dict()
    assert chart["height"] / 129 >= LETTERS + 2


def test_an_outlying_row_is_drawn_at_the_edge():
    means = [0.70, 0.71, 0.72, 0.73, 0.74, 0.1]
    frame = pl.DataFrame(
        {"s": list("abcdef"), "m": means, "l": [m - 0.01 for m in means], "h": [m + 0.01 for m in means]}
    )
    chart = ordered_intervals(frame, "s", "m", "l", "h").to_dict()
    low, high = chart["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert 0.6 < low < 0.69
    assert 0.75 < high < 0.8
    rows = {row["s"]: row for row in chart["datasets"]["data-1"]}
    assert rows["f"]["value shown"] == low
    assert rows["f"]["m"] == 0.1
    assert [row["beyond"] for row in rows.values()] == ["", "", "", "", "", "← .100"]
    assert "← .100" in save_text(chart)


def save_text(chart):
    import vl_convert

    return vl_convert.vegalite_to_svg(json.dumps(chart), allowed_base_urls=[])


def test_a_close_call_is_hollow_and_dashed():
    chart = BUILDERS["forest"]().to_dict()
    marks = [layer["mark"] for layer in chart["concat"][0]["layer"]]
    assert [mark.get("fill") for mark in marks if mark["type"] == "point"] == [None, "#FFFFFF"]
    dashes = chart["concat"][0]["layer"][1]["encoding"]["strokeDash"]
    assert dashes["condition"] == {"test": "datum['close_call']", "value": [3, 2]}
    assert "close call" in " ".join(chart["title"]["subtitle"])
    hollow = chart["concat"][0]["layer"][3]["data"]["name"]
    assert [row["close_call"] for row in chart["datasets"][hollow]] == [True]


def test_importing_charts_loads_no_heavy_library():
    heavy = "{'altair', 'rich', 'vl_convert'} & set(sys.modules)"
    loaded = f"import sys, metameter.view.charts, metameter.view.tables.formats; print({heavy})"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True).strip() == "set()"


def test_control_characters_are_escaped_before_drawing():
    names = [chr(code) for code in (*range(9), 11, 12, *range(14, 32), 127, 0x9B, 0x202E, 0x2066, 0xFFFE, 0xFFFF)]
    names += ["\\", "\\u001b", "a\\\x1b", "\b\\b", "two\nlines\t"]
    rows = json.loads(spec_json({"data": names}))["data"]
    assert rows[:-5] == [visible(name) for name in names[:-5]]
    assert rows[-5:] == ["\\", "\\u001b", "a\\\\x1b", "\\x08\\b", "two\nlines\t"]
    # One of them that got through would end the process, and these tests with it.
    data = {"values": [{"x": name} for name in names]}
    svg = inline_svg({"data": data, "mark": "point", "encoding": {"x": {"field": "x", "type": "nominal"}}})
    assert "\\x1b" in svg
