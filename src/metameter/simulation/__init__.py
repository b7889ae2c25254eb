"""Synthetic test collections and score matrices with known truth."""

from metameter.simulation.collection import Collection, simulate
from metameter.simulation.folder import write
from metameter.simulation.scores import ScoreParameters, fit, simulate_scores

__all__ = ["Collection", "ScoreParameters", "fit", "simulate", "simulate_scores", "write"]
