"""Parts of scores: without missing cells, on some topics, with an axis of iterations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.types.scores import Scores

#: What becomes of missing cells.
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
        raise MetameterError(
            "every topic has missing cells", fix="Set missing to zero (--missing zero), or give fewer systems."
        )
    return of_topics(scores, [topic for topic, kept in zip(scores.topics, whole.tolist(), strict=True) if kept])


def of_topics(scores: Scores, topics: Iterable[str]) -> Scores:
    """The scores on these topics only.

    Examples
    --------
    >>> of_topics(Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, 0.25]]])), ["2"]).values.tolist()
    [[[0.25]]]
    """
    wanted = set(topics)
    kept = [position for position, topic in enumerate(scores.topics) if topic in wanted]
    low, high = (None if end is None else end[:, :, kept] for end in (scores.low, scores.high))
    labels = tuple(scores.topics[position] for position in kept)
    return replace(scores, topics=labels, values=scores.values[:, :, kept], low=low, high=high)


def as_sessions(scores: Scores) -> Scores:
    """The scores with an axis of iterations; those that have none get one, of the single iteration 1.

    Examples
    --------
    >>> sessions = as_sessions(Scores(("AP",), ("a", "b"), ("1",), np.array([[[0.5], [0.25]]])))
    >>> sessions.iterations, sessions.values.shape
    ((1,), (1, 2, 1, 1))
    """
    if scores.iterations:
        return scores
    low, high = (None if end is None else end[..., None] for end in (scores.low, scores.high))
    return replace(scores, values=scores.values[..., None], low=low, high=high, iterations=(1,))
