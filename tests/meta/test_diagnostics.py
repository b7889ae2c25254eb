"""Metrics that do not depend on relevance change nothing of what is said about the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from metameter.meta.consistency.procedure import consistency
from metameter.meta.framework.metric_groups import groups, pairs_within
from metameter.meta.power.procedure import power
from metameter.meta.similarity.procedure import similarity
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.types import Scores

METRICS, DIAGNOSTICS = ("AP", "RR"), ("Judged@100", "Judged@10", "NumRet")
LEFT_OUT = "Judged@100, Judged@10, NumRet are diagnostics: they do not depend on relevance, so they are left out."


def scored(noises, names):
    rng = np.random.default_rng(3)
    values = np.linspace(0, 1, 9)[:, None] + np.stack([rng.normal(0, noise, (9, 24)) for noise in noises])
    return Scores(tuple(names), tuple("abcdefghi"), tuple(map(str, range(24))), values)


@pytest.fixture(scope="module")
def both():
    """The same scores with diagnostics, the first before the other metrics, and without."""
    every = scored([0.02, 0.3, 2.0, 0.1, 3.0], ("Judged@100", *METRICS, *DIAGNOSTICS[1:]))
    return every, replace(every, metrics=METRICS, values=every.values[1:3])


def without_diagnostics(table):
    names = [name for name in table.columns if name in ("metric", "metric_a", "metric_b")]
    return table.filter(~pl.any_horizontal(pl.col(name).is_in(DIAGNOSTICS) for name in names))


PROCEDURES = {
    "consistency": lambda scores, **options: consistency(scores, splits=60, resamples=128, **options),
    "paper marks": lambda scores: consistency(scores, splits=60, resamples=128, trials=50, paper_marks=True),
    "other systems": lambda scores: consistency(scores, splits=60, resamples=128, resample="systems"),
    "power": lambda scores: power(scores, trials=100, resamples=128),
    "similarity": similarity,
    "similarity for other topics": lambda scores: similarity(scores, interval="bootstrap", resamples=100),
}


@pytest.mark.parametrize("name", PROCEDURES)
def test_diagnostics_change_no_row_of_the_others(both, name):
    with_them, alone = (PROCEDURES[name](scores) for scores in both)
    for table, rows in alone.tables.items():
        found = without_diagnostics(with_them.tables[table])
        assert found.equals(rows), table
    sentences = with_them.remark.splitlines()
    assert LEFT_OUT in sentences
    assert alone.conclusion()[0] in sentences


@pytest.mark.parametrize("name", ["consistency", "paper marks", "power"])
def test_diagnostics_beat_no_metric_and_are_beaten_by_none(both, name):
    found = PROCEDURES[name](both[0])
    rows = found.table.filter(pl.col("metric").is_in(DIAGNOSTICS))
    assert rows["beats", "beaten"].rows() == [(None, None)] * 3
    assert not [name for text in found.table["beaten"].drop_nulls() for name in text.split(";") if name in DIAGNOSTICS]
    assert found.charts()
    assert found.latex()


def test_a_diagnostic_changes_no_group_of_the_others():
    grid = tuple(str(parse_metric(each)) for each in preset("chen-sakai-2023"))
    for names in (grid, ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), (*grid, "AP"), ("AP",)):
        for by in ("auto", "browse", "all"):
            with_it = groups((*names, "Judged@10"), by)
            assert with_it.pop("diagnostic") == [len(names)]
            assert with_it == groups(names, by)
    assert groups(("Judged@10", "NumRet")) == {"diagnostic": [0, 1]}
    assert pairs_within({"diagnostic": [0, 1]}) == []


@pytest.mark.parametrize("names", [("AP", "Judged@10"), ("NumRet", "Judged@10")])
def test_one_metric_among_diagnostics_is_compared_with_none(names):
    scores = scored([0.3, 0.1], names)
    left_out = [name for name in names if name != "AP"]
    for found in (consistency(scores, splits=20, resamples=64), power(scores, trials=20, resamples=64)):
        assert len(found.conclusion()) == 2  # the warning of few systems, and which metrics are left out
        assert found.conclusion()[-1].startswith(", ".join(left_out))
    found = similarity(scores)
    assert found.table.height == 0
    assert len(found.conclusion()) == 1
    assert found.conclusion()[0].startswith(", ".join(left_out))
    assert found.charts() == {}
    assert found.latex()


def test_undefined_correlations_are_not_counted():
    scores = scored([0.3, 2.0, 0.1], ("AP", "RR", "P@10"))
    alone = similarity(replace(scores, metrics=scores.metrics[:2], values=scores.values[:2]))
    scores.values[2] = 0.5
    with pytest.warns(UserWarning, match="P@10: every system has the same mean"):
        found = similarity(scores)
    assert found.table.height == 3
    assert found.conclusion() == alone.conclusion()
    assert "the one pair (95%)" in found.conclusion()[0]
    assert found.table.row(0) == alone.table.row(0)
    scores.values[1] = 0.5
    with pytest.warns(UserWarning, match="RR, P@10"):
        none = similarity(scores)
    assert none.conclusion()[0] == "No two metrics can be compared: every correlation is undefined."


def test_one_other_metric_is_named_as_such():
    scores = scored([0.05, 3.0], METRICS)
    assert (
        consistency(scores, splits=60, resamples=128)
        .conclusion()[0]
        .startswith("AP is shown to be more consistent than RR. Based on")
    )
    assert (
        power(scores, trials=100, resamples=128)
        .conclusion()[0]
        .startswith("AP is shown to separate more pairs of systems than RR. Based on")
    )
