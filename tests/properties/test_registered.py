"""Everything registered keeps the laws of `metameter.checks`, and further ones on lists that hypothesis thinks of.

A new file is checked because it is there.
"""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter import checks
from metameter.browse.page import Page
from metameter.checks.procedure import sample_serps
from metameter.judge.ranked import Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example, product
from metameter.metric.presets import PRESETS
from metameter.metric.product import Product
from metameter.notices import MetameterWarning
from metameter.registry import get, names

# One new file needs no other change: a class without defaults has an `example` of its own.
MEASURES = [
    *(product(model, aggregation) for model in names("browse") for aggregation in names("aggregate")),
    *(example("metric", name) for name in names("metric")),
]
MODELS = [example("browse", name) for name in names("browse")]
# Not AP1(recall_base=collection): what was not retrieved stands at rank infinity, where no longer list gets to.
FURTHER = [
    parse_metric(name).model
    for name in (
        "RBP(p=0.95)",
        "RBP(p=0.8)@7*ERG",
        "INST(T=0.5)",
        "TBG(h=3)",
        "UMeasure(L=4.5)",
        "AP2(recall_base=collection)",
        "BPM(T=2,K=8,dynamic=True,hb=0.5,hc=1,med=0.25,bug_compatible=False)",
        "Empirical(continuation=[0.9,0.8],tail=repeat)",
        "Empirical(last=[0.5,0.3,0.2])",
    )
]
AGGREGATIONS = [example("aggregate", name) for name in names("aggregate")]
# Procedures that count on chance, with little of it.
FEW = {"splits": 20, "trials": 50, "resamples": 10, "simple": "RBP(p=0.8)*avg"}
# A procedure whose labels are an option is given some.
LABELS = {"serps": sample_serps(), "pages_max_grade": 3}
PRESET_NAMES = sorted({name for preset in PRESETS.values() for name in preset})
pages = st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_every_metric_keeps_the_laws(measure):
    checks.check_metric(measure)
    assert parse_metric(repr(measure)) == measure


@pytest.mark.parametrize("model", [*MODELS, *FURTHER], ids=repr)
def test_every_browsing_model_keeps_the_laws(model):
    checks.check_browsing(model)


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_every_aggregation_keeps_the_laws(aggregation):
    checks.check_aggregation(aggregation)


@pytest.mark.parametrize("name", names("meta"))
def test_every_procedure_keeps_the_laws(name):
    function = get("meta", name)
    takes = inspect.signature(function).parameters
    with warnings.catch_warnings(action="ignore", category=MetameterWarning):
        given = FEW | (LABELS if name == "tradeoff" else {})
        checks.check_procedure(function, **{option: few for option, few in given.items() if option in takes})


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_preset_names_are_canonical(name):
    products = ("RBP(p=0.8)*ERG", "INST(T=2.25)*ERG", "ERR*ERR", "ERR*ERR@10")
    bare = dict(zip(("RBP(p=0.8)", "INST(T=2.25)", "ERR", "ERR@10"), products, strict=True))
    assert repr(parse_metric(name)) == bare.get(name, name)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=30, deadline=None)
@given(gains=pages)
def test_continuation_is_a_probability_and_users_leave_once(model, gains):
    state, further = model.browsing_state(Page(gains)), 2000
    assert (state.continuation >= 0).all()
    assert (state.continuation <= 1).all()
    assert (np.diff(state.view) <= 1e-15).all()
    assert state.last.sum() + state.beyond == pytest.approx(1, abs=1e-12)
    if np.isfinite(state.viewed):
        assert state.weight.sum() <= 1 + 1e-12
    if model.k is not None:
        return
    # Beyond the end, rank by rank: how many leave on a much longer page, and how many are still there at its end.
    longer = model.browsing_state(Page([*gains, *[0.0] * further]))
    left = longer.last[len(gains) :].sum()
    assert left - 1e-9 <= state.tail.last <= left + longer.beyond + 1e-9
    # Who never leaves reads on for ever: a model that loses users must say that they view without end.
    assert state.beyond - state.tail.last <= 1e-9 or np.isinf(state.tail.view)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=20, deadline=None)
@given(gains=pages, zeros=st.integers(1, 30))
def test_tails_do_not_depend_on_the_end_of_the_list(model, gains, zeros):
    """Gain 0 beyond the end, or gain 0 as further items: the same users."""
    short, long = model.browsing_state(Page(gains)), model.browsing_state(Page([*gains, *[0.0] * zeros]))
    if not np.isfinite(short.viewed):
        assert not np.isfinite(long.viewed)
        return
    assert short.viewed == pytest.approx(float(long.viewed), rel=1e-9)


@pytest.mark.parametrize("measure", [m for m in MEASURES if isinstance(m, Product)], ids=repr)
@settings(max_examples=20, deadline=None)
@given(gains=pages, zeros=st.integers(1, 40))
def test_trailing_zeros_change_no_score(measure, gains, zeros):
    assert measure([*gains, *[0.0] * zeros]) == pytest.approx(measure(gains), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@settings(max_examples=15, deadline=None)
@given(lists=st.lists(pages, min_size=2, max_size=4))
def test_batched_lists_score_as_single_lists(measure, lists):
    width = max(map(len, lists))
    padded = [gains + [0.0] * (width - len(gains)) for gains in lists]
    together = measure.score(Ranked.of_gains(padded))
    alone = [measure(gains) for gains in padded]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-12)
