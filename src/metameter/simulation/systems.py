"""The systems of a simulated collection: how good they are, and what they retrieve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.simulation.model import INTERACTION, OWN, QUALITY, SHARED, SIGNAL, Model
from metameter.simulation.streams import Part, stream
from metameter.simulation.topics import Topics

PRECISION = 1_000_000


@dataclass(frozen=True, eq=False)
class Listing:
    """What one system retrieves: document numbers and scores, topics x depth, best first."""

    docs: NDArray[np.int64]
    scores: NDArray[np.float64]


def family_of(model: Model, system: int) -> int | None:
    """The family in which a system is a variant; dealt out in turn, so that more systems change no family."""
    return None if model.families is None else system % model.families


def quality_of(model: Model, system: int) -> float:
    """The true effect of a system, in units of the retrieval signal; 0 for all in null mode."""
    return 0.0 if model.null else float(QUALITY * _effects(model, system)[0])


def retrieve(model: Model, topics: Topics, signal: NDArray[np.float64], system: int) -> Listing:
    """Rank the documents of every topic as one system does.

    Score = (signal + quality + ease of the topic + interaction) x relevance + appeal + the system's own noise.
    """
    interaction = INTERACTION * _effects(model, system)[1:]
    strength = np.maximum(0.0, SIGNAL + quality_of(model, system) + topics.ease + interaction)
    score = strength[:, None] * signal + SHARED * topics.appeal + OWN * _noise(model, system)
    return _best(score, model.depth)


def _effects(model: Model, system: int) -> NDArray[np.float64]:
    # One normal for the quality, then one per topic: further topics leave the earlier ones alone.
    return _mixed(model, system, Part.SYSTEM_EFFECT, Part.FAMILY_EFFECT, (1 + model.topics,))


def _noise(model: Model, system: int) -> NDArray[np.float64]:
    return _mixed(model, system, Part.SYSTEM_NOISE, Part.FAMILY_NOISE, (model.topics, model.documents))


def _mixed(model: Model, system: int, own: Part, family: Part, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normals of a system, of which its family shares the part ``likeness``."""
    alone = stream(model.seed, own, system).standard_normal(shape)
    kin = family_of(model, system)
    if kin is None:
        return alone
    shared = stream(model.seed, family, kin).standard_normal(shape)
    return math.sqrt(model.likeness) * shared + math.sqrt(1 - model.likeness) * alone


def _best(score: NDArray[np.float64], depth: int) -> Listing:
    # Score, rounded, and document number in one integer: no two are equal, so every sorting algorithm, on every
    # machine, gives the same order, and equal scores are ordered by document id, falling, as in trec_eval.
    documents = score.shape[1]
    keys = np.rint(score * PRECISION).astype(np.int64) * documents + np.arange(documents)
    top = np.sort(np.partition(keys, documents - depth, axis=1)[:, documents - depth :], axis=1)[:, ::-1]
    return Listing(top % documents, (top // documents) / PRECISION)
