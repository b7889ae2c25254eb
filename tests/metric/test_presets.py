"""Presets: every name is spelled as the papers and people spell it, and is a metric."""

import re
from pathlib import Path

import pytest

from metameter.metric.compose import parse_metric
from metameter.metric.presets import PRESETS, preset

NOTATION = Path(__file__).parents[2] / "docs" / "notation.md"
SIZES = {"chen-sakai-2023": 39, "moffat-2022": 56, "moffat-2022-preference": 56, "lu-2016": 7, "everyday": 11}
SIZES |= {"albahem-2019": 10}


def test_everyday_holds_the_commonly_reported_metrics():
    asked = "nDCG@10 nDCG AP P@10 RR RBP(p=0.8) ERR@10 INST(T=2.25) R@100 Bpref Q(beta=1)"
    assert preset("everyday") == tuple(asked.split())
    printed = ("RBP(p=0.8)*ERG", "ERR*ERR@10", "INST(T=2.25)*ERG")
    assert tuple(repr(parse_metric(name)) for name in preset("everyday")[5:8]) == printed


@pytest.mark.parametrize("name", PRESETS)
def test_names_of_a_preset_are_different_metrics(name):
    printed = [repr(parse_metric(each)) for each in preset(name)]
    assert len(set(printed)) == len(printed) == SIZES[name]


def test_the_page_on_notation_lists_every_preset_with_its_size():
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \|", NOTATION.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {name: int(size) for name, size in rows} == SIZES == {name: len(preset(name)) for name in PRESETS}
