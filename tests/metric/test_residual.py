"""Bounds of scores: the examples of the papers, and every exact bound against all possible judgments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.browse.page import Page
from metameter.errors import MetameterError
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.metric.product import Product
from metameter.metric.residual import bounds
from metameter.registry import get, names

GIVEN: dict[str, dict[str, Any]] = {
    "Empirical": {"continuation": (0.9, 0.5, 0.8)},
    "IPrec": {"recall": 0.3},
    "IFTC1": {"T": 2, "b1": 0.9, "R1": 1},
    "IFTC2": {"A": 0.2, "b2": 0.9, "R2": 1},
    "IFTC1C2": {"T": 2, "b1": 0.9, "R1": 1, "A": 0.2, "b2": 0.9, "R2": 1},
}
STATIC = {"Prec", "DCG", "RBP", "INSQ", "Cart1", "Empirical", "TBG", "UMeasure", "NPV", "SET"}
UNKNOWN = st.lists(st.sampled_from([0.0, 0.5, 1.0, None, None]), min_size=1, max_size=5)


def make(kind: str, name: str, **further: Any) -> Any:
    known = get(kind, name)
    arguments = {**GIVEN.get(name, {}), **further}
    if any(each.metadata.get("required") for each in fields(known)):
        arguments.setdefault("k", 4)
    assert not [f.name for f in fields(known) if f.default is MISSING and f.name not in arguments]
    return known(**arguments)


def products(**further: Any) -> Iterator[Product]:
    for model, aggregation in itertools.product(names("browse"), names("aggregate")):
        try:
            yield Product(make("browse", model, **further), make("aggregate", aggregation))
        except MetameterError:
            yield Product(make("browse", model, k=7), make("aggregate", aggregation))


PRODUCTS = [*products(), *products(k=6), *products(k=6, closure="drop")]
PRODUCTS += [replace(each, cut=5) for each in products()]
METRICS = [make("metric", name) for name in names("metric")]


def bounded(name: str, gains: list[float | None]) -> tuple[float, float, str]:
    found = bounds(parse_metric(name), Ranked.of_gains([gains]))
    return float(found.low[0]), float(found.high[0]), found.kind


@pytest.mark.parametrize(
    ("name", "gains", "low", "residual"),
    [
        ("RBP(p=0.8)", [1, None, 0, None], 0.2, 0.672),
        ("RBP(p=0.8)*max", [1, None, 0, None], 1, 0),
        ("RBP(p=0.8)*max", [0, None, 1, 0], 0.64, 0.16),
        ("RBP(p=0.8)", [0, None, 1, 0], 0.128, 0.5696),
        ("RBP(p=0.8)@4", [0, None, 1, 0], 0.128, 0.16),  # cut: what follows counts as 0
        ("RBP(p=0.8)@5", [0, None, 1, 0], 0.128, 0.16 + 0.08192),
        ("Prec@5", [1, None, 0], 0.2, 0.6),  # ranks 4 and 5 count as unjudged
        ("P@5", [1, None, 0], 0.2, 0.2),  # the list is what it is
        ("RBP(p=0.8)*ERR", [1, None], 0.402359, 0),
        ("RBP(p=0.8)*ETG", [0, None], 0, 0.8 + 0.64 * 5),
        ("RBP(p=0.8)*fin", [0, 1, None], 0.16, 0.128 + 0.512),
        ("RBP(p=0.5)*PE(beta=0.5)", [0, None], 0, 0.5),
        ("RR", [0, None, 1], 1 / 3, 1 / 6),
        ("ERR*ERR", [0, None], 0, 0.5),
        ("ERR*ERR", [0, 0], 0, 1 / 3),
        ("nDCG", [1, None], 1, 0),
        ("AP", [None, 1], 0.5, 0.5),
    ],
)
def test_examples_have_their_known_bounds(name: str, gains: list[float | None], low: float, residual: float) -> None:
    found_low, found_high, _ = bounded(name, gains)
    assert found_low == pytest.approx(low, abs=1e-6)
    assert found_high - found_low == pytest.approx(residual, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("RBP(p=0.8)*fgt(delta=0.8)", "exact"),
        ("INSQ(T=2.25)*avg", "exact"),
        ("TBG(h=20)", "exact"),
        ("Prec@5*ERR", "exact"),
        ("ERR*ERR", "exact"),
        ("ERR@10*ERR", "exact"),
        ("ERR@10*ERG", "heuristic"),
        ("INST(T=2.25)", "heuristic"),
        ("AP1", "heuristic"),
        ("Cart2@10*max", "heuristic"),
        ("P@5", "exact"),
        ("RR", "exact"),
        ("P(judged_only=True)@5", "heuristic"),
        ("RBP(p=0.8,judged_only=True)", "heuristic"),
        ("nDCG@5", "heuristic"),
        ("R@5", "heuristic"),
    ],
)
def test_bounds_state_whether_they_are_exact(name: str, kind: str) -> None:
    assert bounded(name, [0, None, 1])[2] == kind


def test_static_models_are_the_listed_ones() -> None:
    assert {name for name in names("browse") if get("browse", name).user == "static"} == STATIC


@pytest.mark.parametrize("name", names("browse"))
@settings(max_examples=30, deadline=None)
@given(
    gains=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4),
    others=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4),
)
def test_users_respond_to_gains_as_their_type_says(name: str, gains: list[float], others: list[float]) -> None:
    model = make("browse", name)
    if model.user == "static":
        costs = [1, 2, 0.5, 3]
        here, there = model.browsing_state(Page(gains, costs=costs)), model.browsing_state(Page(others, costs=costs))
        assert (here.continuation == there.continuation).all()
    elif model.user == "adaptive":
        later = model.browsing_state(Page([*gains[:2], *others[2:]])).continuation
        assert (model.browsing_state(Page(gains)).continuation[:2] == later[:2]).all()


def settled(gains: list[float | None], values: tuple[float, ...]) -> list[float]:
    judged = iter(values)
    return [next(judged) if gain is None else gain for gain in gains]


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda p: f"{p!r}")
@settings(max_examples=8, deadline=None)
@given(gains=UNKNOWN, more=st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=4))
def test_exact_bounds_of_products_hold_for_all_judgments(
    product: Product, gains: list[float | None], more: list[float]
) -> None:
    found = bounds(product, Ranked.of_gains([gains]))
    assert np.isfinite(found.low).all()
    assert not np.isnan(found.high).any()
    score = product(gains)
    assert found.low[0] == score  # unjudged items count 0
    if found.kind != "exact":
        return
    low, high = found.low[0] - 1e-9, found.high[0] + 1e-9
    assert low <= score <= high
    unknown = gains.count(None)
    possible = [[*settled(gains, values), *more] for values in itertools.product([0.0, 0.5, 1.0], repeat=unknown)]
    scores = product.score(Ranked.of_gains(possible))
    assert (scores >= low).all()
    assert (scores <= high).all()


@pytest.mark.parametrize("product", list(products()), ids=repr)
def test_a_long_list_of_ones_reaches_the_upper_bound(product: Product) -> None:
    """Slow tails apart: 20,000 perfect items more, and the bound is there."""
    if product.model.user == "clairvoyant" or repr(product.model).startswith("INSQ"):
        return
    gains = [0.5, None, 0, 1.0, None]
    found = bounds(product, Ranked.of_gains([gains])).high[0]
    page = Page([[0.5, 1, 0, 1, 1]]).resized(20_000, 1.0)
    assert found == pytest.approx(product.score_page(page)[0], rel=1e-6)


@pytest.mark.parametrize("aggregation", ["ERG", "max", "avg", "fgt(delta=0.8)"])
def test_slow_tails_of_ones_reach_the_upper_bound(aggregation: str) -> None:
    product = parse_metric(f"INSQ(T=2.25)*{aggregation}")
    assert isinstance(product, Product)
    page = Page([[0.5, 1, 0, 1, 1]]).resized(1_000_000, 1.0)
    found = bounds(product, Ranked.of_gains([[0.5, None, 0, 1.0, None]])).high[0]
    assert found == pytest.approx(product.score_page(page)[0], rel=1e-5)


def test_users_who_never_leave_have_heuristic_bounds() -> None:
    low, high, kind = bounded("IFTC2(A=0.2,b2=0.9,R2=100)", [0.5, 0, None])
    assert high == pytest.approx(1, abs=1e-5)
    assert kind == "heuristic"
    assert low < high
    assert bounded("IFTC2(A=0.2,b2=0.9,R2=100)*max", [0.5, 0, None])[1] > 0.5


def test_an_empty_list_has_the_widest_bounds() -> None:
    empty = Ranked.of_gains(np.zeros((1, 0)))
    found = bounds(parse_metric("RBP(p=0.8)"), empty)
    assert (found.low[0], found.high[0]) == pytest.approx((0, 1))
    assert bounds(parse_metric("Prec@5*max"), empty).high[0] == 1
    assert bounds(parse_metric("AP1"), empty).high[0] == 0


def test_a_condensed_list_is_bounded_at_its_original_ranks() -> None:
    """Judged as worthless, a document is no longer removed."""
    low, high, _ = bounded("RBP(p=0.8,judged_only=True)", [None, 1])
    assert low == pytest.approx(0.16)
    assert high == pytest.approx(1)
    assert low < parse_metric("RBP(p=0.8,judged_only=True)")([None, 1]) < high


def test_bounds_of_a_list_ignore_longer_lists() -> None:
    """A shorter list among longer ones has the bounds that it has alone."""
    status = np.array([[JUDGED, JUDGED, ABSENT], [JUDGED, BEYOND, BEYOND]], dtype=np.int8)
    grade = np.array([[1.0, 0, 0], [1.0, 0, 0]])
    judgments = Judgments(("1", "2"), np.array([[1.0, 0.0], [1.0, -1]]), 1.0, mapped=True)
    ranked = Ranked("s", judgments, grade, status, np.array([3, 1]))
    for name in ("RBP(p=0.8)", "INST(T=1)*avg", "Prec@5*max", "RBP(p=0.5)*fgt(delta=0.8)@2", "RRbin*ERR", "AP1"):
        found = bounds(parse_metric(name), ranked)
        alone = [bounded(name, [1, 0, None]), bounded(name, [1])]
        np.testing.assert_allclose(found.high, [high for _, high, _ in alone], rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(found.low, [low for low, _, _ in alone], rtol=1e-12, err_msg=name)


def graded(rng: np.random.Generator) -> Ranked:
    """A small list with unjudged documents, and relevant ones that were not retrieved."""
    depth, length = 5, int(rng.integers(2, 6))
    status = rng.choice([ABSENT, POOLED, JUDGED, JUDGED], size=(1, depth)).astype(np.int8)
    status[0, length:] = BEYOND
    grade = np.where(status == JUDGED, rng.integers(0, 3, size=(1, depth)), 0).astype(float)
    missed = rng.integers(0, 3, size=int(rng.integers(1, 4)))
    ideal = -np.sort(-np.concatenate([grade[status == JUDGED], missed]))[None]
    pool_rank = rng.integers(1, 6, size=ideal.shape)
    judgments = Judgments(("1",), ideal, 2, pool_rank=pool_rank)
    return Ranked("s", judgments, grade, status, np.array([length]), rng.integers(1, 6, size=(1, depth)))


def judged(ranked: Ranked, grades: tuple[int, ...]) -> Ranked:
    """The run and the qrels after these judgments."""
    new = (ranked.status == ABSENT) | (ranked.status == POOLED)
    grade = ranked.grade.copy()
    grade[new] = grades
    ideal = -np.sort(-np.concatenate([ranked.judgments.ideal[0], np.array(grades, dtype=float)]))[None]
    pool_rank = np.ones(ideal.shape, dtype=np.int64)
    status = np.where(new, JUDGED, ranked.status).astype(np.int8)
    judgments = Judgments(("1",), ideal, 2, pool_rank=pool_rank)
    return Ranked("s", judgments, grade, status, ranked.length, ranked.pool_rank)


@pytest.mark.parametrize("measure", METRICS, ids=repr)
def test_exact_bounds_of_metrics_hold_for_all_judgments(measure: Measure) -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        ranked = graded(rng)
        found = bounds(measure, ranked)
        assert found.low.shape == found.high.shape == (1,)
        if found.kind != "exact":
            continue
        unknown = int(((ranked.status == ABSENT) | (ranked.status == POOLED)).sum())
        possible = itertools.product((0, 1, 2), repeat=unknown)
        scores = [measure.score(judged(ranked, grades))[0] for grades in possible]
        low, high = found.low[0], found.high[0]
        assert low == pytest.approx(min(scores))  # not only bounds, but reached
        assert high == pytest.approx(max(scores))
        assert low <= measure.score(ranked)[0] <= high


def test_the_listed_metrics_have_exact_bounds() -> None:
    ranked = Ranked.of_gains([[1, None]])
    exact = {each.registered_name for each in METRICS if bounds(each, ranked).kind == "exact"}
    assert exact == {"P", "RR", "Success", "SetP", "NumRet", "NumRelRet"}


@pytest.mark.parametrize("name", ["AP", "nDCG", "R@3", "Rprec", "Q(beta=1)", "nERR@3", "AP(norm=min)@3"])
def test_recall_based_scores_stay_within_their_bounds(name: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        ranked = graded(rng)
        found, score = bounds(parse_metric(name), ranked), parse_metric(name).score(ranked)
        assert (found.low - 1e-12 <= score).all()
        assert (score <= found.high + 1e-12).all()
        assert (found.high <= 1 + 1e-12).all()


@pytest.mark.parametrize("name", ["Judged@4", "Unjudged@4"])
def test_metrics_that_count_judgments_have_no_bounds(name: str) -> None:
    low, high, kind = bounded(name, [0, None, 1])
    assert np.isnan(low)
    assert np.isnan(high)
    assert kind == "none"
