"""The same seed gives the same tables, to the byte, however many work on it and wherever."""

from __future__ import annotations

import pytest

import metameter

OPTIONS = {"grid": True, "pools": [2, 4], "resamples": 30, "trials": 60, "max_grade": 3, "seed": 5}
METRICS = ["AP(norm=pool)", "nDCG", "AP1*avg", "RBP(p=0.8)"]


def tables(simulated, **options):
    groups = {"S001": "us", "S002": "us"}
    contributing = ["S001", "S002", "S004", "S005", "S006"]
    given = {**OPTIONS, "groups": groups, "contributing": contributing, "include_others": True, **options}
    result = metameter.volatility(*simulated, METRICS, **given)
    return {name: table.write_csv() for name, table in result.tables.items()}, result.manifest, result.notes


@pytest.fixture(scope="module")
def alone(simulated):
    return tables(simulated, jobs=1)


def test_every_table_is_present(alone):
    kinds = ("", "_summary", "_settled", "_pools", "_planning", "_groups")
    assert alone[0].keys() == {"marked", *(f"volatility{kind}" for kind in kinds)}


def test_threads_change_nothing(simulated, alone):
    assert tables(simulated, jobs=2) == alone


def test_other_workers_change_nothing(simulated, alone, pickling_workers):
    assert tables(simulated, jobs=pickling_workers) == alone


def test_same_seed_gives_the_same_bytes(simulated, alone):
    assert tables(simulated) == alone
    other = tables(simulated, seed=6)[0]
    changed = {name for name, table in other.items() if table != alone[0][name]}
    assert "volatility_summary" in changed
    assert not changed & {"volatility", "marked", "volatility_pools", "volatility_groups"}
