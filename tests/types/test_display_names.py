"""Display names read back as the same metric, and no two metrics share one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.metric.compose import parse_metric
from metameter.metric.examples import example, product
from metameter.metric.presets import PRESETS
from metameter.registry import names
from metameter.types.display_names import display_names, everyday_name, typed_names

PRODUCTS = [product(model, aggregation) for model in names("browse") for aggregation in names("aggregate")]
MEASURES = [
    *PRODUCTS,
    *(example("metric", name) for name in names("metric")),
    *(each.at(7) for each in PRODUCTS),
    *(each @ 7 for each in PRODUCTS if each.cut is None),
    *(each.condensed() for each in PRODUCTS if each.model.user != "clairvoyant"),
]
PRESET_NAMES = {name: [parse_metric(each).name for each in preset] for name, preset in PRESETS.items()}
CANONICAL = sorted({each.name for each in MEASURES}.union(*PRESET_NAMES.values()))


@pytest.mark.parametrize("name", CANONICAL)
def test_the_everyday_name_of_every_metric_reads_back(name):
    assert parse_metric(everyday_name(name)).name == name


@given(st.lists(st.sampled_from(CANONICAL), unique=True, min_size=1))
def test_no_two_metrics_have_one_display_name(metrics):
    shown = display_names(metrics)
    assert list(shown) == metrics
    assert len(set(shown.values())) == len(metrics)


@pytest.mark.parametrize("names_of_preset", PRESET_NAMES.values(), ids=PRESET_NAMES)
def test_display_names_of_a_preset_read_back_and_are_unique(names_of_preset):
    shown = display_names(names_of_preset)
    assert [parse_metric(each).name for each in shown.values()] == names_of_preset
    assert len(set(shown.values())) == len(names_of_preset)


def test_everyday_metrics_are_shown_as_people_write_them():
    shown = display_names(PRESET_NAMES["everyday"])
    assert list(shown.values()) == list(PRESETS["everyday"])


def test_a_typed_name_takes_precedence_and_reads_back():
    asked = ["recall@20", "map", "RBP(p=0.80)", "SDCG@10", "RBP(p=0.5)*ERG", "P @ 5"]
    typed = typed_names(asked)
    assert typed == {
        "R@20": "recall@20",
        "AP": "map",
        "RBP(p=0.8)*ERG": "RBP(p=0.80)",
        "DCG@10*ERG": "SDCG@10",
        "RBP(p=0.5)*ERG": "RBP(p=0.5)*ERG",
        "P@5": "P@5",
    }
    assert display_names(typed, typed) == typed


def test_names_of_other_tools_are_not_given_to_ours():
    metrics = ["RBP(p=0.8)", "RBP(p=0.8)*ERG", "mine"]
    assert display_names(metrics) == {name: name for name in metrics}
    assert display_names(["map", "AP"], {"AP": "map"}) == {"map": "map", "AP": "AP"}


def test_names_of_condensed_metrics_stand_for_other_metrics():
    typed, condensed = typed_names(["map"]), parse_metric("AP").condensed().name
    assert display_names([condensed], typed) == {condensed: condensed}
