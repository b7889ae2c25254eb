"""The model of a simulated collection: its parameters, topics and systems."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.errors import refuse
from metameter.parameters import Bounds
from metameter.simulation.bounds import MOST, SEEDS, check_size, keep_whole
from metameter.simulation.streams import Part, stream

_SHARE = Bounds(0, 1)
# Chosen so that the default size resembles WWW3 in chen2023: about 150 judged relevant documents per topic, mean AP of
# the systems between .1 and .6, Kendall's tau between halves of the topics .7 to .8.
SIGNAL, QUALITY, EASE, INTERACTION = 2.7, 0.7, 0.8, 1.0
SHARED, OWN = 1.0, 0.7
RELEVANT, SKEW = 290, 0.6


@dataclass(frozen=True)
class Model:
    """The checked parameters of `simulate`."""

    topics: int
    systems: int
    depth: int
    grades: int
    pool_depth: int
    null: bool
    seed: int
    documents: int
    families: int | None
    likeness: float
    contributing: int
    pool_sample: float | None
    sample_below: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "depth", "contributing"):
            keep_whole(self, name, 1)
        keep_whole(self, "grades", 2, 100)
        keep_whole(self, "documents", 8, 4 * MOST)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "pool_depth", 1, self.depth)
        keep_whole(self, "depth", 1, self.documents)
        keep_whole(self, "contributing", 1, self.systems)
        keep_whole(self, "sample_below", 0)
        self._check_shares()
        self._check_null()
        check_size("topics x documents", self.topics * self.documents)
        check_size("systems x topics x depth", self.systems * self.topics * self.depth)

    def _check_shares(self) -> None:
        if self.families is not None:
            keep_whole(self, "families", 1)
        for name, value in (("likeness", self.likeness), ("pool_sample", self.pool_sample)):
            if value is not None and not _SHARE.contain(value):
                refuse(f"{name} is not a share", given=value, allowed="from 0 to 1", fix=f"Give {name} as a number.")

    def _check_null(self) -> None:
        # Systems of a family are similar, and runs outside the pool are judged less: neither is exchangeable.
        if self.null and (self.families is not None or self.contributing < self.systems):
            refuse("null systems must be exchangeable", fix="Leave out families and contributing, or null.")


@dataclass(frozen=True, eq=False)
class Topics:
    """The true properties of the topics and their documents.

    Attributes
    ----------
    ease : ndarray, topics
        Added to every system's signal; difficulty is its negative.
    grade : ndarray of int8, topics x documents
        The true grade of every document.
    appeal : ndarray, topics x documents
        The score of a document beside its relevance, shared by all systems: why systems retrieve the same irrelevant
        documents.
    lot : ndarray, topics x documents
        Uniform in [0, 1); a sampled pool of share s judges the documents with a lot below s.
    """

    ease: NDArray[np.float64]
    grade: NDArray[np.int8]
    appeal: NDArray[np.float64]
    lot: NDArray[np.float64]

    def signal(self, grades: int) -> NDArray[np.float64]:
        """Return the strength of relevance of each document, 0 to 1; grade 1 of 3 has half the strength."""
        return np.where(self.grade > 0, (self.grade + 1.0) / grades, 0.0)


def draw_topics(model: Model) -> Topics:
    """Draw every topic from its own stream."""
    drawn = [_draw_topic(model, stream(model.seed, Part.TOPIC, topic)) for topic in range(model.topics)]
    ease, grade, appeal, lot = zip(*drawn, strict=True)
    return Topics(np.array(ease), np.array(grade), np.array(appeal), np.array(lot))


def _draw_topic(
    model: Model, random: np.random.Generator
) -> tuple[float, NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]:
    ease = EASE * random.standard_normal()
    most = model.documents // 4
    relevant = min(max(2, int(RELEVANT * math.exp(SKEW * random.standard_normal()))), most)
    grade = np.zeros(model.documents, dtype=np.int8)
    grade[random.permutation(model.documents)[:relevant]] = _draw_grades(model.grades, relevant, random)
    return ease, grade, random.standard_normal(model.documents), random.random(model.documents)


def _draw_grades(grades: int, relevant: int, random: np.random.Generator) -> NDArray[np.int8]:
    # Each grade is half as frequent as the next lower one: 4/7, 2/7 and 1/7 for three grades.
    share = 0.5 ** np.arange(grades - 1)
    cumulated = np.cumsum(share / share.sum())[:-1]
    return (1 + np.searchsorted(cumulated, random.random(relevant), side="right")).astype(np.int8)


PRECISION = 1_000_000


@dataclass(frozen=True, eq=False)
class Listing:
    """The documents that a system retrieves: indices and scores, (topics, depth) each, best first."""

    docs: NDArray[np.int64]
    scores: NDArray[np.float64]


def family_of(model: Model, system: int) -> int | None:
    """Return the family of a system; assigned in turn, so that more systems do not change it."""
    return None if model.families is None else system % model.families


def quality_of(model: Model, system: int) -> float:
    """Return the true effect of a system in units of the retrieval signal; 0 in null mode."""
    return 0.0 if model.null else float(QUALITY * _effects(model, system)[0])


def retrieve(model: Model, topics: Topics, signal: NDArray[np.float64], system: int) -> Listing:
    """Return the documents that a system retrieves for every topic.

    Score = (signal + quality + ease of the topic + interaction) x relevance + appeal + noise of the system.
    """
    interaction = INTERACTION * _effects(model, system)[1:]
    strength = np.maximum(0.0, SIGNAL + quality_of(model, system) + topics.ease + interaction)
    score = strength[:, None] * signal + SHARED * topics.appeal + OWN * _noise(model, system)
    return _best(score, model.depth)


def _effects(model: Model, system: int) -> NDArray[np.float64]:
    # One normal variate for the quality, then one per topic: more topics leave the earlier ones unchanged.
    return _mixed(model, system, Part.SYSTEM_EFFECT, Part.FAMILY_EFFECT, (1 + model.topics,))


def _noise(model: Model, system: int) -> NDArray[np.float64]:
    return _mixed(model, system, Part.SYSTEM_NOISE, Part.FAMILY_NOISE, (model.topics, model.documents))


def _mixed(model: Model, system: int, own: Part, family: Part, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normal variates of a system; its family shares the part ``likeness`` of their variance."""
    alone = stream(model.seed, own, system).standard_normal(shape)
    kin = family_of(model, system)
    if kin is None:
        return alone
    shared = stream(model.seed, family, kin).standard_normal(shape)
    return math.sqrt(model.likeness) * shared + math.sqrt(1 - model.likeness) * alone


def _best(score: NDArray[np.float64], depth: int) -> Listing:
    # Rounded score and document index in one integer: all are distinct, so the order is the same on every machine, and
    # equal scores are ordered by descending document id, as in trec_eval.
    documents = score.shape[1]
    keys = np.rint(score * PRECISION).astype(np.int64) * documents + np.arange(documents)
    top = np.sort(np.partition(keys, documents - depth, axis=1)[:, documents - depth :], axis=1)[:, ::-1]
    return Listing(top % documents, (top // documents) / PRECISION)
