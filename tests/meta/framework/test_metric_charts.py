"""One aggregation, one colour."""

from __future__ import annotations

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.registry import get, names
from metameter.view.charts.theme import PALETTE, SERIES

# The order of the colours in the figures of Chen and Sakai (2023), then what else there is.
ORDER = ["ERG", "ETG", "avg", "max", "fin", "PE", "ERR", "fgt"]


def test_every_aggregation_has_its_own_colour() -> None:
    ours = [name for name in names("aggregate") if get("aggregate", name).__module__.startswith("metameter.")]
    assert sorted(ours) == sorted(ORDER)
    assert aggregation_colours(ORDER) == list(PALETTE)


def test_labels_may_extend_the_name_of_the_aggregation() -> None:
    assert aggregation_colours(["max = fin", "PE(beta=0.5)*", "ERG (canonical)"]) == [
        PALETTE[3],
        PALETTE[5],
        PALETTE[0],
    ]
    assert aggregation_colours([]) == []


def test_parameters_of_an_aggregation_do_not_change_its_colour() -> None:
    # Their lines differ in their dashes.
    assert aggregation_colours(["PE(beta=0.5)", "PE(beta=0.8)"]) == [PALETTE[5]] * 2


def test_other_metrics_are_ink_or_grey() -> None:
    # ERR is an aggregation, and a browsing model.
    others = ["AP", "ERR*ERR@10", "ERR@10*max", "somebody's metric", ""]
    assert aggregation_colours(["ERG", *others]) == [PALETTE[0], *SERIES, *SERIES[:2]]
