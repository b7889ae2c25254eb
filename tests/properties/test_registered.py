"""Everything registered goes through the same checks; a new file is checked because it is there."""

import pickle
from dataclasses import MISSING, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.browse.page import Page
from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.cwla import Product
from metameter.metric.presets import PRESETS
from metameter.registry import get, names

# Models whose parameters have no defaults: a value for each.
GIVEN = {
    "Empirical": {"continuation": (0.9, 0.5, 0.8)},
    "IPrec": {"recall": 0.3},
    "IFTC1": {"T": 2, "b1": 0.9, "R1": 1},
    "IFTC2": {"A": 0.2, "b2": 0.9, "R2": 1},
    "IFTC1C2": {"T": 2, "b1": 0.9, "R1": 1, "A": 0.2, "b2": 0.9, "R2": 1},
}


def make(kind, name):
    known = get(kind, name)
    arguments = dict(GIVEN.get(name, {}))
    if any(each.metadata.get("required") for each in fields(known)):
        arguments["k"] = 4
    unset = [f.name for f in fields(known) if f.default is MISSING and f.name not in arguments]
    assert not unset, f"{name}: add values for {unset} to GIVEN"
    return known(**arguments)


def products():
    for model in names("browse"):
        for aggregation in names("aggregate"):
            try:
                yield Product(make("browse", model), make("aggregate", aggregation))
            except MetameterError:
                # Refused where the rate of gain has no value: then the model with a last rank has one.
                stopped = type(make("browse", model))(**{**GIVEN.get(model, {}), "k": 7})
                yield Product(stopped, make("aggregate", aggregation))


MEASURES = [*products(), *(make("metric", name) for name in names("metric"))]
MODELS = [make("browse", name) for name in names("browse")]
PRESET_NAMES = sorted({name for preset in PRESETS.values() for name in preset})
pages = st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_name_round_trips(measure):
    again = parse_metric(repr(measure))
    assert repr(again) == repr(measure)
    assert again == measure


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_preset_names_are_canonical(name):
    bare = {"RBP(p=0.8)": "RBP(p=0.8)*ERG", "ERR": "ERR*ERR"}
    assert repr(parse_metric(name)) == bare.get(name, name)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_pickles(measure):
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert again([0.5, 0, 1]) == measure([0.5, 0, 1]) or np.isnan(measure([0.5, 0, 1]))


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=30, deadline=None)
@given(gains=pages)
def test_continuation_is_a_probability_and_last_sums_to_one_or_the_rest_is_reported(model, gains):
    journey = model.journey(Page(gains))
    assert (journey.continuation >= 0).all()
    assert (journey.continuation <= 1).all()
    assert (np.diff(journey.view) <= 1e-15).all()
    # All users leave somewhere on the page, beyond its end, or (reported as the difference) never.
    never = journey.beyond - journey.tail.last
    assert journey.last.sum() + journey.tail.last + never == pytest.approx(1, abs=1e-12)
    assert never >= -1e-15
    if np.isfinite(journey.viewed) and not model.needs:
        assert journey.weight.sum() <= 1 + 1e-12


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=20, deadline=None)
@given(gains=pages, zeros=st.integers(1, 30))
def test_tails_do_not_depend_on_where_the_list_ends(model, gains, zeros):
    """Gain 0 beyond the end, or gain 0 as further items: the same users."""
    short, long = model.journey(Page(gains)), model.journey(Page([*gains, *[0.0] * zeros]))
    if not np.isfinite(short.viewed):
        assert not np.isfinite(long.viewed)
        return
    assert short.viewed == pytest.approx(float(long.viewed), rel=1e-9)


@pytest.mark.parametrize("measure", [m for m in MEASURES if isinstance(m, Product)], ids=repr)
@settings(max_examples=20, deadline=None)
@given(gains=pages, zeros=st.integers(1, 40))
def test_zeros_at_the_end_change_no_score(measure, gains, zeros):
    assert measure([*gains, *[0.0] * zeros]) == pytest.approx(measure(gains), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(lists=st.lists(pages, min_size=2, max_size=4))
def test_many_lists_at_once_score_as_one_by_one(measure, lists):
    width = max(map(len, lists))
    padded = [gains + [0.0] * (width - len(gains)) for gains in lists]
    together = measure.score(Ranked.of_gains(padded))
    alone = [measure(gains) for gains in padded]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_scoring_twice_gives_the_same_bits(measure):
    gains = np.random.default_rng(1).choice([0, 0.5, 1.0], size=(5, 40))
    first, second = measure.score(Ranked.of_gains(gains)), measure.score(Ranked.of_gains(gains))
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_explain_has_a_row_a_rank(measure):
    columns = measure.explain(Ranked.of_gains([[1, 0, 0.5, 0, 1]]))
    assert {"rank", "contribution"} <= set(columns)
    assert len({np.shape(values) for values in columns.values()}) == 1
