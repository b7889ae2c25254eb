"""How much of the scores is open because documents are not judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.metric.residual import bounds
from metameter.notices import notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays
    from metameter.types import Scores

__all__ = ["observe_bounds", "with_bounds"]


def observe_bounds(measures: list[Measure]) -> Callable[[Ranked], Arrays]:
    """What to note of each run: the lowest and the highest score of every metric and topic."""

    def observe(ranked: Ranked) -> Arrays:
        found = [bounds(measure, ranked) for measure in measures]
        return {
            "low": np.stack([each.low for each in found]),
            "high": np.stack([each.high for each in found]),
            "bounds": np.array([each.kind for each in found]),
        }

    return observe


def with_bounds(scores: Scores, rows: list[Arrays], kept: np.ndarray | None = None) -> Scores:
    """The scores with what was noted of each run; says so where the residual is larger than what is to be measured.

    Parameters
    ----------
    scores : Scores
    rows : list of dict
        A row a system, as `observe_bounds` gives it.
    kept : ndarray of bool, optional
        Which topics the scores hold.
    """
    low, high = (np.stack([row[side] for row in rows], axis=1) for side in ("low", "high"))
    if kept is not None:
        low, high = low[:, :, kept], high[:, :, kept]
    found = replace(scores, low=low, high=high, bounds=tuple(rows[0]["bounds"].tolist()))
    _warn(found)
    return found


def _warn(scores: Scores) -> None:
    if scores.low is None or scores.high is None or len(scores.systems) < 2:
        return
    residual = (scores.high - scores.low).mean(axis=2)
    means = scores.values.mean(axis=2)
    first, second = np.triu_indices(len(scores.systems), 1)
    difference = np.abs(means[:, first] - means[:, second])
    open_pairs = (np.maximum(residual[:, first], residual[:, second]) > difference).sum(axis=1)
    if not open_pairs.any():
        return
    worst, others = int(open_pairs.argmax()), int((open_pairs > 0).sum()) - 1
    further = f", and in some pairs by {others} other metrics" if others else ""
    notice(
        f"unjudged documents could turn the order of systems: by {scores.metrics[worst]} the residual is larger than "
        f"the difference in {open_pairs[worst]} of {first.size} pairs{further}"
    )
