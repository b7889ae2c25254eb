"""The systems of simulated sessions: what they are good at, and what they show."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metameter.simulation.sessions_documents import Candidates
from metameter.simulation.sessions_model import (
    BREVITY,
    DIMENSIONS,
    ENDING,
    INTERACTION,
    NOVELTY,
    OWN,
    QUALITY,
    SIGNAL,
    SessionModel,
)
from metameter.simulation.streams import Part, stream

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
