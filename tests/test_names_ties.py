"""What "our names and theirs" says of ties: how ir_measures orders them, and how far that moves its numbers."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

import metameter as mm
from docs.made.names import names_page

TOPICS, LISTED, SCORES = 10, 40, 8  # as the page says
THEIRS = {
    "P@10": ir_measures.P @ 10,
    "nDCG@10": ir_measures.nDCG @ 10,
    "AP": ir_measures.AP,
    "Judged@10": ir_measures.Judged @ 10,
    "RR@10": ir_measures.RR @ 10,
    "RBP(p=0.8,gain=binary(1))": ir_measures.RBP(p=0.8, rel=1),
    "SDCG@10": ir_measures.SDCG(max_rel=4) @ 10,
    "Compat(p=0.8)": ir_measures.Compat(p=0.8),
}
BY_NAME_RISING = ("Judged@10", "RR@10")
AS_IN_THE_RUN = ("RBP(p=0.8,gain=binary(1))", "SDCG@10")
LIKE_US = ("P@10", "nDCG@10", "AP")


@pytest.fixture(scope="module")
def collections():
    rng = np.random.default_rng(0)
    topics = [str(topic) for topic in range(TOPICS)]

    def judged(document):
        return int(rng.integers(0, 5)) if rng.random() < 0.5 else 0

    made = []
    for _ in range(20):
        qrels = {topic: {f"d{doc:02}": judged(doc) for doc in rng.choice(60, 40, replace=False)} for topic in topics}
        listed = {topic: rng.permutation(60)[:LISTED] for topic in topics}
        run = {topic: {f"d{doc:02}": float(rng.integers(0, SCORES)) for doc in docs} for topic, docs in listed.items()}
        made.append((qrels, run))
    return made


def differences(collections, names, ties):
    """By metric, and for each collection: ours less theirs, topic by topic."""
    found = {name: [] for name in names}
    for qrels, run in collections:
        ours = mm.score(qrels, {"run": run}, list(names), max_grade=4, ties=ties)
        theirs = {
            (each.query_id, each.measure): each.value
            for each in ir_measures.iter_calc([THEIRS[name] for name in names], qrels, run)
        }
        for name in names:
            values = [theirs[topic, THEIRS[name]] for topic in ours.topics]
            found[name].append(ours[name][0] - values)
    return found


@pytest.mark.parametrize(
    ("names", "ties"), [(LIKE_US, "docid-desc"), (BY_NAME_RISING, "docid-asc"), (AS_IN_THE_RUN, "input")]
)
def test_the_documented_tie_orders_reproduce_other_tools(collections, names, ties):
    for name, apart in differences(collections, names, ties).items():
        assert np.abs(apart).max() < 1e-9, name


def test_other_tie_orders_give_other_numbers(collections):
    others = [*BY_NAME_RISING, *AS_IN_THE_RUN, "Compat(p=0.8)"]
    for name, apart in differences(collections, others, "docid-desc").items():
        assert np.abs(np.mean(apart, axis=1)).max() > 0.02, name


def test_the_page_names_the_options():
    assert all(f"--ties {ties}" in names_page() for ties in ("docid-asc", "input"))
