"""The options that several procedures share: their bounds, and what they mean wherever they are given."""

from __future__ import annotations

from metameter.parameters import Bounds

__all__ = ["LEVEL", "RESAMPLES", "SHARED", "TRIALS"]

TRIALS = Bounds(2, integer=True)
RESAMPLES = Bounds(2, integer=True)
LEVEL = Bounds(0, 1, low_open=True, high_open=True)

#: Option -> what it says for all procedures alike; each procedure's own docstring says more.
SHARED = {
    "trials": "Random shuffles of each significance test.",
    "alpha": "The significance level: differences with p below it are significant.",
    "by": "Compare metrics of the same browsing model only (browse), or all metrics with each other.",
    "resamples": "Bootstrap samples of topics, or of systems, for each interval.",
    "resample": "What intervals are for: other topics, other systems, or both.",
    "groups": "Systems drawn together: a file with a system and its group in each line; for resample systems or both.",
    "seed": "The same seed gives the same results.",
}
