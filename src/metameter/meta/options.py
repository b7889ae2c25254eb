"""The bounds of options that several procedures share."""

from __future__ import annotations

from metameter.parameters import Bounds

__all__ = ["LEVEL", "RESAMPLES", "TRIALS"]

TRIALS = Bounds(2, integer=True)
RESAMPLES = Bounds(2, integer=True)
LEVEL = Bounds(0, 1, low_open=True, high_open=True)
