"""What a procedure requires of its scores before anything is computed."""

from __future__ import annotations

from metameter.errors import MetameterError
from metameter.types import Scores

__all__ = ["require_complete"]


def require_complete(scores: Scores, *, systems: int = 2, topics: int = 2) -> Scores:
    """The scores themselves; refused if a cell is missing or there are too few systems or topics.

    Examples
    --------
    >>> import numpy as np
    >>> require_complete(Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, np.nan], [0.4, 0.2]]])))
    Traceback (most recent call last):
    metameter.errors.MetameterError: AP has no score for system 'a' on topic '2', one of 1 missing cells. \
Set missing to zero or drop-topic.
    """
    missing = scores.missing
    if missing.any():
        m, s, t = (int(i[0]) for i in missing.nonzero())
        raise MetameterError(
            f"{scores.metrics[m]} has no score for system {scores.systems[s]!r} on topic {scores.topics[t]!r}, "
            f"one of {int(missing.sum())} missing cells",
            fix="Set missing to zero or drop-topic.",
        )
    for what, have, need in (("system", scores.systems, systems), ("topic", scores.topics, topics)):
        if len(have) < need:
            allowed, fix = f"at least {need}", f"Give the scores of more {what}s."
            raise MetameterError(f"too few {what}s", given=len(have), allowed=allowed, fix=fix)
    return scores
