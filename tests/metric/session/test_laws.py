"""What metrics of sessions promise: on the best session, on the empty one, on more of what does not help."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.sessions import Sessions
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.metric.session.cube_test import CT
from metameter.registry import get, names

NAMES = [name for name in names("metric") if get("metric", name).evidence is Sessions]
SUBTOPICS = ["a", "b", "c"]
DOCS = [f"d{number}" for number in range(10)]
PASSAGES = st.lists(
    st.tuples(
        st.sampled_from(SUBTOPICS), st.sampled_from(DOCS), st.sampled_from(["n1", "n2", "n3"]), st.integers(-1, 4)
    ),
    min_size=1,
    max_size=25,
)
PAGES = st.integers(1, 4)


def truth_of(evidence, passages):
    return evidence.truth_of([("1", *row) for row in passages], every=True, listed=[("1", s) for s in SUBTOPICS])


def pages(docs, page):
    return [docs[start : start + page] for start in range(0, len(docs), page)]


def test_every_session_metric_is_registered():
    complex_metrics = {"CT", "ACT", "nCT", "EU", "nEU", "sDCG", "nsDCG"}
    assert complex_metrics | {"prec", "st_rec", "r_it", "neg_it", "tot_time"} == set(NAMES)


@settings(deadline=None, max_examples=30)
@given(passages=PASSAGES, page=PAGES)
def test_the_greedy_session_scores_one(evidence, plain, passages, page):
    """After every iteration: what is best for few is the beginning of what is best for many."""
    chosen = plain.cube_ideal(passages, SUBTOPICS, 99)[1]
    session = evidence.sessions_of(truth_of(evidence, passages), {"1": pages(chosen, page)}, page=page)
    curve = parse_metric("nCT(form=corrected)").curve(session, range(1, session.iterations + 3))
    np.testing.assert_allclose(curve, 1, rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(passages=PASSAGES, order=st.permutations(DOCS), page=PAGES)
def test_no_session_scores_more_than_the_greedy_one(evidence, passages, order, page):
    """Documents fill several subtopics at once, and what looks best need not be: one that is better scores 1, too."""
    session = evidence.sessions_of(truth_of(evidence, passages), {"1": pages(order, page)}, page=page)
    curve = parse_metric("nCT(form=corrected)").curve(session, range(1, session.iterations + 1))
    assert (curve >= 0).all()
    assert (curve <= 1).all()


@settings(deadline=None, max_examples=30)
@given(passages=PASSAGES, order=st.permutations([*DOCS, "x", "y"]), page=PAGES, k=st.integers(1, 5))
def test_no_session_gains_more_than_the_bound(evidence, plain, passages, order, page, k):
    metric, truth = parse_metric("nsDCG(form=corrected)"), truth_of(evidence, passages)
    some = evidence.sessions_of(truth, {"1": pages(order, page)}, page=page)
    curve = metric.curve(some, range(1, 9))
    assert (curve >= 0).all()
    assert (curve <= 1 + 1e-12).all()
    # The best session of k iterations: the document with the most gain where it counts most.
    gain = plain.gains(passages, official=False)
    places = sorted(
        ((q, j) for q in range(k) for j in range(page)),
        key=lambda at: (1 + np.log2(at[1] + 1)) * (1 + np.log2(at[0] + 1) / 2),
    )
    lists = [[None] * page for _ in range(k)]
    for (q, j), doc in zip(places, sorted(gain, key=gain.get, reverse=True), strict=False):
        lists[q][j] = doc
    best = evidence.sessions_of(truth, {"1": lists}, page=page)
    assert metric.at(k).score(best)[0] == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("form", ["official", "corrected"])
def test_a_missing_session_scores_zero(form, evidence):
    truth = evidence.truth_of([("1", "a", "d", "n", 2), ("2", "a", "d", "n", 2)], every=True)
    lengths = {f"d{number}": 100.0 for number in range(30)}
    session = evidence.sessions_of(truth, {"1": [["x"]]}, lengths)
    for name in NAMES:
        known = get("metric", name)
        metric = known(form=form) if "form" in known.parameters() else known()
        curve = metric.curve(session, [1, 2, 5])[1]
        if name == "nEU":  # who reads nothing loses nothing: better than reading the longest documents in vain
            low, high = metric.bounds_after(session, np.array([1, 2, 5]))
            np.testing.assert_allclose(curve, -low[1] / (high - low)[1])
            assert (curve > 0).all()
        else:
            assert not curve.any(), name


@settings(deadline=None, max_examples=30)
@given(
    passages=PASSAGES,
    lists=st.lists(st.lists(st.sampled_from([*DOCS, "x"]), min_size=1, max_size=3), min_size=1, max_size=4),
    at=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    form=st.sampled_from(["official", "corrected"]),
)
def test_an_irrelevant_document_never_helps(evidence, passages, lists, at, form):
    """Of any length that is known; wherever it is shown."""
    passages = [(*row[:3], max(row[3], 1)) for row in passages]  # a rating of -1 is worse than nothing to the scorer
    shown = evidence.shown_once(lists)
    truth, lengths = (
        truth_of(evidence, passages),
        {doc: 50.0 + 7 * place for place, doc in enumerate([*DOCS, "x", "no"])},
    )
    iteration = min(at[0], len(shown) - 1)
    longer = [
        docs if place != iteration else [*docs[: at[1]], "no", *docs[at[1] :]] for place, docs in enumerate(shown)
    ]
    before, after = (evidence.sessions_of(truth, {"1": each}, lengths, page=4) for each in (shown, longer))
    for name in ("CT", "nCT", "sDCG", "nsDCG", "EU", "nEU", "st_rec"):
        metric = parse_metric(f"{name}(form={form})")
        scores = (metric.curve(each, range(1, 6)) for each in (before, after))
        worse = np.subtract(*scores)
        assert (worse >= -1e-12).all(), name
    for name in ("prec", "tot_time"):
        assert (parse_metric(name).curve(after, range(1, 6)) <= parse_metric(name).curve(before, range(1, 6))).all()


def test_an_irrelevant_document_can_raise_two_metrics(evidence):
    """ACT is a mean over documents, of which one more counts the full cube again; and of a document without a length
    the official scorer forgets the users who stop there, and what they have read."""
    truth = evidence.truth_of([("1", "a", "d", "n", 5)], every=True)
    short, longer = (
        evidence.sessions_of(truth, {"1": [docs]}, {"x": 100, "d": 100}) for docs in (["x", "d"], ["x", "d", "no"])
    )
    act = parse_metric("ACT")
    assert act.score(short)[0] == pytest.approx((0 + 0.5) / 2)
    assert act.score(longer)[0] == pytest.approx((0 + 0.5 + 0.5) / 3)
    official, corrected = parse_metric("EU"), parse_metric("EU(form=corrected)")
    assert official.score(longer)[0] - official.score(short)[0] == pytest.approx(0.001 * 0.25 * 200)
    assert corrected.score(longer)[0] == pytest.approx(corrected.score(short)[0])


def test_a_short_session_can_exceed_its_bound(evidence):
    """The cost of the bound is that of K full lists; one short document costs less."""
    truth = evidence.truth_of([("1", "a", "d", "n", 1)], every=True)
    lengths = {"d": 1.0, **{f"x{number}": 1.0 for number in range(9)}}
    session = evidence.sessions_of(truth, {"1": [["d"]]}, lengths)
    value, bounds = parse_metric("nEU(form=corrected)"), parse_metric("nEU(form=corrected)").bounds_after
    low, high = bounds(session, np.array([1]))
    read = 1 + 0.5 + 0.25 + 0.125 + 0.0625
    assert (low[0, 0], high[0, 0]) == pytest.approx((-0.001 * read, 1 - 0.001 * read))
    assert value.at(1).score(session)[0] == pytest.approx((1 - 0.001 + 0.001 * read) / 1)
    assert value.at(1).score(session)[0] > 1


def test_bounds_of_small_collections_count_existing_documents_only(evidence):
    """Twelve documents for three lists of five: those at ranks 1 to 4, not a list left short."""
    truth = evidence.truth_of([("1", "a", "d", "n", 1)], every=True)
    lengths = {"d": 1.0, **{f"x{number}": 1.0 for number in range(11)}}
    session = evidence.sessions_of(truth, {"1": [["d"]]}, lengths)
    low, _ = parse_metric("nEU(form=corrected)").bounds_after(session, np.array([3]))
    assert low[0, 0] == pytest.approx(-0.001 * 3 * (1 + 0.5 + 0.25 + 0.125))
    low, _ = parse_metric("nEU").bounds_after(session, np.array([3]))
    assert low[0, 0] == pytest.approx(-0.001 * (3 * (1 + 0.5 + 0.25) + 2 * 0.125 + 1 * 0.0625))


@pytest.mark.parametrize("name", ["CT", "ACT", "sDCG", "prec", "tot_time"])
def test_contributions_add_up_to_the_score(name, evidence):
    _, truth, sessions, lengths = evidence.dynamic_domain()
    session = evidence.sessions_of(truth, sessions, lengths)
    table = example("metric", name).explain(session)
    assert list(table) == ["rank", "iteration", "position", "grade", "contribution"]
    listed = np.arange(session.depth) < session.length[:, None]
    sums = np.where(listed, table["contribution"], 0.0).sum(axis=1)
    np.testing.assert_allclose(sums, example("metric", name).score(session), rtol=1e-12)


def test_the_time_of_twenty_five_documents_is_as_published(evidence):
    """25 documents that are not relevant, 8,122 words: 243.06644 seconds."""
    truth = evidence.truth_of([("1", "a", "d", "n", 1)], every=True)
    docs = [f"x{number}" for number in range(25)]
    lengths = {"d": 1, **dict.fromkeys(docs[:24], 300), docs[24]: 8122 - 24 * 300}
    session = evidence.sessions_of(truth, {"1": pages(docs, 5)}, lengths)
    assert parse_metric("tot_time").score(session)[0] == pytest.approx(-243.06644, abs=1e-9)


def test_precision_stays_after_the_session_ends(evidence):
    truth = evidence.truth_of([("1", "a", f"d{number}", "n", 1) for number in range(13)], every=True)
    docs = [f"d{number}" for number in range(13)] + [f"x{number}" for number in range(12)]
    session = evidence.sessions_of(truth, {"1": pages(docs, 5)})
    assert parse_metric("prec@10").score(session)[0] == 0.52


def test_a_session_is_scored_up_to_its_cutoff(evidence):
    _, truth, sessions, lengths = evidence.dynamic_domain()
    session = evidence.sessions_of(truth, sessions, lengths)
    metric = parse_metric("sDCG")
    cut = metric @ 2
    assert cut == metric.at(2) == parse_metric("sDCG@2")
    assert cut.reach is None
    after, curve = cut.after(session, np.array([1, 2, 7])), metric.curve(session, [1, 2, 7])
    np.testing.assert_array_equal(after, curve[:, [0, 1, 1]])
    np.testing.assert_array_equal(metric.after(session, np.array([1, 2, 7])), curve)
    assert metric.curve(session, []).shape == (4, 0)
    with pytest.raises(MetameterError, match="sDCG@2 has its @k already"):
        cut @ 3


def test_means_cover_the_topics_of_the_run():
    metric = parse_metric("nCT")
    assert metric.summarise(np.array([0.5, np.nan, 1.5])) == 1
    assert np.isnan(metric.summarise(np.array([np.nan])))


def test_a_session_can_beat_the_greedy_one(evidence):
    """The greedy list takes the document on both subtopics, 6 of 10, and then one adds 2; the other two fill all 10."""
    rows = [("a", "both", 3), ("b", "both", 3), ("a", "one", 5), ("b", "other", 5)]
    truth = evidence.truth_of([("1", subtopic, doc, doc, rating) for subtopic, doc, rating in rows], every=True)
    metric = parse_metric("nCT(form=corrected)@1")
    better = evidence.sessions_of(truth, {"1": [["one", "other"]]}, page=2)
    assert metric.score(better)[0] == 1
    assert CT(form="corrected", k=1).score(better)[0] == pytest.approx(10 / 10)
    assert metric.bound(better, np.array([1]))[0, 0] == pytest.approx((6 + 2) / 10)
