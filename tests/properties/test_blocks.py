"""Topics that are scored in blocks have the scores that they have all at once: to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import metameter as mm
from metameter.errors import MetameterError
from metameter.judge.align import align, align_blocks
from metameter.judge.contributed import Pool
from metameter.judge.index import index_judgments
from metameter.judge.judged_run import JudgedRun
from metameter.judge.pool import pool_ranks
from metameter.judge.ranked import Ranked
from metameter.metric.base import require_evidence
from metameter.metric.examples import example, product
from metameter.metric.residual import bounds, bounds_at
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.registry import names
from metameter.scoring.tie_expectation import expected

LENGTHS = [300, 0, 3, 1, 40, 150, 7, 20, 64, 2, 300, 128]
MEASURES = [
    *(product(model, aggregation) for model in names("browse") for aggregation in names("aggregate")),
    *(example("metric", name) for name in names("metric")),
]


def collection():
    """Lists of very different lengths, with grades whose sums are rounded, and a topic that nothing is judged for."""
    rng = np.random.default_rng(3)
    qrels, run = {}, {}
    for number, length in enumerate(LENGTHS):
        judged = rng.permutation(400)[: rng.integers(1, 200)]
        qrels[f"t{number:02}"] = {f"d{doc}": int(rng.choice([-1, 0, 0, 1, 2, 3])) for doc in judged}
        run[f"t{number:02}"] = {f"d{doc}": float(rng.integers(0, 2000)) for doc in rng.permutation(400)[:length]}
    return qrels, {topic: docs for topic, docs in run.items() if docs}


@pytest.fixture(scope="module")
def index():
    qrels, run = collection()
    return pool_ranks([read_run(run)], index_judgments(read_qrels(qrels)))


@pytest.fixture(params=[300, 900])
def small_blocks(request, monkeypatch):
    monkeypatch.setattr("metameter.judge.blocks.MOST_CELLS", request.param)


def blocks(index, **options):
    found = [ranked for _, ranked in align_blocks(read_run(collection()[1]), index, **options)]
    assert len(found) > 1
    return found


def same(whole, parts, axis=-1):
    np.testing.assert_array_equal(whole, np.concatenate(parts, axis=axis))


def of_lists(measure):
    try:
        require_evidence([measure], Ranked)
    except MetameterError:
        return False
    return True


OF_LISTS = [measure for measure in MEASURES if of_lists(measure)]


def test_blocks_give_every_metric_the_same_scores(index, small_blocks):
    whole, parts = align(read_run(collection()[1]), index), blocks(index)
    for measure in [*OF_LISTS, *(each.condensed() for each in OF_LISTS if each.condensable)]:
        same(measure.score(whole), [measure.score(part) for part in parts])


def test_blocks_give_the_same_curves_and_bounds(index, small_blocks):
    whole, parts = align(read_run(collection()[1]), index), blocks(index)
    for measure in [*OF_LISTS[::9], *OF_LISTS[-60::3]]:
        same(measure.curve(whole, [1, 10, 200]), [measure.curve(part, [1, 10, 200]) for part in parts], axis=0)
        for side in ("low", "high"):
            same(getattr(bounds(measure, whole), side), [getattr(bounds(measure, part), side) for part in parts])
            at = [getattr(bounds_at(measure, part, [5, 100]), side) for part in parts]
            same(getattr(bounds_at(measure, whole, [5, 100]), side), at, axis=0)


def test_blocks_of_their_own_width_differ_only_by_rounding(index, monkeypatch):
    whole = align(read_run(collection()[1]), index)
    monkeypatch.setattr("metameter.judge.blocks.MOST_CELLS", 300)
    monkeypatch.setattr("metameter.judge.blocks.TOO_MANY_CELLS", 1000)
    parts = blocks(index)
    assert len({part.depth for part in parts}) > 2
    assert sum(part.grade.size for part in parts) < 0.8 * whole.grade.size
    for measure in OF_LISTS:
        scores = np.concatenate([measure.score(part) for part in parts])
        np.testing.assert_allclose(scores, measure.score(whole), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "P@5", "RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "ERR@10", "Q(beta=1)"])
def test_blocks_give_the_same_means_over_ties(index, small_blocks, name):
    measure = mm.parse_metric(name)
    same(
        expected(measure, align(read_run(collection()[1]), index, ties="mean")),
        [expected(measure, part) for part in blocks(index, ties="mean")],
    )


@pytest.mark.parametrize("most", [1 << 28, 1000])
def test_blocks_hold_the_same_judged_run(index, small_blocks, most, monkeypatch):
    monkeypatch.setattr("metameter.judge.blocks.TOO_MANY_CELLS", most)
    whole = JudgedRun.of(align(read_run(collection()[1]), index))
    joined = JudgedRun.of_blocks([JudgedRun.of(part) for part in blocks(index)])
    for name, array in whole.arrays.items():
        again = joined.arrays[name]
        by = (np.argsort(whole.cell), np.argsort(joined.cell)) if name in ("cell", "row") else (slice(None),) * 2
        np.testing.assert_array_equal(array[by[0]], again[by[1]])
        assert array.dtype == again.dtype
    pool = Pool.of(index, [whole])
    ranked = whole.ranked(pool)
    for topics, part in whole.ranked_blocks(pool):
        np.testing.assert_array_equal(ranked.length[topics], part.length)
        for name in ("grade", "status", "pool_rank"):
            np.testing.assert_array_equal(getattr(ranked, name)[topics, : part.depth], getattr(part, name))


def answers(qrels, runs):
    """What every function says that sees runs against judgments."""
    metrics = ["AP", "nDCG@10", "RBP(p=0.8)*max", "AP(norm=pool)@20"]
    scored = mm.score(qrels, runs, metrics, residual=True, costs={"d1": 2.0})
    checked = mm.check(qrels, runs)
    volatile = mm.volatility(qrels, runs, metrics=metrics[:3], depths=[5, 20], trials=20)
    explained = mm.explain("AP", qrels=qrels, run=runs["a"], topic="t08")
    tables = [*checked.tables.values(), *volatile.tables.values(), explained.ranks]
    return [scored.values, scored.low, scored.high], tables


@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_blocks_give_the_same_results_in_every_function(monkeypatch):
    qrels, run = collection()
    runs = {"a": run, "b": {topic: {doc: -value for doc, value in docs.items()} for topic, docs in run.items()}}
    numbers, tables = answers(qrels, runs)
    monkeypatch.setattr("metameter.judge.blocks.MOST_CELLS", 900)
    again, same_tables = answers(qrels, runs)
    for one, other in zip(numbers, again, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(tables, same_tables, strict=True):
        assert one.equals(other)
