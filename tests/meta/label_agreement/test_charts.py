"""Charts of agreement with users: marks stand where the table says, nothing is lost, names stay harmless."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from metameter.meta.label_agreement.charts import agreement_map, agreement_order, contrasting_metrics
from metameter.meta.label_agreement.tables import is_table
from metameter.meta.preference.charts import preference_charts, shares_chart
from metameter.meta.satisfaction.charts import levels_chart, satisfaction_charts
from metameter.meta.tradeoff.charts import tradeoff_chart
from metameter.view.charts import spec_json, specifications
from metameter.view.charts.theme import LEVELS

EVIL = "</script><b>_%&"
MODELS, PARTS = ("Prec@5", "RBP(p=0.8)", "RRbin"), ("ERG", "ERR", "max", "PE(beta=0.5)")


def agreement_row(metric: str, browse: str, aggregate: str, tau: float | None, **more: Any) -> dict[str, Any]:
    ends = {"low": None if tau is None else tau - 0.02, "high": None if tau is None else tau + 0.02}
    marks = {"canonical": None, "difference": None, "p_vs_canonical": None}
    marks |= dict.fromkeys(("better", "better_row", "close_call"), False)
    named = {"metric": metric, "browse": browse, "aggregate": aggregate, "class": "metric", "tau_b": tau}
    return {**named, **ends, **marks, **more}


def as_table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    floats = dict.fromkeys(("tau_b", "low", "high", "difference", "p_vs_canonical"), pl.Float64)
    marks = dict.fromkeys(("better", "better_row", "close_call"), pl.Boolean)
    kinds = {**floats, **marks, "canonical": pl.String}
    return with_concordance(pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None))


def with_concordance(table: pl.DataFrame) -> pl.DataFrame:
    """As high as tau_b is: for a metric without ties it is (1 + tau) / 2."""
    own = {"concordance": "tau_b", "concordance_low": "low", "concordance_high": "high"}
    return table.with_columns(ties=pl.lit(0.1), **{name: (1 + pl.col(of)) / 2 for name, of in own.items()})


@pytest.fixture
def table() -> pl.DataFrame:
    """Three models times four aggregations: X, XX, a value below 0, marks of every kind, a tie for the highest."""
    rows = []
    for i, model in enumerate(MODELS):
        for j, part in enumerate(PARTS):
            tau = round(0.3 + 0.01 * i + 0.02 * j, 3)
            rows.append(agreement_row(f"{model}*{part}", model, part, tau, canonical=f"{model}*ERG"))
    rows[1] |= {"tau_b": None, "low": None, "high": None, "class": "X"}
    rows[5] |= {"tau_b": None, "low": None, "high": None, "class": "XX"}
    rows[9] |= {"tau_b": -0.027, "low": -0.05, "high": 0.0}
    rows[2] |= {"better": True, "better_row": True}
    rows[3] |= {"better": False, "better_row": True}
    rows[10] |= {"tau_b": rows[11]["tau_b"]}
    for row in rows:
        if row["tau_b"] is None or row["metric"] == row["canonical"]:  # nothing was compared
            row |= {"better": None, "better_row": None, "close_call": None}
    return as_table(rows)


@pytest.fixture
def classic() -> pl.DataFrame:
    return as_table([agreement_row(name, "", "", tau) for name, tau in (("AP", 0.278), ("RR", 0.269), ("nDCG", 0.277))])


def rows_of(chart: Any) -> list[dict[str, Any]]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def drawn(chart: Any) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.dumps(chart.to_dict()), allowed_base_urls=[]))


def subtitle(chart: Any) -> str:
    return " ".join(chart.to_dict()["title"]["subtitle"])


def test_every_product_has_a_square_with_its_marks(table):
    squares = {row["metric"]: row for row in rows_of(agreement_map(table, "T"))}
    assert list(squares) == table["metric"].to_list()
    assert [squares[f"Prec@5*{part}"]["mark"] for part in PARTS] == ["a", "", "b", "(b)"]
    assert [squares[f"RBP(p=0.8)*{part}"]["mark"] for part in PARTS] == ["a", "", "", ""]
    assert [squares[f"Prec@5*{part}"]["written"] for part in PARTS] == [".300", "X", ".340", ".360"]
    assert squares["RBP(p=0.8)*ERR"]["written"] == "XX"
    assert squares["RRbin*ERR"]["written"] == "−.027"


def test_the_highest_values_of_each_row_are_framed(table):
    framed = [row["metric"] for row in rows_of(agreement_map(table, "T")) if row["best"]]
    assert framed == ["Prec@5*PE(beta=0.5)", "RBP(p=0.8)*PE(beta=0.5)", "RRbin*max", "RRbin*PE(beta=0.5)"]


def test_rows_and_columns_keep_the_given_order(table):
    grid = agreement_map(table, "T").to_dict()["encoding"]
    assert grid["y"]["sort"] == list(MODELS)
    assert grid["x"]["sort"] == list(PARTS)


def test_the_subtitle_explains_only_the_marks_present(table):
    said = subtitle(agreement_map(table, "T"))
    assert all(text in said for text in ("a: the canonical", "b: tau_b shown", "(b): tau_b", "X: a", "XX: the"))
    plain = subtitle(agreement_map(table.filter(table["browse"] == "RRbin"), "T"))
    assert "a: the canonical" in plain
    assert not any(text in plain for text in ("b: tau_b", "(b):", "X: a constant", "XX:"))


def test_the_map_shows_every_value_and_mark(table):
    svg = drawn(agreement_map(table, "T"))
    for text in (">X<", ">XX<", ">(b)<", ">b<", ">−.027<", ">.300<"):
        assert text in svg, text
    assert svg.count(">a<") == 3
    assert svg.count('stroke="#CC1155"') == 4, "one frame for each of the highest"
    assert svg.count('fill="#D9D9D9"') == 2, "X and XX have grey squares"


def test_a_column_of_constants_is_drawn(table):
    none = table.with_columns(tau_b=pl.lit(None, dtype=pl.Float64), **{"class": pl.lit("X")})
    assert drawn(agreement_map(none, "T")).count(">X<") == table.height
    same = table.filter(table["tau_b"] > 0).with_columns(tau_b=pl.lit(0.4))
    assert drawn(agreement_map(same, "T")).count(">.400<") == same.height


def test_classic_metrics_are_counted_below_the_map_and_ordered(table, classic):
    both = pl.concat([table, classic])
    assert "next chart only: 3." in subtitle(agreement_map(both, "T"))
    labels = {row["metric"] for row in rows_of(agreement_order(both, "T"))}
    assert labels >= {"AP", "RR", "nDCG", "Prec@5*ERG (canonical)", "Prec@5*ERR: X", "RBP(p=0.8)*ERR: XX"}
    assert len(labels) == both.height


def test_without_products_there_is_no_map(classic, table):
    assert not is_table(classic)
    assert is_table(table)
    assert list(satisfaction_charts(classic, levels_of(classic))) == ["satisfaction_order", "satisfaction_levels"]
    assert list(preference_charts(table, shares_of(table))) == ["preference", "preference_order", "preference_shares"]


def test_a_classic_reference_is_drawn_as_a_star(classic):
    held = classic.with_columns(canonical=pl.lit("nDCG"))
    chart = agreement_order(held, "T", "nDCG").to_dict()
    assert '"oneOf": ["nDCG (reference)"]' in json.dumps(chart)


def test_a_reference_is_named_and_is_the_only_mark_a(table):
    held = table.with_columns(canonical=pl.lit("RRbin*max"))
    chart = agreement_map(held, "T", "RRbin*max")
    assert [row["metric"] for row in rows_of(chart) if row["mark"] == "a"] == ["RRbin*max"]
    said = subtitle(chart)
    for text in (
        "a: the reference RRbin*max.",
        "b: tau_b shown to be higher than that of RRbin*max,",
        "(b): tau_b significantly higher",
    ):
        assert text in said, text
    assert "canonical" not in said
    assert '"oneOf": ["RRbin*max (reference)"]' in json.dumps(agreement_order(held, "T", "RRbin*max").to_dict())
    made = satisfaction_charts(held, levels_of(held), "RRbin*max")
    assert "a: the reference RRbin*max." in subtitle(made["satisfaction"])
    made = preference_charts(held, shares_of(held), "RRbin*max")
    assert "(reference)" in json.dumps(made["preference_order"].to_dict())


def test_a_reference_without_a_square_is_named(table, classic):
    held = pl.concat([table, classic]).with_columns(canonical=pl.lit("nDCG"))
    said = subtitle(agreement_map(held, "T", "nDCG"))
    assert "b: tau_b shown to be higher than that of nDCG," in said
    assert "a: the" not in said


def lonely(*parts: str) -> pl.DataFrame:
    """As in the preset chen-sakai-2023: the canonical metric has another browsing model than those compared with it."""
    rows = [agreement_row(f"ERR@10*{part}", "ERR@10", part, 0.3, canonical="ERR*ERR@10") for part in parts]
    own = agreement_row("ERR*ERR@10", "ERR", "ERR", 0.4, canonical="ERR*ERR@10", better=None)
    return as_table([agreement_row("RR*ERG", "RR", "ERG", 0.2, canonical="RR*ERG"), *rows, own])


def test_a_canonical_metric_shares_the_row_of_its_comparisons():
    drawn_rows = {row["metric"]: row for row in rows_of(agreement_map(lonely("ERG", "max"), "T"))}
    own = drawn_rows["ERR*ERR@10"]
    assert (own["browse"], own["aggregate"], own["mark"], own["best"]) == ("ERR@10", "ERR", "a", True)
    assert not drawn_rows["ERR@10*max"]["best"], "the highest of the row is now the canonical metric"
    assert drawn_rows["RR*ERG"]["browse"] == "RR", "nothing is compared with it"


def test_a_canonical_metric_keeps_its_row_with_a_reference():
    taken = {row["metric"]: row["browse"] for row in rows_of(agreement_map(lonely("ERG", "ERR"), "T"))}
    assert (taken["ERR*ERR@10"], taken["ERR@10*ERR"]) == ("ERR", "ERR@10")
    held = lonely("ERG", "max").with_columns(canonical=pl.lit("ERR*ERR@10"))
    kept = {row["metric"]: row["browse"] for row in rows_of(agreement_map(held, "T", "ERR*ERR@10"))}
    assert kept["ERR*ERR@10"] == "ERR"


def test_without_comparisons_nothing_is_marked(table):
    unknown = [pl.lit(None, dtype=pl.Boolean).alias(name) for name in ("better", "better_row", "close_call")]
    bare = table.with_columns(unknown)
    assert {row["mark"] for row in rows_of(agreement_map(bare, "T"))} == {"a", ""}
    assert len(rows_of(agreement_order(bare, "T"))) >= table.height


def test_charts_and_latex_name_the_reference_of_the_result():
    import metameter

    pages = [{"grades": [g, 0, h], "satisfaction": g + h // 3} for g in range(3) for h in range(3)]
    names = ["RBP(p=0.5)*ERG", "RBP(p=0.5)*max", "RR", "AP"]
    found = metameter.satisfaction(pages, names, reference=["RR"], max_grade=3, test="fisher", resamples=0)
    assert "(reference)" in json.dumps(found.charts()["satisfaction_order"].to_dict())
    judged = [{"grades_a": [g, 0], "grades_b": [0, 2], "preference": 1 - g} for g in range(3)]
    pairs = metameter.preference(judged, names, reference=["RBP(p=0.5)*max"], max_grade=3, resamples=0)
    assert "a: the reference RBP(p=0.5)*max." in subtitle(pairs.charts()["preference"])
    for text in (found.latex()["satisfaction"], pairs.latex()["preference"]):
        assert "canonical" not in text
    assert "less that of RR; $p$: of no difference from it, by Fisher's z" in found.latex()["satisfaction"]
    assert r"\textsuperscript{a}: the reference RBP(p=0.5)*max" in pairs.latex()["preference"]


def test_one_of_several_collections_is_shown_and_named(table):
    several = pl.concat([table.with_columns(collection=pl.lit(name)) for name in ("web", "news")])
    chart = agreement_map(several, "T")
    assert "Shown: web, the first of 2 collections." in subtitle(chart)
    assert len(rows_of(chart)) == table.height


def test_the_best_metric_is_contrasted_with_its_canonical_one(table, classic):
    assert contrasting_metrics(table) == ["RRbin*ERG", "RRbin*max"]
    assert contrasting_metrics(classic) == ["nDCG", "AP"]
    assert contrasting_metrics(classic.head(1)) == ["AP"]
    equal = pl.col("metric").is_in(["RRbin*ERG", "RRbin*max", "RRbin*PE(beta=0.5)"])
    tied = with_concordance(table.with_columns(tau_b=pl.when(equal).then(0.5).otherwise("tau_b")))
    assert contrasting_metrics(tied) == ["RBP(p=0.8)*PE(beta=0.5)", "RRbin*ERG"], "not two panes of the same"
    assert contrasting_metrics(classic.with_columns(concordance=pl.lit(None, dtype=pl.Float64))) == []


def levels_of(table: pl.DataFrame, levels: int = 5) -> pl.DataFrame:
    rows = [
        {
            "metric": metric,
            "satisfaction": level,
            "score": score,
            "share": (score + 0.01) ** (1 + level) / 1.01 ** (1 + level),
            "pages": 10 + level,
        }
        for metric in table["metric"]
        for level in range(levels)
        for score in (0.0, 0.5, 1.0)
    ]
    return pl.DataFrame(rows)


def test_levels_range_from_none_to_all_in_colour_order(table):
    chart = levels_chart(table, levels_of(table)).to_dict()
    assert [pane["title"] for pane in chart["concat"]] == [
        "RRbin*ERG: concordance 0.660",
        "RRbin*max: concordance 0.690",
    ]
    for pane in chart["concat"]:
        rows = chart["datasets"][pane["data"]["name"]]
        for level in range(5):
            line = [row for row in rows if row["satisfaction"] == level]
            shares = [row["share"] for row in line]
            assert (shares[0], shares[-1]) == (0.0, 1.0)
            assert shares == sorted(shares)
            assert len(line) == 3 + 2
        scale = pane["encoding"]["color"]["scale"]
        assert scale["domain"] == ["0", "1", "2", "3", "4"]
        assert [list(LEVELS).index(colour) for colour in scale["range"]] == [0, 2, 4, 6, 8]


def test_nine_of_many_levels_are_drawn(table):
    chart = levels_chart(table, levels_of(table, 101))
    assert "Drawn: 9 of 101 levels." in subtitle(chart)
    assert {row["satisfaction"] for row in rows_of(chart)} >= {0, 50, 100}


def test_without_values_there_are_no_contrast_charts(table):
    none = with_concordance(table.with_columns(tau_b=pl.lit(None, dtype=pl.Float64)))
    assert levels_chart(none, levels_of(table)) is None
    assert shares_chart(none, shares_of(table)) is None


def shares_of(table: pl.DataFrame) -> pl.DataFrame:
    bins = [(-1.0, -0.2, 30, 0.7, 0.2, 0.1), (0.0, 0.0, 50, 0.3, 0.4, 0.3), (0.2, 1.0, 20, 0.05, 0.2, 0.75)]
    names = ("low", "high", "pairs", "prefer_a", "neither", "prefer_b")
    made = pl.DataFrame(
        [{"metric": name, **dict(zip(names, each, strict=True))} for name in table["metric"] for each in bins]
    )
    return made.with_columns(difference=(pl.col("low") + pl.col("high")) / 2)


def test_shares_stack_to_one_above_the_number_of_pairs(table):
    chart = shares_chart(table, shares_of(table)).to_dict()
    assert [pane["title"]["text"] for pane in chart["concat"]] == ["RRbin*ERG", "RRbin*max"]
    assert chart["concat"][0]["title"]["subtitle"] == "50 pairs at most in a bar"
    rows = chart["datasets"][chart["concat"][0]["data"]["name"]]
    assert [row["answer"] for row in rows[:3]] == ["B preferred", "neither", "A preferred"]
    assert [row["share"] for row in rows[:3]] == [0.1, 0.2, 0.7]
    assert [row["top"] for row in rows[2::3]] == pytest.approx([1, 1, 1])
    deep = [-row["hung"] - 0.06 for row in rows[::3]]
    assert deep == pytest.approx([0.24 * 30 / 50, 0.24, 0.24 * 20 / 50], abs=1e-4)
    assert all(row["to"] > row["from"] for row in rows), "a bin of a single value can be seen"


def tradeoff_of(table: pl.DataFrame) -> pl.DataFrame:
    steps = pl.Series("consistency", [0.9 - 0.02 * i for i in range(table.height)])
    ends = pl.col("low").alias("tau_low"), pl.col("high").alias("tau_high")
    return table.select("metric", "tau_b", *ends).with_columns(steps, front=pl.col("tau_b") > 0.37)


def test_the_tradeoff_chart_has_a_dot_for_every_known_metric(table):
    frame = tradeoff_of(table)
    dots = [row for row in rows_of(tradeoff_chart(frame)) if "ringed" in row]
    known = frame.filter(frame["tau_b"].is_not_null())
    assert [row["metric"] for row in dots] == known["metric"].to_list()
    assert "no dot: 2." in subtitle(tradeoff_chart(frame))
    for row in dots:
        mine = known.row(known["metric"].to_list().index(row["metric"]), named=True)
        beaten = known.filter((pl.col("consistency") > mine["consistency"]) & (pl.col("tau_b") >= mine["tau_b"]))
        beaten = pl.concat(
            [beaten, known.filter((pl.col("consistency") >= mine["consistency"]) & (pl.col("tau_b") > mine["tau_b"]))]
        )
        assert row["front"] == (beaten.height == 0), row["metric"]
        assert row["ringed"] == mine["front"]


def test_names_of_the_front_do_not_overlap(table):
    from metameter.view.charts.label_positions import LETTER, LINE

    chart = tradeoff_chart(tradeoff_of(table)).to_dict()
    [pane] = chart["concat"]
    x, y = (pane["layer"][0]["encoding"][side]["scale"]["domain"] for side in "xy")
    boxes = []
    for row in rows_of(tradeoff_chart(tradeoff_of(table))):
        if row.get("label"):
            right = (row["x"] - x[0]) / (x[1] - x[0]) * pane["width"] + row["dx"]
            down = pane["height"] * (1 - (row["y"] - y[0]) / (y[1] - y[0])) + row["dy"]
            boxes.append((right, down, LETTER * len(row["label"]) / 2))
    assert len(boxes) >= 3
    for i, (x0, y0, half) in enumerate(boxes):
        for x1, y1, other in boxes[:i]:
            assert abs(x0 - x1) >= half + other - 1 or abs(y0 - y1) >= LINE - 1


def test_each_kind_of_label_has_a_panel(table):
    frame = tradeoff_of(table).rename({"tau_b": "satisfaction"}).with_columns(preference=pl.col("satisfaction") / 4)
    chart = tradeoff_chart(frame).to_dict()
    titles = [pane["layer"][0]["encoding"]["y"]["title"] for pane in chart["concat"]]
    assert titles == ["agreement with satisfaction (concordance)", "agreement with preferences (concordance)"]
    assert tradeoff_chart(frame.with_columns(consistency=pl.lit(None, dtype=pl.Float64))) is None


def every_chart(table: pl.DataFrame) -> dict[str, Any]:
    made = {**satisfaction_charts(table, levels_of(table)), **preference_charts(table, shares_of(table))}
    return {**made, "tradeoff": tradeoff_chart(tradeoff_of(table))}


def test_charts_are_deterministic_and_escape_names(table):
    evil = table.with_columns(
        pl.when(pl.col("metric") == "RRbin*max").then(pl.lit(EVIL)).otherwise("metric").alias("metric"),
        pl.col("browse").replace({"RRbin": EVIL}),
    )
    with specifications():
        first, again = ({name: spec_json(chart) for name, chart in every_chart(evil).items()} for _ in range(2))
    assert first == again
    assert len(first) == 7
    for name, text in first.items():
        assert "<" not in text, name
        assert json.dumps(EVIL)[1:-1].replace("<", "\\u003c") in text, name


def test_charts_are_valid_vega_lite(table):
    for name, chart in every_chart(table).items():
        json.dumps(chart.to_dict(), allow_nan=False)
        assert drawn(chart).startswith("<svg"), name
