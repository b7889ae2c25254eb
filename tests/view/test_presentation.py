"""Whatever a person asks for in a notebook shows itself: words, a table to read, a chart; and names do no harm."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.checks.procedure import sample_pairs, sample_serps
from metameter.registry import get, names
from metameter.reporting.cards.result import cards
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.html import MOST_ROWS, html_table

ODD = "x</script><script>alert(1)</script>"
METRICS = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*fin")
FEW: dict[str, Any] = {"splits": 20, "trials": 20, "resamples": 20}
AGAINST: dict[str, Any] = {"simple": METRICS[0], "resamples": 20}
OPTIONS: dict[str, dict[str, Any]] = {
    "consistency": FEW,
    "recommend": FEW,
    "power": {"trials": 20},
    "volatility": {"resamples": 20, "max_grade": 1},
    "intuitiveness": {**AGAINST, "trials": 20},
    "unanimity": AGAINST,
    "agreement": AGAINST,
    "satisfaction": {"resamples": 20, "max_grade": 3},
    "preference": {"resamples": 20, "max_grade": 3},
    "fit": {"resamples": 20, "max_grade": 3},
    "tradeoff": {**FEW, "serps": sample_serps(), "pages_max_grade": 3},
}
QRELS = {str(topic): {"d0": 1, "d1": 0, "d2": 1} for topic in range(6)}
RUNS = {
    system: {str(topic): {f"d{(doc + topic * place) % 4}": -float(doc) for doc in range(4)} for topic in range(6)}
    for place, system in enumerate((ODD, "b", "c"))
}


class Seen(HTMLParser):
    """The elements of a piece of HTML, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def scores() -> Scores:
    values = np.linspace(0, 1, 6)[:, None] + np.random.default_rng(0).normal(0, 0.3, (3, 6, 12))
    return Scores(METRICS, (ODD, *"bcdef"), tuple(map(str, range(12))), values)


@pytest.mark.parametrize("name", names("meta"))
def test_every_procedure_shows_text_table_and_chart(name: str, scores: Scores) -> None:
    procedure = get("meta", name)
    # Some metric's name may be as odd as a system's.
    odd = scores if name in ("recommend", "tradeoff") else replace(scores, metrics=(*METRICS[:2], ODD))
    others = {name: (sample_serps(),) for name in ("satisfaction", "fit")} | {"preference": (sample_pairs(),)}
    given = {"taxonomy": (), "volatility": (QRELS, RUNS), **others}.get(name, (odd,))
    result = procedure(*given, **OPTIONS.get(name, {}))
    shown = result._repr_html_()
    seen = Seen(shown)
    assert "table" in seen.tags
    assert "script" not in seen.tags
    assert "shape: (" not in seen.text
    assert not any(dtype in seen.text for dtype in ("f64", "i64"))
    assert ("svg" in seen.tags) == bool(result.charts())
    assert all(note in seen.text for note in result.remark.splitlines())
    assert all(f">{column}</th>" in shown for column in result.readable().columns)


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_a_study_shows_answer_verdicts_and_report_path(tmp_path: Path) -> None:
    made = metameter.simulate(topics=8, systems=5, depth=10, documents=80)
    study = metameter.study(made.qrels, made.runs, metrics=METRICS, out=tmp_path / "study", max_grade=3, **FEW)
    seen = Seen(study._repr_html_())
    assert seen.text.startswith("The systems hardly differ here: no metric separates any two of them significantly.")
    assert "None of the 3 metrics is shown to be below another" in seen.text
    assert str(tmp_path / "study" / "report.html") in seen.text
    assert seen.tags.count("table") == 1
    assert seen.tags.count("svg") >= 1
    assert "verdict" in seen.text
    assert "All metrics" in seen.text


def test_every_other_result_has_a_notebook_view(scores: Scores, tmp_path: Path) -> None:
    made = metameter.simulate(topics=2, systems=3, depth=5, documents=40)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text(f"1 Q0 a 1 1 t\n1 Q0 {ODD} 2 nan t\n")
    checked = metameter.check(tmp_path / "qrels", tmp_path / "run")
    explained = metameter.explain("RBP(p=0.5)", gains="1 0 1")
    for thing, said in (
        (scores, "Scores of 3 metrics, 6 systems, 12 topics. Means over topics:systemRBP(p=0.8)"),
        (made, "3 systems, 2 topics"),
        (checked, "1 problem:"),
        (explained, explained.remark),
        (cards(), "RBP"),
    ):
        seen = Seen(thing._repr_html_())
        assert said in seen.text.replace("\n", "")
        assert "table" in seen.tags
        assert "script" not in seen.tags
    assert ODD in Seen(scores._repr_html_()).text
    clean = replace(checked, tables={**checked.tables, "problems": checked.problems.clear()})
    assert "No problems." in clean._repr_html_()


def test_a_long_table_says_how_many_rows_are_omitted() -> None:
    frame = pl.DataFrame({"p": np.linspace(0, 1, 1061)})
    for shown in (html_table(frame), Result({"pairs": frame})._repr_html_()):
        assert shown.count("<tr>") == 1 + MOST_ROWS
        assert "and 1,001 more rows" in shown
    assert "more row" not in html_table(frame.head(MOST_ROWS))


def test_two_charts_on_one_page_share_no_ids() -> None:
    from metameter.view.charts import scatter
    from metameter.view.charts.export import inline_svg

    frame = pl.DataFrame({"x": [0.1, 0.2], "y": [0.3, 0.1], "name": ["a", "b"]})
    first, second = (inline_svg(scatter(frame, "x", "y", "name", title=title)) for title in ("one", "two"))
    ids = [{part.partition('"')[0] for part in svg.split(' id="')[1:]} for svg in (first, second)]
    assert not ids[0] & ids[1]
    assert first == inline_svg(scatter(frame, "x", "y", "name", title="one"))
