"""The metrics of sessions against plain loops, on whatever sessions hypothesis thinks of; both forms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.metric.compose import parse_metric

SUBTOPICS = ["s1", "s2", "s3", "s4"]
DOCS = [f"d{number}" for number in range(9)]
PASSAGE = st.tuples(
    st.sampled_from(SUBTOPICS[:3]), st.sampled_from(DOCS), st.sampled_from(["", "n1", "n2", "n3"]), st.integers(-1, 4)
)
LENGTHS = st.dictionaries(st.sampled_from([*DOCS, "x0", "x1"]), st.integers(1, 3000), min_size=1)
TOLERANCE = 1e-10


@st.composite
def sessions(draw, page):
    """A truth, and lists that may be short and show documents again."""
    truth = draw(st.lists(PASSAGE, min_size=1, max_size=18))
    listed = SUBTOPICS[: draw(st.integers(3, 4))]
    shown = st.lists(st.sampled_from([*DOCS, "x0", "x1", "x2"]), min_size=1, max_size=page)
    return truth, listed, draw(st.lists(shown, min_size=1, max_size=4))


@st.composite
def cases(draw):
    page = draw(st.integers(1, 5))
    topics = draw(st.lists(sessions(page), min_size=1, max_size=3))
    return page, topics, draw(LENGTHS), draw(st.integers(1, 6)), draw(st.sampled_from(["official", "corrected"]))


def seen_by(evidence, page, topics, lengths):
    """What metrics see; the last topic is missing from the run, if there are several."""
    rows = [(str(number), *row) for number, (truth, _, _) in enumerate(topics, start=1) for row in truth]
    names = [(str(number), each) for number, (_, listed, _) in enumerate(topics, start=1) for each in listed]
    # Of topic 0 nothing is judged; there is nothing to be said of it.
    truth = evidence.truth_of(rows, every=True, listed=[("0", "s"), *names])
    shown = {str(number): evidence.shown_once(lists) for number, (_, _, lists) in enumerate(topics, start=1)}
    if len(topics) > 1:
        shown[str(len(topics))] = []
    return shown, evidence.sessions_of(truth, shown, lengths, page)


def compare(names, evidence, case, values_of):
    page, topics, lengths, k, form = case
    shown, seen = seen_by(evidence, page, topics, lengths)
    assert "0" not in seen.judgments.topics
    found = {name: parse_metric(name.format(form)).at(k).score(seen) for name in names}
    for number, (truth, listed, _) in enumerate(topics, start=1):
        wanted = values_of(truth, listed, shown[str(number)], k, form == "official")
        row = seen.judgments.topics.index(str(number))
        for name, value in zip(names, wanted, strict=True):
            assert found[name][row] == pytest.approx(value, abs=TOLERANCE, rel=1e-10), (name.format(form), number)


@settings(deadline=None, max_examples=35)
@given(
    case=cases(),
    gamma=st.sampled_from([0, 0.25, 0.5, 1]),
    lid=st.sampled_from([1, 5, 8]),
    passages=st.sampled_from(["sum", "log"]),
)
def test_cube_test_matches_a_plain_loop(evidence, plain, case, gamma, lid, passages):
    options = f"gamma={gamma},H={lid},passages={passages},form={{}}"
    compare(
        [f"CT({options})", f"ACT({options})"],
        evidence,
        case,
        lambda truth, listed, lists, k, official: plain.cube(truth, listed, lists, k, gamma, lid, official, passages),
    )


# The greedy list adds the same numbers in another order: only where sums are exact are ties always ties.
@settings(deadline=None, max_examples=35)
@given(case=cases(), gamma=st.sampled_from([0, 0.25, 0.5, 1]), lid=st.sampled_from([1, 5, 8]))
def test_normalised_cube_test_matches_a_plain_loop(evidence, plain, case, gamma, lid):
    compare(
        [f"nCT(gamma={gamma},H={lid},form={{}})"],
        evidence,
        case,
        lambda truth, listed, lists, k, official: [plain.nct(truth, listed, lists, k, case[0], gamma, lid, official)],
    )


@settings(deadline=None, max_examples=35)
@given(case=cases(), b=st.sampled_from([2, 3.5]), bq=st.sampled_from([4, 2]))
def test_discounted_gain_matches_a_plain_loop(evidence, plain, case, b, bq):
    def values(truth, listed, lists, k, official):
        value, bound = (
            plain.sdcg(truth, lists, k, b, bq, official),
            plain.sdcg_bound(truth, k, case[0], b, bq, official),
        )
        return value, value / bound if bound else 0.0

    compare([f"{name}(b={b},bq={bq},form={{}})" for name in ("sDCG", "nsDCG")], evidence, case, values)


@settings(deadline=None, max_examples=35)
@given(
    case=cases(),
    a=st.sampled_from([0, 0.001, 0.1]),
    gamma=st.sampled_from([0, 0.5, 0.9]),
    p=st.sampled_from([0, 0.5, 0.8]),
)
def test_expected_utility_matches_a_plain_loop(evidence, plain, case, a, gamma, p):
    lengths = case[2]

    def values(truth, listed, lists, k, official):
        options = {"a": a, "gamma": gamma, "p": p, "official": official}
        return plain.eu(truth, lists, k, lengths, **options), plain.neu(truth, lists, k, case[0], lengths, **options)

    compare([f"{name}(a={a},gamma={gamma},p={p},form={{}})" for name in ("EU", "nEU")], evidence, case, values)


@settings(deadline=None, max_examples=35)
@given(case=cases())
def test_simple_metrics_match_plain_loops(evidence, plain, case):
    page, _, lengths, *_ = case

    def values(truth, listed, lists, k, official):
        used = min(k, len(lists))
        return (
            plain.prec(truth, lists, k),
            plain.st_rec(truth, lists, k, page, official),
            plain.tot_time(truth, lists, k, lengths),
            1 / used if used else 0.0,
            -used,
        )

    compare(["prec", "st_rec(form={})", "tot_time", "r_it", "neg_it"], evidence, case, values)
