"""The metrics of sessions against the official scorer of TREC Dynamic Domain: every number at every cutoff."""

import numpy as np
import pytest

from metameter.metric.compose import parse_metric

CUTOFFS = [1, 2, 3, 5, 7, 10]
OURS = {"ct": "CT", "act": "ACT", "nct": "nCT", "sdcg": "sDCG", "nsdcg": "nsDCG", "eu": "EU", "neu": "nEU"}


@pytest.fixture(scope="module")
def golden(evidence):
    known, truth, sessions, lengths = evidence.dynamic_domain()
    return known, evidence.sessions_of(truth, sessions, lengths), truth, sessions, lengths


def expected(known, topics, name):
    return np.array([[known["expected"][f"cutoff={k}"][topic][name] for k in CUTOFFS] for topic in topics])


@pytest.mark.parametrize("name", OURS)
def test_every_score_at_every_cutoff_matches(name, golden):
    known, seen = golden[:2]
    metric, wanted = parse_metric(OURS[name]), expected(known, seen.judgments.topics, name)
    assert wanted.shape == (4, 6)
    curve = metric.curve(seen, CUTOFFS)
    np.testing.assert_allclose(curve, wanted, atol=known["tolerance"], rtol=0)
    alone = np.stack([metric.at(k).score(seen) for k in CUTOFFS], axis=1)
    np.testing.assert_array_equal(curve, alone)
    assert (np.ptp(wanted, axis=1) > 0).all()


def test_every_bound_at_every_cutoff_matches(golden):
    known, seen = golden[:2]
    iterations = np.array(CUTOFFS)
    low, high = parse_metric("nEU").bounds_after(seen, iterations)
    found = {
        "ct_bound": parse_metric("nCT").bound(seen, iterations),
        "sdcg_bound": parse_metric("nsDCG").best(seen, iterations),
        "eu_lower": low,
        "eu_upper": high,
        "gain": parse_metric("CT").curve(seen, CUTOFFS) * seen.time(iterations),
    }
    left = {name for name in known["expected"]["cutoff=1"]["DD99-1"] if name not in OURS}
    assert set(found) == left
    for name, values in found.items():
        np.testing.assert_allclose(
            values, expected(known, seen.judgments.topics, name), atol=1e-9, rtol=0, err_msg=name
        )


def test_plain_loops_match_the_official_scorer(golden, plain):
    """What stands in for the scorer on generated sessions gives its numbers."""
    known, seen, truth, sessions, lengths = golden
    for topic in seen.judgments.topics:
        rows = truth.table.filter(topic=topic).select("subtopic", "doc", "nugget", "rating").rows()
        subtopics = sorted({row[0] for row in rows})
        lists = sessions[topic]
        for k in CUTOFFS:
            wanted = known["expected"][f"cutoff={k}"][topic]
            ct, act = plain.cube(rows, subtopics, lists, k)
            low, high = plain.eu_bounds(rows, k, 5, lengths)
            found = {
                "ct": ct,
                "act": act,
                "gain": ct * min(k, len(lists)),
                "ct_bound": plain.cube_bound(rows, subtopics, k, 5),
                "nct": plain.nct(rows, subtopics, lists, k, 5),
                "sdcg": plain.sdcg(rows, lists, k),
                "sdcg_bound": plain.sdcg_bound(rows, k, 5),
                "nsdcg": plain.sdcg(rows, lists, k) / plain.sdcg_bound(rows, k, 5),
                "eu": plain.eu(rows, lists, k, lengths),
                "eu_lower": low,
                "eu_upper": high,
                "neu": plain.neu(rows, lists, k, 5, lengths),
            }
            assert found == pytest.approx(wanted, abs=known["tolerance"])
