"""Every number that is taken by anything registered is accepted within its bounds, and refused beyond them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.metric.product import Product
from metameter.parameters import Bounds
from metameter.registry import get, names

KINDS = ("browse", "aggregate", "metric")
# Numbers that count only together with an option.
WITH = {
    ("nDCG", "b"): {"discount": "jk"},
    **{("BPM", number): {"dynamic": True} for number in ("hb", "hc", "med")},
}
NUMBERS = [
    pytest.param(kind, name, parameter, bounds, id=f"{kind}-{name}-{parameter}")
    for kind in KINDS
    for name in names(kind)
    for parameter, bounds in get(kind, name).bounds().items()
]


def inside(bounds: Bounds) -> list[float]:
    """Values that must be accepted: closed ends, and just within open ones."""
    low, high = bounds.low, bounds.high
    step = 1 if bounds.integer else None
    ends = []
    if math.isfinite(low):
        ends.append(low if not bounds.low_open else (low + step if step else math.nextafter(low, math.inf)))
    if math.isfinite(high):
        ends.append(high if not bounds.high_open else (high - step if step else math.nextafter(high, -math.inf)))
    return [*ends, max(ends[0] if ends else 0, 0) + (1 if math.isinf(high) else 0)]


def outside(bounds: Bounds) -> list[object]:
    """Values that must be refused: open ends, just beyond closed ones, and what is no finite number."""
    low, high = bounds.low, bounds.high
    values: list[object] = [math.nan, math.inf, -math.inf, np.float32(math.nan), True, "1", 10**400]
    if math.isfinite(low):
        values += [low] if bounds.low_open else [low - 1 if bounds.integer else math.nextafter(low, -math.inf)]
    if math.isfinite(high):
        values += [high] if bounds.high_open else [high + 1 if bounds.integer else math.nextafter(high, math.inf)]
    return [*values, 1.5] if bounds.integer else values


def with_parameter(kind: str, name: str, parameter: str, value: object) -> object:
    known = get(kind, name)
    arguments = {**getattr(known, "example", {}), **WITH.get((name, parameter), {})}
    if known.needs_depth():
        arguments["k"] = 5
    return known(**{**arguments, parameter: value})


@pytest.mark.parametrize(("kind", "name", "parameter", "bounds"), NUMBERS)
def test_bounds_separate_accepted_from_refused_values(kind, name, parameter, bounds):
    for value in inside(bounds):
        assert bounds.contain(value)
        assert getattr(with_parameter(kind, name, parameter, value), parameter) == value
        number = np.float64(value) if isinstance(value, float) else np.int64(value)
        assert bounds.contain(number)
        kept = getattr(with_parameter(kind, name, parameter, number), parameter)
        assert kept == value
        assert type(kept) in (int, float)
    for value in outside(bounds):
        assert not bounds.contain(value)
        with pytest.raises(MetameterError, match="out of range"):
            with_parameter(kind, name, parameter, value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_bounds(kind):
    for name in names(kind):
        made = example(kind, name)
        values = {parameter: getattr(made, parameter, None) for parameter in made.parameters()}
        numbers = {
            key for key, value in values.items() if isinstance(value, int | float) and not isinstance(value, bool)
        }
        assert numbers <= set(made.bounds())
        assert ("k" in made.bounds()) == (kind != "aggregate")


@pytest.mark.parametrize(("kind", "name", "parameter", "bounds"), NUMBERS)
def test_scores_are_finite_at_the_ends_of_the_bounds(kind, name, parameter, bounds):
    for value in inside(bounds):
        model = with_parameter(kind, name, parameter, value)
        if kind == "browse" and parameter != "k" and "k" in model.bounds():
            model = replace(model, k=5)  # without a last rank, users who read on for ever are refused
        measure = Product(get("browse", "RBP")(p=0.8), model) if kind == "aggregate" else parse_metric(model)
        if issubclass(Ranked, measure.evidence) and not measure.needs:
            for gains in ([1, 0, 0.5, 0, 1], [0, 0, 0], [1] * 50):
                assert np.isfinite(measure.score(Ranked.of_gains(gains))).all()
