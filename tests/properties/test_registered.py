"""Everything registered goes through the same checks; a new file is checked because it is there."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.browse.page import Page
from metameter.judge.ranked import Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.cwla import Product
from metameter.metric.examples import example, product
from metameter.metric.presets import PRESETS
from metameter.registry import names

# One new file needs no other change: a class without defaults has an `example` of its own.
MEASURES = [
    *(product(model, aggregation) for model in names("browse") for aggregation in names("aggregate")),
    *(example("metric", name) for name in names("metric")),
]
MODELS = [example("browse", name) for name in names("browse")]
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
