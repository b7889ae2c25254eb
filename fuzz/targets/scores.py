"""Tables of scores in their three shapes: read or refused; what was read and written anew reads the same."""

import csv
import io
from collections.abc import Iterator
from random import Random

import numpy as np

from fuzz.laws import Refused, outcome, place
from fuzz.tables import table
from metameter.meta.collections import read_sessions
from metameter.read.scores import read_scores
from metameter.types import Scores

GROUP, SHARE = "readers", 2
METRIC, SYSTEM, TOPIC = [b"AP", b"nDCG@10", b"RBP(p=0.8)*max"], [b"a", b"b", b"c d"], [b"1", b"2", b"03", b"all", b"t"]
SCORE = [b"0", b"1", b"0.5", b".25", b"1e-3", b"-1", b"0.1", b"5"]
FURTHER = [b"low", b"high", b"bounds", b"", b"topic", b"system", b"iteration", b"run", b"x", b" score "]


def make(draw: Random) -> bytes:
    """Long, wide or a matrix, with or without iterations."""
    several = (
        {b"iteration": [b"1", b"2", b"3", b"0", b"1.0", b""][: draw.choice([2, 3, 3, 6])]}
        if draw.random() < 0.3
        else {}
    )
    long = {b"metric": METRIC, b"system": SYSTEM, b"topic": TOPIC, **several, b"score": SCORE}
    wide = {draw.choice([b"system", b"run"]): SYSTEM, b"topic": TOPIC, **several, b"AP": SCORE, b"P@5": SCORE}
    matrix = dict.fromkeys(SYSTEM, SCORE)
    return table(draw, draw.choice([long, wide, matrix]), FURTHER)


def hold(data: bytes) -> bool:
    """Every score is a number or missing; what was read reads back the same from a long table."""
    path = place(data, "scores.csv")
    outcome(lambda: read_sessions(path))
    scores = outcome(lambda: read_scores(path, iteration="all"))
    if isinstance(scores, Refused):
        return False
    assert np.isfinite(scores.values[~scores.missing]).all()
    if scores.missing.all():
        return True
    again = read_scores(place(_written(scores), "again.csv"), iteration="all")
    assert dict(_cells(again)) == dict(_cells(scores))
    return True


def _cells(scores: Scores) -> Iterator[tuple[tuple[str, str, str, int], float]]:
    """The scores that are there, by metric, system, topic and iteration."""
    values = scores.values if scores.iterations else scores.values[..., None]
    for (m, s, t, i), value in np.ndenumerate(values):
        if np.isfinite(value):
            yield (scores.metrics[m], scores.systems[s], scores.topics[t], (scores.iterations or (1,))[i]), float(value)


def _written(scores: Scores) -> bytes:
    """As a long table."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["metric", "system", "topic", "iteration", "score"])
    writer.writerows([*names, repr(value)] for names, value in _cells(scores))
    return file.getvalue().encode()
