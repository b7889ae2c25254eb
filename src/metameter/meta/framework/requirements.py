"""Checks of the scores that a procedure is given, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

from metameter.errors import MetameterError
from metameter.types import Scores

# More pairs make tables that nobody reads, of about 1 GB.
_MOST_PAIRS = 5_000_000


def require_complete(scores: Any, *, systems: int = 2, topics: int = 2) -> Scores:
    """Return the scores, read if they are a file or a data frame; refuse missing cells and too few systems or topics.

    Parameters
    ----------
    scores : Scores, path, list of paths, data frame or rows
        Anything but `Scores` is read with `read_scores`.
    systems, topics : int
        The smallest numbers that are accepted.

    Examples
    --------
    >>> import numpy as np
    >>> require_complete(Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, np.nan], [0.4, 0.2]]])))
    Traceback (most recent call last):
    metameter.errors.MetameterError: AP has no score for system 'a' on topic '2', one of 1 missing cells. \
Read the scores with missing='zero' or 'drop-topic'.
    """
    complete = _without_gaps(_of_one_iteration(_as_scores(scores)))
    for what, have, need in (("system", complete.systems, systems), ("topic", complete.topics, topics)):
        if len(have) < need:
            allowed, fix = f"at least {need}", f"Give the scores of more {what}s."
            raise MetameterError(f"too few {what}s", given=len(have), allowed=allowed, fix=fix)
    return complete


def pairs_of(scores: Scores, baselines: int = 0) -> int:
    """Return how many comparisons of systems there are by all metrics: of all pairs, or with some baselines only.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP", "RR"), ("a", "b", "c"), ("1", "2"), np.zeros((2, 3, 2)))
    >>> pairs_of(scores), pairs_of(scores, baselines=1)
    (6, 4)
    """
    systems, first = len(scores.systems), baselines or len(scores.systems)
    return len(scores.metrics) * (first * (systems - 1) - first * (first - 1) // 2)


def require_few_pairs(scores: Scores, size: int, baselines: int = 0) -> None:
    """Refuse systems and metrics that make too many pairs of systems to hold in memory.

    Parameters
    ----------
    scores : Scores
    size : int
        The bytes that a procedure needs per pair of systems and metric.
    baselines : int
        Compare all systems with this many only; 0 for all pairs.
    """
    systems, metrics, pairs = len(scores.systems), len(scores.metrics), pairs_of(scores, baselines)
    if pairs > _MOST_PAIRS:
        by = "" if metrics == 1 else f" by {metrics:,} metrics"
        raise MetameterError(
            f"{systems:,} systems{by} make {pairs:,} pairs to test, which take about {pairs * size / 1e9:,.1f} GB",
            allowed=f"{_MOST_PAIRS:,} pairs",
            fix="Give fewer systems or fewer metrics at a time.",
        )


def _as_scores(source: Any) -> Scores:
    from metameter.read.formats.frames import is_frame
    from metameter.read.formats.rows import is_row
    from metameter.read.scores import read_scores

    if isinstance(source, Scores):
        return source
    if isinstance(source, Iterator):  # rows may come one by one
        source = list(source)
    items = source if isinstance(source, list | tuple) and source else [source]
    rows = items is source and is_row(items[0])
    if is_frame(source) or rows or all(isinstance(each, str | PathLike) for each in items):
        return read_scores(source)
    raise MetameterError(
        "a procedure takes scores",
        given=type(source).__name__,
        fix="Give what score or read_scores returns, the path of a table of scores, a data frame or rows.",
    )


def _of_one_iteration(scores: Scores) -> Scores:
    if scores.iterations:
        count = f"{len(scores.iterations)} iterations"
        raise MetameterError("the scores have iterations", given=count, fix="Take one iteration: scores.at().")
    return scores


def _without_gaps(scores: Scores) -> Scores:
    missing = scores.missing
    if missing.any():
        m, s, t = (int(i[0]) for i in missing.nonzero())
        raise MetameterError(
            f"{scores.metrics[m]} has no score for system {scores.systems[s]!r} on topic {scores.topics[t]!r}, "
            f"one of {int(missing.sum())} missing cells",
            fix="Read the scores with missing='zero' or 'drop-topic'.",
        )
    return scores
