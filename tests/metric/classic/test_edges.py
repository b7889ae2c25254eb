"""The classical metrics where there is little to measure, and what they all promise."""

import math

import numpy as np
import polars as pl
import pytest

from metameter.errors import MetameterError
from metameter.judge.align import align
from metameter.judge.index import index_judgments
from metameter.judge.ranked import Judgments, Ranked
from metameter.metric.classic.base import Classic, Summed
from metameter.notation import parse
from metameter.registry import get, names
from metameter.types import Qrels, Run

# Those of a plain list; metrics of diversity, made of the same parts, have a file of their own.
CLASSIC = [name for name in names("metric") if get("metric", name).__module__.startswith("metameter.metric.classic.")]
NEED_DEPTH = ("P", "R", "Success", "Unjudged")
COUNTS = ("NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Utility", "Judged", "Unjudged", "gm_map", "gm_bpref")


def metric(text, **further):
    term = parse(text).left
    return get("metric", term.name)(**term.arguments, **further, k=term.k)


def default(name, **further):
    if name in NEED_DEPTH:
        further.setdefault("k", 5)
    return get("metric", name)(**further, **({"recall": 0.5} if name == "IPrec" else {}))


def evidence(qrels, run):
    grades = [(topic, doc, float(grade)) for topic, docs in qrels.items() for doc, grade in docs.items()]
    scores = [(topic, doc, -float(rank)) for topic, docs in run.items() for rank, doc in enumerate(docs)]
    index = index_judgments(Qrels(pl.DataFrame(grades, schema=["topic", "doc", "grade"], orient="row")))
    return align(Run("run", pl.DataFrame(scores, schema=["topic", "doc", "score"], orient="row")), index)


@pytest.fixture(scope="module")
def ranked():
    """Generated lists of unequal length; one topic is missing, one has no relevant document, one no judgment."""
    rng = np.random.default_rng(1)
    docs = [f"d{number:02}" for number in range(40)]
    qrels = {str(t): {d: int(rng.integers(-1, 4)) for d in rng.choice(docs, 15, replace=False)} for t in range(9)}
    qrels |= {"90": {"d01": 1}, "91": {"d01": 0, "d02": 0}, "92": {"d01": -1}}
    run = {str(t): list(rng.choice(docs, rng.integers(1, 25), replace=False)) for t in range(9)}
    return evidence(qrels, run | {"91": ["d01", "d03"], "92": ["d02", "d01"]})


def test_every_classic_metric_is_registered():
    assert len(CLASSIC) >= 35
    assert all(issubclass(get("metric", name), Classic) for name in CLASSIC)


@pytest.mark.parametrize("name", CLASSIC)
def test_a_name_identifies_a_metric(name):
    made = default(name, judged_only=True, k=7)
    assert metric(repr(made)) == made
    assert hash(made) == hash(metric(repr(made)))
    assert made.reference
    assert made.summarise(np.array([0.5])).shape == ()


@pytest.mark.parametrize("name", CLASSIC)
@pytest.mark.parametrize("k", [1, 3, 5, 100])
def test_a_cutoff_scores_the_cut_list(name, k, ranked):
    # Ranked.cut is what trec_eval -M does; only the divisor of some may know of k.
    scores = default(name, k=k).score(ranked)
    assert scores.shape == (len(ranked.judgments.topics),)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, default(name, k=k).score(ranked.cut(k)))


@pytest.mark.parametrize("name", CLASSIC)
def test_topics_without_evidence_score_zero(name, ranked):
    scores = dict(zip(ranked.judgments.topics, default(name).score(ranked), strict=True))
    least = math.log(1e-5) if name.startswith("gm_") else 0.0
    assert scores["90"] == pytest.approx(least)  # missing from the run
    if name not in COUNTS:
        assert scores["91"] == scores["92"] == 0  # nothing relevant, nothing judged
        assert ((np.array(list(scores.values())) >= 0) & (np.array(list(scores.values())) <= 1 + 1e-12)).all()


@pytest.mark.parametrize("name", CLASSIC)
@pytest.mark.parametrize("judged_only", [False, True])
def test_contributions_add_up_to_the_score(name, judged_only, ranked):
    for k in (4, 100):
        made = default(name, k=k, judged_only=judged_only)
        table = made.explain(ranked)
        assert list(table) == ["rank", "grade", "gain", "discount", "contribution"]
        assert len({column.shape for column in table.values()}) == 1
        if isinstance(made, Summed):
            np.testing.assert_allclose(table["gain"] * table["discount"], table["contribution"])
            np.testing.assert_allclose(table["contribution"].sum(axis=1), made.score(ranked), atol=1e-12)
        else:
            assert np.isnan(table["contribution"]).all()


@pytest.mark.parametrize("name", [name for name in CLASSIC if issubclass(get("metric", name), Summed)])
@pytest.mark.parametrize("judged_only", [False, True])
def test_a_curve_equals_the_scores_at_each_depth(name, judged_only, ranked):
    depths = [1, 2, 3, 7, 20, 24, 50]
    curve = default(name, judged_only=judged_only).curve(ranked, depths)
    alone = [default(name, judged_only=judged_only, k=k).score(ranked) for k in depths]
    np.testing.assert_allclose(curve, np.stack(alone, axis=1), atol=1e-12)


@pytest.mark.parametrize("name", CLASSIC)
def test_empty_lists_score_the_minimum(name):
    judgments = Judgments(("1", "2"), np.array([[2.0, 0.0], [-1.0, -1.0]]), 2.0)
    nothing = np.zeros((2, 0))
    ranked = Ranked("none", judgments, nothing, nothing.astype(np.int8), np.zeros(2, dtype=np.int64))
    least = math.log(1e-5) if name.startswith("gm_") else 0.0
    assert default(name).score(ranked) == pytest.approx([least, least])
    assert default(name).explain(ranked)["rank"].shape == (2, 0)


@pytest.mark.parametrize("name", [name for name in CLASSIC if name not in COUNTS])
def test_an_ideal_list_scores_one(name):
    ranked = evidence({"1": dict(zip("abcdef", (3, 2, 2, 1, 1, 1), strict=True))}, {"1": list("abcdef")})
    k = 6 if name in NEED_DEPTH else None
    # The epsilon of infAP keeps it just below.
    assert default(name, k=k).score(ranked)[0] == pytest.approx(1, abs=1e-4)


def test_each_topic_is_scored_alone(ranked):
    order = np.random.default_rng(2).permutation(len(ranked.length))
    judgments = Judgments(
        tuple(ranked.judgments.topics[i] for i in order), ranked.judgments.ideal[order], ranked.judgments.max_grade
    )
    moved = Ranked("moved", judgments, ranked.grade[order], ranked.status[order], ranked.length[order])
    for name in CLASSIC:
        np.testing.assert_array_equal(default(name).score(moved), default(name).score(ranked)[order])


def test_average_precision_never_falls_with_depth(ranked):
    depths = list(range(1, 26))
    assert (np.diff(metric("AP").curve(ranked, depths), axis=1) >= -1e-12).all()
    assert (np.diff(metric("AP(norm=min)").curve(ranked, depths), axis=1) < -0.01).any()


def test_average_precision_has_three_norms():
    gains = Ranked.of_gains([1, 1, 0, 1])
    assert metric("AP(norm=min)@2").score(gains)[0] == 1
    assert metric("AP@2").score(gains)[0] == pytest.approx(2 / 3)
    with pytest.raises(MetameterError, match="contributed"):
        metric("AP(norm=pool)@2").score(gains)


def test_unjudged_documents_gain_nothing_even_if_grade_0_does():
    ranked = evidence({"1": {"a": 1, "b": 0}}, {"1": ["x", "a"]})
    made = metric("nDCG(gain={0:1,1:2})")
    assert made.dcg(ranked)[0] == pytest.approx(2 / math.log2(3))
    assert made.ideal(ranked)[0] == pytest.approx(2 + 1 / math.log2(3))


def test_a_gain_table_can_fall_with_the_grade():
    ranked = evidence({"1": {"a": 1, "b": 2}}, {"1": ["a", "b"]})
    assert metric("nDCG(gain={1:5})").score(ranked)[0] == pytest.approx(1)
    assert metric("Q(beta=1,gain={1:5})").score(ranked)[0] == pytest.approx(1)


def test_gains_are_used_unmapped():
    gains = [0.5, None, 0.25]
    assert metric("nDCG(gain=exp)")(gains) == metric("nDCG")(gains)
    assert metric("P@3")(gains) == pytest.approx(2 / 3)
    assert metric("nERR")([0.5, 1]) == pytest.approx((0.5 + 0.5 / 2) / 1)


def test_the_jk_discount_starts_after_its_base():
    ranked = evidence({"1": {"a": 1, "b": 1, "c": 1}}, {"1": ["x", "y", "a", "b", "c"]})
    dcg = metric("nDCG(b=3,discount=jk)").dcg(ranked)[0]
    assert dcg == pytest.approx(1 + math.log(3) / math.log(4) + math.log(3) / math.log(5))


def test_recall_levels_are_rounded_in_two_ways():
    ranked = evidence({"1": dict.fromkeys("abc", 1)}, {"1": ["a", "x", "x2", "b", "c"]})
    assert metric("IPrec(recall=0.4)").score(ranked)[0] == pytest.approx(0.6)
    assert metric("IPrec(recall=0.4,rounding=nearest)").score(ranked)[0] == 1


@pytest.mark.parametrize(
    "name",
    [
        "P",
        "P(rel=0)@5",
        "AP(rel=True)",
        "AP(norm=max)",
        "IPrec(recall=2)",
        "Q(beta=-1)",
        "nDCG(gain=steep)",
        "nDCG(gain={1:-1})",
        "nDCG(gain={})",
        "nDCG(b=3)",
        "NCU(gamma=0.5,stop=graded)",
        "Compat(p=1)",
    ],
)
def test_impossible_parameters_are_refused(name):
    with pytest.raises(MetameterError):
        metric(name)
