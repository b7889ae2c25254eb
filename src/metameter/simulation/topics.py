"""The topics of a simulated collection: how hard they are, and which documents are relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.simulation.model import EASE, RELEVANT, SKEW, Model
from metameter.simulation.streams import Part, stream


@dataclass(frozen=True, eq=False)
class Topics:
    """The truth about the topics, before any system has searched.

    Attributes
    ----------
    ease : ndarray, topics
        Added to every system's signal; difficulty is its negative.
    grade : ndarray of int8, topics x documents
        The true grade of every document.
    appeal : ndarray, topics x documents
        What every system sees in a document beside its relevance: why systems retrieve the same
        documents that are not relevant.
    lot : ndarray, topics x documents
        In [0, 1); a sampled pool of share s judges the documents whose lot is below s.
    """

    ease: NDArray[np.float64]
    grade: NDArray[np.int8]
    appeal: NDArray[np.float64]
    lot: NDArray[np.float64]

    def signal(self, grades: int) -> NDArray[np.float64]:
        """How strongly the relevance of a document shows, 0 to 1; grade 1 of 3 shows at half strength."""
        return np.where(self.grade > 0, (self.grade + 1.0) / grades, 0.0)


def draw_topics(model: Model) -> Topics:
    """Draw every topic from a stream of its own."""
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
    # Each grade is half as frequent as the one below it: 4/7, 2/7 and 1/7 with three.
    share = 0.5 ** np.arange(grades - 1)
    cumulated = np.cumsum(share / share.sum())[:-1]
    return (1 + np.searchsorted(cumulated, random.random(relevant), side="right")).astype(np.int8)
