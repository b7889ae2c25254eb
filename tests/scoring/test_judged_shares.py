"""How much of the ranks that a metric looks at is judged."""

from __future__ import annotations

import pytest

import metameter


def test_every_metric_is_measured_at_its_own_depth():
    qrels = {"1": {"a": 0, "b": 1, "c": 0}}
    runs = {"one": {"1": {name: -float(rank) for rank, name in enumerate("axbyzc")}}}
    names = ["P@2", "AP", "RR", "Bpref", "RBP(p=0.5)"]
    judged = metameter.score(qrels, runs, names, max_grade=1).manifest["judged"]
    assert judged["P@2"] == 0.5
    assert judged["AP"] == 0.5
    assert judged["RR"] == pytest.approx(2 / 3)
    assert judged["Bpref"] == 1.0
    viewed = [0.5**rank for rank in range(6)]
    assert judged["RBP(p=0.5)*ERG"] == pytest.approx((viewed[0] + viewed[2] + viewed[5]) / sum(viewed))
