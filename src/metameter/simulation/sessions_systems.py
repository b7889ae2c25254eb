"""The systems of simulated sessions: what they are good at, and what they show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

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

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["qualities_of", "show"]

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
    score = max(0.0, SIGNAL + relevance) * topic.signal + topic.appeal + (BREVITY + effort) * topic.brevity
    score += OWN * random.standard_normal(len(topic.names))
    shown = _chosen(topic, score, NOVELTY + diversity, used * model.page)
    return [shown[first : first + model.page] for first in range(0, shown.size, model.page)]


def _chosen(topic: Candidates, score: NDArray[np.float64], novelty: float, wanted: int) -> NDArray[np.int64]:
    """The best documents one after another; what is new counts among the relevant ones, of which there are no more."""
    relevant = np.flatnonzero(topic.covers.any(axis=1))
    covers = topic.covers[relevant]
    share = covers / np.maximum(covers.sum(axis=1, keepdims=True), 1)
    left, worth = np.ones(len(topic.names), np.bool_), np.ones(covers.shape[1])
    chosen = []
    for _ in range(min(wanted, left.size)):
        new, still = share @ worth, left[relevant]
        # Measured from what is usual, diversity chooses among relevant documents and is not relevance once more.
        usual = new[still].mean() if still.any() else 0.0
        total = score.copy()
        total[relevant] += novelty * (new - usual)
        # Rounded, so that every machine takes the same one.
        best = int(np.argmax(np.where(left, np.rint(total * PRECISION), -np.inf)))
        chosen.append(best)
        worth[topic.covers[best]] *= 0.5
        left[best] = False
    return np.array(chosen, dtype=np.int64)
