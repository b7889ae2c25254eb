"""Show how a metric arrives at its score, rank by rank."""

from __future__ import annotations

from metameter.scoring.explain import explain as command

__all__ = ["command"]
