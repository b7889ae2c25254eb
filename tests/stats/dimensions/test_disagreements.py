"""Who is right where two metrics disagree: other people's counts, a plain double loop, scipy, and the edges."""

import importlib.util
import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import binom, binomtest

from metameter.errors import MetameterError
from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.dimensions.metric_wins import dense_ranks, resampled_pair_wins
from metameter.stats.dimensions.preferences import preference_codes
from metameter.stats.dimensions.simple_metrics import Dimensions
from metameter.stats.dimensions.topic_swaps import topic_swaps
from metameter.stats.dimensions.unanimity import improvements, mutual_information
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.significance.pairwise import critical_counts, sign_test

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "intuitiveness_unanimity.json").read_text())
COMPLEX, SIMPLE = GOLDEN["input"]["complex"], GOLDEN["input"]["simple"]
SETS = ("s1", "s2", "s3", "s1+s2", "s1+s2+s3")
PLACES = tuple(tuple(SIMPLE.index(name) for name in text.split("+")) for text in SETS)


def cells(names):
    """Golden scores as (1 iteration, topics, metrics, systems)."""
    scores, missing = GOLDEN["input"]["scores[run][topic][metric]"], dict.fromkeys(names, np.nan)
    table = [
        [[scores[run].get(topic, missing)[name] for run in GOLDEN["input"]["runs"]] for name in names]
        for topic in GOLDEN["input"]["topics"]
    ]
    return np.array(table)[None]


@pytest.fixture(scope="module")
def golden():
    return cells(COMPLEX), cells(SIMPLE), Dimensions(PLACES)


@pytest.mark.parametrize("number", range(len(SETS)))
def test_the_authors_counts_of_disagreements_match(golden, number):
    found = disagreements(*golden)
    correct = found.correct.sum(axis=1)
    for place, (a, b) in enumerate(combinations(COMPLEX, 2)):
        wanted = GOLDEN["expected"]["intuitiveness"][f"{SETS[number]}|{a}|{b}"]
        one = correct[0, number, place]
        assert found.cases[0, number, place] == wanted["total"]
        assert found.disagreements[0, number, place] == wanted["disagreements"]
        assert one.tolist() == [wanted["correct1"], wanted["correct2"]]
        assert sign_test(*one) == pytest.approx(wanted["sign_test_p_two_sided"], abs=1e-12)


@pytest.mark.parametrize("number", range(len(SETS)))
@pytest.mark.parametrize("form", ["code", "literal"])
def test_the_authors_counts_of_improvements_match(golden, number, form):
    found = improvements(*golden, form=form)
    metric, simple, joint, cases = (getattr(found, name).sum(axis=1)[0, number] for name in vars(found))
    mu = mutual_information(metric, simple, joint, cases)
    group, total = ("unanimity_reference", "total") if form == "code" else ("unanimity_literal", "N")
    for place, name in enumerate(COMPLEX):
        wanted = GOLDEN["expected"][group][f"{SETS[number]}|{name}"]
        assert metric[place] == wanted["delta_m"]
        assert simple[place] == wanted["delta_S"]
        assert joint[place] == wanted["delta_mS"]
        assert cases[place] == wanted[total]
        assert mu[place] == pytest.approx(wanted["mu_log2"], abs=1e-12)


def test_the_authors_unit_test_passes():
    found = improvements(
        np.array([[[[1.0, 0.5, 0.2]]]]), np.array([[[[0.8, 0.3, 0.4], [1, 0.2, 0.5]]]]), Dimensions(((0, 1),))
    )
    assert [getattr(found, name).item() for name in vars(found)] == [3, 3, 2, 6]
    assert mutual_information(*(getattr(found, name) for name in vars(found))).item() == pytest.approx(
        0.4150375, abs=1e-7
    )


# --- a plain double loop --------------------------------------------------------------------------------------------


def sign(x, y, tolerance):
    return 0 if abs(x - y) <= tolerance else 1 if x > y else -1


def plain(values, simple, members, a, b, ties):
    """Algorithm 1, line by line: cases, disagreements, correct of both, cases with both correct."""
    cases = opposed = first = second = tied = 0
    for topic in range(values.shape[0]):
        own = [values[topic, a], values[topic, b], *(simple[topic, s] for s in members)]
        tolerances = [1e-12 * np.nanmax(np.abs(row), initial=0) for row in own]
        for r1, r2 in combinations(range(values.shape[2]), 2):
            if any(np.isnan(row[r1]) or np.isnan(row[r2]) for row in own):
                continue
            one, other, *dims = (sign(row[r1], row[r2], tol) for row, tol in zip(own, tolerances, strict=True))
            cases += 1
            if one * other < 0:
                opposed += 1
                agrees = [all(x * d > 0 if ties == "strict" else x * d >= 0 for d in dims) for x in (one, other)]
                first, second, tied = first + agrees[0], second + agrees[1], tied + all(agrees)
    return cases, opposed, first, second, tied


def plain_unanimity(values, simple, members, m, form):
    """Algorithm 2, as the code does it and as it reads."""
    seen = denied = joint = cases = 0
    for topic in range(values.shape[0]):
        own = [values[topic, m], *(simple[topic, s] for s in members)]
        tolerances = [1e-12 * np.nanmax(np.abs(row), initial=0) for row in own]
        for r1, r2 in combinations(range(values.shape[2]), 2):
            if any(np.isnan(row[r1]) or np.isnan(row[r2]) for row in own):
                continue
            one, *dims = (sign(row[r1], row[r2], tol) for row, tol in zip(own, tolerances, strict=True))
            up, down = (all(way * d >= 0 for d in dims) for way in (1, -1))
            both = [up and one >= 0, down and one <= 0]
            if form == "code":
                seen, denied, joint, cases = seen + 1, denied + up + down, joint + sum(both), cases + 2
            else:
                seen += 0.5 if one == 0 else 1
                denied, joint, cases = denied + (up or down), joint + any(both), cases + 1
    return seen, denied, joint, cases


LEVELS = st.sampled_from([0.0, 0.25, 0.5, 0.5 + 1e-15, 1.0, float("nan")])
TABLES = st.tuples(st.integers(1, 4), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        arrays.arrays(np.float64, (shape[0], 3, shape[1]), elements=LEVELS),
        arrays.arrays(np.float64, (shape[0], 3, shape[1]), elements=LEVELS),
    )
)


@settings(max_examples=80, deadline=None)
@given(TABLES, st.sampled_from(["strict", "agree"]))
def test_disagreements_match_a_double_loop(tables, ties):
    values, simple = tables
    sets = ((0,), (1, 2), (0, 1, 2))
    found = disagreements(values[None], simple[None], Dimensions(sets), ties=ties)
    for number, members in enumerate(sets):
        for place, (a, b) in enumerate(combinations(range(3), 2)):
            cases, opposed, first, second, tied = plain(values, simple, members, a, b, ties)
            assert found.cases[0, number, place] == cases
            assert found.disagreements[0, number, place] == opposed
            assert found.tied[0, number, place] == tied
            # What sides with both says nothing about either.
            assert found.correct[0, :, number, place].sum(axis=0).tolist() == [first - tied, second - tied]


@settings(max_examples=80, deadline=None)
@given(TABLES, st.sampled_from(["code", "literal"]))
def test_improvements_match_a_double_loop(tables, form):
    values, simple = tables
    sets = ((0,), (1, 2), (0, 1, 2))
    found = improvements(values[None], simple[None], Dimensions(sets), form=form)
    for number, members in enumerate(sets):
        for m in range(3):
            seen, denied, joint, cases = plain_unanimity(values, simple, members, m, form)
            got = [getattr(found, name)[0, :, number, m].sum() for name in ("metric", "simple", "joint")]
            assert got == [seen, denied, joint]
            everyone = values.shape[0] * values.shape[2] * (values.shape[2] - 1)
            assert found.cases[0, :, number, m].sum() == (everyone if form == "code" else cases)


@settings(max_examples=60, deadline=None)
@given(TABLES, st.tuples(*[st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0])] * 3).filter(lambda w: sum(w[:2]) and w[2]))
def test_weighted_disagreements_match_a_plain_loop(tables, weights):
    values, simple = tables
    sets = ((0, 1), (2,), (0, 1, 2))
    found = disagreements(values[None], simple[None], Dimensions(sets, weights))
    for number, members in enumerate(sets):
        share = np.array([weights[s] for s in members]) / sum(weights[s] for s in members)
        supported, votes = np.zeros(2), np.zeros(2)
        for topic in range(values.shape[0]):
            own = [values[topic, 0], values[topic, 1], *(simple[topic, s] for s in members)]
            for r1, r2 in combinations(range(values.shape[2]), 2):
                signs = [sign(row[r1], row[r2], 1e-12) for row in own]
                if any(np.isnan(row[r1]) or np.isnan(row[r2]) for row in own) or signs[0] * signs[1] >= 0:
                    continue
                for side in (0, 1):
                    sided = np.array([signs[side] * d for d in signs[2:]])
                    supported[side] += (share * (sided > 0)).sum()
                    votes[side] += (share * sided).sum() > 1e-9
        assert found.supported[0, number, 0] == pytest.approx(supported, abs=1e-9)
        assert found.votes[0, number, 0].tolist() == votes.tolist()


# --- the sign test --------------------------------------------------------------------------------------------------


def test_p_matches_scipy():
    counts = [(a, b) for a in range(0, 60, 3) for b in range(0, 60, 4)] + [(4, 39), (129, 96), (1131, 178)]
    first, second = np.array(counts).T
    wanted = [binomtest(max(a, b), a + b, 0.5).pvalue if a + b else 1.0 for a, b in counts]
    assert sign_test(first, second) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.5])
def test_the_fewest_significant_wins_match_the_sign_test(alpha):
    fewest = critical_counts(300, alpha)
    for n in range(301):
        below = [k for k in range(n // 2 + 1) if sign_test(k, n - k) < alpha]
        assert fewest[n] == max(below, default=-1)


# --- edges ----------------------------------------------------------------------------------------------------------


def test_scores_equal_up_to_rounding_tie():
    assert preference_codes([0.1 + 0.2, 0.3, 0.4]).tolist() == [0, 0, 1]


def test_missing_scores_tie_nothing_and_infinity_is_refused():
    codes = preference_codes([[np.nan, 1.0, -1.0], [np.nan] * 3])
    assert codes[0, 1:].tolist() == [1, 0]
    assert np.isnan(codes[1]).all()
    with pytest.raises(MetameterError, match="a score is infinite"):
        preference_codes([1.0, np.inf])


def test_a_constant_metric_has_no_disagreements():
    values, simple = np.zeros((1, 2, 2, 4)), np.random.default_rng(0).random((1, 2, 1, 4))
    values[0, :, 0] = np.random.default_rng(1).random((2, 4))
    found = disagreements(values, simple, Dimensions(((0,),)))
    assert found.disagreements.item() == 0
    assert not found.correct.any()
    assert improvements(values, simple, Dimensions(((0,),))).metric[0, :, 0, 1].tolist() == [6, 6]


def test_a_topic_with_one_system_has_no_cases():
    values = np.full((1, 1, 2, 3), np.nan)
    values[..., 0] = 1.0
    found = disagreements(values, values[:, :, :1], Dimensions(((0,),)))
    assert found.cases.item() == 0


def test_blocks_of_systems_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    values, simple = rng.integers(0, 9, (1, 2, 3, 40)).astype(float), rng.integers(0, 9, (1, 2, 2, 40)).astype(float)
    dimensions = Dimensions(((0,), (0, 1)), (0.7, 0.3))
    whole = [disagreements(values, simple, dimensions, ties="agree"), improvements(values, simple, dimensions)]
    monkeypatch.setattr("metameter.stats.dimensions.preferences._CELLS", 300)
    parts = [disagreements(values, simple, dimensions, ties="agree"), improvements(values, simple, dimensions)]
    for one, other in zip(whole, parts, strict=True):
        assert all((getattr(one, name) == getattr(other, name)).all() for name in vars(one))


# --- swaps and wins -------------------------------------------------------------------------------------------------


def test_exact_swaps_match_all_sign_patterns():
    rng = np.random.default_rng(8)
    differences = rng.integers(-5, 6, (9, 4)).astype(float)
    differences[:, 3] = 0
    found = topic_swaps(differences, trials=20_000)
    every = np.array(list(product((1, -1), repeat=9))) @ differences
    norms = np.sqrt((differences**2).sum(axis=0))
    strength = np.divide(np.abs(differences.sum(axis=0)), norms, out=np.zeros(4), where=norms > 0)
    sampled = np.divide(np.abs(every), norms, out=np.zeros(every.shape), where=norms > 0)
    exact = (sampled >= strength - 1e-9).mean(axis=0)
    assert found.pvalue == pytest.approx(exact, abs=0.015)
    assert found.pvalue[3] == 1
    familywise = (sampled.max(axis=1)[:, None] >= strength - 1e-9).mean(axis=0)
    assert found.familywise() == pytest.approx(familywise, abs=0.015)
    assert (found.familywise() >= found.pvalue).all()


def test_p_of_swaps_is_never_zero():
    found = topic_swaps(np.ones((40, 1)), trials=100)
    assert found.pvalue == found.familywise() == [1 / 101]


def test_resampled_wins_match_the_wins_of_resampled_topics():
    rng = np.random.default_rng(9)
    correct = rng.integers(0, 12, (2, 7, 2, 6, 2))
    drawn = np.concatenate(list(bootstrap_indices(7, 30)))
    for wins in ("significant", "any"):
        found = resampled_pair_wins(correct, 4, wins=wins, resamples=30)
        for resample, topics in enumerate(drawn):
            sums = correct[:, topics].sum(axis=1)
            first, second = sums[..., 0], sums[..., 1]
            sure = sign_test(first, second) < 0.05 if wins == "significant" else np.ones(first.shape, dtype=bool)
            won = np.stack([(first > second) & sure, (second > first) & sure], axis=-1)
            wanted = np.zeros((2, 2, 4))
            for place, (a, b) in enumerate(combinations(range(4), 2)):
                wanted[..., a] += won[:, :, place, 0]
                wanted[..., b] += won[:, :, place, 1]
            assert (found[resample] == wanted).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_dense_ranks_match_a_plain_loop(wins):
    order = sorted(set(wins), reverse=True)
    assert dense_ranks(np.array(wins)).tolist() == [1 + order.index(each) for each in wins]


@pytest.mark.slow
def test_p_table_keeps_its_level_but_the_sign_test_errs(calibration):
    """Equally intuitive metrics: the sign test errs far too often, whole tables by p_table about one time in twenty."""
    work = {"systems": 12, "topics": 25, "levels": None, "trials": 200, "better": 0.0}
    marked = np.array([calibration.marks(number, **work) for number in range(100)])
    p, p_topics, p_table = marked.mean(axis=(0, 2))
    assert p > 0.12
    # Rows of a table share topics and metrics, so shares vary more than counts of independent rows would.
    assert 0.02 < p_topics < 0.08
    assert p_table < p_topics
    # So many or more would be seen in one of a thousand tests if 5% of the tables had a false mark.
    assert marked[:, 2].any(axis=1).sum() < binom.ppf(0.999, 100, 0.05)
    assert marked[:, 0].any(axis=1).mean() > 0.7


@pytest.mark.slow
def test_the_sign_test_keeps_its_level_for_independent_cases(calibration):
    """Two systems make one case of a topic: then p is what it says (in 300 tables, 2.8% of the rows are below .05)."""
    work = {"systems": 2, "topics": 50, "levels": None, "trials": 2, "better": 0.0}
    marked = np.array([calibration.marks(number, **work) for number in range(25)])
    assert 0 < marked[:, 0].mean() < 0.05


@pytest.fixture(scope="module")
def calibration():
    path = Path(__file__).parents[3] / "benchmarks" / "calibration_intuitiveness.py"
    spec = importlib.util.spec_from_file_location("calibration_intuitiveness", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
