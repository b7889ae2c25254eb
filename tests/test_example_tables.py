"""The tables in the examples of the procedures' pages have the numbers of their commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import metameter as mm

DOCS = Path(__file__).resolve().parents[1] / "docs"


def tables(page: str) -> list[list[dict[str, str]]]:
    """The Markdown tables of the section "Example", or else above all sections, a dictionary for each row."""
    page_text = (DOCS / page).read_text("utf-8")
    text = (page_text.partition("\n## Example")[2] or page_text).partition("\n## ")[0]
    found = []
    for lines in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        header, _, *rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines.splitlines()]
        found.append([dict(zip(header, row, strict=True)) for row in rows])
    return found


def rounded(value: float, shown: str) -> str:
    """A number with as many decimals as the page shows; of zero and one the page leaves them out."""
    decimals = len(shown.partition(".")[2])
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


@pytest.fixture(scope="module")
def collection():
    return mm.simulate(topics=50, systems=40, depth=100)


@pytest.fixture(scope="module")
def scores(collection):
    return mm.score(collection.qrels, collection.runs, preset="chen-sakai-2023", max_grade=3)


def test_power_matches_the_example_tables(scores):
    result = mm.power(scores)
    found = {row["metric"]: row for row in result.table.iter_rows(named=True)}
    shown = tables("power.md")[0]
    assert len(shown) == 7
    for row in shown:
        for name, cell in row.items():
            if name != "metric":
                assert cell == rounded(found[row["metric"]][name], cell), (row["metric"], name)


def test_consistency_matches_the_example_tables(scores):
    result, paper = mm.consistency(scores), mm.consistency(scores, paper_marks=True)
    found = {row["metric"]: row for row in result.table.iter_rows(named=True)}
    marks = dict(paper.table["metric", "beats"].iter_rows())
    first, pairs = tables("consistency.md")
    assert (len(first), len(pairs)) == (6, 5)
    for row in first:
        metric = f"RBP(p=0.8)@10*{row['aggregation'].split()[0]}"
        value = found[metric]
        for name in ("mean_tau", "se", "beats"):
            assert row[name] == rounded(value[name], row[name]), row
        assert row["95% for other topics"] == f"{value['low']:.3f} to {value['high']:.3f}"
        assert row["paper's marks"] == str(marks[metric])
    by_pair = {
        (row["metric_a"], row["metric_b"]): row for row in paper.tables["consistency_pairs"].iter_rows(named=True)
    }
    for row in pairs:
        value = by_pair[f"RBP(p=0.8)@10*{row['metric_a']}", f"RBP(p=0.8)@10*{row['metric_b']}"]
        for name in ("difference", "p", "p_row"):
            assert row[name] == rounded(value[name], row[name])
        assert row["95%, all pairs at once"] == f"{value['low']:.3f} to {value['high']:.3f}"
        assert row["p_splits"] == rounded(value["p_splits"], row["p_splits"])
    assert (result.table["beats"].sum(), paper.table["beats"].sum()) == (33, 95)


def test_similarity_matches_the_example_tables(scores):
    result = mm.similarity(scores)
    by_pair = {(row["metric_a"], row["metric_b"]): row for row in result.table.iter_rows(named=True)}
    (shown,) = tables("similarity.md")
    assert len(shown) == 6
    for row in shown:
        value = by_pair[row["metric_a"], row["metric_b"]]
        for name, column in (("tau_b", "statistic"), ("low", "low"), ("high", "high")):
            assert row[name] == rounded(value[column], row[name]), row


def test_compare_matches_the_example_tables(collection):
    scores = mm.score(collection.qrels, collection.runs, ["nDCG@10"], max_grade=3)
    found = {row["system"]: row for row in mm.compare(scores, baseline=["S017"]).table.iter_rows(named=True)}
    (shown,) = tables("compare.md")
    assert len(shown) == 3
    for row in shown:
        for name, cell in row.items():
            value = found[row["system"]][name]
            assert cell == (value if name == "system" else rounded(value, cell))
