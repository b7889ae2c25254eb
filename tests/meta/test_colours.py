"""One aggregation, one colour."""

from __future__ import annotations

from metameter.meta.colours import aggregation_colours
from metameter.registry import get, names
from metameter.view.charts.theme import PALETTE

# The order of the colours in the figures of Chen and Sakai (2023), then what else there is.
ORDER = ["ERG", "ETG", "avg", "max", "fin", "PE", "ERR", "fgt"]


def test_every_aggregation_says_its_own_colour() -> None:
    ours = [name for name in names("aggregate") if get("aggregate", name).__module__.startswith("metameter.")]
    assert sorted(ours) == sorted(ORDER)
    assert aggregation_colours(ORDER) == list(PALETTE)


def test_labels_may_say_more_than_the_aggregation() -> None:
    assert aggregation_colours(["max = fin", "PE(beta=0.5)*"]) == [PALETTE[3], PALETTE[5]]
    assert aggregation_colours([]) == []


def test_where_colours_would_not_tell_labels_apart_there_are_none() -> None:
    assert aggregation_colours(["PE(beta=0.5)", "PE(beta=0.8)"]) is None
    assert aggregation_colours(["ERG", "somebody's metric"]) is None
    assert aggregation_colours(["", "ERG"]) is None
