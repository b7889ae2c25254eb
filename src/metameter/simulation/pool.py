"""Pooling: which documents of a simulated collection are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.simulation.model import Model
from metameter.simulation.systems import Listing
from metameter.simulation.topics import Topics

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pool"]

NEVER = np.iinfo(np.int32).max


class Pool:
    """The best rank of every document over the contributing runs, and the judgments that follow from it.

    Examples
    --------
    >>> pool = Pool(topics=1, documents=4)
    >>> pool.add(Listing(np.array([[2, 0]]), np.zeros((1, 2))))
    >>> pool.add(Listing(np.array([[0, 3]]), np.zeros((1, 2))))
    >>> pool.best < 3
    array([[ True, False,  True,  True]])
    """

    def __init__(self, topics: int, documents: int) -> None:
        self.best: NDArray[np.int32] = np.full((topics, documents), NEVER, dtype=np.int32)

    def add(self, listing: Listing) -> None:
        """Add a contributing run."""
        ranks = np.arange(1, listing.docs.shape[1] + 1, dtype=np.int32)
        known = np.take_along_axis(self.best, listing.docs, axis=1)
        np.put_along_axis(self.best, listing.docs, np.minimum(known, ranks), axis=1)

    def judge(self, model: Model, truth: Topics) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Topic number, document number and grade of every pooled document; -1 where the sample left it out."""
        topic, doc = np.nonzero(self.best <= model.pool_depth)
        grade = truth.grade[topic, doc].astype(np.float64)
        if model.pool_sample is not None:
            left_out = truth.lot[topic, doc] >= model.pool_sample
            grade[left_out & (self.best[topic, doc] > model.sample_below)] = -1
        return topic, doc, grade
