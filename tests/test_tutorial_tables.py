"""The tables of the tutorial, which are laid out by hand as those of the paper, have the numbers of its commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import metameter as mm

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "tutorial.md").read_text("utf-8")
MODELS = {
    "Prec": "Prec@10",
    "DCG": "DCG@10",
    "RBP": "RBP(p=0.8)@10",
    "INST": "INST(T=2.25)@10",
    "AP1": "AP1",
    "ERR": "ERR@10",
}
AGGREGATES = {"PE": "PE(beta=0.5)"}


def metric(model: str, aggregate: str) -> str:
    name = AGGREGATES.get(aggregate, aggregate)
    if model == "AP1":
        return f"AP1*{name}@10"
    return "ERR*ERR@10" if model == aggregate == "ERR" else f"{MODELS[model]}*{name}"


def table(section: str) -> list[list[str]]:
    """The cells of the first table of a section, its header first."""
    (text,) = re.findall(rf"^## {section}.*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    lines = re.search(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    assert lines is not None
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()]
    return [rows[0], *rows[2:]]


def cells(section: str) -> dict[tuple[str, str], str]:
    header, *rows = table(section)
    return {(row[0], name): cell for row in rows for name, cell in zip(header[1:], row[1:], strict=True) if cell}


@pytest.fixture(scope="module")
def scores():
    made = mm.simulate(topics=80, systems=39, seed=2023)
    return mm.score(made.qrels, made.runs, preset="chen-sakai-2023", max_grade=3)


def test_the_similarity_table_matches(scores):
    taus = {}
    for row in mm.similarity(scores).table.iter_rows(named=True):
        taus[row["metric_a"], row["metric_b"]] = taus[row["metric_b"], row["metric_a"]] = row["statistic"]
    shown = cells("3")
    assert len(shown) == 39
    canonical = {model: metric(model, name) for (model, name), cell in shown.items() if cell == "canonical"}
    for (model, name), cell in shown.items():
        if cell != "canonical":
            assert cell == f"{taus[canonical[model], metric(model, name)]:.3f}", (model, name)


def test_the_consistency_table_matches(scores):
    found = {
        row["metric"]: row for row in mm.consistency(scores, resamples=0, paper_marks=True).table.iter_rows(named=True)
    }
    models, *rows = table("4")
    shown = [(model, cell) for row in rows for model, cell in zip(models, row, strict=True) if cell]
    assert len(shown) == 39
    for model, cell in shown:
        name, tau, beats = cell.split()
        row = found[metric(model, name.rstrip("*"))]
        assert (tau, beats) == (f"{row['mean_tau']:.3f}", f"({row['beats']})"), (model, name)


def test_the_power_table_matches(scores):
    power = dict(mm.power(scores, resamples=0).table.select("metric", "power").iter_rows())
    shown = cells("5")
    assert len(shown) == 39
    for (model, name), cell in shown.items():
        assert cell.rstrip("*") == f"{power[metric(model, name)]:.3f}", (model, name)
