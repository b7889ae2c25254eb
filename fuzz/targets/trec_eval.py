"""Odd but valid judgments and runs: scores are those of pytrec_eval, to 1e-9.

Where we differ, the inputs stay clear of it or the law says so:

- a topic that the run does not answer scores 0 with us; pytrec_eval leaves it out;
- a document that is listed twice for a topic is refused by us; pytrec_eval cannot be given one;
- a topic all of whose grades are negative may make pytrec_eval 0.5.11 hang or crash: every topic has one that is not.
"""

from random import Random

import numpy as np
import pytrec_eval

import metameter
from fuzz.draw import one_in
from fuzz.laws import Refused, outcome, place

GROUP, SHARE = "oracle", 1.5
NAMES = {"map": "AP", "ndcg": "nDCG", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR", "infAP": "infAP"}
NAMES |= {
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "ndcg_cut_5": "nDCG@5",
    "P_5": "P@5",
}
NAMES |= {"P_10": "P@10", "recall_5": "R@5", "success_1": "Success@1", "success_5": "Success@5", "map_cut_5": "AP@5"}
CUT_OFFS = ["ndcg_cut.5", "P.5,10", "recall.5", "success.1,5", "map_cut.5"]
MEASURES = {*(name for name in NAMES if not name[-1].isdigit()), *CUT_OFFS}
TOPICS, DOCS = (
    [b"1", b"2", b"10", b"t", b"01"],
    [b"d%d" % number for number in range(12)] + [b"\xc3\xa9", b'"q"', b"D1", b"d#", b"-1"],
)
GRADES = [b"0", b"0", b"1", b"1", b"2", b"3", b"-1", b"-2", b"+1", b"01", b"4"]
SCORES = [
    b"1",
    b"1.0",
    b"+1",
    b"1e0",
    b"2",
    b".5",
    b"5e-1",
    b"0",
    b"-0.0",
    b"-1",
    b"1e-40",
    b"16777216",
    b"16777217",
    b"1e30",
    b"0.1",
]
SCORES += [b"0.10000000149", b"1.", b"100E-2", b"00.5", b"3.0000001", b"3.00000011"]
CUT = b"=====\n"


def make(draw: Random) -> bytes:
    """Judgments and a run with ties, negative grades, odd spellings, topics on one side only; seldom a duplicate."""
    judged = [(topic, doc) for topic in TOPICS for doc in DOCS if draw.random() < 0.35]
    found = [
        (topic, doc)
        for topic in TOPICS[: draw.randint(1, 5)]
        for doc in DOCS
        if draw.random() < draw.choice([0.2, 0.7])
    ]
    draw.shuffle(found)
    if found and one_in(draw, 20):
        found.append(draw.choice(found))
    scores = draw.sample(SCORES, draw.randint(1, 8))
    firsts = dict(reversed(judged))
    grades = [draw.choice(GRADES[:6] if firsts[topic] == doc else GRADES) for topic, doc in judged]
    qrels = b"".join(b"%s 0 %s %s\n" % (*pair, grade) for pair, grade in zip(judged, grades, strict=True))
    run = b"".join(b"%s Q0 %s 1 %s tag\n" % (*pair, draw.choice(scores)) for pair in found)
    return qrels + CUT + run


def hold(data: bytes) -> bool:
    """Every score is theirs; topics that they leave out score 0."""
    judged, _, found = data.partition(CUT)
    lines = [line.split() for line in found.decode().split("\n") if line]
    twice = len({(line[0], line[2]) for line in lines}) < len(lines)
    ours = outcome(
        lambda: metameter.score(place(judged, "q"), place(found, "r"), list(NAMES.values()), precision="single", jobs=1)
    )
    if isinstance(ours, Refused):
        assert twice or not judged or not found or "1" not in str(_grades(judged)), ours
        return False
    assert not twice, "a duplicate was let in"
    theirs = pytrec_eval.RelevanceEvaluator(_grades(judged), MEASURES).evaluate(_scores(lines))
    for metric, values in zip(NAMES, ours.values[:, 0], strict=True):
        expected = [theirs.get(topic, {}).get(metric, 0.0) for topic in ours.topics]
        assert np.allclose(values, expected, rtol=0, atol=1e-9), f"{metric} {ours.topics}: {values} is not {expected}"
    return True


def _grades(judged: bytes) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in judged.decode().split("\n")[:-1]:
        topic, _, doc, grade = line.split()
        grades.setdefault(topic, {})[doc] = int(grade)
    return grades


def _scores(lines: list[list[str]]) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for topic, _, doc, _, score, _ in lines:
        scores.setdefault(topic, {})[doc] = float(score)
    return scores
