"""Every browsing model times every aggregation under every closure, against brute-force sums."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.judge.ranked import Ranked
from metameter.metric.product import Product
from metameter.registry import get

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "cwla_matrix.json").read_text())
CASES = GOLDEN["cases"]
ROWS = list(CASES["table1"]["expected"])
NUMBER = {"RBP": "p", "INST": "T", "INSQ": "T"}
AGGREGATIONS = {"fgt0.8": ("fgt", {"delta": 0.8}), "PE0.5": ("PE", {"beta": 0.5})}


def model_of(row: str) -> Browsing:
    """`INST(2.25)|drop@10` and its like."""
    found = re.fullmatch(r"(\w+?)(?:\((.+)\))?(?:@(\d+))?(?:\|(infinite|run|stop|drop)(?:@(\d+))?)?", row)
    assert found, row
    name, number, own, closure, k = found.groups()
    options: dict[str, Any] = {NUMBER[name]: float(number)} if number else {}
    if own or k:
        options["k"] = int(own or k)
    if closure == "drop":
        options["closure"] = "drop"
    model: Browsing = get("browse", name)(**options)
    return model


def aggregation_of(name: str) -> Aggregation:
    known, numbers = AGGREGATIONS.get(name, (name, {}))
    aggregation: Aggregation = get("aggregate", known)(**numbers)
    return aggregation


def test_every_case_has_every_row() -> None:
    assert all(list(case["expected"]) == ROWS for case in CASES.values())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("row", ROWS)
def test_each_row_matches(case: str, row: str) -> None:
    model, expected = model_of(row), dict(CASES[case]["expected"][row])
    ranked = Ranked.of_gains([CASES[case]["r"]])
    slow = "infinite" in row and row.startswith(("INST", "INSQ"))
    tolerance = GOLDEN["tolerance_infinite_INST" if slow else "tolerance"]
    state = Product(model, aggregation_of("ETG")).browsing_state(ranked)
    found = {"V+": state.viewed[0], "sumL": state.last.sum() + state.tail.last[0]}
    for key in expected.keys() - found.keys():
        found[key] = Product(model, aggregation_of(key)).score(ranked)[0]
    expected = {key: value for key, value in expected.items() if value is not None}
    assert expected
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=tolerance), key
