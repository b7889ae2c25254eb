"""Missing cells of a table of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.types import Scores

__all__ = ["Missing", "without_missing"]

Missing: TypeAlias = Literal["zero", "drop-topic"] | None


def without_missing(scores: Scores, missing: Missing) -> Scores:
    """Count missing cells as 0, or leave out the topics that have any.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, np.nan]]]))
    >>> without_missing(scores, "drop-topic").topics
    ('1',)
    """
    if missing is None:
        return scores
    if missing == "zero":
        return replace(scores, values=np.where(scores.missing, 0.0, scores.values))
    if missing != "drop-topic":
        allowed = "zero, drop-topic"
        raise MetameterError(
            "there is no such way to treat missing cells", given=missing, allowed=allowed, fix="Choose one of these."
        )
    whole = np.asarray(~np.moveaxis(scores.missing, 2, 0).reshape(len(scores.topics), -1).any(axis=1))
    if not whole.any():
        raise MetameterError("every topic has missing cells", fix="Set missing to zero, or give fewer systems.")
    topics = tuple(topic for topic, kept in zip(scores.topics, whole.tolist(), strict=True) if kept)
    return replace(scores, topics=topics, values=scores.values[:, :, whole])
