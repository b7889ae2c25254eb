"""A generated collection for tests against other tools, with tied scores or without."""

from __future__ import annotations

import numpy as np

TOP = 4


def collection(*, ties: bool, topics: int = 12, documents: int = 40) -> tuple[dict, dict]:
    """Judgments and a run: grades 0 to 4, some documents unjudged, some not retrieved."""
    rng = np.random.default_rng(1)
    names = np.array([f"d{number:02}" for number in range(documents)])
    qrels, run = {}, {}
    for topic in map(str, range(topics)):
        judged, shown = (rng.permutation(names)[:size] for size in (25, 30))
        grades = rng.choice([0, 0, 0, 1, 2, TOP], judged.size)
        scores = rng.integers(0, 6, shown.size) if ties else rng.permutation(shown.size)
        qrels[topic] = dict(zip(judged.tolist(), grades.tolist(), strict=True)) | {"d00": TOP}
        run[topic] = dict(zip(shown.tolist(), map(float, scores), strict=True))
    return qrels, run
