"""People see metrics under the names that they typed, or the everyday ones; programs get canonical names."""

import json
import re

import numpy as np
import polars as pl
import pytest

import metameter as mm
from metameter.cli.program import run
from metameter.scoring.table import score_table
from metameter.studies.study import rebuilt, study
from metameter.types import Scores
from metameter.view.metric_names import in_words

TYPED = ["recall@2", "RBP(p=0.8)", "ERR@10", "RBP(p=0.8)*max"]
CANONICAL = ("R@2", "RBP(p=0.8)*ERG", "ERR*ERR@10", "RBP(p=0.8)*max")
ONLY_CANONICAL = re.compile(r"(?<!\w)R@2|\*\\?ERG|ERR\\?\*ERR")
QRELS = {str(topic): {f"d{doc}": doc % 3 for doc in range(6)} for topic in range(8)}
RUNS = {
    f"s{system}": {
        topic: {doc: float((7 * int(doc[1:]) + 3 * system + int(topic) * system) % 11) for doc in docs}
        for topic, docs in QRELS.items()
    }
    for system in range(6)
}
QUICK = {"trials": 20, "resamples": 10}
PROCEDURES = {
    "consistency": {"splits": 10, "resamples": 10},
    "power": QUICK,
    "similarity": {},
    "compare": QUICK,
    "recommend": {"splits": 10, **QUICK},
}


@pytest.fixture(scope="module")
def scores() -> Scores:
    with pytest.warns(mm.MetameterWarning, match=re.escape("recall@2: read as R@2")):
        return mm.score(QRELS, RUNS, TYPED, max_grade=2)


def _result(name, scores):
    return getattr(mm, name)(scores, **PROCEDURES[name])


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
@pytest.mark.parametrize("name", PROCEDURES)
def test_people_see_display_names_and_programs_canonical_ones(name, scores, tmp_path):
    result = _result(name, scores)
    people = [
        *(result.text(format=form, width=250) for form in ("table", "markdown", "latex")),
        *(str(result), result.remark, re.sub(r' aria-label="[^"]*"', "", result._repr_html_())),
        *(result.to_latex(), *result.latex().values(), *result.answer(), *result.conclusion()),
    ]
    assert [text for text in people if ONLY_CANONICAL.search(text)] == []
    assert any("recall@2" in text for text in people)
    assert any("RBP(p=0.8)" in text for text in people)
    result.write(tmp_path)
    for form in ("csv", "tsv", "json"):
        assert ONLY_CANONICAL.search(result.text(format=form))
    columns = {"metric", "metric_a", "metric_b"} & {*result.table.columns}
    assert {each for column in columns for each in result.table[column]} <= set(CANONICAL)
    assert pl.read_csv(tmp_path / f"{next(iter(result.tables))}.csv").equals(
        pl.read_csv(result.text(format="csv").encode()), null_equal=True
    )
    for file in tmp_path.glob("*.tex"):
        assert not ONLY_CANONICAL.search(file.read_text())
    assert "recall" not in (tmp_path / "manifest.json").read_text()


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_tooltips_of_charts_have_canonical_names_too(scores):
    for name in ("power", "similarity"):
        for chart in _result(name, scores).charts().values():
            spec = chart.to_dict(validate=False)
            rows = [row for rows in spec.pop("datasets").values() for row in rows]
            canonical = {row.pop("canonical name") for row in rows if "canonical name" in row}
            shown = json.dumps([spec, rows])
            assert not ONLY_CANONICAL.search(shown)
            assert ('"field": "canonical name"' in shown) == bool(canonical)


def test_scores_show_display_names(scores):
    assert scores.metrics == CANONICAL
    assert list(scores.names.values()) == TYPED
    for shown in (str(scores), scores._repr_html_(), score_table(scores, mean=True).text(format="latex")):
        assert not ONLY_CANONICAL.search(shown)
    assert score_table(scores, wide=True).table.columns[2:] == list(CANONICAL)
    assert scores["recall@2"].tolist() == scores["R@2"].tolist()


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_a_study_shows_one_name_for_each_metric(tmp_path):
    options = {"max_grade": 2, "splits": 10, **QUICK, "resamples": 20}
    done = study(QRELS, RUNS, TYPED, out=tmp_path / "study", **options)
    page = (tmp_path / "study" / "report.html").read_text()
    text = re.sub(r"<script.*?</script>|<[^>]*>", "", page, flags=re.DOTALL)
    assert "recall@2" in text
    assert 'title="RBP(p=0.8)*ERG&#10;RBP: ' in page
    assert 'data-canonical="RBP(p=0.8)*ERG"' in page
    assert not any(ONLY_CANONICAL.search(sentence) for sentence in done.report.answer)
    assert not ONLY_CANONICAL.search(done.remark)
    assert ONLY_CANONICAL.search((tmp_path / "study" / "power.csv").read_text())
    assert not ONLY_CANONICAL.search((tmp_path / "study" / "power.tex").read_text())
    again = rebuilt(tmp_path / "study")
    assert again.report.answer == done.report.answer
    assert (tmp_path / "study" / "report.html").read_text() == page
    # Other spellings of the same metrics change no result.
    respelled = study(QRELS, RUNS, ["R@2", *TYPED[1:]], out=tmp_path / "study", **options)
    assert {"collection/power", "collection/recommendation"} <= {*respelled.kept}
    assert "recall@2" not in respelled.remark


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_depths_are_written_after_the_everyday_name():
    result = mm.volatility(QRELS, RUNS, ["ERR@10", "P@3", "recall@2"], depths="1-6", resamples=20, max_grade=2)
    assert set(result.table["metric"]) == {"ERR*ERR", "P@k", "R@k"}
    said = "\n".join(result.answer())
    assert "ERR*ERR" not in said
    assert set(result.readable("volatility")["metric"]) == {"ERR", "P@k", "recall@k"}


def test_an_explanation_has_the_typed_name():
    assert mm.explain("RBP(p=0.80)", [1, 0, 1]).remark.startswith("RBP(p=0.80) = 0.328,")


def test_the_command_line_shows_and_takes_display_names(tmp_path, capsys):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    asked = ["score", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "ERR@10", "--mean", "--max-grade", "1"]
    assert run([*asked, "--format", "table"]) == 0
    assert capsys.readouterr().out.split("\n")[0].split() == ["system", "ERR@10"]
    assert run([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out.split("\n")[1].startswith("ERR*ERR@10,")


@pytest.mark.parametrize(
    "text",
    ["AP@5", "AP(rel=2)", "AP1*avg", "x-AP", "AP-1", "nAP", "f(AP)", "p=AP", "AP.5"],
)
def test_parts_of_other_names_stay(text):
    assert in_words(text, {"AP": "map"}) == text


@pytest.mark.parametrize(
    "text", ["AP.", "(AP)", "AP;RR", "AP = RR", "RR, AP", "AP: 1", "AP - RR", "AP* & 1", "AP (canonical)"]
)
def test_names_are_replaced_wherever_they_stand_alone(text):
    assert in_words(text, {"AP": "map"}) == text.replace("AP", "map")


def test_a_system_with_the_name_of_a_metric_keeps_it():
    values = np.random.default_rng(0).random((1, 3, 6))
    result = mm.power(Scores(("AP",), ("AP", "b", "c"), tuple("123456"), values, typed={"AP": "map"}), **QUICK)
    pairs = result.readable("power_pairs")
    assert set(pairs["metric"]) == {"map"}
    assert "AP" in set(pairs["system_a"])
