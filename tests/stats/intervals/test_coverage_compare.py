"""Intervals of `compare` cover, and its tests err, as often as the tables of docs/appendix/compare.md say."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def simulation():
    spec = spec_from_file_location("coverage_compare", ROOT / "benchmarks" / "coverage_compare.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(title):
    """A table of the page, {row: {column: share}}, and how many collections it is from."""
    text = (ROOT / "docs" / "appendix" / "compare.md").read_text(encoding="utf-8")
    found = re.search(rf"{re.escape(title)}.*? ([\d,]+)(?: collections)?\n\n((?:\|.*\n)+)", text)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[2].splitlines()]
    rows = {row[0]: dict(zip(lines[0][1:], map(float, row[1:]), strict=True)) for row in lines[2:]}
    return rows, int(found[1].replace(",", ""))


def assert_alike(shares, row, counts):
    for name, share in shares.items():
        middle = (share + row[name]) / 2
        error = np.sqrt(max(middle * (1 - middle), 0.01) * sum(1 / count for count in counts))
        assert abs(share - row[name]) <= 4 * error, (name, share, row[name])


@pytest.mark.parametrize("what", ["mean", "difference"])
@pytest.mark.slow
def test_intervals_cover_as_often_as_printed(simulation, what):
    rows, count = printed(f"95% intervals of one {what}")
    assert len(rows) == 12
    for row, shares in rows.items():
        model, topics = re.fullmatch(r"(.*), (\d+) topics", row).groups()
        assert_alike(simulation.coverage_alone(what, model, int(topics), 500, seed=1), shares, (500, count))


def test_the_default_covers_best():
    for what, method in (("mean", "studentised"), ("difference", "t")):
        rows, _ = printed(f"95% intervals of one {what}")
        off = {name: np.mean([abs(row[name] - 0.95) for row in rows.values()]) for name in next(iter(rows.values()))}
        assert min(off, key=off.get) == method


@pytest.mark.slow
def test_simultaneous_intervals_cover_as_often_as_printed(simulation):
    rows, count = printed("95% intervals of the differences of 10 systems")
    assert len(rows) == 12
    for row, shares in rows.items():
        model, topics = re.fullmatch(r"(.*), (\d+) topics", row).groups()
        assert_alike(simulation.coverage_together(model, int(topics), 250, seed=1), shares, (250, count))


@pytest.mark.slow
def test_tests_err_as_often_as_printed(simulation):
    rows, count = printed("Any false alarm, alpha = .05, 20 equal systems")
    for row, shares in rows.items():
        topics, ratio = map(int, re.fullmatch(r"(\d+) topics, (\d+) times the noise", row).groups())
        if topics < 50:
            assert_alike(simulation.false_alarms(topics, ratio, 250, seed=1), shares, (250, count))
