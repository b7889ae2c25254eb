"""The truth of simulated sessions: topics, their subtopics, and what documents say on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metameter.simulation.sessions_model import SKEW, SessionModel
from metameter.simulation.streams import Part, stream
from metameter.types import Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["draw_truth"]

# Of four nuggets, how many are marginal, relevant, highly relevant and key; about as in TREC Dynamic Domain 2016.
_RATINGS = (0.22, 0.34, 0.28, 0.16)
# The share of subtopics on which there is nothing; how many nuggets a subtopic has; how likely a document goes on to
# another subtopic, and has another passage on the same; how many documents are judged in vain for each subtopic.
_EMPTY, _NUGGETS, _FURTHER, _AGAIN, _IN_VAIN = 0.1, 8, 0.3, 0.35, 2

_Row = tuple[str, str, str, str, float]


def draw_truth(model: SessionModel) -> tuple[Truth, list[list[str]]]:
    """Draw every topic from a stream of its own; and the names of all documents of each topic.

    Examples
    --------
    >>> truth, documents = draw_truth(SessionModel(2, 1, 2, 3, False, 0, subtopics=2, relevant=5, documents=20))
    >>> truth.topics, [len(names) for names in documents], documents[1][0]
    (('1', '2'), [20, 20], '2-00')
    """
    import polars as pl

    topics = [str(number + 1) for number in range(model.topics)]
    digits = len(str(model.documents - 1))
    documents = [[f"{topic}-{number:0{digits}}" for number in range(model.documents)] for topic in topics]
    rows: list[_Row] = []
    for number, topic in enumerate(topics):
        rows += _draw_topic(model, topic, documents[number], stream(model.seed, Part.SESSION_TRUTH, number))
    schema = dict.fromkeys(("topic", "subtopic", "doc", "nugget"), pl.String) | {"rating": pl.Float64}
    return Truth(pl.DataFrame(rows, schema=schema, orient="row"), source="simulated"), documents


def _draw_topic(model: SessionModel, topic: str, documents: list[str], random: np.random.Generator) -> list[_Row]:
    likely = _likely(model, random)
    order = random.permutation(model.documents)
    relevant = min(max(2, int(model.relevant * math.exp(SKEW * random.standard_normal()))), model.documents // 2)
    rating = 1 + np.searchsorted(np.cumsum(_RATINGS)[:-1], random.random((likely.size, _NUGGETS)), side="right")
    said = [
        (topic, f"{topic}.{subtopic + 1}", documents[document], f"{topic}.{subtopic + 1}.{nugget + 1}", worth)
        for document in np.sort(order[:relevant]).tolist()
        for subtopic in _subtopics(likely, random)
        for nugget in _nuggets(random)
        for worth in [float(rating[subtopic, nugget])]
    ]
    # Judged in vain: so a subtopic on which there is nothing is listed, too.
    vain = [
        (topic, f"{topic}.{subtopic + 1}", documents[document], f"{topic}.{subtopic + 1}.0.{document}", 0.0)
        for subtopic in range(likely.size)
        for document in order[relevant + random.permutation(model.documents - relevant)[:_IN_VAIN]].tolist()
    ]
    return said + vain


def _likely(model: SessionModel, random: np.random.Generator) -> NDArray[np.float64]:
    """How likely a document is on each subtopic: some have many, some none."""
    count = 1 + int(random.poisson(model.subtopics - 1))
    share = np.exp(random.standard_normal(count))
    share[1:][random.random(count - 1) < _EMPTY] = 0.0
    return np.asarray(share / share.sum())


def _subtopics(likely: NDArray[np.float64], random: np.random.Generator) -> list[int]:
    """The subtopics of a document, one or several."""
    wanted = int(random.geometric(1 - _FURTHER))
    there = np.flatnonzero(likely)
    # Each is drawn by its share of what is left: the smallest of exponential times.
    times = random.exponential(size=likely.size)[there] / likely[there]
    return sorted(there[np.argsort(times)[:wanted]].tolist())


def _nuggets(random: np.random.Generator) -> list[int]:
    """What a document says on a subtopic, one or several nuggets."""
    wanted = int(random.geometric(1 - _AGAIN))
    return sorted(random.permutation(_NUGGETS)[:wanted].tolist())
