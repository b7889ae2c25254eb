"""The mean over ties is exact: against every order of every tied document, for everything registered."""

import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from metameter import score
from metameter.errors import MetameterError
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked
from metameter.judge.sessions import Sessions
from metameter.metric.compose import parse_metric
from metameter.metric.product import Product
from metameter.registry import get, names
from metameter.scoring.tie_expectation import expected
from metameter.scoring.tie_expectation import orders as all_orders
from metameter.scoring.tie_expectation.expected import _best_by_rank, _best_by_value, expected_best
from metameter.scoring.tie_expectation.groups import log_choose
from metameter.scoring.tie_expectation.orders import draws, number_of_sequences, sequences

GIVEN = {
    "Empirical": {"continuation": (0.9, 0.5, 0.8)},
    "IPrec": {"recall": 0.3},
    "IFTC1": {"T": 2, "b1": 0.9, "R1": 1},
    "IFTC2": {"A": 0.2, "b2": 0.9, "R2": 1},
    "IFTC1C2": {"T": 2, "b1": 0.9, "R1": 1, "A": 0.2, "b2": 0.9, "R2": 1},
}


def make(kind, name, k=None):
    known, arguments = get(kind, name), dict(GIVEN.get(name, {}))
    return known(**arguments) if k is None else known(**arguments, k=k)


def tried(build):
    try:
        return [build()]
    except MetameterError:
        return []


def measures():
    for name in names("metric"):
        for k in (None, 4):
            for measure in tried(lambda name=name, k=k: make("metric", name, k)):
                yield measure
                if measure.condensable:
                    yield measure.condensed()
    for model, aggregation in product(names("browse"), names("aggregate")):
        for k, cut in ((None, None), (4, None), (None, 4)):
            yield from tried(
                lambda model=model, k=k, aggregation=aggregation, cut=cut: Product(
                    make("browse", model, k), make("aggregate", aggregation), cut
                )
            )
    yield from map(parse_metric, ("Q(beta=1,gain={0:1,1:2,2:5})@4", "nDCG(gain={0:1,1:2,2:5})", "AP(norm=min,rel=2)@4"))
    yield from (parse_metric(name).condensed() for name in ("RBP(p=0.8)*PE", "INST(T=1)", "ERR@5"))


EVERYTHING = {repr(measure): measure for measure in measures()}
MEASURES = {name: measure for name, measure in EVERYTHING.items() if measure.evidence is not Sessions}
# Two topics; grade and status of each rank, and where its ties begin. The second list ends early.
KINDS = [(2, JUDGED), (1, JUDGED), (0, JUDGED), (0, POOLED), (0, ABSENT)]
LISTS = [
    ([4, 0, 2, 1, 3, 1, 2, 0], [0, 1, 1, 1, 4, 4, 6, 7]),
    ([2, 1, 4, 1, 0, 2, 3], [0, 0, 0, 0, 4, 4, 6]),
]


def evidence(kinds, starts, length=9):
    beyond = length - len(kinds)
    grade = [KINDS[kind][0] for kind in kinds] + [0] * beyond
    status = [KINDS[kind][1] for kind in kinds] + [BEYOND] * beyond
    return grade, status, starts + list(range(len(starts), length))


JUDGMENTS = Judgments(("a", "b"), np.array([[2.0, 2, 1, 1, 1, 0, 0], [2, 1, 1, 0, 0, -1, -1]]), 2)


def ranked_of(lists):
    grade, status, tied = (np.array(part) for part in zip(*(evidence(*each) for each in lists), strict=True))
    length = np.array([len(kinds) for kinds, _ in lists])
    return Ranked("s", JUDGMENTS, grade.astype(float), status.astype(np.int8), length, tied=tied)


def every_order(kinds, starts):
    """All lists that random ties can give, each as often as it comes up."""
    groups = [[i for i, s in enumerate(starts) if s == start] for start in sorted(set(starts))]
    for chosen in product(*(list(permutations(group)) for group in groups)):
        yield [kinds[i] for group in chosen for i in group]


def all_lists(kinds, starts, best):
    rows = [evidence(row, starts) for row in every_order(kinds, starts)]
    grade, status, _ = (np.array(part) for part in zip(*rows, strict=True))
    ideal = np.tile(best, (len(rows), 1))
    held = Judgments(tuple(map(str, range(len(rows)))), ideal, JUDGMENTS.max_grade)
    return Ranked("s", held, grade.astype(float), status.astype(np.int8), np.full(len(rows), len(kinds)))


ALL_LISTS = [all_lists(*each, JUDGMENTS.ideal[row]) for row, each in enumerate(LISTS)]


@pytest.mark.parametrize("name", MEASURES)
def test_mean_over_ties_matches_every_order(name):
    measure = MEASURES[name]
    brute = [measure.score(lists).mean() for lists in ALL_LISTS]
    np.testing.assert_allclose(expected(measure, ranked_of(LISTS)), brute, rtol=1e-12, atol=1e-13)


SOME = [
    "AP",
    "AP@3",
    "Q(beta=1)@4",
    "nERR@3",
    "RR",
    "Bpref",
    "infAP@5",
    "ERR@4",
    "RRbin*max",
    "Rprec",
    "SetF@2",
    "BinG",
]
SOME += [
    "RBP(p=0.7)*PE",
    "DCG@3",
    "G",
    "nDCG(gain={0:1,2:3})@4",
    "IPrec(recall=0.5)",
    "INST(T=1)@3",
    "SetAP@3",
    "Compat",
]


@settings(deadline=None, max_examples=60)
@example([(1, False)] * 4, "Compat")  # more documents of a grade than the qrels hold
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=6), st.sampled_from(SOME))
def test_mean_over_random_ties_matches_every_order(drawn, name):
    kinds, starts = [kind for kind, _ in drawn], []
    assume(kinds.count(0) <= 2)  # no list holds more documents of the top grade than were judged so
    for rank, (_, tied) in enumerate(drawn):
        starts.append(starts[-1] if rank and tied else rank)
    ranked = ranked_of([(kinds, starts), LISTS[1]])
    brute = parse_metric(name).score(all_lists(kinds, starts, JUDGMENTS.ideal[0])).mean()
    assert expected(parse_metric(name), ranked)[0] == pytest.approx(brute, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", [name for name, each in MEASURES.items() if "norm=pool" not in name])
def test_without_ties_the_mean_is_the_score(name):
    alone = replace(ranked_of(LISTS), tied=np.tile(np.arange(9), (2, 1)))
    assert expected(MEASURES[name], alone).tolist() == MEASURES[name].score(alone).tolist()


@pytest.mark.parametrize("name", [name for name in EVERYTHING if name not in MEASURES])
def test_sessions_have_no_mean_over_orders(name):
    """What a user was shown, and when, is known: there is no mean over other orders."""
    with pytest.raises(MetameterError, match=f"^{EVERYTHING[name]} "):
        expected(EVERYTHING[name], ranked_of(LISTS))


def one_group(gains):
    return replace(Ranked.of_gains(gains), tied=np.zeros((1, len(gains)), dtype=np.int64))


@pytest.mark.parametrize(("size", "relevant"), [(1000, 20), (300, 299), (50, 1)])
def test_large_tie_groups_match_mcsherry_and_najork(size, relevant):
    tied = one_group([1.0] * relevant + [0.0] * (size - relevant))
    harmonic = (1 / np.arange(1, size + 1)).sum()
    # Expected precision at each rank given that it is relevant, summed: their equation for AP with one group.
    precision = (relevant - 1) / (size - 1) * (size - harmonic) + harmonic if size > 1 else 1
    assert expected(parse_metric("AP"), tied)[0] == pytest.approx(precision / size, rel=1e-12)
    assert expected(parse_metric("P@10"), tied)[0] == pytest.approx(relevant / size, rel=1e-12)
    first, chance = 0.0, 1.0
    for rank in range(1, size - relevant + 2):
        hit = relevant / (size - rank + 1)
        first, chance = first + chance * hit / rank, chance * (1 - hit)
    assert expected(parse_metric("RR"), tied)[0] == pytest.approx(first, rel=1e-12)
    none = np.prod([(size - relevant - i) / (size - i) for i in range(10)])
    assert expected(parse_metric("Success@10"), tied)[0] == pytest.approx(1 - max(none, 0), rel=1e-12)


def test_too_many_orders_are_refused_with_the_fix():
    tied = one_group([1.0] * 20 + [0.0] * 180)
    with pytest.raises(MetameterError, match=r"200 tie from rank 1 on, for topic '1'.*set ties to docid-desc"):
        expected(parse_metric("INST(T=2)"), tied)
    assert 0 < expected(parse_metric("INST(T=2)@8"), tied)[0] < 1


def test_many_small_tie_groups_enumerate_every_order(monkeypatch):
    gains = [1.0, 0.0] * 6
    tied = replace(Ranked.of_gains(gains), tied=np.repeat(np.arange(0, 12, 2), 2)[None])
    exact = expected(parse_metric("INST(T=2)"), tied)
    monkeypatch.setattr(all_orders, "_BLOCK_CELLS", 40)
    np.testing.assert_allclose(expected(parse_metric("INST(T=2)"), tied), exact, rtol=1e-13)
    monkeypatch.setattr(all_orders, "MOST_ORDERS", 2**6 - 1)
    with pytest.raises(MetameterError, match="too many orders"):
        expected(parse_metric("INST(T=2)"), tied)


def test_score_averages_over_ties():
    qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1}}
    runs = {"s": {"1": {"a": 1.0, "b": 1.0, "x": 0.5}, "2": {"y": 2.0, "a": 1.0, "z": 1.0}}}
    metrics = ["P@1", "RR", "nDCG@2", "AP", "RBP(p=0.5)*max"]
    found = score(qrels, runs, metrics, ties="mean", max_grade=1).values[:, 0]
    log3 = 1 / np.log2(3)
    second = (1 / 2 + 1 / 3) / 2  # the relevant document is second or third
    wanted = [[0.5, 0], [0.75, second], [(1 + log3) / 2, log3 / 2], [0.75, second], [0.75, 0.375]]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert score(qrels, runs, "P@1", ties="mean", unjudged="condense").values[0, 0].tolist() == [0.5, 1.0]


def test_memory_grows_linearly_with_tied_documents():
    rng = np.random.default_rng(2)
    rising = np.sort(rng.choice([0.0, 1 / 3, 2 / 3, 1.0], size=3000))
    few = _best_by_rank(rising)
    np.testing.assert_allclose(_best_by_value(rising), few, rtol=1e-13)
    n, rank = 3000, np.arange(1, 3001)
    for drawn in (1, 2, 1500, 3000):  # as it was computed all at once
        likely = np.exp(log_choose(rank - 1, drawn - 1) - log_choose(n, drawn))
        assert few[drawn - 1] == np.float64((likely * rising).sum())
    many = np.array([[*rng.choice([0.0, 0.5, 1.0], size=60_000)]])
    tracemalloc.start()
    best = expected_best(many, np.zeros(many.shape, dtype=np.int64))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    assert best[0, 0] == pytest.approx(many.mean())
    assert best[0, -1] == 1


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda counts: sum(counts) <= 7), st.integers(1, 7))
def test_sequences_match_those_of_all_permutations(counts, reached):
    reached = min(reached, sum(counts))
    drawn = Counter(each[:reached] for each in permutations([kind for kind, n in enumerate(counts) for _ in range(n)]))
    listed = draws(tuple(counts), reached, most=len(drawn))
    assert number_of_sequences(listed) == len(drawn)
    kinds, chance = sequences(listed)
    assert [tuple(row) for row in kinds.T.tolist()] == sorted(drawn)
    np.testing.assert_allclose(chance, [drawn[each] / drawn.total() for each in sorted(drawn)], rtol=1e-13)
    assert draws(tuple(counts), reached, most=len(drawn) - 1) is None


def test_all_orders_fit_into_little_memory():
    tracemalloc.start()
    kinds, _ = sequences(draws((1499, 1), 1500, most=1500))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * kinds.size  # a byte for each rank of each order, and not much besides
    assert (kinds == np.eye(1500, dtype=np.int8)[::-1]).all()


def test_few_but_long_orders_are_refused_before_allocation():
    tied = one_group([1.0] + [0.0] * 14_999)
    with pytest.raises(MetameterError, match="for topic '1': 15000 or more orders of 15000 ranks "):
        expected(parse_metric("INST(T=2)"), tied)
    assert 0 < expected(parse_metric("INST(T=2)@8"), tied)[0] < 1
