"""The model of simulated sessions: documents to choose from, and systems of known qualities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import refuse
from metameter.simulation.bounds import SEEDS, check_size, keep_whole
from metameter.simulation.streams import Part, stream
from metameter.types import Truth

#: What systems may be good at; all are higher for better systems, effort too: short documents, few iterations.
DIMENSIONS = ("relevance", "diversity", "effort")
# Chosen by trial so that mean scores are about those of TREC Dynamic Domain 2016. After the first and the tenth
# iteration its runs have, on average, a precision of .35 and .30, a subtopic recall of .42 and .55, a total time of
# -119 and -555 seconds.
SIGNAL, EASE, NOVELTY, BREVITY = 0.8, 0.8, 0.3, 0.3
QUALITY = {"relevance": 0.6, "diversity": 3.0, "effort": 0.6}
INTERACTION = 0.5
SHARED, OWN = 0.7, 0.7
# The log-odds of ending the session after an iteration.
ENDING = -2.2
# How unlike topics are in how much there is on them; TREC's topics have 2 to 3,327 documents, half of them 56 or fewer.
SKEW = 1.0


@dataclass(frozen=True)
class SessionModel:
    """The parameters of `simulate_sessions`, checked."""

    topics: int
    systems: int
    iterations: int
    page: int
    null: bool
    seed: int
    subtopics: int
    relevant: int
    documents: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "iterations", "page", "relevant"):
            keep_whole(self, name, 1)
        keep_whole(self, "subtopics", 1, 1000)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "documents", 1)
        needed = max(2 * self.relevant, self.page * self.iterations)
        if self.documents < needed:
            refuse(
                "documents are too few",
                given=self.documents,
                allowed=f"{needed} or more: twice as many as are relevant, and enough for all iterations",
                fix="Give more documents, or fewer iterations, a smaller page, or fewer relevant documents.",
            )
        check_size("topics x documents", 4 * self.topics * self.documents)
        check_size("systems x topics x iterations x page", self.systems * self.topics * self.iterations * self.page)


# Of four nuggets, how many are marginal, relevant, highly relevant and key; about as in TREC Dynamic Domain 2016.
_RATINGS = (0.22, 0.34, 0.28, 0.16)
# The share of subtopics on which there is nothing; how many nuggets a subtopic has; how likely a document goes on to
# another subtopic, and has another passage on the same; how many documents are judged in vain for each subtopic.
_EMPTY, _NUGGETS, _FURTHER, _AGAIN, _IN_VAIN = 0.1, 8, 0.3, 0.35, 2
_Row = tuple[str, str, str, str, float]
# Words of a document: half of them have fewer.
_WORDS, _SPREAD = 500, 0.8


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents of a topic that systems choose from.

    Attributes
    ----------
    names : list of str
    covers : ndarray of bool, documents x subtopics
        Which document has a relevant passage on which subtopic.
    signal : ndarray
        How strongly the relevance of each document shows: 0 if it has none, 1 for the highest rating.
    brevity : ndarray
        How short each document is: 0 on average, more is shorter.
    appeal : ndarray
        What every system sees in a document beside its relevance, and how easy the topic is, in what is relevant.
    """

    names: list[str]
    covers: NDArray[np.bool_]
    signal: NDArray[np.float64]
    brevity: NDArray[np.float64]
    appeal: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        names: list[str],
        rating: NDArray[np.float64],
        words: NDArray[np.float64],
        highest: float,
        random: np.random.Generator,
    ) -> Candidates:
        """The documents of a topic: ``rating`` has, for documents x subtopics, the best one; 0 for none."""
        best = rating.max(axis=1, initial=0.0)
        signal = np.where(best > 0, 0.5 + 0.5 * best / highest, 0.0)
        ease = EASE * random.standard_normal()
        appeal = SHARED * random.standard_normal(len(names)) + np.where(best > 0, ease, 0.0)
        log = np.log(np.maximum(words, 1.0))
        return cls(names, rating > 0, signal, (log.mean() - log) / max(float(log.std()), 1e-9), appeal)


def documents_of(model: SessionModel, truth: Truth) -> list[list[str]]:
    """The documents of each topic of a truth, and others that are in no judgment."""
    judged = truth.table.group_by("topic").agg(docs="doc").rows_by_key("topic", unique=True)
    taken = set(truth.table["doc"])
    names = []
    for topic in truth.topics:
        mine = list(dict.fromkeys(judged.get(topic, ([],))[0]))
        wanted = max(model.documents, 2 * len(mine)) - len(mine)
        others = (f"{topic}-{number:05}" for number in range(wanted + len(taken)))
        fresh = (name for name in others if name not in taken)
        names.append(mine + [next(fresh) for _ in range(wanted)])
    return names


def lengths_of(model: SessionModel, names: list[list[str]], given: Mapping[str, float]) -> pl.DataFrame:
    """How long the documents are; one that several topics share has the length that it has first."""
    words = {str(doc): float(length) for doc, length in given.items()}
    for topic, docs in enumerate(names):
        drawn = np.exp(_SPREAD * stream(model.seed, Part.SESSION_WORDS, topic).standard_normal(len(docs)))
        for doc, length in zip(docs, np.rint(_WORDS * drawn).tolist(), strict=True):
            words.setdefault(doc, length)
    return pl.DataFrame({"doc": list(words), "length": list(words.values())}, schema_overrides={"length": pl.Float64})


def candidates_of(model: SessionModel, truth: Truth, names: list[list[str]], lengths: pl.DataFrame) -> list[Candidates]:
    """The documents of each topic, with what all systems see in them."""
    rating = pl.col("rating").clip(lower_bound=1.0) if truth.every_rating_counts else pl.col("rating")
    table = truth.table.select("topic", "subtopic", "doc", rating).filter(pl.col("rating") > 0)
    best = table.group_by("topic", "subtopic", "doc", maintain_order=True).agg(pl.col("rating").max())
    highest = float(best["rating"].max() or 1.0)  # type: ignore[arg-type]
    by_topic: dict[str, list[Any]] = best.rows_by_key("topic")
    words = dict(lengths.iter_rows())
    candidates = []
    for number, (topic, docs) in enumerate(zip(truth.topics, names, strict=True)):
        random = stream(model.seed, Part.SESSION_TOPIC, number)
        long = np.array([words[doc] for doc in docs])
        candidates.append(Candidates.of(docs, _matrix(docs, by_topic.get(topic, [])), long, highest, random))
    return candidates


def _matrix(docs: list[str], rows: list[tuple[str, str, float]]) -> NDArray[np.float64]:
    """The best rating of each document on each subtopic that has one."""
    row = {doc: number for number, doc in enumerate(docs)}
    column = {name: number for number, name in enumerate(dict.fromkeys(subtopic for subtopic, _, _ in rows))}
    rating = np.zeros((len(docs), max(len(column), 1)))
    for subtopic, doc, value in rows:
        rating[row[doc], column[subtopic]] = value
    return rating


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


PRECISION = 1_000_000


def qualities_of(model: SessionModel, system: int) -> NDArray[np.float64]:
    """What a system is good at, by `DIMENSIONS`: normal with mean 0 and variance 1; 0 for all in null mode."""
    drawn = stream(model.seed, Part.SESSION_QUALITY, system).standard_normal(len(DIMENSIONS))
    return np.zeros(len(DIMENSIONS)) if model.null else drawn


def show(
    model: SessionModel, candidates: list[Candidates], quality: NDArray[np.float64], system: int
) -> list[list[NDArray[np.int64]]]:
    """The documents that a system shows: for each topic, for each iteration, their numbers."""
    random = stream(model.seed, Part.SESSION_SYSTEM, system)
    return [_session(model, topic, quality, random) for topic in candidates]


def _session(
    model: SessionModel, topic: Candidates, quality: NDArray[np.float64], random: np.random.Generator
) -> list[NDArray[np.int64]]:
    scale = np.array([QUALITY[dimension] for dimension in DIMENSIONS])
    relevance, diversity, effort = scale * (quality + INTERACTION * random.standard_normal(len(DIMENSIONS)))
    # As many are drawn as could be used, so that the next topic does not depend on where this session ends.
    ends = random.random(model.iterations) < 1 / (1 + math.exp(-(ENDING + effort)))
    used = int(np.argmax(ends)) + 1 if ends.any() else model.iterations
    plain = max(0.0, SIGNAL + relevance) * topic.signal + topic.appeal + OWN * random.standard_normal(len(topic.names))
    taste = plain + (BREVITY + effort) * topic.brevity
    shown = _chosen(topic, plain, taste, NOVELTY + diversity, used * model.page)
    return [shown[first : first + model.page] for first in range(0, shown.size, model.page)]


def _chosen(
    topic: Candidates, plain: NDArray[np.float64], taste: NDArray[np.float64], novelty: float, wanted: int
) -> NDArray[np.int64]:
    """Where something relevant stands depends on relevance alone; what stands there, on diversity and effort.

    So each quality moves its own dimension: a system that is better at diversity shows as many relevant documents.
    """
    is_relevant = np.asarray(topic.covers.any(axis=1))
    place = is_relevant[_falling(plain)[:wanted]]
    shown = np.zeros(place.size, dtype=np.int64)
    others = _falling(taste)
    shown[~place] = others[~is_relevant[others]][: int((~place).sum())]
    shown[place] = _novel(np.flatnonzero(is_relevant), topic.covers, taste, novelty, int(place.sum()))
    return shown


def _novel(
    relevant: NDArray[np.int64],
    covers: NDArray[np.bool_],
    taste: NDArray[np.float64],
    novelty: float,
    wanted: int,
) -> list[int]:
    """Relevant documents, one after another; a subtopic that was covered is half as new."""
    share = covers[relevant] / covers[relevant].sum(axis=1, keepdims=True)
    score, worth = taste[relevant], np.ones(covers.shape[1])
    chosen = []
    for _ in range(wanted):
        # Rounded, so that every machine takes the same one.
        best = int(np.argmax(np.rint((score + novelty * (share @ worth)) * PRECISION)))
        chosen.append(int(relevant[best]))
        worth[share[best] > 0] *= 0.5
        score[best] = -np.inf
    return chosen


def _falling(score: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(-np.rint(score * PRECISION), kind="stable")
