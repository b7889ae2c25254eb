"""Cells of a table of scores that nobody filled."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.types import Scores

__all__ = ["Missing", "without_missing"]

Missing: TypeAlias = Literal["zero", "drop-topic"] | None


def without_missing(scores: Scores, missing: Missing) -> Scores:
    """Treat missing cells as asked: as 0, or by leaving out the topics that have any.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, np.nan]]]))
    >>> without_missing(scores, "drop-topic").topics
    ('1',)
    """
    if missing is None:
        return scores
    if missing == "zero":
        values = np.where(scores.missing, 0.0, scores.values)
        return Scores(scores.metrics, scores.systems, scores.topics, values, scores.manifest)
    if missing != "drop-topic":
        raise MetameterError("there is no such way to treat missing cells", given=missing, allowed="zero, drop-topic")
    whole = ~scores.missing.any(axis=(0, 1))
    if not whole.any():
        raise MetameterError("every topic has missing cells", fix="Choose missing='zero', or fewer systems.")
    topics = tuple(np.array(scores.topics, dtype=object)[whole])
    return Scores(scores.metrics, scores.systems, topics, scores.values[:, :, whole], scores.manifest)
