"""Residuals: bounds of the scores over all possible grades of unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.metric.residual import bounds
from metameter.notices import notice
from metameter.scoring.run_observers import Observation, by_topic

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays
    from metameter.scoring.engine import ScoredRun
    from metameter.types import Scores


def bounds_of(measures: list[Measure]) -> Observation:
    """Return the observation of the lowest and the highest score of every metric and topic."""
    reaches = tuple(measure.reach for measure in measures)
    return Observation(("low", "high", "bounds"), _bounds, {"measures": measures}, reaches, _joined)


def _joined(blocks: Sequence[Arrays]) -> Arrays:
    ends = by_topic([{name: block[name] for name in ("low", "high")} for block in blocks])
    return {**ends, "bounds": blocks[0]["bounds"]}  # which kind they are is the metric's, not the topic's


def _bounds(ranked: Ranked, measures: list[Measure]) -> Arrays:
    every = [bounds(measure, ranked) for measure in measures]
    return {
        "low": np.stack([each.low for each in every]),
        "high": np.stack([each.high for each in every]),
        "bounds": np.array([each.kind for each in every]),
    }


def with_bounds(scores: Scores, rows: list[ScoredRun], kept: np.ndarray | None = None) -> Scores:
    """Return the scores with their bounds; give a notice where residuals exceed the differences between systems.

    Parameters
    ----------
    scores : Scores
    rows : list of ScoredRun
        One row per system, with what `bounds_of` notes.
    kept : ndarray of bool, optional
        Which topics the scores hold.
    """
    low, high = (np.stack([row.arrays[side] for row in rows], axis=1) for side in ("low", "high"))
    if kept is not None:
        low, high = low[:, :, kept], high[:, :, kept]
    bounded = replace(scores, low=low, high=high, bounds=tuple(rows[0].arrays["bounds"].tolist()))
    _warn(bounded)
    return bounded


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
    further = f", and in some pairs by {others} other metric{'s' * (others > 1)}" if others else ""
    notice(
        f"unjudged documents could turn the order of systems: by {scores.metrics[worst]} the residual is larger than "
        f"the difference in {open_pairs[worst]} of {first.size} pairs{further}"
    )
