"""The documents of simulated sessions: what there is to choose from for each topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from metameter.simulation.sessions_model import EASE, SHARED, SessionModel
from metameter.simulation.streams import Part, stream
from metameter.types import Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Candidates", "candidates_of", "documents_of", "lengths_of"]

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
